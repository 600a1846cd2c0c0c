package ack

import (
	"slices"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// call is the part of a call that attribution is about, and its body.
type call struct {
	op, fields, object string
	effect             operator.Effect
	body               string
}

func attributed(calls []operator.Call) []call {
	var out []call
	for _, c := range calls {
		out = append(out, call{c.Op, strings.Join(c.Fields, " "), c.Object, c.Effect, hosted.Canonical(c.Input)})
	}
	return out
}

// edit changes a spec.
type edit func(spec map[string]any)

func set(key string, v any) edit { return func(s map[string]any) { s[key] = v } }

// poolSet sets a member of a node pool; nil removes it.
func poolSet(i int, v any, key string) edit {
	return func(s map[string]any) {
		m := hosted.Map(hosted.List(s["nodePools"])[i])
		m[key] = v
		if v == nil {
			delete(m, key)
		}
	}
}

func keepPools(n int) edit {
	return func(s map[string]any) { s["nodePools"] = hosted.List(s["nodePools"])[:n] }
}

// edited is the input in which one edited copy of a spec meets another.
func edited(t *testing.T, config, cloud []edit) Input {
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
	return Input{Name: fixtureName, Config: want, Cloud: c, Status: map[string]any{"phase": operator.PhaseUpdating}}
}

const off = `{"auto_scaling":{"enable":false},"scaling_group":{"desired_size":`

func TestAttribution(t *testing.T) {
	const u, modify = operator.Update, "ModifyClusterNodePool"
	all := func(edits ...edit) []edit { return edits }
	first, second := "nodePools[pool-000]", "nodePools[pool-001]"
	for name, c := range map[string]struct {
		config, cloud []edit
		want          []call
	}{
		"nothing":         {},
		"version":         {config: all(set("kubernetesVersion", "1.34.1-aliyun.1")), want: []call{{"UpgradeCluster", "kubernetesVersion", "", u, `{"next_version":"1.34.1-aliyun.1"}`}}},
		"lower version":   {config: all(set("kubernetesVersion", "1.2")), want: []call{{"UpgradeCluster", "kubernetesVersion", "", u, `{"next_version":"1.2"}`}}},
		"version unknown": {config: all(set("kubernetesVersion", nil))},
		"size":            {config: all(poolSet(0, int64(4), "desiredSize")), want: []call{{modify, first + ".desiredSize", first, u, off + "4}}"}}},
		"size null":       {config: all(poolSet(0, nil, "desiredSize"))},
		"size and switch": {config: all(poolSet(1, false, "enableAutoScaling"), poolSet(1, int64(4), "desiredSize")),
			want: []call{{modify, second + ".desiredSize " + second + ".enableAutoScaling", second, u, off + "4}}"}}},
		"switch off": {config: all(poolSet(1, nil, "enableAutoScaling")), want: []call{{modify, second + ".enableAutoScaling", second, u, off + "3}}"}}},
		"switch on": {config: all(poolSet(0, true, "enableAutoScaling"), poolSet(0, int64(9), "maxInstances")),
			want: []call{{modify, first + ".enableAutoScaling " + first + ".maxInstances", first, u, `{"auto_scaling":{"enable":true,"max_instances":9,"min_instances":1}}`}}},
		"bounds": {config: all(poolSet(1, int64(2), "minInstances"), poolSet(1, nil, "maxInstances")),
			want: []call{{modify, second + ".maxInstances " + second + ".minInstances", second, u, `{"auto_scaling":{"enable":true,"min_instances":2}}`}}},
		"bounds of a fixed pool": {config: all(poolSet(0, int64(7), "minInstances"))},
		"two pools": {config: all(poolSet(0, int64(4), "desiredSize"), poolSet(1, int64(2), "minInstances")),
			want: []call{{modify, first + ".desiredSize", first, u, off + "4}}"},
				{modify, second + ".minInstances", second, u, `{"auto_scaling":{"enable":true,"max_instances":5,"min_instances":2}}`}}},
		"one too many": {config: all(keepPools(1)), want: []call{{modify, second, second, operator.Delete, `{"scaling_group":{"desired_size":0}}`}}},
		"empty one too many": {config: all(keepPools(1)), cloud: all(poolSet(1, int64(0), "desiredSize"), poolSet(1, nil, "minInstances"), poolSet(1, nil, "maxInstances")),
			want: []call{{"DeleteClusterNodepool", second, second, operator.Delete, "null"}}},
		"bounded one too many": {config: all(keepPools(1)), cloud: all(poolSet(1, nil, "desiredSize")),
			want: []call{{modify, second, second, operator.Delete, `{"auto_scaling":{"enable":true,"max_instances":0,"min_instances":0}}`}}},
		"no list":            {config: all(set("nodePools", nil))},
		"empty list":         {config: all(set("nodePools", []any{}))},
		"renamed, id kept":   {config: all(poolSet(0, "other", "name"))},
		"gone with its id":   {cloud: all(keepPools(1))},
		"other members":      {config: all(poolSet(0, "img-2", "imageId"), poolSet(0, int64(500), "systemDiskSize"), set("proxyMode", "ipvs"))},
		"size scales itself": {config: all(poolSet(1, int64(4), "desiredSize"))},
	} {
		t.Run(name, func(t *testing.T) {
			p := Reconcile(edited(t, c.config, c.cloud))
			if got := attributed(p.Calls); !slices.Equal(got, c.want) {
				t.Errorf("calls\n%+v, want\n%+v (error %q)", got, c.want, p.Error)
			}
		})
	}
}

// TestCreatePool: a pool without an id that the cloud knows by no name is new.
// It gets the cluster's vSwitches and resource group.
func TestCreatePool(t *testing.T) {
	in := edited(t, []edit{poolSet(1, nil, "nodePoolId"), poolSet(1, nil, "vswitchIds"), poolSet(1, nil, "dataDisks"), poolSet(1, "fresh", "name")},
		[]edit{keepPools(1)})
	p := Reconcile(in)
	want := []call{{"CreateClusterNodePool", "nodePools[fresh]", "nodePools[fresh]", operator.Create,
		`{"auto_scaling":{"enable":true,"max_instances":5,"min_instances":1,"type":"cpu"},"kubernetes_config":{"runtime":"containerd","runtime_version":"1.6.38"},` +
			`"nodepool_info":{"name":"fresh","resource_group_id":"rg-1"},"scaling_group":{"auto_renew":false,"auto_renew_period":0,"desired_size":3,"image_id":"",` +
			`"image_type":"AliyunLinux3","instance_charge_type":"PostPaid","instance_types":["ecs.g7.xlarge"],"key_pair":"","period":0,"period_unit":"",` +
			`"system_disk_category":"cloud_essd","system_disk_size":120,"vswitch_ids":["vsw-1","vsw-2"]}}`}}
	if got := attributed(p.Calls); !slices.Equal(got, want) {
		t.Errorf("calls\n%+v, want\n%+v", got, want)
	}
	passes, gaveUp := Converge(in, 20)
	if gaveUp || len(passes) != 2 || passes[0].Calls[0].Pass != 1 {
		t.Errorf("gave up %v after %d passes", gaveUp, len(passes))
	}
}

// TestFlapping: a size that differs on a pool that scales itself is a difference
// that is never sent. The phase goes to and fro for ever.
func TestFlapping(t *testing.T) {
	in := edited(t, []edit{poolSet(1, int64(4), "desiredSize")}, nil)
	passes, gaveUp := Converge(in, 20)
	if !gaveUp || len(passes) != 20 {
		t.Fatalf("gave up %v after %d passes", gaveUp, len(passes))
	}
	for i, p := range passes {
		want := operator.PhaseActive
		if i%2 == 1 {
			want = operator.PhaseUpdating
		}
		if p.Phase != want || len(p.Calls) > 0 || p.Error != "" || p.Waiting || p.Requeue != "statusEvent" {
			t.Errorf("pass %d: %+v", i+1, p)
		}
	}
}

// TestDeleting follows a pool until it is gone: size, bounds, nodes, pool; one
// pool at a time.
func TestDeleting(t *testing.T) {
	in := edited(t, []edit{keepPools(1), poolSet(0, nil, "nodePoolId"), poolSet(0, "kept", "name")}, []edit{poolSet(0, "kept", "name")})
	in.Status = nil
	passes, gaveUp := Converge(in, 20)
	var got []string
	for _, p := range passes {
		for _, c := range p.Calls {
			got = append(got, c.Op+" "+c.Target+" "+hosted.Canonical(c.Input))
		}
	}
	want := []string{
		`ModifyClusterNodePool clusters/c123/nodepools/np001 {"scaling_group":{"desired_size":0}}`,
		`ModifyClusterNodePool clusters/c123/nodepools/np001 {"auto_scaling":{"enable":true,"max_instances":0,"min_instances":0}}`,
		`DeleteClusterNodepool clusters/c123/nodepools/np001 null`,
	}
	if gaveUp || !slices.Equal(got, want) || len(passes) != 5 {
		t.Errorf("gave up %v after %d passes: %q", gaveUp, len(passes), got)
	}
}

// TestAutoscalerTakesNodesAway: the operator waits while a pool that scales
// itself still has nodes, but removes those of another one.
func TestAutoscalerTakesNodesAway(t *testing.T) {
	for _, scales := range []bool{true, false} {
		empty := []edit{poolSet(1, int64(0), "desiredSize"), poolSet(1, nil, "minInstances"), poolSet(1, nil, "maxInstances"), poolSet(1, scales, "enableAutoScaling")}
		in := edited(t, []edit{keepPools(1)}, empty)
		id := "i-1"
		in.Cloud.answers.Nodes = map[string]*nodeList{"np001": {Nodes: []*node{{&id}, {}}}}
		p := Reconcile(in)
		calls := attributed(p.Calls)
		want := []call{{"RemoveNodePoolNodes", "nodePools[pool-001]", "nodePools[pool-001]", operator.Delete, `{"instance_ids":["i-1"]}`}}
		if scales {
			want = nil
		}
		if !slices.Equal(calls, want) || p.Waiting != scales || p.Requeue != "30s" {
			t.Errorf("scales %v: %+v, %+v", scales, calls, p)
		}
	}
}
