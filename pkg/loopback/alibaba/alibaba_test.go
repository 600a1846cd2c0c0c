package alibaba

import (
	"context"
	"slices"
	"testing"

	cs "github.com/rancher/muchang/cs/client"
	openapi "github.com/rancher/muchang/darabonba-openapi/models"
	"github.com/rancher/muchang/utils/tea"
	"github.com/rancher/muchang/utils/tea/dara"
)

func client(t *testing.T) (*Cloud, *cs.Client) {
	t.Helper()
	c := Start()
	t.Cleanup(c.Close)
	c.Accept("KEYID", "")
	api, err := cs.NewClient(&openapi.Config{AccessKeyId: tea.String("KEYID"), AccessKeySecret: tea.String("secret"), RegionId: tea.String("cn-hangzhou"),
		Endpoint: tea.String(c.Endpoint()), Protocol: tea.String("http")})
	if err != nil {
		t.Fatal(err)
	}
	return c, api
}

// TestAnswers asks Rancher's client library for everything that is served.
func TestAnswers(t *testing.T) {
	c, api := client(t)
	c.Put("c1", &Cluster{
		Detail:    map[string]any{"cluster_id": "c1", "name": "a"},
		NodePools: map[string]any{"nodepools": []any{map[string]any{"nodepool_info": map[string]any{"name": "p"}}}},
		Nodes:     map[string]any{"np1": map[string]any{"nodes": []any{map[string]any{"instance_id": "i1"}}}},
	})
	c.PutTask("t1", map[string]any{"state": "running"})
	detail, err := api.DescribeClusterDetailWithContext(context.Background(), tea.String("c1"), nil, &dara.RuntimeOptions{})
	if err != nil || tea.StringValue(detail.Body.Name) != "a" {
		t.Errorf("%v, %v", detail, err)
	}
	pools, err := api.DescribeClusterNodePoolsWithContext(context.Background(), tea.String("c1"), &cs.DescribeClusterNodePoolsRequest{}, nil, &dara.RuntimeOptions{})
	if err != nil || len(pools.Body.Nodepools) != 1 {
		t.Errorf("%v, %v", pools, err)
	}
	nodes, err := api.DescribeClusterNodesWithContext(context.Background(), tea.String("c1"), &cs.DescribeClusterNodesRequest{NodepoolId: tea.String("np1")}, nil, &dara.RuntimeOptions{})
	if err != nil || len(nodes.Body.Nodes) != 1 {
		t.Errorf("%v, %v", nodes, err)
	}
	task, err := api.DescribeTaskInfoWithContext(context.Background(), tea.String("t1"), nil, &dara.RuntimeOptions{})
	if err != nil || tea.StringValue(task.Body.State) != "running" {
		t.Errorf("%v, %v", task, err)
	}
	if want := []string{"DescribeClusterDetail", "DescribeClusterNodePools", "DescribeClusterNodes", "DescribeTaskInfo"}; !slices.Equal(c.Actions(), want) {
		t.Errorf("actions %v", c.Actions())
	}
}

// TestRefusals: what is not there, what is not served and who is not known.
func TestRefusals(t *testing.T) {
	c, api := client(t)
	_, err := api.DescribeClusterDetailWithContext(context.Background(), tea.String("c1"), nil, &dara.RuntimeOptions{})
	want(t, err, "ErrorClusterNotFound")
	_, err = api.DescribeTaskInfoWithContext(context.Background(), tea.String("t1"), nil, &dara.RuntimeOptions{})
	want(t, err, "ErrorTaskNotFound")
	_, err = api.DeleteClusterWithContext(context.Background(), tea.String("c1"), &cs.DeleteClusterRequest{}, nil, &dara.RuntimeOptions{})
	want(t, err, "NotServed")
	if got := c.Calls(); got[len(got)-1] != (Call{"DeleteCluster", "DELETE", "/clusters/c1"}) {
		t.Errorf("the write was not recorded: %v", got)
	}
	c.Accept("KEYID", "token")
	_, err = api.DescribeClusterDetailWithContext(context.Background(), tea.String("c1"), nil, &dara.RuntimeOptions{})
	want(t, err, "InvalidSecurityToken.Expired")
	c.Accept("KEYID", "")
	c.Throttle(0.25)
	over := 0
	for range 40 {
		if _, err = api.DescribeClusterDetailWithContext(context.Background(), tea.String("c1"), nil, &dara.RuntimeOptions{}); code(err) == "Throttling.User" {
			over++
		}
	}
	if over != 10 {
		t.Errorf("%d of 40 calls came too often", over)
	}
}

func code(err error) string {
	if e, ok := err.(*tea.SDKError); ok { //nolint:errorlint // the library returns it unwrapped
		return tea.StringValue(e.Code)
	}
	return ""
}

func want(t *testing.T, err error, is string) {
	t.Helper()
	if code(err) != is {
		t.Errorf("got %v, want %s", err, is)
	}
}
