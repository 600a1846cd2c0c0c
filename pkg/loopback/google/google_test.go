package google

import (
	"context"
	"crypto/tls"
	"slices"
	"testing"
	"time"

	container "cloud.google.com/go/container/apiv1"
	"cloud.google.com/go/container/apiv1/containerpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

const parent = "projects/example-project-1/locations/"

func client(t *testing.T) (*Cloud, *container.ClusterManagerClient) {
	t.Helper()
	c := Start()
	t.Cleanup(c.Close)
	dial := grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: c.Roots(), MinVersion: tls.VersionTLS12}))
	api, err := container.NewClusterManagerClient(context.Background(), option.WithEndpoint(c.Endpoint()),
		option.WithoutAuthentication(), option.WithGRPCDialOption(dial))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Close() })
	return c, api
}

// TestAnswers asks Google's client library for everything that is served.
func TestAnswers(t *testing.T) {
	c, api := client(t)
	ctx := context.Background()
	name := ClusterName("example-project-1", "us-east1-b", "a")
	c.Put(name, &containerpb.Cluster{Name: "a", NodePools: []*containerpb.NodePool{{Name: "p"}}})
	c.Edit(name, func(k *containerpb.Cluster) { k.Description = "edited" })
	got, err := api.GetCluster(ctx, &containerpb.GetClusterRequest{Name: name})
	if err != nil || got.GetDescription() != "edited" {
		t.Errorf("%v, %v", got, err)
	}
	pools, err := api.ListNodePools(ctx, &containerpb.ListNodePoolsRequest{Parent: name})
	if err != nil || len(pools.GetNodePools()) != 1 {
		t.Errorf("%v, %v", pools, err)
	}
	id := c.Begin(name, "p", containerpb.Operation_UPGRADE_NODES)
	c.Begin(ClusterName("example-project-1", "europe-west1", "b"), "", containerpb.Operation_UPDATE_CLUSTER)
	c.SetTime(time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC))
	c.Finish(id, nil)
	op, err := api.GetOperation(ctx, &containerpb.GetOperationRequest{Name: parent + "us-east1-b/operations/" + id})
	if err != nil || op.GetStatus() != containerpb.Operation_DONE || op.GetEndTime() != "2026-01-01T01:00:00Z" ||
		op.GetTargetLink() != "https://container.googleapis.com/v1/projects/123456789012/zones/us-east1-b/clusters/a/nodePools/p" {
		t.Errorf("%v, %v", op, err)
	}
	for where, want := range map[string]int{"us-east1-b": 1, "-": 2, "asia-east1": 0} {
		list, err := api.ListOperations(ctx, &containerpb.ListOperationsRequest{Parent: parent + where})
		if err != nil || len(list.GetOperations()) != want {
			t.Errorf("%s: %v, %v", where, list, err)
		}
	}
	c.Down("europe-west1")
	list, err := api.ListOperations(ctx, &containerpb.ListOperationsRequest{Parent: parent + "-"})
	if err != nil || len(list.GetOperations()) != 1 || !slices.Equal(list.GetMissingZones(), []string{"europe-west1"}) {
		t.Errorf("%v, %v", list, err)
	}
	if want := []string{"GetCluster", "GetOperation", "ListNodePools", "ListOperations"}; !slices.Equal(c.Methods(), want) {
		t.Errorf("methods %v", c.Methods())
	}
}

// TestRefusals: what is not there, what is not served and what a token protects.
func TestRefusals(t *testing.T) {
	c, api := client(t)
	ctx := context.Background()
	name := ClusterName("example-project-1", "us-east1-b", "a")
	want := func(code codes.Code, err error) {
		t.Helper()
		if status.Code(err) != code {
			t.Errorf("got %v, want %s", err, code)
		}
	}
	_, err := api.GetCluster(ctx, &containerpb.GetClusterRequest{Name: name})
	want(codes.NotFound, err)
	_, err = api.ListNodePools(ctx, &containerpb.ListNodePoolsRequest{Parent: name})
	want(codes.NotFound, err)
	_, err = api.GetOperation(ctx, &containerpb.GetOperationRequest{Name: parent + "l/operations/x"})
	want(codes.NotFound, err)
	_, err = api.DeleteCluster(ctx, &containerpb.DeleteClusterRequest{Name: name})
	want(codes.Unimplemented, err)
	if got := c.Calls(); got[len(got)-1] != (Call{"DeleteCluster", name}) {
		t.Errorf("the write was not recorded: %v", got)
	}
	c.Token("t")
	_, err = api.GetCluster(ctx, &containerpb.GetClusterRequest{Name: name})
	want(codes.Unauthenticated, err)
	c.Token("")
	c.Throttle(0.25)
	over := 0
	for range 100 {
		_, err = api.GetCluster(ctx, &containerpb.GetClusterRequest{Name: name})
		if status.Code(err) == codes.ResourceExhausted {
			over++
		}
	}
	if over != 25 {
		t.Errorf("%d of 100 calls were over the quota", over)
	}
}
