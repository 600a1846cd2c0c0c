package fleet

import (
	"fmt"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// operators are the Deployments that run the providers' operators, all of them up
// since Rancher's own upgrade.
func (b builder) operators() []map[string]any {
	out := make([]map[string]any, 0, len(hosted.Providers()))
	for i, p := range hosted.Providers() {
		out = append(out, b.deployment(i, p))
	}
	return out
}

func (b builder) deployment(i int, p hosted.Provider) map[string]any {
	name := operatorName(p) + "-operator"
	labels := map[string]any{"ke.cattle.io/operator": operatorName(p)}
	up := 12 * day
	condition := func(kind, reason string) map[string]any {
		return map[string]any{
			"type": kind, "status": "True", "reason": reason, "message": "",
			"lastUpdateTime": b.ago(up - time.Minute), "lastTransitionTime": b.ago(up - time.Minute),
		}
	}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{
			"name": p.OperatorName(), "namespace": "cattle-system", "uid": uid("deployment " + p.OperatorName()),
			"creationTimestamp": b.ago(200 * day), "generation": int64(3),
			"resourceVersion": fmt.Sprint(firstRevision - 50 + i),
		},
		"spec": map[string]any{
			"replicas": int64(1), "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": name, "image": "rancher/" + name + ":v1.15.1"}}},
			},
		},
		"status": map[string]any{
			"observedGeneration": int64(3), "replicas": int64(1), "readyReplicas": int64(1), "availableReplicas": int64(1), "updatedReplicas": int64(1),
			"conditions": []any{condition("Available", "MinimumReplicasAvailable"), condition("Progressing", "NewReplicaSetAvailable")},
		},
	}
}
