package race

import "fmt"

// ruleTags is about tags that others set.
func ruleTags() Rule {
	return Rule{
		Code: "HS021", Scenario: "R21", Title: "Tags or labels that were set outside Rancher would be removed or set back", Severity: Warning, NeedsLive: true,
		Doc: Doc{
			What: "Managed tags are enforced as a whole set. A tag that a policy, another tool or a person set in the cloud is removed by the next push. A policy sets it again, and on AKS the operator then pushes at every pass without end; on EKS a missing permission to untag turns into a failure that stays.",
			Why:  "rancher/eks-operator sends UntagResource for every key the Config lacks; rancher/aks-operator, controller/aks-cluster-config-handler.go replaces the set; rancher/gke-operator sets the resource labels as one.",
			Lost: "The tag, and what hangs on it: cost reports, policies, automation.",
			Out:  "Refresh so that the Config takes the tags over, or set tags to null in the Config.",
		},
		Check: checkTags,
	}
}

func checkTags(in *Input) []Finding {
	return in.minor(KindTag, func(fields string, n int) string {
		return fmt.Sprintf("%s set outside Rancher, and would be removed or set back by %s", fields+was(n), in.trigger())
	})
}

func was(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}
