package await

import (
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// Memory holds what a follower has seen of one cluster and its objects no longer
// tell. The zero value is ready. Note every state in the order in which they
// come, before judging it.
type Memory struct {
	// seen: there was a state before, of which these are the parts that matter.
	seen                bool
	version, annotation string
	config, upstream    map[string]any
	// moved: a Config or a reading changed while the annotation stood at moving,
	// so a refresh may be under way, or an edit has happened that no reading has
	// seen yet.
	moved  bool
	moving string
	// failure is the message of a refresh that failed, of which the annotation is
	// failedAt.
	failure  string
	failedAt string
}

// Note takes the next state in.
func (m *Memory) Note(s *hosted.Snapshot) {
	if u, ok := s.Condition("Updated"); ok && strings.Contains(u.Message, syncingError) {
		m.failure, m.failedAt = u.Message, s.Refresh.Annotation
	}
	switch {
	case !m.seen || m.annotation != s.Refresh.Annotation:
		m.moved = false
	case m.version != s.ResourceVersion && (!sameSpec(s, m.config, s.Config) || !sameSpec(s, m.upstream, s.Upstream)):
		m.moved, m.moving = true, s.Refresh.Annotation
	}
	m.seen, m.version, m.annotation = true, s.ResourceVersion, s.Refresh.Annotation
	m.config, m.upstream = s.Config, s.Upstream
}

// sameSpec compares two copies as Rancher would hold them.
func sameSpec(s *hosted.Snapshot, a, b map[string]any) bool {
	if hosted.Equal(a, b) {
		return true
	}
	table := schema.For(s.Provider)
	x, errA := table.Decode(a)
	y, errB := table.Decode(b)
	return errA == nil && errB == nil && (x == nil) == (y == nil) && hosted.Equal(table.Encode(x), table.Encode(y))
}

// failed tells whether the refresh that the annotation stands for is known to
// have failed, and with what.
func (m *Memory) failed(s *hosted.Snapshot) (string, bool) {
	if m == nil || m.failure == "" || m.failedAt != s.Refresh.Annotation {
		return "", false
	}
	return m.failure, true
}

// between tells whether the state may be one in the middle of a refresh: it has
// changed and its annotation has not.
func (m *Memory) between(s *hosted.Snapshot) bool {
	return m != nil && m.moved && m.moving == s.Refresh.Annotation
}
