package rig

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// age makes the Cluster look as if Rancher had written it at its last refresh: the
// API server's account of a cluster at rest is as old as that.
func age(ctx context.Context, t testing.TB, client dynamic.Interface, name string, refreshed time.Time) {
	t.Helper()
	clusters := client.Resource(schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "clusters"})
	obj, err := clusters.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	entries := hosted.List(hosted.Map(obj.Object["metadata"])["managedFields"])
	for _, e := range entries {
		m := hosted.Map(e)
		m["manager"], m["time"] = "rancher", refreshed.UTC().Format(time.RFC3339)
	}
	if _, err := clusters.Update(ctx, obj, metav1.UpdateOptions{FieldManager: "rancher"}); err != nil {
		t.Fatal(err)
	}
}
