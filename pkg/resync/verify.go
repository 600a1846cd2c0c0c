package resync

import (
	"fmt"
	"slices"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// written is a write that is to be verified.
type written struct {
	plan  *Plan
	paths []hosted.Path
	// annotation is the refresh annotation at the write, at when it was made.
	annotation string
	at         time.Time
	// seen is the annotation of a refresh that was seen to succeed since; it counts
	// seconds, so that comparing it with the one before tells nothing.
	seen string
	// unread: Rancher's reading lacked the change at the write.
	unread bool
	// pushed: the operator was seen at work since. expected: it has something to
	// do. refreshes counts those that were asked for since.
	pushed, expected bool
	refreshes        int
}

func (m *Machine) entry(s *hosted.Snapshot, stage Stage) Entry {
	return Entry{Stage: stage, Cluster: s.Name, UID: s.UID, Provider: string(s.Provider), Precondition: s.ResourceVersion}
}

// write journals the change and sends it.
func (m *Machine) write(j *judgement, plan *Plan) Action {
	s := j.s
	e := m.entry(s, StageWrite)
	e.Units, e.Patch = plan.Units, plan.Patch
	w := &written{plan: plan, annotation: s.Refresh.Annotation, expected: len(plan.Calls) > 0}
	for _, p := range plan.paths {
		if path, err := hosted.ParsePath(p); err == nil {
			w.paths = append(w.paths, path)
		}
	}
	w.unread = !agree(j.table, w.paths, s.Upstream, plan.after)
	return m.record(e, func() Action {
		m.tell("writing the Config of %s", s.Name)
		return m.act(Action{Do: DoWrite, Patch: Patch{Body: plan.Patch, FieldManager: m.options.FieldManager}}, func(o Observation) Action {
			return m.wrote(j, w, o)
		})
	})
}

func (m *Machine) wrote(j *judgement, w *written, o Observation) Action {
	switch {
	case o.Err == nil:
		if o.Snapshot != nil {
			m.result.ResourceVersion = o.Snapshot.ResourceVersion
		}
		return m.accepted(j, w)
	case errIs(o.Err, ErrConflict):
		m.tell("somebody else wrote the Cluster: starting over")
		return m.restart()
	case errIs(o.Err, ErrTemporary):
		return m.again(o.Err, m.restart)
	case errIs(o.Err, ErrUncertain):
		m.unanswered = m.intent.DryRun == ""
		m.tell("the server did not answer: finding out whether the change was stored")
		return m.again(o.Err, func() Action { return m.read(func(o Observation) Action { return m.recover(j, w, o) }) })
	}
	return m.fail(o.Err)
}

// restart judges everything anew.
func (m *Machine) restart() Action {
	if m.attempts++; m.attempts > maxAttempts {
		return m.refuse(one(Contended, fmt.Sprintf("others kept writing the Cluster: gave up after %d attempts", maxAttempts), "try again when it is quieter")...)
	}
	return m.read(m.assess)
}

// recover finds out what became of a write that was not answered. The precondition
// makes trying again safe: the write can be stored once at most.
func (m *Machine) recover(j *judgement, w *written, o Observation) Action {
	s := o.Snapshot
	m.unanswered = false
	if s.ResourceVersion != j.s.ResourceVersion && m.holds(j.table, w, s) {
		m.result.ResourceVersion = s.ResourceVersion
		return m.accepted(j, w)
	}
	return m.restart()
}

// accepted: the server has the change.
func (m *Machine) accepted(j *judgement, w *written) Action {
	w.at = m.now
	m.written = w
	if len(w.plan.Units) > 0 {
		m.base.edits++ // this one
	}
	e := m.entry(j.s, StageWritten)
	e.ResourceVersion = m.result.ResourceVersion
	return m.record(e, func() Action {
		if m.intent.NoVerify {
			m.unknown("whether the change reached the cloud: it was not waited for")
			return m.end(Written)
		}
		m.tell("written; waiting for the operator")
		return m.read(m.check)
	})
}

// holds tells whether the Config has, at every place that was edited, what was
// written there.
func (m *Machine) holds(table schema.Spec, w *written, s *hosted.Snapshot) bool {
	return agree(table, w.paths, s.Config, w.plan.after)
}

func agree(table schema.Spec, paths []hosted.Path, a, b map[string]any) bool {
	for _, p := range paths {
		f, known := table.Lookup(p)
		x, y := predict.Lookup(table, a, p), predict.Lookup(table, b, p)
		if known && covers(&f, x, y) || hosted.Equal(x, y) {
			continue
		}
		return false
	}
	return true
}

// covers tells whether have is what was wanted, as far as anything was wanted: the
// cloud fills in what an object leaves open, a node group's defaults for example.
// Maps and lists are wanted as a whole.
func covers(f *schema.Field, have, want any) bool {
	switch {
	case f.Equivalent(have, want):
		return true
	case f.Kind == schema.Object:
		h, okH := have.(map[string]any)
		w, okW := want.(map[string]any)
		if !okH || !okW {
			return false
		}
		for k, v := range w {
			if m, ok := f.Member(k); ok && v != nil && !empty(v) && !covers(&m, h[k], v) {
				return false
			}
		}
		return true
	case f.Kind == schema.List && f.Identity != "":
		h, w := hosted.List(have), hosted.List(want)
		if len(h) != len(w) {
			return false
		}
		for _, v := range w {
			id, _ := f.ItemIdentity(v)
			i := slices.IndexFunc(h, func(e any) bool { n, ok := f.ItemIdentity(e); return ok && n == id })
			if i < 0 || !covers(f.Elem, h[i], v) {
				return false
			}
		}
		return true
	}
	return false
}

func empty(v any) bool {
	switch t := v.(type) {
	case map[string]any:
		return len(t) == 0
	case []any:
		return len(t) == 0
	case string:
		return t == ""
	}
	return false
}

// check follows a written change until it holds, or is known not to.
func (m *Machine) check(o Observation) Action {
	w, j := m.written, m.judge(o.Snapshot)
	s := j.s
	if j.phase == operator.PhaseUpdating {
		w.pushed = true
	}
	if !m.holds(j.table, w, s) {
		if (w.seen != "" || s.Refresh.Annotation != w.annotation) && agree(j.table, w.paths, s.Config, s.Upstream) {
			m.result.Error = "Rancher took the change back: the cloud did not have it at the refresh after the write"
			return m.end(Reverted)
		}
		m.result.Error = "somebody else has changed the same fields since"
		return m.end(Overtaken)
	}
	switch {
	case j.stuck():
		m.tell("waiting: the operator reports a failure: %s", j.failure)
		return m.wait("the operator reports a failure: "+j.failure, time.Time{})
	case !j.settled():
		return m.wait("the operator has not finished: "+j.busy().Text, time.Time{})
	}
	return m.confirm(&j)
}

// confirm demands a refresh that is newer than the write and agrees.
func (m *Machine) confirm(j *judgement) Action {
	s, w := j.s, m.written
	// A reading that has what it lacked before the write proves itself.
	proven := w.unread && agree(j.table, w.paths, s.Upstream, w.plan.after)
	if w.seen != "" && s.Refresh.Annotation == w.seen || proven {
		if open := m.unread(j); len(open) == 0 {
			return m.end(Verified)
		}
	}
	others := m.unpushedBeside(j)
	if (w.pushed || !w.expected) && len(others) == 0 && w.refreshes < 3 {
		m.tell("applied; asking Rancher to read the cloud once more")
		return m.trigger(j)
	}
	at := m.now
	if j.sched.NextUnix != nil {
		at = time.Unix(*j.sched.NextUnix, 0)
	}
	m.tell("applied; waiting for Rancher's own refresh at %s", at.UTC().Format(time.TimeOnly))
	if !m.now.Before(m.deadline) {
		return m.timeout("no refresh since the write agreed yet")
	}
	return m.awaitRefresh(s, earlier(m.deadline, later(at, m.now).Add(refreshSlack)), false)
}

// unread lists the edited places at which Rancher's reading does not have what was
// written. A place that Rancher never reads cannot be confirmed.
func (m *Machine) unread(j *judgement) []string {
	var open []string
	for _, p := range m.written.paths {
		f, known := j.table.Unit(p.MergeUnit())
		if known && !f.Managed(j.s.Config[p.MergeUnit()]) {
			continue // unmanaged: whatever the cloud has is right
		}
		if known && f.Source != schema.FromCloud {
			m.unknown("%s: Rancher does not read it in the cloud", p)
			continue
		}
		if !agree(j.table, []hosted.Path{p}, j.s.Config, j.s.Upstream) {
			open = append(open, p.String())
		}
	}
	return open
}

// unpushedBeside are the units in which a refresh could take back what somebody
// else asked for: not this change's own, unless others have edited them since.
func (m *Machine) unpushedBeside(j *judgement) []string {
	w := m.written
	own := map[string]bool{}
	edited, _ := m.edited(j.s)
	for _, p := range w.paths {
		unit := p.MergeUnit()
		f, known := j.table.Unit(unit)
		own[unit] = !edited && known && f.Equivalent(j.s.Config[unit], w.plan.after[unit])
	}
	var out []string
	differ, hidden := j.unpushed()
	for _, k := range append(differ, hidden...) {
		if !own[k] {
			out = append(out, k)
		}
	}
	return out
}

// wait waits for the next change of anything, and checks again.
func (m *Machine) wait(open string, until time.Time) Action {
	if !m.now.Before(m.deadline) {
		return m.timeout(open)
	}
	if until.IsZero() {
		until = m.now.Add(10 * time.Second)
	}
	return m.act(Action{Do: DoWait, Until: earlier(m.deadline, until)}, func(Observation) Action { return m.read(m.check) })
}
