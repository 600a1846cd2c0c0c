package race

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// The three rules share one observation: the Config counts as applied, the
// operator is at rest, and the cloud has neither got the value nor changed since
// the last refresh. What lies behind differs by provider.

const unpushedOut = "Do not touch the cluster's refresh annotation: a refresh takes the edit back. Look whether the operator runs and what the cloud is busy with; once both are in order, make the edit again. If the cloud's value is right after all, let the refresh have its way."

func ruleUnpushedAzure() Rule {
	return Rule{
		Code: "HS003", Scenario: "R3", Title: "An edit counts as applied on AKS, but Azure has not got it", Severity: Warning, NeedsLive: true,
		Doc: Doc{
			What: "The Config was edited while Azure was busy with a change that Rancher did not start. The operator saw that, did nothing and did not come back. Ten seconds later the handler recorded the edit as applied. The next refresh finds Config and Applied equal and overwrites the edit. Should the operator be woken before, it pushes the edit, and with it everything else that differs.",
			Why:  "rancher/aks-operator, controller/aks-cluster-config-handler.go, checkAndUpdate returns without a requeue when the phase is active and the provisioning state is Updating or InProgress, or a pool is Creating, Scaling, Deleting or Upgrading; rancher/rancher, pkg/controllers/management/aks/aks_cluster_handler.go records the applied spec after ten seconds without a phase change. An operator that does not run looks the same.",
			Lost: "The edit in Rancher.", Out: unpushedOut,
		},
		Check: func(in *Input) []Finding {
			return checkUnpushed(in, hosted.AKS, "Azure was busy with a change of its own when the edit was made, or the operator did not run")
		},
	}
}

func ruleUnpushed() Rule {
	return Rule{
		Code: "HS007", Scenario: "R7", Title: "An edit counts as applied, but the operator has not pushed it", Severity: Warning, NeedsLive: true,
		Doc: Doc{
			What: "The Config was edited, and the operator did not start on it within ten seconds: its deployment is missing, overloaded or blocked. The handler recorded the edit as applied all the same. The next refresh overwrites it. If the operator comes back first, it pushes the edit after all.",
			Why:  "rancher/rancher, pkg/controllers/management/gke/gke_cluster_handler.go, and its siblings for EKS and AKS: after ten seconds with the phase still active the Config is recorded as applied. The Alibaba handler does not do this.",
			Lost: "The edit in Rancher.", Out: unpushedOut,
		},
		Check: func(in *Input) []Finding {
			out := checkUnpushed(in, hosted.GKE, "the operator did not run, or was too slow, when the edit was made")
			return append(out, checkUnpushed(in, hosted.ACK, "the operator passed the edit over")...)
		},
	}
}

func ruleUnpushedEKS() Rule {
	return Rule{
		Code: "HS008", Scenario: "R8", Title: "An edit counts as applied on EKS, but AWS has not got it", Severity: Warning, NeedsLive: true,
		Doc: Doc{
			What: "Two pushes came close together, AWS answered that the resource is in use, and the operator passed over that answer and reported the cluster as active. The edit was recorded as applied, and the next refresh overwrites it. A node-group tag step that forgets an earlier change, and an operator that does not run, look the same.",
			Why:  "rancher/eks-operator, controller/eks-cluster-config-handler.go, updateUpstreamClusterState: ResourceInUseException is swallowed for the version, endpoint access, access source and logging updates and for node group versions.",
			Lost: "The edit in Rancher.", Out: unpushedOut,
		},
		Check: func(in *Input) []Finding {
			return checkUnpushed(in, hosted.EKS, "AWS was busy and the operator passed over the refusal, or the operator did not run")
		},
	}
}

func checkUnpushed(in *Input, p hosted.Provider, why string) []Finding {
	if in.Snapshot.Provider != p || !in.armed() || !in.Cloud.Live {
		return nil
	}
	hs := in.hotWhere(func(h Hot) bool { return h.Origin == Unpushed })
	if len(hs) == 0 {
		return nil
	}
	fields := fieldsOf(hs)
	loss := Loss{Side: SideConfig}
	for _, h := range hs {
		loss.Values = append(loss.Values, Lost{h.Field, h.Config, h.Cloud})
	}
	f := Finding{
		Severity: Warning, Status: Present, Fields: fields,
		Summary: fmt.Sprintf("%s in the Config counts as applied, but the cloud still has what the last refresh saw: the next refresh takes the edit back (%s)",
			enumerate(fields), why),
		Evidence:  append(in.hotEvidence(hs), in.stateEvidence()...),
		Window:    in.untilRefresh(),
		WouldLose: loss,
	}
	f.remedies(in.operatorDeployment(), in.inspect())
	return []Finding{f}
}
