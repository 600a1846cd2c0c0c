package resync

import (
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
)

// PushAnnotation is put on the operator's custom resource to wake the operator,
// which then enforces every managed field. Its value is the change's id.
const PushAnnotation = "hostedsync.io/pushed-by"

// push makes the operator enforce the Config as it is. What it would change must
// be known: on a live reading, or on a stuck cluster on a refresh that was just
// seen to succeed.
func (m *Machine) push(j *judgement) Action {
	s := j.s
	live := s.Live != nil && s.Live.Spec != nil
	switch {
	case live, m.intent.AllowAll, m.fresh(j):
	case j.stuck():
		return m.refreshFirst(j) // frozen: it renews the UpstreamSpec only
	default:
		return m.refuse(one(Blind, "the cloud has not been read, so it is not known what a push would destroy; a refresh would replace the Config instead",
			"give a reading with --live-from, or accept anything with --allow-collateral '*'")...)
	}
	ed := predict.Edited{Config: s.Config}
	for _, f := range m.intent.Fields {
		ed.Paths = append(ed.Paths, hosted.Path{}.Key(f))
	}
	plan, rs := m.plan(j, ed, []UnitChange{})
	plan.Patch = map[string]any{"metadata": map[string]any{
		"annotations": map[string]any{PushAnnotation: m.id}, "resourceVersion": s.CR.ResourceVersion,
	}}
	m.result.Plan = plan
	if len(plan.Calls) == 0 && !m.intent.AllowAll && !j.stuck() {
		return m.end(Unchanged)
	}
	if len(m.intent.Fields) == 0 {
		rs = withoutCode(rs, WouldPush) // all that differs was asked for
	}
	if rs != nil {
		return m.refuse(rs...)
	}
	if m.intent.DryRun == DryClient {
		return m.end(Planned)
	}
	return m.poke(j, plan)
}

func withoutCode(rs []Refusal, code Code) []Refusal {
	var out []Refusal
	for _, r := range rs {
		if r.Code != code {
			out = append(out, r)
		}
	}
	return out
}

// poke touches the custom resource.
func (m *Machine) poke(j *judgement, plan *Plan) Action {
	w := &written{plan: plan, annotation: j.s.Refresh.Annotation, expected: true}
	seen := map[string]bool{}
	for _, c := range plan.Calls {
		for _, f := range c.Fields {
			if p, err := hosted.ParsePath(f); err == nil && !seen[p.MergeUnit()] {
				seen[p.MergeUnit()] = true
				w.paths = append(w.paths, hosted.Path{}.Key(p.MergeUnit()))
			}
		}
	}
	send := func() Action {
		m.tell("waking the operator: it pushes %s", strings.Join(hosted.SortedKeys(seen), ", "))
		patch := Patch{Operator: true, Body: plan.Patch, FieldManager: m.options.FieldManager, DryRun: m.intent.DryRun == DryServer}
		return m.act(Action{Do: DoWrite, Patch: patch}, func(o Observation) Action {
			if o.Err == nil && m.intent.DryRun != "" {
				return m.end(Planned)
			}
			o.Snapshot = nil // the Cluster was not written
			return m.wrote(j, w, o)
		})
	}
	if m.intent.DryRun != "" {
		return send()
	}
	e := m.entry(j.s, StageWrite)
	e.Precondition, e.Patch = j.s.CR.ResourceVersion, plan.Patch
	return m.record(e, send)
}
