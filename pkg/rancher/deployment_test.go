package rancher_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// operatorDeployment is what Rancher's chart makes, as far as it matters, with the
// status of one that runs.
func operatorDeployment(p hosted.Provider) map[string]any {
	name := strings.Replace(p.OperatorName(), "-config", "", 1)
	labels := map[string]any{"ke.cattle.io/operator": name}
	condition := func(kind, changed, updated string) any {
		return map[string]any{"type": kind, "status": "True", "reason": "x", "message": "y", "lastTransitionTime": changed, "lastUpdateTime": updated}
	}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": p.OperatorName(), "namespace": testbed.SystemNamespace},
		"spec": map[string]any{"selector": map[string]any{"matchLabels": labels}, "template": map[string]any{
			"metadata": map[string]any{"labels": labels},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": name, "image": "rancher/" + name + ":v1.14.2"}}},
		}},
		"status": map[string]any{"replicas": int64(1), "readyReplicas": int64(1), "availableReplicas": int64(1), "conditions": []any{
			condition("Available", "2026-09-01T10:30:00Z", "2026-09-01T10:30:00Z"),
			condition("Progressing", "2026-08-01T10:00:00Z", "2026-08-01T10:01:00Z"),
		}},
	}
}

// TestOperator: with the real server, a Deployment is read, its absence is an
// answer, and so is the lack of the right.
func TestOperator(t *testing.T) {
	srv := bed.Server(t)
	object := operatorDeployment(hosted.ACK)
	srv.Apply(t, object)
	t.Cleanup(func() { srv.Remove(t, object) })
	want := hosted.OperatorState{
		Found: true, Ready: 1, Wanted: 1, Image: "rancher/ali-operator:v1.14.2", Started: time.Date(2026, 9, 1, 10, 30, 0, 0, time.UTC),
	}
	if got, err := client(t, srv.Config).Operator(t.Context(), hosted.ACK); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if got, err := client(t, srv.Config).Operator(t.Context(), hosted.GKE); err != nil || got != (hosted.OperatorState{}) {
		t.Errorf("not there: %+v, %v", got, err)
	}
	nobody := client(t, srv.User(t, "operator-nobody").Config)
	got, err := nobody.Operator(t.Context(), hosted.ACK)
	if err != nil || got.Found || got.Unread != "no right to get deployments.apps ali-config-operator in namespace cattle-system" {
		t.Errorf("without the right: %+v, %v", got, err)
	}
	expired := rest.AnonymousClientConfig(srv.Config)
	expired.BearerToken = "expired"
	_, err = client(t, expired).Operator(t.Context(), hosted.ACK)
	check(t, err, rancher.Unauthorized)
}
