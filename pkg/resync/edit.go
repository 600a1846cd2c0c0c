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

// target works out what the Config is to be, on the state that was just read.
func (m *Machine) target(j *judgement) (predict.Edited, *Refusal) {
	s := j.s
	switch m.intent.Verb {
	case Set, Unmanage:
		ed, err := m.intent.Edit.Apply(j.table, s.Config, j.cloud())
		if err != nil {
			return ed, &Refusal{Code: BadEdit, Text: err.Error()}
		}
		return ed, nil
	case Manage:
		return m.manage(j)
	case Adopt:
		return m.adopt(j)
	case Restore:
		return m.restore(j)
	}
	return predict.Edited{}, &Refusal{Code: BadEdit, Text: fmt.Sprintf("%s does not edit the Config", m.intent.Verb)}
}

// manage takes fields into the Config with the cloud's values.
func (m *Machine) manage(j *judgement) (predict.Edited, *Refusal) {
	ed := predict.Edited{Config: hosted.CloneMap(j.s.Config)}
	for _, k := range m.intent.Fields {
		f, known := j.table.Unit(k)
		v := j.cloud()[k]
		switch {
		case !known:
			return ed, &Refusal{Code: BadEdit, Fields: []string{k}, Text: "there is no field " + k + " in " + string(j.s.Provider) + "'s Config"}
		case f.Managed(ed.Config[k]):
			continue
		case !f.Managed(v):
			return ed, &Refusal{Code: BadEdit, Fields: []string{k}, Text: k + ": Rancher has not read a value in the cloud that the Config could take over",
				Fix: "give one: set " + j.s.Name + " " + k + "=…"}
		}
		ed.Config[k] = hosted.Clone(v)
		ed.Paths = append(ed.Paths, hosted.Path{}.Key(k))
	}
	return ed, nil
}

// adopt makes managed fields of the Config what the cloud has.
func (m *Machine) adopt(j *judgement) (predict.Edited, *Refusal) {
	ed := predict.Edited{Config: hosted.CloneMap(j.s.Config)}
	wanted := m.intent.Fields
	if len(wanted) == 0 {
		wanted = hosted.SortedKeys(j.s.Config)
	}
	for _, k := range wanted {
		f, known := j.table.Unit(k)
		if !known && len(m.intent.Fields) > 0 {
			return ed, &Refusal{Code: BadEdit, Fields: []string{k}, Text: "there is no field " + k + " in " + string(j.s.Provider) + "'s Config"}
		}
		v := j.cloud()[k]
		if !known || !f.Managed(ed.Config[k]) || f.Source != schema.FromCloud || f.OmitEmpty && v == nil || f.Equivalent(ed.Config[k], v) {
			continue
		}
		ed.Config[k] = hosted.Clone(v)
		ed.Paths = append(ed.Paths, hosted.Path{}.Key(k))
	}
	return ed, nil
}

// restore puts units back to what a change found, if they still are what it left.
func (m *Machine) restore(j *judgement) (predict.Edited, *Refusal) {
	ed := predict.Edited{Config: hosted.CloneMap(j.s.Config)}
	e := m.intent.Restore
	var changed []string
	for _, u := range e.Units {
		f, known := j.table.Unit(u.Unit)
		same := func(a, b any) bool {
			return known && f.Equivalent(a, b) || !known && hosted.Equal(a, b)
		}
		if now := j.s.Config[u.Unit]; !same(now, u.After) && !same(now, u.Before) && !m.intent.allows(u.Unit) {
			changed = append(changed, u.Unit)
		}
		if ed.Config[u.Unit] = hosted.Clone(u.Before); u.Before == nil {
			ed.Config[u.Unit] = nil
		}
		ed.Paths = append(ed.Paths, hosted.Path{}.Key(u.Unit))
	}
	if len(changed) > 0 {
		return ed, &Refusal{Code: ChangedSince, Fields: changed, Text: strings.Join(changed, ", ") + " changed again after change " + e.Change,
			Fix: "--allow-collateral " + strings.Join(changed, ",") + " overwrites that"}
	}
	return ed, nil
}

// decide is the last look before the write.
func (m *Machine) decide(j *judgement) Action {
	ed, bad := m.target(j)
	if bad != nil {
		return m.refuse(*bad)
	}
	changes := units(j.table, j.s.Config, ed.Config)
	if len(changes) == 0 {
		return m.end(Unchanged)
	}
	patch, err := configPatch(j.s, changes)
	if err != nil {
		return m.refuse(Refusal{Code: BadEdit, Text: err.Error(), Fix: "set the whole field to a JSON value"})
	}
	plan, rs := m.plan(j, ed, changes)
	plan.Patch = patch
	m.result.Plan = plan
	if m.intent.DryRun == "" && !j.stuck() {
		// What nobody has pushed would be taken back by a refresh in between.
		if !m.atRisk(j).none() {
			return m.refreshFirst(j)
		}
	}
	if rs != nil {
		return m.refuse(rs...)
	}
	switch m.intent.DryRun {
	case DryClient:
		return m.end(Planned)
	case DryServer:
		return m.act(Action{Do: DoWrite, Patch: Patch{Body: patch, DryRun: true, FieldManager: m.options.FieldManager}}, func(o Observation) Action {
			if o.Err != nil {
				return m.fail(o.Err)
			}
			return m.end(Planned)
		})
	}
	return m.write(j, plan)
}

// plan predicts what the edit leads to, and finds what speaks against it.
func (m *Machine) plan(j *judgement, ed predict.Edited, changes []UnitChange) (*Plan, []Refusal) {
	plan := &Plan{Units: changes, Notes: ed.Notes, Overwritten: []string{}, Calls: []predict.PushedCall{}, Collateral: []predict.Collateral{}, after: ed.Config}
	if m.intent.DryRun != "" {
		plan.RefreshFirst = true
		plan.Overwritten = append(plan.Overwritten, j.absorbed...)
	}
	for _, p := range ed.Paths {
		plan.paths = append(plan.paths, p.String())
	}
	var rs []Refusal
	if r := m.dueRefusal(j); r != nil {
		rs = append(rs, *r)
	}
	if r := m.noEffect(ed); r != nil {
		rs = append(rs, *r)
	}
	push, err := predict.Pushed(j.pushInput(ed))
	if err != nil {
		return plan, append(rs, Refusal{Code: WouldFail, Text: "what the edit would push cannot be predicted: " + err.Error()})
	}
	plan.Calls, plan.Collateral = push.Calls, push.Collateral
	if r := m.collateral(push.Collateral, ed.Paths); r != nil {
		rs = append(rs, *r)
	}
	if !push.Converges && !m.intent.AllowAll {
		text := "the operator would not come to rest"
		if push.Error != "" {
			text += ": " + push.Error
		}
		rs = append(rs, Refusal{Code: WouldFail, Text: text})
	}
	return plan, rs
}

// noEffect refuses an edit of what no operator pushes.
func (m *Machine) noEffect(ed predict.Edited) *Refusal {
	for _, n := range ed.Notes {
		if slices.Contains([]string{"never-pushed", "copied", "carried-only"}, n.Code) && !m.intent.allows(n.Field) {
			return &Refusal{Code: NoEffect, Text: n.Text, Fields: []string{n.Field}, Fix: "--allow-collateral " + n.Field + " makes the edit all the same"}
		}
	}
	return nil
}

func (j *judgement) pushInput(ed predict.Edited) predict.PushInput {
	s := j.s
	status := s.Status
	if s.CR != nil && s.CR.Status != nil {
		status = s.CR.Status
	}
	if j.stuck() || j.phase != operator.PhaseActive {
		// The operator starts from rest, or it would not start at all.
		status = hosted.CloneMap(status)
		status["phase"], status["failureMessage"] = operator.PhaseActive, ""
	}
	return predict.PushInput{Provider: s.Provider, Name: s.Name, Config: s.Config, After: ed.Config, Paths: ed.Paths, Status: status, Cloud: j.cloud()}
}

// collateral refuses what would be pushed although nobody named or allowed it.
func (m *Machine) collateral(all []predict.Collateral, named []hosted.Path) *Refusal {
	var fields, texts []string
	for _, c := range all {
		if m.intent.allows(c.Field) || m.intent.Verb == Push && names(named, c.Field) {
			continue
		}
		fields, texts = append(fields, c.Field), append(texts, c.Text)
	}
	if len(fields) == 0 {
		return nil
	}
	return &Refusal{Code: WouldPush, Fields: fields, Text: "the operator would also push what nobody named: " + strings.Join(texts, "; "),
		Fix: "sync --adopt or unmanage these fields first, or accept it with --allow-collateral " + strings.Join(fields, ",")}
}

func names(paths []hosted.Path, field string) bool {
	q, err := hosted.ParsePath(field)
	return err == nil && slices.ContainsFunc(paths, func(p hosted.Path) bool { return p.Contains(q) })
}

// dueRefusal refuses when Rancher is about to refresh: a refresh between the write
// and the push takes the edit back if the operator is slow.
func (m *Machine) dueRefusal(j *judgement) *Refusal {
	if j.sched.NextUnix == nil || m.intent.DryRun != "" || j.stuck() {
		return nil
	}
	next := time.Unix(*j.sched.NextUnix, 0)
	if next.After(m.now.Add(m.options.Margin)) {
		return nil
	}
	return &Refusal{Code: RefreshDue, Text: fmt.Sprintf("Rancher's next refresh is due at %s, within the %s that the change needs", next.UTC().Format(time.RFC3339), m.options.Margin),
		Fix: "raise the setting " + j.s.Provider.SettingName() + ", or try again after it"}
}
