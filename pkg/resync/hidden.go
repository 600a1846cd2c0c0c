package resync

import (
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// base is a state of the Cluster that came right out of a refresh: the Config had
// been edited so many times, and every edit before it is in the reading or shows as
// a difference.
type base struct {
	annotation string
	edits      int
	known      bool
}

// refreshWrites is how long before its own last write the refresher has taken the
// time that it puts into the annotation, both in whole seconds by two clocks.
const refreshWrites = 1

// judge judges a reading, and knows what may have been edited since the refresh.
func (m *Machine) judge(s *hosted.Snapshot) judgement {
	j := judge(s, m.now)
	j.touched = m.touched(&j)
	return j
}

// touched tells for each field whether its Config may have been written since
// Rancher's last reading. Where the refresh was watched, and every state since, the
// Config's changes are counted. Else the API server's bookkeeping tells when each
// field's owner has last written anything.
func (m *Machine) touched(j *judgement) func(string) bool {
	if edited, known := m.edited(j.s); known {
		return func(string) bool { return edited }
	}
	if j.sched.LastUnix == nil {
		return nil // none has ended, or the next is on its way
	}
	last, since := *j.sched.LastUnix, map[string]bool{}
	for _, w := range j.s.Writers {
		at := w.Time.Unix()
		switch {
		case w.ByRancher():
			at -= refreshWrites // the annotation is its own
		case w.Manager != m.options.FieldManager:
			at++ // within the same second; an edit of this program never equals the reading
		}
		since[w.Field] = !w.Time.IsZero() && at > last
	}
	return func(field string) bool { return since[field] }
}

// edited tells whether the Config has been edited since the refresh that was watched,
// if there is one and every state since was looked at.
func (m *Machine) edited(s *hosted.Snapshot) (edited, known bool) {
	if !m.base.known || !m.counted || m.base.annotation != s.Refresh.Annotation {
		return false, false
	}
	return m.edits > m.base.edits, true
}

// settledAt remembers the state in which a watched refresh ended.
func (m *Machine) settledAt(s *hosted.Snapshot) {
	m.base = base{annotation: s.Refresh.Annotation, edits: m.edits, known: m.counted}
}

// atRisk are the merge units in which a refresh now could take back what somebody
// asked for, those that the caller accepts left out (judgement.unpushed).
type atRisk struct{ differ, hidden []string }

func (m *Machine) atRisk(j *judgement) atRisk {
	differ, hidden := j.unpushed()
	return atRisk{m.notAllowed(differ), m.notAllowed(hidden)}
}

func (a atRisk) none() bool { return len(a.differ)+len(a.hidden) == 0 }

// why says it in words.
func (a atRisk) why(s *hosted.Snapshot) string {
	if len(a.differ) > 0 {
		return "the Config's " + strings.Join(a.differ, ", ") + " differs from Rancher's last reading and is not known to have reached the cloud"
	}
	return "the Config was written" + lastWrite(s) + ", after Rancher's last reading, and an edit that puts back what that has looks like none"
}

// lastWrite is who wrote the Config last and when, for people; "" if not known.
func lastWrite(s *hosted.Snapshot) string {
	var latest hosted.FieldWriter
	for _, w := range s.Writers {
		if w.Time.After(latest.Time) {
			latest = w
		}
	}
	if latest.Time.IsZero() {
		return ""
	}
	return " by " + latest.Manager + " at " + latest.Time.UTC().Format(time.RFC3339)
}
