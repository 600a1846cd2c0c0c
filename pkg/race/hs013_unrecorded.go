package race

import "fmt"

// ruleUnrecorded is a frozen cluster whose operator is done.
func ruleUnrecorded() Rule {
	return Rule{
		Code: "HS013", Scenario: "R13", Title: "The sync is frozen although the operator is done", Severity: Warning,
		Doc: Doc{
			What: "Config and Applied differ while the operator is in phase active. The handler does not get as far as recording the Config as applied: the agent is not connected, the API endpoint or a service account is missing, the CRD is not ready, or, on EKS, an error of the refresher stands in the Updated condition. Refreshes record what the cloud has and leave the Config alone. It looks healthy and grows old like a failed update.",
			Why:  "rancher/rancher, pkg/controllers/management/eks/eks_cluster_handler.go and its siblings, onClusterChange: several early returns lie before recordAppliedSpec. Empty lists and maps that the type omits make the two differ as well, until Rancher next writes the spec.",
			Lost: "Whatever is changed in the cloud meanwhile, at the next reconcile of the operator.",
			Out:  "Remove the cause that is named. Look at the listed fields before: they are enforced by the next edit.",
		},
		Check: checkUnrecorded,
	}
}

func checkUnrecorded(in *Input) []Finding {
	if !in.Frozen || in.moving() || in.Failure.Text != "" || in.Undecodable != "" || in.Snapshot.Upstream == nil {
		return nil
	}
	if in.Phase.Known && in.Phase.Name != "active" {
		return nil
	}
	f := in.heldBack()
	f.Evidence = append(in.edited(), f.Evidence...)
	causes := in.whyFrozen()
	for _, c := range causes {
		f.Evidence = append(f.Evidence, c.evidence)
	}
	state := "the operator is active and Config and Applied differ"
	if !in.Phase.Known {
		state = "Config and Applied differ, and the operator's phase could not be read"
	}
	f.Summary = fmt.Sprintf("%s: %s", state, f.Summary)
	f.Window.Reason += "; not clearing because " + in.reasons()
	switch {
	case in.onlyEmpties():
		f.Severity = min(f.Severity, Info)
	case len(causes) == 0 && len(f.WouldLose.Values) == 0:
		// Every edit passes through this state for some seconds.
		f.Severity = Info
	}
	f.remedies(in.adopt(), in.inspect())
	return []Finding{f}
}

// edited shows which fields keep Config and Applied apart.
func (in *Input) edited() []Evidence {
	s := in.Snapshot
	if s.Applied == nil {
		return []Evidence{{"Applied", nil, in.at("status.appliedSpec")}}
	}
	var fields []string
	for i := range in.Diff {
		if e := &in.Diff[i]; e.Differs&configApplied != 0 || e.OrderOnly&configApplied != 0 {
			fields = append(fields, e.Path.String())
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return []Evidence{{"fields in which Config and Applied differ", enumerate(fields),
		in.at("spec." + s.Provider.ConfigKey() + " and status.appliedSpec." + s.Provider.ConfigKey())}}
}
