package aks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// TestFromSpecReadsAsTheSpec: every recorded view can be turned into a cloud
// that reads as that view again, without exception.
func TestFromSpecReadsAsTheSpec(t *testing.T) {
	vectors.Run(t, "aks.read", func(line []byte) (string, error) {
		id, in, expect, _, err := load(line)
		if err != nil {
			return id, err
		}
		want := hosted.Map(expect["rancherView"])
		if want == nil {
			return id, nil
		}
		cloud, err := FromSpec(want, in.Config, nil)
		if err != nil {
			return id, err
		}
		var j judged
		v := Read(Input{Name: fixtureName, Config: in.Config, Cloud: cloud})
		j.same("error", v.Error, "")
		j.same("view", v.Rancher, want)
		return id, j.err()
	})
}

// TestFromSpecIsQuiet: a Config that equals what was read of the cloud pushes
// nothing. Where the operator refuses what it read itself it says so instead.
func TestFromSpecIsQuiet(t *testing.T) {
	refusals := 0
	vectors.Run(t, "aks.read", func(line []byte) (string, error) {
		id, in, expect, _, err := load(line)
		if err != nil {
			return id, err
		}
		spec := hosted.Map(expect["rancherView"])
		if spec == nil || in.Config["azureCredentialSecret"] == "" {
			return id, nil
		}
		cloud, err := FromSpec(spec, spec, nil)
		if err != nil {
			return id, err
		}
		p := Reconcile(Input{Name: fixtureName, Config: spec, Cloud: cloud, Status: map[string]any{"phase": "updating"}})
		if refused(p) {
			refusals++
			return id, nil
		}
		var j judged
		j.same("calls", callsAsRecorded(p.Calls), []any{})
		j.same("error", p.Error, "")
		j.same("phase", p.Phase, operator.PhaseActive)
		return id, j.err()
	})
	if refusals > 10 {
		t.Errorf("%d views are refused as Config; the test proves too little", refusals)
	}
}

// refused tells whether a pass ended, without a call, with one of the two
// errors that a Config copied from the cloud can meet: bounds without
// autoscaling, and two pools of one name.
func refused(p operator.Pass) bool {
	return len(p.Calls) == 0 && (strings.HasPrefix(p.Error, "min and max node count must be nil") ||
		strings.Contains(p.Error, "cannot have multiple nodepools"))
}

func TestFromSpecRefuses(t *testing.T) {
	for name, spec := range map[string]map[string]any{
		"no version":      {"tags": map[string]any{}},
		"version of type": {"kubernetesVersion": int64(1)},
		"pool of type":    {"kubernetesVersion": "1.33.2", "nodePools": []any{"workers"}},
		"count too large": {"kubernetesVersion": "1.33.2", "nodePools": []any{map[string]any{"count": int64(1) << 40}}},
	} {
		if _, err := FromSpec(spec, nil, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestFromSpecKeepsTheEnvironment: endpoints and role-based access come from
// where they are known.
func TestFromSpecKeepsTheEnvironment(t *testing.T) {
	spec := map[string]any{"kubernetesVersion": "1.33.2", "baseUrl": "https://management.example.com"}
	cloud, err := FromSpec(spec, map[string]any{"clusterName": "demo-a"}, map[string]any{"rbacEnabled": true})
	if err != nil {
		t.Fatal(err)
	}
	if cloud.Endpoints.Base != "https://management.example.com" || cloud.Endpoints.Login != EndpointsOf("").Login {
		t.Errorf("endpoints %+v", cloud.Endpoints)
	}
	doc := cloud.Document()
	if rbac, _ := hosted.Dig(doc, "properties", "enableRBAC"); rbac != true || doc["name"] != "demo-a" {
		t.Errorf("document %s", hosted.Canonical(doc))
	}
}

// largeSpec is an UpstreamSpec with many pools.
func largeSpec(pools int) map[string]any {
	list := make([]any, pools)
	for i := range list {
		mode := "User"
		if i == 0 {
			mode = "System"
		}
		list[i] = map[string]any{"name": fmt.Sprintf("pool%03d", i), "count": int64(3), "maxPods": int64(110), "vmSize": "Standard_D2s_v3",
			"osDiskSizeGB": int64(128), "osDiskType": "Managed", "mode": mode, "osType": "Linux", "orchestratorVersion": "1.33.2",
			"availabilityZones": []any{"1", "2"}, "enableAutoScaling": false, "maxSurge": "33%",
			"nodeLabels": map[string]any{"tier": "web"}, "nodeTaints": []any{"dedicated=batch:NoSchedule"}}
	}
	return map[string]any{"azureCredentialSecret": "cattle-global-data:cc-demo1", "clusterName": "demo-a", "resourceGroup": "rg-demo",
		"resourceLocation": "eastus", "imported": true, "kubernetesVersion": "1.33.2", "tags": map[string]any{"team": "blue"}, "nodePools": list}
}

func BenchmarkReconcileFromSpec(b *testing.B) {
	spec := largeSpec(100)
	config := hosted.CloneMap(spec)
	config["kubernetesVersion"] = "1.34.0"
	for b.Loop() {
		cloud, err := FromSpec(spec, config, nil)
		if err != nil {
			b.Fatal(err)
		}
		p := Reconcile(Input{Name: fixtureName, Config: config, Cloud: cloud, Status: map[string]any{"phase": "updating"}})
		if len(p.Calls) != 1 || p.Error != "" {
			b.Fatalf("%d calls, error %q", len(p.Calls), p.Error)
		}
	}
}

func BenchmarkReconcileOnly(b *testing.B) {
	spec := largeSpec(100)
	config := hosted.CloneMap(spec)
	config["kubernetesVersion"] = "1.34.0"
	cloud, err := FromSpec(spec, config, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if p := Reconcile(Input{Name: fixtureName, Config: config, Cloud: cloud, Status: map[string]any{"phase": "updating"}}); len(p.Calls) != 1 {
			b.Fatalf("%d calls, error %q", len(p.Calls), p.Error)
		}
	}
}
