package drive

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/sim"
)

// namespace is where Rancher keeps the operators' resources.
const namespace = "cattle-global-data"

// Server is the sim.API of one cluster on an API server, through client-go as
// Rancher's controllers use it: whole objects with their resourceVersion.
type Server struct {
	ctx       context.Context //nolint:containedctx // the simulated controllers know none
	resources [2]dynamic.ResourceInterface
	name      string
}

// NewServer makes the API of a cluster by name. Its requests end with ctx.
func NewServer(ctx context.Context, client dynamic.Interface, p hosted.Provider, name string) *Server {
	s := &Server{ctx: ctx, name: name}
	s.resources[sim.Cluster] = client.Resource(schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "clusters"})
	s.resources[sim.Resource] = client.Resource(schema.GroupVersionResource{Group: p.CRGroup(), Version: "v1", Resource: p.CRResource()}).Namespace(namespace)
	return s
}

// Get implements sim.API.
func (s *Server) Get(k sim.Kind) (map[string]any, error) {
	obj, err := s.resources[k].Get(s.ctx, s.name, metav1.GetOptions{})
	return content(obj, err)
}

// Update implements sim.API.
func (s *Server) Update(k sim.Kind, obj map[string]any, status bool) (map[string]any, error) {
	// The client encodes the object and keeps nothing of it.
	in := &unstructured.Unstructured{Object: obj}
	if status {
		return content(s.resources[k].UpdateStatus(s.ctx, in, metav1.UpdateOptions{FieldManager: "rancher"}))
	}
	return content(s.resources[k].Update(s.ctx, in, metav1.UpdateOptions{FieldManager: "rancher"}))
}

// Create implements sim.API.
func (s *Server) Create(k sim.Kind, obj map[string]any) (map[string]any, error) {
	return content(s.resources[k].Create(s.ctx, &unstructured.Unstructured{Object: obj}, metav1.CreateOptions{FieldManager: "rancher"}))
}

func content(obj *unstructured.Unstructured, err error) (map[string]any, error) {
	switch {
	case apierrors.IsNotFound(err):
		return nil, sim.ErrNotFound
	case apierrors.IsConflict(err):
		return nil, sim.ErrConflict
	case err != nil:
		return nil, fmt.Errorf("the API server: %w", err)
	}
	return obj.Object, nil
}
