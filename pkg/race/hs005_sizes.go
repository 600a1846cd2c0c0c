package race

import "fmt"

// ruleSizes is an autoscaler against a managed size.
func ruleSizes() Rule {
	return Rule{
		Code: "HS005", Scenario: "R5", Title: "A node count that moves in the cloud would be set back", Severity: Warning, NeedsLive: true,
		Doc: Doc{
			What: "An autoscaler or a schedule changed the number of nodes, and the number is managed. Refreshes copy it into the Config, but an edit in between pushes the old one: nodes are removed from under their workloads, or idle ones come back.",
			Why:  "rancher/eks-operator sends the whole size triple with any change of sizes or labels (pkg/eks, UpdateNodegroupConfig); rancher/gke-operator compares initialNodeCount (pkg/gke/update.go); rancher/ali-operator desiredSize; rancher/aks-operator the count of pools that do not scale themselves.",
			Lost: "The current number of nodes.",
			Out:  "Refresh before every edit, or set the node list to null in the Config so that the cloud decides.",
		},
		Check: checkSizes,
	}
}

func checkSizes(in *Input) []Finding {
	return in.minor(KindSize, func(fields string, n int) string {
		return fmt.Sprintf("%s moved in the cloud and would be set back by %s", fields, in.trigger())
	})
}

// minor is the finding for hot fields of a lesser kind: armed, or about to be
// pushed. Those of a failed or stuck cluster are listed there.
func (in *Input) minor(k Kind, summary func(fields string, n int) string) []Finding {
	if !in.armed() && !in.firing() || in.armed() && !in.Cloud.Live {
		return nil
	}
	hs := in.hotWhere(func(h Hot) bool { return h.Kind == k && h.Origin == CloudChange })
	if len(hs) == 0 {
		return nil
	}
	fields := fieldsOf(hs)
	f := Finding{
		Severity: Warning, Status: Present, Fields: fields,
		Summary:   summary(enumerate(fields), len(fields)) + in.asOf(),
		Evidence:  append(in.hotEvidence(hs), in.stateEvidence()...),
		Window:    in.window(),
		WouldLose: lostInCloud(hs),
	}
	in.doubt(&f)
	if in.Frozen {
		f.remedies(in.adopt(), in.unmanage())
	} else {
		f.remedies(in.refreshNow(), in.unmanage())
	}
	return []Finding{f}
}
