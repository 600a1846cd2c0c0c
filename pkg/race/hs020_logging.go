package race

import "github.com/hostedsync/kubectl-hostedsync/pkg/hosted"

// ruleLogging is the EKS log set that is read as empty.
func ruleLogging() Rule {
	return Rule{
		Code: "HS020", Scenario: "R20", Title: "Rancher reads no log types although the cloud has some", Severity: Info, NeedsLive: true,
		Doc: Doc{
			What: "AWS answers with several sets of log types, enabled and disabled. Rancher reads only the first. If that is the disabled one, it reads [], resets a managed Config to [], and takes every later edit back, while AWS goes on logging.",
			Why:  "rancher/eks-operator, controller/external.go, BuildUpstreamClusterState looks at the first log setup only; operator and refresher share it, so the operator sees no difference either.",
			Lost: "The list in the Config.",
			Out:  "Set loggingTypes to null in the Config and keep the log types in AWS.",
		},
		Check: checkLogging,
	}
}

// checkLogging cannot tell a misreading from log types that were switched on
// after the refresh, and says so.
func checkLogging(in *Input) []Finding {
	s := in.Snapshot
	if s.Provider != hosted.EKS || !in.Cloud.Live {
		return nil
	}
	config, managed := s.Config["loggingTypes"].([]any)
	read, wasRead := s.Upstream["loggingTypes"].([]any)
	there := hosted.List(in.Cloud.Spec["loggingTypes"])
	if !managed || !wasRead || len(read) > 0 || len(there) == 0 {
		return nil
	}
	f := Finding{
		Severity: Info, Status: Unknown, Fields: []string{"loggingTypes"},
		Summary: "unknown: Rancher last read no log types and the cloud has some; they were switched on since, or Rancher misreads them and resets the Config to [] at every refresh",
		Evidence: []Evidence{in.configEvidence("loggingTypes", config), {"UpstreamSpec loggingTypes", read, in.upstreamAt("loggingTypes")},
			in.cloudEvidence("loggingTypes", there), in.lastRefreshEvidence()},
		Window: in.untilRefresh(),
	}
	if !hosted.Equal(any(config), any([]any{})) {
		f.WouldLose = Loss{SideConfig, []Lost{{"loggingTypes", config, read}}}
	}
	f.remedies(remedy{in.specPatch(map[string]any{"loggingTypes": nil}), "leave the log types to AWS; the edit makes the operator enforce all other managed fields"})
	return []Finding{f}
}
