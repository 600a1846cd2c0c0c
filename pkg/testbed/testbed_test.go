package testbed_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

var bed testbed.Bed

func TestMain(m *testing.M) { os.Exit(testbed.Run(m, &bed, os.Stderr)) }

func TestAssetsNamesWhatIsMissing(t *testing.T) {
	t.Setenv(testbed.AssetsEnv, t.TempDir())
	if dir, err := testbed.Assets(t.Context()); err == nil {
		t.Fatalf("an empty folder passed as assets: %s", dir)
	}
}

func TestKubectlLiesBesideTheServer(t *testing.T) {
	path, err := testbed.Kubectl(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(path) != "kubectl" {
		t.Errorf("kubectl is %s", path)
	}
}

// TestClusterKeepsEverything: Rancher's Cluster has no schema, so nulls and unknown
// fields below spec and status stay, and status only changes through its
// subresource.
func TestClusterKeepsEverything(t *testing.T) {
	srv := bed.Server(t)
	in := map[string]any{
		"apiVersion": "management.cattle.io/v3", "kind": "Cluster",
		"metadata": map[string]any{"name": "c-keeps"},
		"spec":     map[string]any{"eksConfig": map[string]any{"tags": nil, "unheardOf": map[string]any{"a": nil}}},
		"status":   map[string]any{"driver": "EKS", "future": []any{int64(1), 1.5}},
		"unknown":  "dropped",
	}
	srv.Apply(t, in)
	t.Cleanup(func() { srv.Remove(t, in) })
	out := srv.Get(t, "Cluster", "", "c-keeps")
	if !hosted.Equal(out["spec"], in["spec"]) || !hosted.Equal(out["status"], in["status"]) {
		t.Errorf("stored:\n%s\nwant spec and status as in\n%s", hosted.Canonical(out), hosted.Canonical(in))
	}
	if _, ok := out["unknown"]; ok {
		t.Error("an unknown top-level field was kept")
	}
	srv.Merge(t, "Cluster", "", "c-keeps", `{"status":{"driver":"AKS"}}`, false)
	if got, _ := hosted.Dig(srv.Get(t, "Cluster", "", "c-keeps"), "status", "driver"); got != "EKS" {
		t.Errorf("a patch of the object changed status.driver to %v", got)
	}
	srv.Merge(t, "Cluster", "", "c-keeps", `{"status":{"driver":"AKS"}}`, true)
	if got, _ := hosted.Dig(srv.Get(t, "Cluster", "", "c-keeps"), "status", "driver"); got != "AKS" {
		t.Errorf("a patch of the status left status.driver at %v", got)
	}
}

// TestOperatorResourcePrunes: the operators' resources have schemas that drop what
// they do not know, and null where it is not allowed.
func TestOperatorResourcePrunes(t *testing.T) {
	srv := bed.Server(t)
	in := map[string]any{
		"apiVersion": "eks.cattle.io/v1", "kind": "EKSClusterConfig",
		"metadata": map[string]any{"name": "c-prune", "namespace": testbed.GlobalNamespace},
		"spec": map[string]any{
			"region": "eu-central-1", "tags": nil, "imported": nil, "unheardOf": true,
			"nodeGroups": []any{map[string]any{"nodegroupName": "a", "version": nil, "desiredSize": int64(3)}},
		},
		"status": map[string]any{"phase": "active", "unheardOf": true},
	}
	srv.Apply(t, in)
	t.Cleanup(func() { srv.Remove(t, in) })
	out := srv.Get(t, "EKSClusterConfig", testbed.GlobalNamespace, "c-prune")
	want := map[string]any{
		"region": "eu-central-1", "tags": nil,
		"nodeGroups": []any{map[string]any{"nodegroupName": "a", "version": nil, "desiredSize": int64(3)}},
	}
	if !hosted.Equal(out["spec"], want) {
		t.Errorf("stored spec %s, want %s", hosted.Canonical(out["spec"]), hosted.Canonical(want))
	}
	if !hosted.Equal(out["status"], map[string]any{"phase": "active"}) {
		t.Errorf("stored status %s", hosted.Canonical(out["status"]))
	}
}

// TestFleetStores: every invented object is accepted, nothing of a Config is
// pruned on its way through the operators' schemas, and bookkeeping is stored.
func TestFleetStores(t *testing.T) {
	srv := bed.Server(t)
	fleet := testbed.Fleet(7, 45)
	srv.Apply(t, fleet.All()...)
	t.Cleanup(func() { srv.Remove(t, fleet.All()...) })
	for i, c := range fleet.Clusters {
		name := hosted.ObjectName(c)
		got := srv.Get(t, "Cluster", "", name)
		if !hosted.Equal(got["spec"], c["spec"]) || !hosted.Equal(got["status"], c["status"]) {
			t.Errorf("%s is not stored as invented", name)
		}
		want, _ := hosted.Dig(c, "metadata", "managedFields")
		if have, _ := hosted.Dig(got, "metadata", "managedFields"); want != nil && !hosted.Equal(have, want) {
			t.Errorf("%s: managedFields\n%s\nwant\n%s", name, hosted.Canonical(have), hosted.Canonical(want))
		}
		_, deleted := hosted.Dig(got, "metadata", "deletionTimestamp")
		if deleted != (fleet.States[i] == testbed.Deleting) {
			t.Errorf("%s (%s): being deleted: %t", name, fleet.States[i], deleted)
		}
	}
	for _, r := range fleet.Resources {
		got := srv.Get(t, hosted.Str(r["kind"]), testbed.GlobalNamespace, hosted.ObjectName(r))
		if !hosted.Equal(got["spec"], r["spec"]) {
			t.Errorf("%s %s was pruned:\n%s\nwant\n%s", r["kind"], hosted.ObjectName(r), hosted.Canonical(got["spec"]), hosted.Canonical(r["spec"]))
		}
	}
}

func TestFleetIsRepeatableAndCoversEveryState(t *testing.T) {
	a, b := testbed.Fleet(3, 80), testbed.Fleet(3, 80)
	seen := map[string]bool{}
	for i := range a.Clusters {
		if !hosted.Equal(a.Clusters[i], b.Clusters[i]) {
			t.Fatalf("cluster %d differs between two runs with one seed", i)
		}
		s, problems := hosted.FromObjects(a.Clusters[i], nil)
		if len(problems) > 0 {
			t.Errorf("%s: %v", s.Name, problems)
		}
		seen[string(s.Provider)+" "+string(a.States[i])] = true
	}
	for _, p := range hosted.Providers() {
		for _, s := range testbed.States() {
			if !seen[string(p)+" "+string(s)] {
				t.Errorf("no %s cluster is %s", p, s)
			}
		}
	}
	if hosted.Equal(a.Clusters[1], testbed.Fleet(4, 80).Clusters[1]) {
		t.Error("two seeds gave the same cluster")
	}
}
