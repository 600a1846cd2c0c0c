package lab_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab"
)

// operatorDeployment is what Rancher's chart makes, as far as it matters.
func operatorDeployment(p hosted.Provider) map[string]any {
	image := "rancher/" + p.CRGroup()[:3] + "-operator:v1.14.2"
	labels := map[string]any{"ke.cattle.io/operator": p.CRGroup()[:3]}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": p.OperatorName(), "namespace": "cattle-system"},
		"spec": map[string]any{"replicas": int64(1), "selector": map[string]any{"matchLabels": labels}, "template": map[string]any{
			"metadata": map[string]any{"labels": labels},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": p.CRGroup()[:3] + "-operator", "image": image}}},
		}},
		"status": map[string]any{"replicas": int64(1), "readyReplicas": int64(1), "conditions": []any{map[string]any{
			"type": "Available", "status": "True", "lastUpdateTime": "2026-09-01T10:00:00Z", "lastTransitionTime": "2026-09-01T10:00:00Z",
		}}},
	}
}

// TestDeployments: the typed client reads the operators' Deployments, and their
// status changes apart from them.
func TestDeployments(t *testing.T) {
	var objects []map[string]any
	for _, p := range hosted.Providers() {
		objects = append(objects, operatorDeployment(p))
	}
	store, err := lab.NewStore(lab.NewManual(start), objects...)
	if err != nil {
		t.Fatal(err)
	}
	k, err := kubernetes.NewForConfig(&rest.Config{Host: lab.Host, Transport: lab.NewAPI(store), QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	deployments := k.AppsV1().Deployments("cattle-system")
	got, err := deployments.Get(t.Context(), "eks-config-operator", metav1.GetOptions{})
	if err != nil || got.Status.ReadyReplicas != 1 || got.Spec.Template.Spec.Containers[0].Image != "rancher/eks-operator:v1.14.2" {
		t.Errorf("%+v %v", got, err)
	}
	if list, err := deployments.List(t.Context(), metav1.ListOptions{}); err != nil || len(list.Items) != len(objects) {
		t.Errorf("%d of %d listed, %v", len(list.Items), len(objects), err)
	}
	if _, err := deployments.Patch(t.Context(), "eks-config-operator", "application/merge-patch+json", []byte(`{"status":{"readyReplicas":0},"spec":{"replicas":0}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err = deployments.Get(t.Context(), "eks-config-operator", metav1.GetOptions{})
	if err != nil || *got.Spec.Replicas != 0 || got.Status.ReadyReplicas != 1 {
		t.Errorf("the object's patch gave %+v %+v %v", got.Spec, got.Status, err)
	}
	if _, err := deployments.Patch(t.Context(), "eks-config-operator", "application/merge-patch+json", []byte(`{"status":{"readyReplicas":0}}`), metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
	if got, err = deployments.Get(t.Context(), "eks-config-operator", metav1.GetOptions{}); err != nil || got.Status.ReadyReplicas != 0 {
		t.Errorf("the status' patch gave %+v %v", got.Status, err)
	}
}
