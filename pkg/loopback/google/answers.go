package google

import (
	"context"
	"maps"
	"slices"
	"strings"

	"cloud.google.com/go/container/apiv1/containerpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

func notFound(name string) error { return status.Errorf(codes.NotFound, "Not found: %s.", name) }

func (c *Cloud) cluster(name string) (*containerpb.Cluster, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.clusters[name]
	if found == nil {
		return nil, notFound(name)
	}
	return proto.Clone(found).(*containerpb.Cluster), nil
}

// GetCluster answers with the cluster as it is now.
func (c *Cloud) GetCluster(_ context.Context, r *containerpb.GetClusterRequest) (*containerpb.Cluster, error) {
	return c.cluster(r.GetName())
}

// ListNodePools answers with the cluster's node pools.
func (c *Cloud) ListNodePools(_ context.Context, r *containerpb.ListNodePoolsRequest) (*containerpb.ListNodePoolsResponse, error) {
	found, err := c.cluster(r.GetParent())
	if err != nil {
		return nil, err
	}
	return &containerpb.ListNodePoolsResponse{NodePools: found.GetNodePools()}, nil
}

// ListOperations answers with the operations of one location, or of all of the
// project's for "-"; the locations that are down are then named as missing.
func (c *Cloud) ListOperations(_ context.Context, r *containerpb.ListOperationsRequest) (*containerpb.ListOperationsResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := &containerpb.ListOperationsResponse{}
	project, every := strings.CutSuffix(r.GetParent(), "/-")
	for _, parent := range slices.Sorted(maps.Keys(c.operations)) {
		location, within := strings.CutPrefix(parent, project+"/")
		switch {
		case parent == r.GetParent():
		case !every || !within:
			continue
		case c.trouble.dead["locations/"+location]:
			out.MissingZones = append(out.MissingZones, location)
			continue
		}
		for _, op := range c.operations[parent] {
			out.Operations = append(out.Operations, proto.Clone(op).(*containerpb.Operation))
		}
	}
	out.MissingZones = append(out.MissingZones, c.trouble.missing...)
	return out, nil
}

// GetOperation answers with one operation.
func (c *Cloud) GetOperation(_ context.Context, r *containerpb.GetOperationRequest) (*containerpb.Operation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, op := range c.operations[parentOf(r.GetName())] {
		if strings.HasSuffix(r.GetName(), "/operations/"+op.Name) {
			return proto.Clone(op).(*containerpb.Operation), nil
		}
	}
	return nil, notFound(r.GetName())
}
