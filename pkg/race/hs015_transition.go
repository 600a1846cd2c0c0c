package race

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

const configApplied = fielddiff.ConfigApplied

// ruleTransition is a refresh in the middle of a node group change.
func ruleTransition() Rule {
	return Rule{
		Code: "HS015", Scenario: "R15", Title: "A node group in motion is read without its version", Severity: Info,
		Doc: Doc{
			What: "EKS reports no version for a node group that is being updated. A refresh in that time replaces the whole managed list with one that lacks the version, and the one after restores it. The version itself is not reverted, because an empty one is not compared; but each of the two writes wakes the operator, which enforces whatever else is hot.",
			Why:  "rancher/eks-operator, controller/external.go, BuildUpstreamClusterState leaves the version out while the group is UPDATING; the refresh replaces the list whole.",
			Lost: "Nothing by itself.",
			Out:  "Wait until the group is active before anything else is changed in the cloud.",
		},
		Check: checkTransition,
	}
}

func checkTransition(in *Input) []Finding {
	s := in.Snapshot
	if s.Provider != hosted.EKS || in.Cloud.Spec == nil {
		return nil
	}
	pair, side := in.cloudPair()
	var fields []string
	var ev []Evidence
	for i := range in.Diff {
		e := &in.Diff[i]
		if e.Differs&pair == 0 || e.Unmanaged || len(e.Path) != 3 || leaf(e.Path) != "version" || e.Cells[side].Value != nil {
			continue
		}
		name := e.Path.String()
		fields = append(fields, name)
		ev = append(ev, in.configEvidence(name, e.Cells[fielddiff.Config].Value), in.cloudEvidence(name, nil))
	}
	if len(fields) == 0 {
		return nil
	}
	return []Finding{{
		Severity: Info, Status: Present, Fields: fields, Evidence: append(ev, in.lastRefreshEvidence()),
		Summary: fmt.Sprintf("%s is empty in the cloud, as it is while a node group is updated: a refresh now writes that into the Config for one interval%s", enumerate(fields), in.asOf()),
		Window:  in.window(),
	}}
}
