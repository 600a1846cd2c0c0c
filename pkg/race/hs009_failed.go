package race

import (
	"fmt"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// ruleFailed is an operator that fails while the cloud moves on.
func ruleFailed() Rule {
	return Rule{
		Code: "HS009", Scenario: "R9", Title: "The operator fails, and its Config grows old", Severity: Danger,
		Doc: Doc{
			What: "The operator stays in phase updating with an error. Config and Applied differ, so refreshes record what the cloud has and leave the Config alone. The Config grows older and older. When the cause disappears (a quota is raised, a credential repaired), the whole old Config is enforced at once: versions, access, tags, and node groups that were created or deleted meanwhile.",
			Why:  "Applied is recorded only in phase active (rancher/rancher, pkg/controllers/management/eks/eks_cluster_handler.go and its siblings, recordAppliedSpec); the refresher skips the merge while Config and Applied differ (clusterupstreamrefresher/cluster_upstream_refresher.go); an operator error keeps the phase updating (controller/*-cluster-config-handler.go, recordError).",
			Lost: "Every change that was made in the cloud since the failure began.",
			Out:  "Before the cause is repaired, make the Config say what the cloud has for all listed fields, in one patch, or set them to null. Then repair the cause.",
		},
		Check: checkFailed,
	}
}

func checkFailed(in *Input) []Finding {
	if in.Failure.Text == "" {
		return nil
	}
	class := Classify(in.Failure.Text)
	f := in.heldBack()
	f.Summary = fmt.Sprintf("the operator fails: %s; %s", class.Title, f.Summary)
	f.Evidence = append([]Evidence{in.failureEvidence(), {"class of the error", class.Name + ": " + class.Hint, in.Failure.Source}}, f.Evidence...)
	if class.Transient && f.Severity == Danger {
		f.Severity = Warning
		f.Summary += " (this error usually goes away by itself)"
	}
	f.Window.Reason += "; not clearing because " + in.reasons()
	f.remedies(in.adopt(), in.unmanage(), in.inspect())
	return []Finding{f}
}

// heldBack lists what a push that is held back will do once it comes: first
// what it reverts, then what was asked for.
func (in *Input) heldBack() Finding {
	reverted := in.hotWhere(func(h Hot) bool { return h.Origin == CloudChange })
	asked := in.hotWhere(func(h Hot) bool { return h.Origin != CloudChange })
	f := Finding{
		Severity: Warning, Status: Present, Fields: fieldsOf(in.Hot),
		Evidence:  append(in.hotEvidence(in.Hot), in.stateEvidence()...),
		Window:    in.window(),
		WouldLose: lostInCloud(reverted),
	}
	var parts []string
	if len(reverted) > 0 {
		f.Severity = Danger
		groups := false
		parts, groups = consequences(reverted)
		parts[len(parts)-1] += " when this clears" + in.asOf()
		if groups && in.Cloud.Sure {
			f.Severity = Critical
		}
	}
	if len(asked) > 0 {
		parts = append(parts, enumerate(fieldsOf(asked))+" is an edit that is still to be pushed")
	}
	switch {
	case len(parts) == 0 && in.Cloud.Live:
		parts = append(parts, "no managed field differs from the cloud now")
	case len(parts) == 0:
		parts = append(parts, "Rancher's last reading shows nothing that would be reverted; the cloud has not been looked at since"+in.asOf())
	case !in.Cloud.Sure && len(reverted) > 0:
		parts = append(parts, "that reading may be older than the last push")
	}
	if in.Frozen {
		parts = append(parts, "refreshes leave the Config alone meanwhile")
	}
	f.Summary = strings.Join(parts, ", ")
	return f
}

// consequences says what a push does to the fields, and whether node groups come
// or go.
func consequences(hs []Hot) (parts []string, groups bool) {
	byEffect := map[operator.Effect][]string{}
	for _, h := range hs {
		byEffect[h.Effect] = append(byEffect[h.Effect], h.Field)
	}
	for _, e := range []struct {
		effect operator.Effect
		text   string
	}{{operator.Delete, " will be deleted"}, {operator.Create, " will be created again"}, {operator.Update, " will be reverted"}} {
		if fields := byEffect[e.effect]; len(fields) > 0 {
			parts = append(parts, enumerate(fields)+e.text)
			groups = groups || e.effect != operator.Update
		}
	}
	return parts, groups
}

// reasons joins why Config and Applied stay different.
func (in *Input) reasons() string {
	causes := in.whyFrozen()
	if len(causes) == 0 {
		return "of nothing that the objects show: Rancher may just not have come round to it"
	}
	texts := make([]string, 0, len(causes))
	for _, c := range causes {
		texts = append(texts, c.text)
	}
	return strings.Join(texts, "; ")
}
