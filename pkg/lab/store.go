package lab

import (
	"fmt"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// firstRevision is what a store starts from if its objects carry no revisions.
const firstRevision = 1000

// Store holds objects as a Kubernetes API server does. It is safe for concurrent
// use. Objects that go in or come out are copies.
type Store struct {
	clock     Clock
	resources []Resource

	mu       sync.Mutex
	revision int64
	// objects are by table and key. A stored object is never changed, only
	// replaced, so that history and watchers can share it.
	objects map[string]map[string]map[string]any
	history history
}

// Write says who writes, and how.
type Write struct {
	// Manager is the writer's name in managedFields.
	Manager string
	// Subresource is "" or "status".
	Subresource string
	// DryRun goes through everything and stores nothing.
	DryRun bool
}

// NewStore returns a store with the given objects in it, as they are: their
// resourceVersions and managedFields are kept. An object without a revision gets
// the next one.
func NewStore(clock Clock, objects ...map[string]any) (*Store, error) {
	s := &Store{clock: clock, resources: Resources(), revision: firstRevision, objects: map[string]map[string]map[string]any{}}
	for _, r := range s.resources {
		s.objects[r.table()] = map[string]map[string]any{}
	}
	for _, o := range objects {
		if n, err := strconv.ParseInt(hosted.Str(hosted.Map(o["metadata"])["resourceVersion"]), 10, 64); err == nil {
			s.revision = max(s.revision, n)
		}
	}
	for _, o := range objects {
		ref, err := s.check(o)
		if err != nil {
			return nil, err
		}
		if hosted.Str(hosted.Map(o["metadata"])["resourceVersion"]) == "" {
			s.revision++
			o = withRevision(o, s.revision)
		}
		s.objects[ref.Resource.table()][ref.key()] = hosted.CloneMap(o)
	}
	s.history = newHistory(s.revision)
	return s, nil
}

// check tells where an object belongs, and whether it may go there.
func (s *Store) check(obj map[string]any) (Ref, error) {
	ref, ok := refOf(s.resources, obj)
	switch {
	case !ok:
		return ref, fmt.Errorf("the lab has no resource for kind %q of %q", hosted.Str(obj["kind"]), hosted.Str(obj["apiVersion"]))
	case ref.Name == "":
		return ref, fmt.Errorf("a %s without a name cannot be stored", ref.Resource.Kind)
	case ref.Resource.Namespaced != (ref.Namespace != ""):
		return ref, fmt.Errorf("%s %s: a namespace is given or missing against the rule", ref.Resource.Kind, ref.Name)
	case s.objects[ref.Resource.table()][ref.key()] != nil:
		return ref, apierrors.NewAlreadyExists(ref.Resource.groupResource(), ref.Name)
	}
	return ref, nil
}

// Resource finds a resource by group, version and plural name.
func (s *Store) Resource(group, version, plural string) (Resource, bool) {
	for _, r := range s.resources {
		if r.Group == group && r.Version == version && r.Plural == plural {
			return r, true
		}
	}
	return Resource{}, false
}

// Clock is the store's time.
func (s *Store) Clock() Clock { return s.clock }

// Revision is that of the latest change.
func (s *Store) Revision() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision
}

// Get returns an object, or the API's NotFound error.
func (s *Store) Get(ref Ref) (map[string]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	obj, err := s.find(ref)
	return hosted.CloneMap(obj), err
}

func (s *Store) find(ref Ref) (map[string]any, error) {
	if obj := s.objects[ref.Resource.table()][ref.key()]; obj != nil {
		return obj, nil
	}
	return nil, apierrors.NewNotFound(ref.Resource.groupResource(), ref.Name)
}

// Create adds an object, which must not exist, and returns it as stored.
func (s *Store) Create(obj map[string]any, w Write) (map[string]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref, err := s.check(obj)
	if err != nil {
		return nil, err
	}
	now := s.clock.Now().UTC()
	obj = hosted.CloneMap(obj)
	meta := hosted.Map(obj["metadata"])
	delete(meta, "managedFields")
	if meta["creationTimestamp"] == nil {
		meta["creationTimestamp"] = stamp(now)
	}
	if meta["uid"] == nil {
		meta["uid"] = fmt.Sprintf("00000000-0000-4000-9000-%012x", s.revision+1)
	}
	meta["generation"] = int64(1)
	if ref.Resource.Status {
		delete(obj, "status")
	}
	own(map[string]any{}, obj, w, ref.Resource.apiVersion(), now)
	if w.DryRun {
		return obj, nil
	}
	return hosted.CloneMap(s.put(ref, nil, obj)), nil
}

// Delete removes an object at once, without looking at its finalizers.
func (s *Store) Delete(ref Ref) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := s.find(ref)
	if err != nil {
		return err
	}
	s.remove(ref, before)
	return nil
}

// Update lets change work on a copy of an object and stores what it returns, by
// the API's rules: the precondition of a resourceVersion, what a writer may touch,
// generation, bookkeeping. A change that changes nothing makes no new revision.
// It returns the object as stored, or an error in the API's form.
func (s *Store) Update(ref Ref, w Write, change func(map[string]any) (map[string]any, error)) (map[string]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := s.find(ref)
	if err != nil {
		return nil, err
	}
	wanted, err := change(hosted.CloneMap(before))
	if err != nil {
		return nil, err
	}
	after, err := prepare(ref, before, wanted, w)
	if err != nil {
		return nil, err
	}
	if sameButBookkeeping(before, after) {
		return hosted.CloneMap(before), nil
	}
	own(before, after, w, ref.Resource.apiVersion(), s.clock.Now().UTC())
	switch {
	case w.DryRun:
		return after, nil
	case finished(after):
		return hosted.CloneMap(s.remove(ref, after)), nil
	}
	return hosted.CloneMap(s.put(ref, before, after)), nil
}

// put stores an object under a new revision.
func (s *Store) put(ref Ref, before, after map[string]any) map[string]any {
	s.revision++
	after = withRevision(after, s.revision)
	s.objects[ref.Resource.table()][ref.key()] = after
	s.history.add(event{revision: s.revision, table: ref.Resource.table(), key: ref.key(), before: before, after: after})
	return after
}

// remove deletes an object; its last state carries the deletion's revision.
func (s *Store) remove(ref Ref, last map[string]any) map[string]any {
	before := s.objects[ref.Resource.table()][ref.key()]
	s.revision++
	last = withRevision(last, s.revision)
	delete(s.objects[ref.Resource.table()], ref.key())
	s.history.add(event{revision: s.revision, table: ref.Resource.table(), key: ref.key(), before: before, after: last, deleted: true})
	return last
}

// withRevision copies an object as deep as it must to give it a revision.
func withRevision(obj map[string]any, revision int64) map[string]any {
	out := make(map[string]any, len(obj))
	for k, v := range obj {
		out[k] = v
	}
	meta := make(map[string]any, len(obj)+1)
	for k, v := range hosted.Map(obj["metadata"]) {
		meta[k] = v
	}
	meta["resourceVersion"] = strconv.FormatInt(revision, 10)
	out["metadata"] = meta
	return out
}
