package resync

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// syncingError is how the refresher's message in the Updated condition begins.
const syncingError = "[Syncing error"

// judgement is what one reading says about the cluster's state.
type judgement struct {
	s     *hosted.Snapshot
	table schema.Spec
	sched predict.Schedule
	// frozen: Config and Applied differ as Rancher compares them. pending: the
	// custom resource has not got the Config yet.
	frozen, pending bool
	phase, failure  string
	now             time.Time
	// absorbed are the fields that a refresh before the edit is expected to replace.
	absorbed []string
	// touched tells whether the Config may have been edited since Rancher's last
	// reading; nil if that is not known of any field.
	touched func(field string) bool
}

func judge(s *hosted.Snapshot, now time.Time) judgement {
	j := judgement{s: s}
	if !s.Hosted() {
		return j
	}
	j.table, j.now = schema.For(s.Provider), now
	j.sched = predict.ScheduleOf(predict.Input(s, now))
	j.frozen = s.Applied == nil || j.differs(s.Applied, false)
	if s.CR != nil {
		j.phase, j.failure = s.CR.Phase, s.CR.FailureMessage
		j.pending = j.differs(s.CR.Spec, true)
	}
	return j
}

// differs compares a copy of the Config with it through Rancher's type, as it is
// in memory or as it would be written. What cannot be decoded differs.
func (j *judgement) differs(spec map[string]any, written bool) bool {
	if hosted.Equal(j.s.Config, spec) { // the usual case
		return false
	}
	c, errC := j.table.Decode(j.s.Config)
	r, errR := j.table.Decode(spec)
	switch {
	case errC != nil || errR != nil || c == nil || r == nil:
		return true
	case written:
		return !hosted.Equal(j.table.Encode(c), j.table.Encode(r))
	}
	return !hosted.Equal(map[string]any(c), map[string]any(r))
}

// next is what the next refresh does, if nothing else happens until then.
func (j *judgement) next() predict.Outcome {
	_, out := predict.NextRefresh(predict.Input(j.s, j.now))
	return out
}

// stuck: the operator reports a failure; nothing moves until it is mended.
func (j *judgement) stuck() bool { return j.failure != "" }

// moving: the operator is at work, or the Config is on its way to it.
func (j *judgement) moving() bool {
	return !j.stuck() && (j.pending || j.phase != operator.PhaseActive)
}

// settled: nothing is under way and nothing is stuck.
func (j *judgement) settled() bool {
	return !j.frozen && !j.pending && j.phase == operator.PhaseActive && !j.stuck()
}

// syncFailed is the refresher's complaint, "" if there is none.
func syncFailed(s *hosted.Snapshot) string {
	if c, ok := s.Condition("Updated"); ok && strings.Contains(c.Message, syncingError) {
		return c.Message
	}
	return ""
}

// cloud is the best reading there is.
func (j *judgement) cloud() map[string]any {
	if j.s.Live != nil && j.s.Live.Spec != nil {
		return j.s.Live.Spec
	}
	return j.s.Upstream
}

// unpushed are the managed merge units in which a refresh now could take back what
// somebody asked for. In those that differ the Config is not what Rancher read last
// and is not known to have reached the cloud. In the hidden ones it is, but has been
// written since: an edit that puts back what Rancher read looks like none.
func (j *judgement) unpushed() (differ, hidden []string) {
	live := j.s.Live != nil && j.s.Live.Spec != nil
	for _, k := range hosted.SortedKeys(j.s.Config) {
		f, known := j.table.Unit(k)
		if !known || !f.Managed(j.s.Config[k]) || f.Source != schema.FromCloud {
			continue
		}
		if live && f.Equivalent(j.s.Config[k], j.s.Live.Spec[k]) {
			continue
		}
		if f.OmitEmpty && j.s.Upstream[k] == nil {
			continue // kept: the refresher never visits it
		}
		switch {
		case !f.Equivalent(j.s.Config[k], j.s.Upstream[k]):
			differ = append(differ, k)
		case j.touched != nil && j.touched(k):
			hidden = append(hidden, k)
		}
	}
	return differ, hidden
}

// unready lists what makes any change pointless.
func (j *judgement) unready() []Refusal {
	s := j.s
	switch {
	case !s.Hosted():
		return one(NotReady, s.Name+" has no hosted config (EKS, AKS, GKE or ACK)", "")
	case s.Deleting:
		return one(NotReady, s.Name+" is being deleted", "")
	case len(s.ConfigsPresent) > 1:
		return one(BrokenInput, fmt.Sprintf("%s has %d hosted configs; Rancher acts on the first", s.Name, len(s.ConfigsPresent)), "remove those of other providers")
	case !j.sched.Ready:
		return one(NotReady, j.sched.NotReady, "wait until Rancher has read the cloud for the first time")
	case j.sched.Error != nil:
		return one(BrokenInput, "Rancher never refreshes this cluster: "+*j.sched.Error, "correct the setting or annotation first; kubectl hostedsync explain HS012 tells how")
	case j.undecodable() != nil:
		return one(BrokenInput, "the next refresh fails: "+*j.undecodable(), "see kubectl hostedsync risk "+s.Name)
	case s.CR == nil:
		return one(NotRead, "the operator's "+s.Provider.CRKind()+" was not read, so it is not known whether a push is under way", unreadFix(s))
	}
	for _, u := range s.Unread {
		if u.What == hosted.SettingLabel(s.Provider.SettingName()) {
			return one(NotRead, u.What+" could not be read, so it is not known when Rancher refreshes: "+u.Why, u.Fix)
		}
	}
	return nil
}

func unreadFix(s *hosted.Snapshot) string {
	for _, u := range s.Unread {
		if u.What == s.Provider.CRKind() {
			return u.Why + "; " + u.Fix
		}
	}
	return "Rancher makes it with the cluster; check the operator"
}

func one(code Code, text, fix string, fields ...string) []Refusal {
	return []Refusal{{Code: code, Text: text, Fix: fix, Fields: slices.Clone(fields)}}
}

// busy says why a cluster is not at rest.
func (j *judgement) busy() Refusal {
	wait := "kubectl hostedsync wait " + j.s.Name + " --for=settled, then try again"
	switch {
	case j.stuck():
		return Refusal{Code: FailedUpdate, Text: "the operator reports a failure, and the change does not clear it: " + j.failure,
			Fix: "kubectl hostedsync risk " + j.s.Name + " shows what will be enforced once it clears"}
	case j.pending:
		return Refusal{Code: Firing, Text: "the Config has not reached the operator yet: it will be pushed within moments", Fix: wait}
	case j.phase != operator.PhaseActive:
		return Refusal{Code: Firing, Text: fmt.Sprintf("the operator is at work (phase %q): it enforces every managed field when it is done", j.phase),
			Fix: wait + "; if something was changed in the cloud since the last refresh, kubectl hostedsync risk " + j.s.Name + " names the patch that saves it"}
	}
	return Refusal{Code: Frozen, Text: "Config and Applied differ: Rancher leaves the Config alone until they agree, and the change would not clear that", Fix: wait}
}

// undecodable is why Rancher cannot work with the object, nil if it can. An object
// whose copies agree was written by Rancher.
func (j *judgement) undecodable() *string {
	if !j.frozen && hosted.Equal(j.s.Config, j.s.Applied) {
		return nil
	}
	return j.next().Error
}
