package drive

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/sim"
)

// Store is the sim.API of one cluster on the lab's own API server, without a client
// in between.
type Store struct {
	store   *lab.Store
	refs    [2]lab.Ref
	manager string
}

// NewStore makes the API of a cluster by name. manager is the writer's name in
// managedFields.
func NewStore(store *lab.Store, p hosted.Provider, name, manager string) (*Store, error) {
	clusters, ok := store.Resource("management.cattle.io", "v3", "clusters")
	resources, known := store.Resource(p.CRGroup(), "v1", p.CRResource())
	if !ok || !known {
		return nil, fmt.Errorf("the lab does not serve the objects of %s", p)
	}
	s := &Store{store: store, manager: manager}
	s.refs[sim.Cluster] = lab.Ref{Resource: clusters, Name: name}
	s.refs[sim.Resource] = lab.Ref{Resource: resources, Namespace: namespace, Name: name}
	return s, nil
}

// Revision is that of the latest change of anything.
func (s *Store) Revision() int64 { return s.store.Revision() }

// Get implements sim.API.
func (s *Store) Get(k sim.Kind) (map[string]any, error) { return stored(s.store.Get(s.refs[k])) }

// Update implements sim.API.
func (s *Store) Update(k sim.Kind, obj map[string]any, status bool) (map[string]any, error) {
	w := lab.Write{Manager: s.manager}
	if status {
		w.Subresource = "status"
	}
	return stored(s.store.Update(s.refs[k], w, func(map[string]any) (map[string]any, error) { return hosted.CloneMap(obj), nil }))
}

// Create implements sim.API.
func (s *Store) Create(_ sim.Kind, obj map[string]any) (map[string]any, error) {
	return stored(s.store.Create(obj, lab.Write{Manager: s.manager}))
}

// stored is an answer in the terms of sim.API.
func stored(obj map[string]any, err error) (map[string]any, error) {
	switch {
	case apierrors.IsNotFound(err):
		return nil, sim.ErrNotFound
	case apierrors.IsConflict(err):
		return nil, sim.ErrConflict
	case err != nil:
		return nil, fmt.Errorf("the lab: %w", err)
	}
	return obj, nil
}
