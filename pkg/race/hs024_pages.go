package race

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// pageSize is how many node groups EKS lists at once.
const pageSize = 100

// rulePages is about node groups that Rancher cannot see.
func rulePages() Rule {
	return Rule{
		Code: "HS024", Scenario: "R24", Title: "More than 100 EKS node groups: Rancher reads only the first page", Severity: Danger,
		Doc: Doc{
			What: "Rancher and the operator read one page of node groups, a hundred at most. Groups on the second page are missing in every reading: a refresh drops them from a managed list, and a Config that has them makes the operator try to create them again at every pass, which AWS refuses.",
			Why:  "rancher/eks-operator, controller/eks-cluster-config-handler.go, and rancher/rancher, pkg/controllers/management/clusterupstreamrefresher/eks_upstream_spec.go call ListNodegroups once.",
			Lost: "The entries of the second page in the Config.",
			Out:  "Keep nodeGroups null in the Config of such a cluster, or use fewer groups.",
		},
		Check: checkPages,
	}
}

func checkPages(in *Input) []Finding {
	s := in.Snapshot
	if s.Provider != hosted.EKS || s.Config["nodeGroups"] == nil {
		return nil
	}
	config, read := len(hosted.List(s.Config["nodeGroups"])), len(hosted.List(s.Upstream["nodeGroups"]))
	live := 0
	if in.Cloud.Live {
		live = len(hosted.List(in.Cloud.Spec["nodeGroups"]))
	}
	if max(config, live) <= pageSize {
		return nil
	}
	f := Finding{
		Severity: Danger, Status: Present, Fields: []string{"nodeGroups"},
		Summary: fmt.Sprintf("nodeGroups is managed and there are %d groups: Rancher reads the first %d only, drops the rest from the Config or tries to create them again",
			max(config, live), pageSize),
		Evidence: []Evidence{{"Config number of nodeGroups", int64(config), in.configAt("nodeGroups")}, {"UpstreamSpec number of nodeGroups", int64(read), in.upstreamAt("nodeGroups")}},
		Window:   Window{From: in.Now, Reason: "open while the list is managed and that long (since when is not recorded)"},
	}
	if in.Cloud.Live {
		f.Evidence = append(f.Evidence, Evidence{"cloud number of nodeGroups", int64(live), in.Cloud.Source})
	}
	f.remedies(in.unmanage())
	if len(f.Remedy) == 0 {
		f.remedies(remedy{in.specPatch(map[string]any{"nodeGroups": nil}), "leave the node groups to the cloud; the edit makes the operator enforce all other managed fields"})
	}
	return []Finding{f}
}
