package hosted

import (
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/rawjson"
)

// OperatorName is the name of the Deployment that runs the provider's operator,
// for example "eks-config-operator" (the operators' charts).
func (p Provider) OperatorName() string { return p.prefix() + "-config-operator" }

// DeploymentFilter wants what OperatorStateOf looks at in a Deployment.
func DeploymentFilter() *rawjson.Filter {
	containers := rawjson.Only().With("containers", &rawjson.Filter{Each: rawjson.Only("name", "image")})
	conditions := &rawjson.Filter{Each: rawjson.Only("type", "lastUpdateTime", "lastTransitionTime")}
	return rawjson.Only("apiVersion", "kind").
		With("metadata", rawjson.Only("name", "namespace", "resourceVersion")).
		With("spec", rawjson.Only("replicas").With("template", rawjson.Only().With("spec", containers))).
		With("status", rawjson.Only("readyReplicas").With("conditions", conditions))
}

// OperatorStateOf reads the state of an operator from its Deployment. A
// Deployment without replicas wants one, as the API server has it.
func OperatorStateOf(deployment map[string]any) OperatorState {
	o := OperatorState{Found: true, Wanted: 1}
	if n, ok := Dig(deployment, "spec", "replicas"); ok {
		if n, ok := n.(int64); ok {
			o.Wanted = n
		}
	}
	if n, ok := Dig(deployment, "status", "readyReplicas"); ok {
		o.Ready, _ = n.(int64)
	}
	containers, _ := Dig(deployment, "spec", "template", "spec", "containers")
	o.Image = operatorImage(List(containers))
	conditions, _ := Dig(deployment, "status", "conditions")
	for _, e := range List(conditions) {
		c := Map(e)
		if kind := Str(c["type"]); kind != "Progressing" && kind != "Available" {
			continue
		}
		for _, k := range []string{"lastUpdateTime", "lastTransitionTime"} {
			if t, err := time.Parse(time.RFC3339, Str(c[k])); err == nil && t.After(o.Started) {
				o.Started = t.UTC()
			}
		}
	}
	return o
}

// operatorImage is the image of the container that is named like an operator;
// what else a mesh or a policy put beside it does not count. Without such a name
// it is the first.
func operatorImage(containers []any) string {
	for _, c := range containers {
		if strings.HasSuffix(Str(Map(c)["name"]), "-operator") {
			return Str(Map(c)["image"])
		}
	}
	if len(containers) == 0 {
		return ""
	}
	return Str(Map(containers[0])["image"])
}
