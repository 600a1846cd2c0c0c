package race

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// longUpdate is how long an update may take before it counts as not ending.
const longUpdate = 30 * time.Minute

// ruleRanges is an IP range that does not go away.
func ruleRanges() Rule {
	return Rule{
		Code: "HS017", Scenario: "R17", Title: "Authorized IP ranges of an imported AKS cluster are not removed", Severity: Warning,
		Doc: Doc{
			What: "A range was removed from the Config of an imported AKS cluster, and the operator has been updating for a long time while Azure still has it. Reports describe an operator that adds ranges and never removes them. The operator's current code, run against a fake cloud, sends exactly the Config's list, and the removal ends; so the rule waits for evidence that it does not.",
			Why:  "rancher/aks-operator, pkg/aks/update.go, updateCluster has a branch for imported clusters that only adds; with v1.15 it is not reached.",
			Lost: "The removal; while the update does not end the sync is frozen, with all that HS009 says.",
			Out:  "Remove the range in Azure as well, or set authorizedIpRanges to null in the Config.",
		},
		Check: checkRanges,
	}
}

func checkRanges(in *Input) []Finding {
	s := in.Snapshot
	if s.Provider != hosted.AKS || s.Config["imported"] != true || !in.Frozen || in.Phase.Name != "updating" || in.Failure.Text != "" ||
		!in.Cloud.Sure || in.FrozenSince.IsZero() || in.Now.Sub(in.FrozenSince) < longUpdate {
		return nil
	}
	wanted, managed := s.Config["authorizedIpRanges"].([]any)
	if !managed {
		return nil
	}
	var extra []string
	for _, v := range hosted.List(in.Cloud.Spec["authorizedIpRanges"]) {
		if !slices.ContainsFunc(wanted, func(w any) bool { return hosted.Equal(v, w) }) {
			extra = append(extra, hosted.Str(v))
		}
	}
	if len(extra) == 0 {
		return nil
	}
	f := Finding{
		Severity: Warning, Status: Present, Fields: []string{"authorizedIpRanges"},
		Summary: fmt.Sprintf("the operator has been updating since %s, and Azure still has %s, which the Config has not: the removal does not seem to end%s",
			stamp(in.FrozenSince), strings.Join(extra, ", "), in.asOf()),
		Evidence: []Evidence{in.configEvidence("authorizedIpRanges", wanted), in.cloudEvidence("authorizedIpRanges", in.Cloud.Spec["authorizedIpRanges"]),
			in.configEvidence("imported", true), in.phaseEvidence()},
		Window: in.whileFrozen(),
	}
	f.remedies(remedy{in.specPatch(map[string]any{"authorizedIpRanges": nil}), "leave the ranges to Azure; the edit makes the operator enforce all other managed fields"})
	return []Finding{f}
}
