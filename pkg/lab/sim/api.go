package sim

import (
	"cmp"
	"errors"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Kind is a kind of object that Rancher's controllers work on.
type Kind int

// The kinds.
const (
	// Cluster is Rancher's Cluster.
	Cluster Kind = iota
	// Resource is the operator's custom resource.
	Resource
)

// What an API answers when it does not do what was asked.
var (
	ErrConflict = errors.New("the object has been modified; please apply your changes to the latest version and try again")
	ErrNotFound = errors.New("not found")
)

// API is what Rancher's controllers and operators need of an API server. Update
// demands the resourceVersion of what it replaces, as their clients do. Objects
// that go in or come out are shared and must not be changed.
type API interface {
	Get(k Kind) (map[string]any, error)
	// Update replaces an object, or with status only its status.
	Update(k Kind, obj map[string]any, status bool) (map[string]any, error)
	Create(k Kind, obj map[string]any) (map[string]any, error)
}

// Memory is an API in memory for one cluster. Its zero value is empty.
type Memory struct {
	revision int64
	objects  [2]map[string]any
	// Subresource: the Cluster's status is a subresource, as since Rancher 2.15.
	Subresource bool
	// Now, if set, has the API server keep account of who wrote what: whole seconds, as
	// the real one's. Manager is who writes, by default Rancher, in whose name its users
	// write too.
	Now     func() time.Time
	Manager string
	writers writers
	// Changed is told of every change, in order.
	Changed func(k Kind, obj map[string]any)
}

// Get returns an object.
func (m *Memory) Get(k Kind) (map[string]any, error) {
	if m.objects[k] == nil {
		return nil, ErrNotFound
	}
	return m.objects[k], nil
}

// Create stores a new object.
func (m *Memory) Create(k Kind, obj map[string]any) (map[string]any, error) {
	m.account(k, nil, obj)
	return m.store(k, obj), nil
}

// account notes who writes what. A status that is a subresource has an account of
// its own, in which nothing of the Config is.
func (m *Memory) account(k Kind, old, obj map[string]any) {
	if k == Cluster && m.Now != nil {
		m.writers.wrote(cmp.Or(m.Manager, "rancher"), m.Now(), old, obj)
	}
}

// Update replaces an object or its status. A write that changes nothing makes no
// new revision.
func (m *Memory) Update(k Kind, obj map[string]any, status bool) (map[string]any, error) {
	old := m.objects[k]
	switch {
	case old == nil:
		return nil, ErrNotFound
	case revisionOf(old) != revisionOf(obj):
		return nil, ErrConflict
	}
	if k == Resource || m.Subresource {
		if status {
			obj = put(old, obj["status"], "status")
		} else {
			obj = put(obj, old["status"], "status")
		}
	}
	if hosted.Equal(obj, old) {
		return old, nil
	}
	if !status || !m.Subresource {
		m.account(k, old, obj)
	}
	return m.store(k, obj), nil
}

func (m *Memory) store(k Kind, obj map[string]any) map[string]any {
	m.revision++
	obj = put(obj, revision(m.revision), "metadata", "resourceVersion")
	if k == Cluster && m.Now != nil {
		obj = put(obj, m.writers.entries(), "metadata", "managedFields")
	}
	m.objects[k] = obj
	if m.Changed != nil {
		m.Changed(k, obj)
	}
	return obj
}

// Patch works a JSON merge patch in, by RFC 7386. A resourceVersion in the patch
// is its precondition.
func (m *Memory) Patch(k Kind, patch map[string]any) (map[string]any, error) {
	old := m.objects[k]
	if old == nil {
		return nil, ErrNotFound
	}
	if rv := revisionOf(patch); rv != "" && rv != revisionOf(old) {
		return nil, ErrConflict
	}
	obj := merge(old, patch)
	obj = put(obj, revisionOf(old), "metadata", "resourceVersion")
	return m.Update(k, obj, false)
}

func merge(old, patch map[string]any) map[string]any {
	out := make(map[string]any, len(old)+len(patch))
	for k, v := range old {
		out[k] = v
	}
	for k, v := range patch {
		switch t := v.(type) {
		case nil:
			delete(out, k)
		case map[string]any:
			out[k] = merge(hosted.Map(out[k]), t)
		default:
			out[k] = v
		}
	}
	return out
}
