package race

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// ruleNeverPushed is an edit that no operator carries out.
func ruleNeverPushed() Rule {
	return Rule{
		Code: "HS023", Scenario: "R23", Title: "An edit of a field that no operator pushes", Severity: Warning,
		Doc: Doc{
			What: "The Config was edited in a field that is fixed at creation. The operator finds nothing to do, the edit is recorded as applied, and the next refresh takes it back. If Rancher copies its reading of the field from the Config (subnets, security groups and the service role on EKS), nothing takes it back: the Config stays a false statement.",
			Why:  "Rancher's /v3 API refuses such edits (norman:\"noupdate\"), the Kubernetes API does not; the operators compare only the fields they can change (controller/*-cluster-config-handler.go, updateUpstreamClusterState).",
			Lost: "The edit.",
			Out:  "Set the field back to the cloud's value. Such a property changes only with a new cluster.",
		},
		Check: checkNeverPushed,
	}
}

func checkNeverPushed(in *Input) []Finding {
	if in.moving() || in.Undecodable != "" || in.Snapshot.Upstream == nil {
		return nil
	}
	return append(in.revertedEdits(), in.falseStatements()...)
}

func (in *Input) revertedEdits() []Finding {
	s := in.Snapshot
	fields := in.unreachable()
	if len(fields) == 0 {
		return nil
	}
	f := Finding{Severity: Warning, Status: Present, Fields: fields, Window: in.window(), WouldLose: Loss{Side: SideConfig},
		Summary: fmt.Sprintf("%s differs from what Rancher read, and no operator pushes it: the next refresh that is not frozen takes the edit back", enumerate(fields))}
	patch := map[string]any{}
	for _, k := range fields {
		f.Evidence = append(f.Evidence, in.configEvidence(k, s.Config[k]), Evidence{"UpstreamSpec " + k, s.Upstream[k], in.upstreamAt(k)})
		f.WouldLose.Values = append(f.WouldLose.Values, Lost{k, s.Config[k], s.Upstream[k]})
		patch[k] = diffPatch(s.Config[k], s.Upstream[k])
	}
	f.Evidence = append(f.Evidence, in.lastRefreshEvidence())
	f.remedies(remedy{in.specPatch(patch), "set the fields back to what Rancher read; the edit makes the operator enforce all managed fields"})
	return []Finding{f}
}

// falseStatements are copied fields about which a live reading says otherwise.
// An empty reading proves nothing: it may not cover the field.
func (in *Input) falseStatements() []Finding {
	s := in.Snapshot
	if !in.Cloud.Live || s.Provider != hosted.EKS {
		return nil
	}
	var fields []string
	var ev []Evidence
	for _, e := range in.Diff {
		if e.Differs&configLive == 0 || e.Unmanaged || e.Field == nil || len(e.Path) != 1 ||
			e.Field.Source != schema.FromConfig || !e.Field.Nullable() || e.Cells[liveSide].Value == nil {
			continue
		}
		name := e.Path.String()
		fields = append(fields, name)
		ev = append(ev, in.configEvidence(name, s.Config[name]), in.cloudEvidence(name, e.Cells[liveSide].Value))
	}
	if len(fields) == 0 {
		return nil
	}
	return []Finding{{Severity: Info, Status: Present, Fields: fields, Evidence: ev,
		Summary: fmt.Sprintf("%s in the Config is not what the cloud has; Rancher copies its reading from the Config, so that nothing pushes or corrects it", enumerate(fields)),
		Window:  Window{From: in.Now, Reason: "open until somebody corrects the Config (since when is not recorded)"}}}
}
