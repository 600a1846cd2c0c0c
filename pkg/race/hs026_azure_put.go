package race

import (
	"fmt"
	"slices"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// putTriggers are the fields whose difference makes the AKS operator send the
// whole cluster.
var putTriggers = []string{"kubernetesVersion", "authorizedIpRanges", "httpApplicationRouting", "monitoring"}

func ruleAzureBlank() Rule {
	return Rule{
		Code: "HS026", Scenario: "R26", Title: "A full update of an AKS cluster would wipe what the Config leaves null", Severity: Danger, NamesUnmanaged: true,
		Doc: Doc{
			What: "For a cluster that Rancher created, null in the Config does not mean \"leave alone\" once the operator sends a full update: null tags and null authorized IP ranges go out empty, and a null network plugin as kubenet. Such an update is sent when the version, the IP ranges, HTTP application routing or monitoring differs.",
			Why:  "rancher/aks-operator, pkg/aks/update.go and create.go: for created clusters the body is built from the Config alone. Recorded from the operator's own requests.",
			Lost: "The cluster's tags; its authorized IP ranges, which opens the API server to the Internet.",
			Out:  "Write the cloud's tags, ranges and network plugin into the Config in the same patch as the change that sets the update off.",
		},
		Check: checkAzureBlank,
	}
}

func rulePutDoc() Doc {
	return Doc{
		What: "The operator reads the AKS cluster, changes a few fields and writes the whole object back, without a precondition. A change that is made in Azure between the two, within seconds, is undone, even in fields that Rancher knows nothing of. The finding says that such an update is due.",
		Why:  "rancher/aks-operator, pkg/aks/update.go, updateCluster: Get, then BeginCreateOrUpdate without an etag.",
		Lost: "Changes made in Azure in the same seconds.",
		Out:  "Change nothing in Azure until the operator's phase is active again.",
	}
}

func ruleAzurePut() Rule {
	return Rule{Code: "HS027", Scenario: "R27", Title: "A full update of an AKS cluster is due", Severity: Info, Doc: rulePutDoc(), Check: checkAzurePut}
}

// triggers are the hot fields that make a full update necessary.
func (in *Input) triggers() []Hot {
	if in.Snapshot.Provider != hosted.AKS || !in.Cloud.Live && !in.Frozen {
		return nil
	}
	return in.hotWhere(func(h Hot) bool { return slices.Contains(putTriggers, h.Unit()) })
}

func checkAzureBlank(in *Input) []Finding {
	s := in.Snapshot
	due := in.triggers()
	if len(due) == 0 || s.Config["imported"] == true {
		return nil
	}
	var fields []string
	var ev []Evidence
	loss, patch := Loss{Side: SideCloud}, map[string]any{}
	wiped := func(key string, there, becomes any) {
		fields = append(fields, key)
		ev = append(ev, in.configEvidence(key, s.Config[key]), in.cloudEvidence(key, there))
		loss.Values = append(loss.Values, Lost{key, there, becomes})
		patch[key] = there
	}
	if v := hosted.List(in.Cloud.Spec["authorizedIpRanges"]); s.Config["authorizedIpRanges"] == nil && len(v) > 0 {
		wiped("authorizedIpRanges", v, []any{})
	}
	if v := hosted.Str(in.Cloud.Spec["networkPlugin"]); s.Config["networkPlugin"] == nil && v != "" && v != "kubenet" {
		wiped("networkPlugin", v, "kubenet")
	}
	if v := hosted.Map(in.Cloud.Spec["tags"]); s.Config["tags"] == nil && len(v) > 0 {
		wiped("tags", v, map[string]any{})
	}
	if len(fields) == 0 {
		return nil
	}
	f := Finding{
		Severity: Danger, Status: Present, Fields: fields, Window: in.window(), WouldLose: loss,
		Summary: fmt.Sprintf("%s would be wiped in Azure by the full update that %s makes necessary: the Config has null there%s",
			enumerate(fields), enumerate(fieldsOf(due)), in.asOf()),
		Evidence: append(ev, in.hotEvidence(due)...),
	}
	f.remedies(remedy{in.specPatch(patch), "make the Config say what Azure has; the edit makes the operator enforce all managed fields"})
	return []Finding{f}
}

func checkAzurePut(in *Input) []Finding {
	due := in.triggers()
	if len(due) == 0 || !in.moving() {
		return nil
	}
	return []Finding{{
		Severity: Info, Status: Present, Fields: fieldsOf(due), Window: in.window(),
		Summary:  fmt.Sprintf("the operator is about to write the whole AKS cluster because of %s: a change made in Azure in the same seconds would be undone", enumerate(fieldsOf(due))),
		Evidence: append(in.hotEvidence(due), in.stateEvidence()...),
	}}
}
