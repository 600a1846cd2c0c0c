package lab

import (
	"maps"
	"slices"
)

// keptEvents is how many changes are remembered at most.
const keptEvents = 8192

// event is one change. For a deletion, after is the object's last state under
// the deletion's revision.
type event struct {
	revision      int64
	table, key    string
	before, after map[string]any
	deleted       bool
}

// history remembers the latest changes, for watches and for lists as of an
// earlier revision.
type history struct {
	events []event
	// compacted is the latest revision that can no longer be told apart from
	// its predecessors: changes are known after it.
	compacted int64
	// changed is closed by the next change.
	changed chan struct{}
}

func newHistory(revision int64) history {
	return history{compacted: revision, changed: make(chan struct{})}
}

func (h *history) add(e event) {
	h.events = append(h.events, e)
	if len(h.events) > keptEvents {
		h.compact(h.events[keptEvents/2].revision)
	}
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *history) compact(revision int64) {
	n := h.position(revision)
	h.events = slices.Clone(h.events[n:])
	h.compacted = max(h.compacted, revision)
}

// position is the index of the first event after a revision.
func (h *history) position(revision int64) int {
	n, _ := slices.BinarySearchFunc(h.events, revision+1, func(e event, r int64) int {
		switch {
		case e.revision < r:
			return -1
		case e.revision > r:
			return 1
		}
		return 0
	})
	return n
}

// Compact forgets the history up to a revision, as the real server does after
// some minutes: who asks for less is told that it has expired.
func (s *Store) Compact(revision int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history.compact(min(revision, s.revision))
}

// snapshot returns a table as of a revision (0: now) in key order, with the
// revision. It reports false if the history does not reach back that far.
func (s *Store) snapshot(table string, revision int64) (keys []string, objects map[string]map[string]any, at int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if revision == 0 {
		revision = s.revision
	}
	if revision < s.history.compacted {
		return nil, nil, 0, false
	}
	objects = maps.Clone(s.objects[table])
	for _, e := range slices.Backward(s.history.events[s.history.position(revision):]) {
		switch {
		case e.table != table:
		case e.before == nil:
			delete(objects, e.key)
		default:
			objects[e.key] = e.before
		}
	}
	return slices.Sorted(maps.Keys(objects)), objects, revision, true
}

// after returns a table's changes after a revision, the revision up to which
// they reach, and a channel that is closed by the next change. It reports false
// if the history does not reach back that far.
func (s *Store) after(table string, revision int64) (events []event, upto int64, more <-chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if revision < s.history.compacted {
		return nil, 0, nil, false
	}
	for _, e := range s.history.events[s.history.position(revision):] {
		if e.table == table {
			events = append(events, e)
		}
	}
	return events, s.revision, s.history.changed, true
}
