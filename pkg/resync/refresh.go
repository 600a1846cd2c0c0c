package resync

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

const (
	// maxAttempts bounds how often a change starts over because others write.
	maxAttempts = 12
	// maxMisses bounds how often a refresh is asked for whose end is then missed.
	maxMisses = 2
	// refreshSlack is how long after its time Rancher's own refresh is waited for.
	refreshSlack = 90 * time.Second
)

// assess decides, on a fresh reading, what has to come first.
func (m *Machine) assess(o Observation) Action {
	j := m.judge(o.Snapshot)
	if rs := j.unready(); rs != nil {
		return m.refuse(rs...)
	}
	if o.Operator.Down() {
		return m.refuse(one(OperatorDown, "the operator does not run: Rancher would count the change as applied although nobody pushed it, and take it back at the next refresh",
			"see risk "+o.Snapshot.Name+"; start the operator's Deployment in cattle-system")...)
	}
	if o.Operator.Unread != "" {
		m.unknown("whether the operator runs: %s", o.Operator.Unread)
	}
	if !j.settled() && !j.stuck() {
		return m.unsettled(&j)
	}
	if r := m.hopeless(&j); r != nil {
		return m.refuse(*r)
	}
	switch {
	case m.intent.Verb == Push:
		return m.push(&j)
	case m.intent.Verb == Refresh, m.intent.Verb == Adopt && !j.stuck():
		return m.refreshOnly(&j)
	case m.intent.DryRun != "":
		return m.decide(m.refreshedFirst(&j))
	case m.fresh(&j):
		return m.decide(&j)
	}
	return m.refreshFirst(&j)
}

// hopeless refuses an edit that no refresh makes possible, before one is asked for.
func (m *Machine) hopeless(j *judgement) *Refusal {
	if m.awaited || m.intent.Verb != Set && m.intent.Verb != Unmanage && m.intent.Verb != Restore {
		return nil
	}
	ed, bad := m.target(j)
	if bad != nil {
		return bad
	}
	return m.noEffect(ed)
}

// unsettled waits for what the refresh that was waited for stirred up, or for others if
// that is wanted; otherwise it refuses.
func (m *Machine) unsettled(j *judgement) Action {
	if frozenRefresh := m.intent.Verb == Refresh && m.intent.UpstreamOnly; frozenRefresh && !j.moving() {
		return m.refreshOnly(j)
	}
	if !m.awaited && !m.intent.WaitSettled {
		return m.refuse(j.busy())
	}
	if !m.now.Before(m.deadline) {
		return m.timeout(j.busy().Text)
	}
	m.tell("waiting: %s", j.busy().Text)
	return m.act(Action{Do: DoWait, Until: earlier(m.deadline, m.now.Add(10*time.Second))}, func(Observation) Action { return m.read(m.assess) })
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// fresh tells whether Rancher's reading is one that was seen to succeed, and young
// enough to act on.
func (m *Machine) fresh(j *judgement) bool {
	if m.seen == "" || j.s.Refresh.Annotation != m.seen || j.sched.LastUnix == nil {
		return false
	}
	return m.now.Sub(time.Unix(*j.sched.LastUnix, 0)) <= m.options.Fresh
}

// refreshFirst has the cloud read before an edit. Where that could take back
// somebody's edit, Rancher's own next refresh is waited for: it comes anyway.
func (m *Machine) refreshFirst(j *judgement) Action {
	lost := m.atRisk(j)
	if lost.none() || j.frozen {
		return m.trigger(j)
	}
	at := m.now
	if j.sched.NextUnix != nil {
		at = time.Unix(*j.sched.NextUnix, 0)
	}
	if !at.Before(m.deadline) {
		return m.refuse(m.wouldOverwrite(j, lost))
	}
	m.tell("waiting for Rancher's own refresh at %s: %s, and refreshing now could take it back", at.UTC().Format(time.TimeOnly), lost.why(j.s))
	return m.awaitRefresh(j.s, earlier(m.deadline, later(at, m.now).Add(refreshSlack)), false)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// refreshedFirst is the state that the refresh before the edit would leave, for a
// dry run, which must not ask for one.
func (m *Machine) refreshedFirst(j *judgement) *judgement {
	out := j.next()
	if j.stuck() || out.ReadFailed || out.Error != nil {
		return j
	}
	s := *j.s
	s.Config, s.Upstream, s.Applied = out.ConfigAfter, out.UpstreamSpecAfter, out.ConfigAfter
	after := *j
	after.s, after.absorbed = &s, out.OverwrittenKeys
	return &after
}

func (m *Machine) notAllowed(fields []string) []string {
	var out []string
	for _, f := range fields {
		if !m.intent.allows(f) {
			out = append(out, f)
		}
	}
	return out
}

func (m *Machine) wouldOverwrite(j *judgement, lost atRisk) Refusal {
	fix := "--allow-collateral " + strings.Join(lost.differ, ",") + " accepts that"
	if len(lost.hidden) > 0 {
		fix = "--allow-collateral '*' accepts that"
	}
	if j.sched.NextUnix != nil {
		fix = fmt.Sprintf("Rancher refreshes by itself at %s; %s", time.Unix(*j.sched.NextUnix, 0).UTC().Format(time.RFC3339), fix)
	}
	return Refusal{Code: WouldOverwrite, Fields: append(slices.Clone(lost.differ), lost.hidden...), Fix: fix,
		Text: lost.why(j.s) + ": a refresh now could take it back"}
}

// refreshOnly is the refresh as an end in itself.
func (m *Machine) refreshOnly(j *judgement) Action {
	if m.seen != "" && j.s.Refresh.Annotation == m.seen {
		return m.refreshed(j)
	}
	if j.frozen && !m.intent.UpstreamOnly {
		r := Refusal{Code: Frozen, Text: "Config and Applied differ, so a refresh would renew the UpstreamSpec only and leave the Config alone",
			Fix: "--upstream-only accepts that; sync --adopt makes the Config say what the cloud has"}
		return m.refuse(r)
	}
	if m.attempts == 0 {
		m.result.Plan = &Plan{Overwritten: j.next().OverwrittenKeys, Patch: refreshPatch(j.s)}
	}
	if lost := m.atRisk(j); len(lost.differ) > 0 && !j.frozen {
		return m.refuse(m.wouldOverwrite(j, lost))
	}
	if m.intent.DryRun == DryClient {
		return m.end(Planned)
	}
	return m.refreshFirst(j)
}

// refreshed ends a refresh that was seen to succeed.
func (m *Machine) refreshed(j *judgement) Action {
	for _, f := range m.intent.Fields {
		if unit, known := j.table.Unit(f); known && !unit.Equivalent(j.s.Config[f], j.s.Upstream[f]) {
			m.unknown("%s: Config and Rancher's reading still differ", f)
		}
	}
	if len(m.result.Unknown) > 0 && m.intent.Verb == Adopt && len(m.intent.Fields) > 0 {
		return m.end(Unverified)
	}
	return m.end(Verified)
}

// refreshPatch removes the annotation, if the Cluster is still the one that was
// judged.
func refreshPatch(s *hosted.Snapshot) map[string]any {
	return map[string]any{"metadata": map[string]any{
		"annotations":     map[string]any{hosted.RefreshAnnotation: nil},
		"resourceVersion": s.ResourceVersion,
	}}
}

// trigger makes Rancher read the cloud now.
func (m *Machine) trigger(j *judgement) Action {
	s := j.s
	if m.attempts++; m.attempts > maxAttempts && m.written == nil {
		return m.refuse(one(Contended, fmt.Sprintf("others kept changing the cluster: gave up after %d attempts", maxAttempts), "try again when it is quieter")...)
	}
	if s.Refresh.Annotation == "" && m.intent.DryRun == "" {
		m.tell("refreshing: Rancher has been asked to read the cloud already")
		return m.awaitRefresh(s, earlier(m.deadline, m.now.Add(refreshSlack)), true)
	}
	write := func() Action {
		m.tell("refreshing: Rancher is asked to read the cloud")
		patch := Patch{Body: refreshPatch(s), FieldManager: m.options.FieldManager, DryRun: m.intent.DryRun == DryServer}
		return m.act(Action{Do: DoWrite, Patch: patch}, func(o Observation) Action { return m.triggeredBy(s, o) })
	}
	if m.intent.DryRun != "" {
		return write()
	}
	return m.record(m.entry(s, StageRefresh), write)
}

func (m *Machine) triggeredBy(s *hosted.Snapshot, o Observation) Action {
	retry := func() Action { return m.read(m.assess) }
	if m.written != nil {
		retry = func() Action { return m.read(m.check) }
	}
	switch {
	case o.Err == nil && m.intent.DryRun != "":
		return m.end(Planned)
	case o.Err == nil, errIs(o.Err, ErrUncertain):
		m.result.Refreshed = true
		if m.written != nil {
			m.written.refreshes++
		}
		return m.awaitRefresh(s, earlier(m.deadline, m.now.Add(refreshSlack)), true)
	case errIs(o.Err, ErrConflict):
		return retry()
	case errIs(o.Err, ErrTemporary):
		return m.again(o.Err, retry)
	}
	return m.fail(o.Err)
}

// awaitRefresh waits for the annotation to come back, and judges by the very state
// in which it does: on AKS, GKE and ACK Rancher erases the complaint of a failed
// refresh a moment later.
func (m *Machine) awaitRefresh(s *hosted.Snapshot, until time.Time, ours bool) Action {
	m.before, m.gone, m.ours, m.waitFrom = s.Refresh.Annotation, false, ours, m.now
	m.seen, m.awaited = "", true
	m.unpushed = m.written != nil && !m.written.pushed
	return m.act(Action{Do: DoWait, Until: until}, func(o Observation) Action { return m.watchRefresh(o, until) })
}

func (m *Machine) watchRefresh(o Observation, until time.Time) Action {
	on := func(a Action) Action {
		return m.act(a, func(o Observation) Action { return m.watchRefresh(o, until) })
	}
	s := o.Snapshot
	switch {
	case o.Gap:
		return m.read(m.missed)
	case s == nil && !m.now.Before(until):
		return m.read(m.missed)
	case s == nil:
	case s.Refresh.Annotation == "":
		m.gone = true
	case s.Refresh.Annotation != m.before || m.gone:
		m.settledAt(s)
		return m.arrived(s)
	}
	if m.unpushed && m.written.pushed && !m.ours {
		return m.read(m.check) // the news of the operator's work was late: no need to wait on
	}
	return on(Action{Do: DoWait, Until: until})
}

// arrived judges the state in which the annotation came back.
func (m *Machine) arrived(s *hosted.Snapshot) Action {
	if text := syncFailed(s); text != "" && m.written == nil {
		return m.refuse(one(RefreshFailed, "Rancher could not read the cloud: "+text, "mend that first; risk "+s.Name+" says more")...)
	} else if text != "" {
		m.unknown("the refresh after the write failed: %s", text)
	} else {
		m.seen = s.Refresh.Annotation
		m.tell("Rancher has read the cloud")
		if m.written != nil {
			m.written.seen = m.seen
		}
	}
	if m.written != nil {
		return m.read(m.check)
	}
	return m.read(m.assess)
}

// missed deals with a refresh whose end was not watched: whether it succeeded
// cannot be told any more, so there has to be another one.
func (m *Machine) missed(o Observation) Action {
	s := o.Snapshot
	switch {
	case !m.now.Before(m.deadline):
		return m.timeout("Rancher did not finish a refresh in time: " + annotationState(s))
	case s.Refresh.Annotation == "" && m.ours, s.Refresh.Annotation == m.before && !m.ours:
		if m.now.Sub(m.waitFrom) >= refreshSlack && m.ours {
			return m.timeout("Rancher did not refresh: " + annotationState(s))
		}
		until := earlier(m.deadline, m.now.Add(refreshSlack))
		return m.act(Action{Do: DoWait, Until: until}, func(o Observation) Action { return m.watchRefresh(o, until) })
	case s.Provider == hosted.EKS && s.Refresh.Annotation != "":
		return m.arrived(s) // there a complaint stands until a refresh succeeds
	case m.written != nil:
		return m.check(o)
	}
	if m.misses++; m.misses > maxMisses {
		return m.refuse(one(NotRead, "Rancher has refreshed, and whether it could read the cloud is only seen in the moment it ends, which was missed "+fmt.Sprint(m.misses)+" times",
			"get the right to watch clusters.management.cattle.io (kubectl hostedsync explain roles), or try again")...)
	}
	return m.assess(o)
}

func annotationState(s *hosted.Snapshot) string {
	if s.Refresh.Annotation == "" {
		return "the refresh annotation is still missing; check that Rancher runs and look at its log"
	}
	return "the refresh annotation has not moved"
}
