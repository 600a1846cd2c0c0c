package race

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// ruleGroups is the destructive one: node groups that a push deletes or creates.
func ruleGroups() Rule {
	return Rule{
		Code: "HS004", Scenario: "R4", Title: "A node group or pool would be deleted or created", Severity: Critical,
		Doc: Doc{
			What: "A managed list of node groups is the complete wish. A group that was created in the cloud and is not in the Config is deleted by the next push, with its nodes; one that was deleted in the cloud and is still in the Config is created again. An empty list deletes them all. The edit that sets it off may be of any field, and Rancher's own form sends the list with every save.",
			Why:  "rancher/eks-operator, controller/eks-cluster-config-handler.go, updateUpstreamClusterState; rancher/aks-operator and rancher/gke-operator, the functions of the same name; rancher/ali-operator, controller/ali-cluster-config-handler.go. None of them asks before it deletes.",
			Lost: "The node group and what runs on it, or the decision to remove it.",
			Out:  "At rest: let a refresh complete first, it takes the list over. Frozen: write the cloud's list into the Config, or set the list to null, before the operator gets to it.",
		},
		Check: checkGroups,
	}
}

func checkGroups(in *Input) []Finding {
	if !in.Cloud.Live && !in.Cloud.Sure || in.Undecodable != "" {
		return nil
	}
	var out []Finding
	for _, effect := range []operator.Effect{operator.Delete, operator.Create} {
		hs := in.hotWhere(func(h Hot) bool { return h.Kind == KindGroup && h.Origin == CloudChange && h.Effect == effect })
		if len(hs) > 0 {
			out = append(out, in.groupFinding(effect, hs))
		}
	}
	return out
}

func (in *Input) groupFinding(effect operator.Effect, hs []Hot) Finding {
	fields := fieldsOf(hs)
	what := "is in the cloud and not in the Config: it would be deleted"
	if effect == operator.Create {
		what = "is in the Config and not in the cloud: it would be created again"
	}
	f := Finding{
		Severity: Critical, Status: Present, Fields: fields,
		Summary:   fmt.Sprintf("%s %s by %s%s", enumerate(fields), what, in.trigger(), in.asOf()),
		Evidence:  append(in.hotEvidence(hs), in.stateEvidence()...),
		Window:    in.window(),
		WouldLose: lostInCloud(hs),
	}
	if in.Frozen {
		f.remedies(in.adopt(), in.unmanage())
	} else {
		f.remedies(in.refreshNow(), in.unmanage())
	}
	return f
}

// trigger says what makes the operator push.
func (in *Input) trigger() string {
	switch {
	case in.Failure.Text != "":
		return "the operator as soon as its failure clears"
	case in.moving():
		return "the operator, which is at work"
	case in.Frozen:
		return "the next reconcile, which an edit, an operator restart or a resync sets off; no refresh prevents it"
	}
	return "the next edit of any field, an operator restart or a resync"
}
