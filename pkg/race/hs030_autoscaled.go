package race

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// ruleAutoscaled is an Alibaba pool that keeps its operator busy.
func ruleAutoscaled() Rule {
	return Rule{
		Code: "HS030", Scenario: "R30", Title: "An autoscaled Alibaba pool keeps the operator flapping", Severity: Warning,
		Doc: Doc{
			What: "A pool scales itself on both sides and its wanted size differs. The operator finds that it must do something and then finds nothing to do: its phase goes from active to updating and back at every status event, until the two sizes agree. Read from the code, not seen live.",
			Why:  "rancher/ali-operator, controller/ali-cluster-config-handler.go, needsUpdate counts a different desiredSize, handleUpdateNodePools leaves it out for pools that scale themselves.",
			Lost: "Nothing; log lines and API calls.",
			Out:  "Let a refresh take the size over, or leave desiredSize out of the Config.",
		},
		Check: checkAutoscaled,
	}
}

func checkAutoscaled(in *Input) []Finding {
	s := in.Snapshot
	if s.Provider != hosted.ACK || in.Cloud.Spec == nil {
		return nil
	}
	there := map[string]map[string]any{}
	for _, e := range hosted.List(in.Cloud.Spec["nodePools"]) {
		there[hosted.Str(hosted.Map(e)["name"])] = hosted.Map(e)
	}
	var hs []Hot
	for _, e := range hosted.List(s.Config["nodePools"]) {
		pool := hosted.Map(e)
		name, ok := pool["name"].(string)
		cloud := there[name]
		if !ok || pool["enableAutoScaling"] != true || cloud["enableAutoScaling"] != true ||
			pool["desiredSize"] == nil || cloud["desiredSize"] == nil || hosted.Equal(pool["desiredSize"], cloud["desiredSize"]) {
			continue
		}
		hs = append(hs, hotAt(hosted.Path{}.Key("nodePools").Item(name).Key("desiredSize"), operator.Update, pool["desiredSize"], cloud["desiredSize"]))
	}
	if len(hs) == 0 {
		return nil
	}
	f := Finding{
		Severity: Warning, Status: Present, Fields: fieldsOf(hs), Window: in.window(),
		Summary:  fmt.Sprintf("%s differs on a pool that scales itself: the operator goes to updating and back until the sizes agree%s", enumerate(fieldsOf(hs)), in.asOf()),
		Evidence: in.hotEvidence(hs),
	}
	f.remedies(in.refreshNow())
	return []Finding{f}
}
