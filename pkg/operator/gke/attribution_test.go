package gke

import (
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// call is the part of a call that attribution is about.
type call struct {
	op, fields, carried, object string
	effect                      operator.Effect
}

func attributed(p operator.Pass) []call {
	var out []call
	for _, c := range p.Calls {
		out = append(out, call{c.Op[strings.LastIndex(c.Op, ".")+1:], strings.Join(c.Fields, " "), strings.Join(c.Carried, " "), c.Object, c.Effect})
	}
	return out
}

// edit changes one place of a spec; dots separate keys, numbers are positions.
type edit func(spec map[string]any)

func set(key string, v any) edit { return func(s map[string]any) { s[key] = v } }

func poolSet(i int, v any, keys ...string) edit {
	return func(s map[string]any) {
		m := hosted.Map(hosted.List(s["nodePools"])[i])
		for _, k := range keys[:len(keys)-1] {
			m = hosted.Map(m[k])
		}
		m[keys[len(keys)-1]] = v
	}
}

func block(cidr, name string) any { return map[string]any{"cidrBlock": cidr, "displayName": name} }

func TestAttribution(t *testing.T) {
	const u = operator.Update
	all := func(edits ...edit) []edit { return edits }
	for _, c := range []struct {
		name   string
		config []edit
		cloud  []edit
		want   []call
	}{
		{"nothing", nil, nil, nil},
		{"version", all(set("kubernetesVersion", "1.34.0-gke.1")), nil, []call{{"update", "kubernetesVersion", "", "", u}}},
		{"two add-ons", all(set("clusterAddons", map[string]any{})), nil,
			[]call{{"update", "clusterAddons.horizontalPodAutoscaling clusterAddons.httpLoadBalancing", "", "", u}}},
		{"a block more, one less, one renamed", all(set("masterAuthorizedNetworks", map[string]any{"enabled": true,
			"cidrBlocks": []any{block("203.0.113.0/28", "home"), block("198.51.100.0/24", "new")}})), nil,
			[]call{{"update", "masterAuthorizedNetworks.cidrBlocks[198.51.100.0/24] masterAuthorizedNetworks.cidrBlocks[203.0.113.0/28].displayName masterAuthorizedNetworks.cidrBlocks[203.0.113.64/28]", "", "", u}}},
		{"a block twice", all(set("masterAuthorizedNetworks", map[string]any{"enabled": true,
			"cidrBlocks": []any{block("203.0.113.0/28", "office"), block("203.0.113.64/28", ""), block("203.0.113.64/28", "")}})), nil,
			[]call{{"update", "masterAuthorizedNetworks.cidrBlocks", "", "", u}}},
		{"networks off", all(set("masterAuthorizedNetworks", map[string]any{})), nil,
			[]call{{"update", "masterAuthorizedNetworks.enabled", "masterAuthorizedNetworks.cidrBlocks", "", u}}},
		{"networks on", nil, all(set("masterAuthorizedNetworks", map[string]any{})),
			[]call{{"update", "masterAuthorizedNetworks.cidrBlocks[203.0.113.0/28] masterAuthorizedNetworks.cidrBlocks[203.0.113.64/28] masterAuthorizedNetworks.enabled", "", "", u}}},
		{"services", all(set("loggingService", "none"), set("monitoringService", "none")), nil,
			[]call{{"update", "loggingService monitoringService", "", "", u}}},
		{"one service", all(set("monitoringService", "none")), nil, []call{{"update", "monitoringService", "", "", u}}},
		{"network policy", all(set("networkPolicyEnabled", true)), nil, []call{{"setNetworkPolicy", "networkPolicyEnabled", "", "", u}}},
		{"window", all(set("maintenanceWindow", "")), nil, []call{{"setMaintenancePolicy", "maintenanceWindow", "", "", u}}},
		{"zones", all(set("zone", "us-central1-a"), set("locations", []any{"us-central1-c", "us-central1-a"})), nil,
			[]call{{"update", "locations[us-central1-b] locations[us-central1-c]", "", "", u}}},
		{"no zones", all(set("zone", "us-central1-a"), set("locations", nil)), nil, []call{{"update", "locations", "", "", u}}},
		{"labels", all(set("labels", map[string]any{"a.example.com/x": "1", "team": "red"})), all(set("labels", map[string]any{"team": "blue", "cost": "c1"})),
			[]call{{"setResourceLabels", `labels.cost labels.team labels["a.example.com/x"]`, "", "", u}}},
		{"unmanaged", all(set("labels", nil), set("nodePools", nil)), all(set("labels", map[string]any{"x": "y"}), set("nodePools", []any{})), nil},
		{"pool version and image", all(poolSet(0, "1.34.0-gke.1", "version"), poolSet(0, "ubuntu_containerd", "config", "imageType")), nil,
			[]call{{"update", "nodePools[pool-000].config.imageType nodePools[pool-000].version", "", "nodePools[pool-000]", u}}},
		{"one call a pool", all(poolSet(0, int64(1), "initialNodeCount"), poolSet(0, int64(9), "autoscaling", "maxNodeCount"), poolSet(1, int64(2), "initialNodeCount")), nil,
			[]call{{"setSize", "nodePools[pool-000].initialNodeCount", "", "nodePools[pool-000]", u},
				{"setSize", "nodePools[pool-001].initialNodeCount", "", "nodePools[pool-001]", u}}},
		{"bounds", all(poolSet(0, map[string]any{"enabled": true, "maxNodeCount": int64(7), "minNodeCount": int64(2)}, "autoscaling")),
			nil, []call{{"setAutoscaling", "nodePools[pool-000].autoscaling.maxNodeCount nodePools[pool-000].autoscaling.minNodeCount", "", "nodePools[pool-000]", u}}},
		{"autoscaling off", all(poolSet(0, map[string]any{"maxNodeCount": int64(7)}, "autoscaling")),
			nil, []call{{"setAutoscaling", "nodePools[pool-000].autoscaling.enabled", "", "nodePools[pool-000]", u}}},
		{"management", all(poolSet(0, map[string]any{"autoRepair": true}, "management")), nil,
			[]call{{"setManagement", "nodePools[pool-000].management.autoUpgrade", "", "nodePools[pool-000]", u}}},
		{"pool labels", all(poolSet(0, map[string]any{"tier": "db", "x/y": "1"}, "config", "labels")), nil,
			[]call{{"update", `nodePools[pool-000].config.labels.team nodePools[pool-000].config.labels.tier nodePools[pool-000].config.labels.x/y`, "", "nodePools[pool-000]", u}}},
		{"renamed", all(poolSet(1, "fresh", "name")), nil,
			[]call{{"create", "nodePools[fresh]", "", "nodePools[fresh]", operator.Create},
				{"delete", "nodePools[pool-001]", "", "nodePools[pool-001]", operator.Delete}}},
		{"taints are never pushed", all(poolSet(0, nil, "config", "taints")), nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			compareCalls(t, reconcileEdited(t, c.config, c.cloud, OmittedUnchanged), c.want)
		})
	}
}

// TestAttributionOfOmitted: if left-out members count as zero, a request that
// names one bound blanks the other.
func TestAttributionOfOmitted(t *testing.T) {
	edits := []edit{poolSet(0, int64(9), "autoscaling", "maxNodeCount"), poolSet(1, map[string]any{"autoRepair": true}, "management")}
	compareCalls(t, reconcileEdited(t, edits, nil, OmittedZero), []call{
		{"setAutoscaling", "nodePools[pool-000].autoscaling.maxNodeCount", "nodePools[pool-000].autoscaling.minNodeCount", "nodePools[pool-000]", operator.Update},
		{"setManagement", "nodePools[pool-001].management.autoUpgrade", "nodePools[pool-001].management.autoRepair", "nodePools[pool-001]", operator.Update},
	})
}

// reconcileEdited edits two copies of a spec and pushes one to the other.
func reconcileEdited(t *testing.T, config, cloud []edit, o Omission) operator.Pass {
	t.Helper()
	want, have := largeSpec(2), largeSpec(2)
	for _, e := range config {
		e(want)
	}
	for _, e := range cloud {
		e(have)
	}
	c, err := FromSpec(have, want, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Omitted = o
	return Reconcile(Input{Name: fixtureName, Config: want, Cloud: c})
}

func compareCalls(t *testing.T, p operator.Pass, want []call) {
	t.Helper()
	got := attributed(p)
	if len(got) != len(want) {
		t.Fatalf("calls %v, want %v (error %q)", got, want, p.Error)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("call\n%+v, want\n%+v", got[i], want[i])
		}
	}
}
