package race

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
)

func ruleStaleForm() Rule {
	return Rule{
		Code: "HS006", Scenario: "R6", Title: "A later write took an edit back that was still being carried out", Severity: Warning,
		Doc: Doc{
			What: "A form or a program read the cluster, somebody else changed it, and then the first one saved: it wrote back what it had read. The operator is still at work on the edit that was lost. This shows only in the moments before the handler copies the Config on, because the older state is kept nowhere else: a stale form that saves later cannot be told from a deliberate edit.",
			Why:  "Rancher's own API merges into the current object, ignores the caller's resourceVersion, retries conflicts and replaces lists whole (rancher/norman), so the last save wins. The rule compares Applied, the operator's resource and the Config: a field that the operator was told to change and that the Config has set back.",
			Lost: "The earlier edit, and for lists everything the other writer did not know of.",
			Out:  "Make the lost edit again, by a patch with a resourceVersion; reload forms before saving.",
		},
		Check: func(in *Input) []Finding { return in.twoEdits(true) },
	}
}

func ruleSecondEdit() Rule {
	return Rule{
		Code: "HS028", Scenario: "R28", Title: "A second edit came while the first is being carried out", Severity: Info,
		Doc: Doc{
			What: "The Config was edited again before the operator had finished the edit before. The operator goes on with the newest Config after its current step.",
			Why:  "The cluster handler replaces the operator's whole spec at every pass (rancher/rancher, pkg/controllers/management/eks/eks_cluster_handler.go and its siblings). The rule sees that Applied, the operator's resource and the Config are three different things.",
			Lost: "Nothing, unless the second edit was made from a stale form (HS006).",
			Out:  "Wait until the phase is active.",
		},
		Check: func(in *Input) []Finding { return in.twoEdits(false) },
	}
}

// twoEdits compares Applied, the operator's resource and the Config while the
// operator is updating. takenBack selects fields that the Config has set back
// to what was applied.
func (in *Input) twoEdits(takenBack bool) []Finding {
	s := in.Snapshot
	if s.CR == nil || !in.Pending || in.Phase.Name != "updating" || s.Applied == nil {
		return nil
	}
	first := fielddiff.Changed(fielddiff.Differences(in.Table, fielddiff.Sides{}.
		With(fielddiff.Config, s.CR.Spec).With(fielddiff.Applied, s.Applied)), fielddiff.ConfigApplied)
	var fields []string
	var ev []Evidence
	loss := Loss{Side: SideConfig}
	for _, e := range first {
		f, known := in.Table.Unit(e.Path.MergeUnit())
		if !known || !f.Managed(s.Config[e.Path.MergeUnit()]) {
			continue
		}
		cr, applied := e.Cells[fielddiff.Config].Value, e.Cells[fielddiff.Applied].Value
		config := predict.Lookup(in.Table, s.Config, e.Path)
		if back := hosted.Equal(config, applied); back != takenBack {
			continue
		}
		name := e.Path.String()
		fields = append(fields, name)
		ev = append(ev, in.configEvidence(name, config), Evidence{"Applied " + name, applied, in.appliedAt(name)},
			Evidence{"operator's resource " + name, cr, crAt(s, "spec."+name)})
		if takenBack {
			loss.Values = append(loss.Values, Lost{name, cr, config})
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return []Finding{in.twoEditsFinding(takenBack, fields, ev, loss)}
}

func (in *Input) twoEditsFinding(takenBack bool, fields []string, ev []Evidence, loss Loss) Finding {
	f := Finding{Severity: Info, Status: Present, Fields: fields, Evidence: append(ev, in.phaseEvidence()), WouldLose: loss,
		Window: Window{From: in.Now, Reason: "seen only until the handler hands the newest Config to the operator, some seconds"}}
	for _, name := range fields {
		unit, err := hosted.ParsePath(name)
		if err != nil {
			continue
		}
		if w, ok := in.Snapshot.Writer(unit.MergeUnit()); ok {
			f.Evidence = append(f.Evidence, in.writerEvidence(w))
		}
	}
	f.Summary = fmt.Sprintf("the Config was edited again while the operator still carries out the edit of %s", enumerate(fields))
	if takenBack {
		f.Severity = Warning
		f.Summary = fmt.Sprintf("%s was edited, and a later write set it back while the operator still carries out the edit: a stale form does that, or somebody changed their mind", enumerate(fields))
		return f
	}
	f.WouldLose.Side = SideNone
	return f
}
