package ack

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// usable tells whether a recorded view is a reading that a running cluster gives:
// it has a version, and each pool has an id. One with add-ons is no reading: it is
// the Config, for want of an answer about node pools.
func usable(view map[string]any) bool {
	if view == nil || view["kubernetesVersion"] == nil || view["addons"] != nil {
		return false
	}
	for _, p := range hosted.List(view["nodePools"]) {
		if hosted.Map(p)["nodePoolId"] == nil {
			return false
		}
	}
	return true
}

// TestFromSpecReadsAsTheSpec: every usable view can be turned into a cloud that
// reads as that view again.
func TestFromSpecReadsAsTheSpec(t *testing.T) {
	n := 0
	vectors.Run(t, "ack.read", func(line []byte) (string, error) {
		id, in, expect, err := load(line)
		if err != nil {
			return id, err
		}
		want := hosted.Map(expect["rancherView"])
		if !usable(want) {
			return id, nil
		}
		n++
		cloud, err := FromSpec(want, in.Config, nil)
		if err != nil {
			return id, err
		}
		var j judged
		v := Read(Input{Name: fixtureName, Config: in.Config, ClusterID: hosted.Str(want["clusterId"]), Cloud: cloud})
		j.same("error", v.Error, "")
		j.same("view", v.Rancher, want)
		return id, j.err()
	})
	if n < 500 {
		t.Errorf("only %d views are usable", n)
	}
}

// TestFromSpecIsQuiet: a Config that equals what was read of the cloud pushes
// nothing, except that the last of two pools of one name is then not known.
func TestFromSpecIsQuiet(t *testing.T) {
	n := 0
	vectors.Run(t, "ack.read", func(line []byte) (string, error) {
		id, _, expect, err := load(line)
		if err != nil {
			return id, err
		}
		spec := hosted.Map(expect["rancherView"])
		if !usable(spec) || twoOfOneName(spec) {
			return id, nil
		}
		n++
		cloud, err := FromSpec(spec, spec, nil)
		if err != nil {
			return id, err
		}
		var j judged
		for _, phase := range []string{operator.PhaseActive, operator.PhaseUpdating} {
			p := Reconcile(Input{Name: fixtureName, Config: spec, Cloud: cloud, Status: map[string]any{"phase": phase}})
			j.same("calls", callsAsRecorded(p.Calls), []any{})
			j.same("error", p.Error, "")
			j.same("phase", p.Phase, operator.PhaseActive)
		}
		return id, j.err()
	})
	if n < 500 {
		t.Errorf("only %d views were looked at", n)
	}
}

func twoOfOneName(spec map[string]any) bool {
	seen := map[string]bool{}
	for _, p := range hosted.List(spec["nodePools"]) {
		name := hosted.Str(hosted.Map(p)["name"])
		if seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}

func TestFromSpecRefuses(t *testing.T) {
	for name, in := range map[string][2]map[string]any{
		"no version":      {{"clusterId": "c1"}, nil},
		"version of type": {{"kubernetesVersion": int64(1)}, nil},
		"pool of type":    {{"kubernetesVersion": "1.33.3-aliyun.1", "nodePools": []any{"workers"}}, nil},
		"config of type":  {{"kubernetesVersion": "1.33.3-aliyun.1"}, {"clusterId": true}},
	} {
		if _, err := FromSpec(in[0], in[1], nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestFromSpecFindsIds: where a spec has no ids the Config's are taken, so that
// nothing seems to be new.
func TestFromSpecFindsIds(t *testing.T) {
	spec, config := largeSpec(2), largeSpec(2)
	delete(spec, "clusterId")
	for _, p := range hosted.List(spec["nodePools"]) {
		delete(hosted.Map(p), "nodePoolId")
	}
	poolSet(1, nil, "nodePoolId")(config)
	cloud, err := FromSpec(spec, config, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := Reconcile(Input{Name: fixtureName, Config: config, Cloud: cloud})
	if len(p.Calls) > 0 || p.Error != "" || p.Phase != operator.PhaseActive || p.WillRunAgain {
		t.Errorf("pass %+v", p)
	}
	doc, err := cloud.Document()
	if err != nil {
		t.Fatal(err)
	}
	again, err := DecodeCloud([]byte(hosted.Canonical(doc)))
	if err != nil {
		t.Fatal(err)
	}
	got, want := Read(Input{Config: config, Cloud: again}), Read(Input{Config: config, Cloud: cloud})
	if hosted.Canonical(got.Rancher) != hosted.Canonical(want.Rancher) || want.Rancher["clusterId"] != "c123" {
		t.Errorf("the document reads as %s", firstDifference(hosted.Canonical(got.Rancher), hosted.Canonical(want.Rancher)))
	}
}

// TestConfigWithoutId: Rancher copies the id of a cluster that it has created
// into the Config only later; until then the operator's own counts.
func TestConfigWithoutId(t *testing.T) {
	spec, config := largeSpec(1), largeSpec(1)
	delete(config, "clusterId")
	cloud, err := FromSpec(spec, config, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := Reconcile(Input{Name: fixtureName, Config: config, Cloud: cloud}); p.Error != "" || p.Phase != operator.PhaseActive {
		t.Errorf("without an id: %q", p.Error)
	}
	if p := Reconcile(Input{Name: fixtureName, Config: config, ClusterID: "c999", Cloud: cloud}); !strings.Contains(p.Error, "ErrorClusterNotFound") {
		t.Errorf("with the id of another cluster: %q", p.Error)
	}
}

// largeSpec is an UpstreamSpec with many pools.
func largeSpec(pools int) map[string]any {
	list := make([]any, pools)
	for i := range list {
		list[i] = map[string]any{
			"nodePoolId": fmt.Sprintf("np%03d", i), "name": fmt.Sprintf("pool-%03d", i), "desiredSize": int64(3), "scalingType": "cpu",
			"enableAutoScaling": i%2 == 1, "minInstances": int64(1), "maxInstances": int64(5), "instanceTypes": []any{"ecs.g7.xlarge"},
			"instanceChargeType": "PostPaid", "imageType": "AliyunLinux3", "vswitchIds": []any{"vsw-1"}, "systemDiskCategory": "cloud_essd",
			"systemDiskSize": int64(120), "runtime": "containerd", "runtimeVersion": "1.6.38",
			"dataDisks": []any{map[string]any{"category": "cloud_essd", "size": int64(100), "encrypted": "false", "autoSnapshotPolicyId": ""}},
		}
	}
	return map[string]any{
		"clusterName": "demo-a", "clusterId": "c123", "alibabaCredentialSecret": "cattle-global-data:cc-demo1", "regionId": "cn-hangzhou",
		"clusterType": managedType, "kubernetesVersion": "1.33.3-aliyun.1", "vswitchIds": []any{"vsw-1", "vsw-2"}, "resourceGroupId": "rg-1",
		"zoneIds": []any{"cn-hangzhou-k"}, "imported": false, "nodePools": list,
	}
}

// TestWrongTypes: whatever the user has written, it ends in an error.
func TestWrongTypes(t *testing.T) {
	for _, in := range []Input{
		{Config: map[string]any{"nodePools": "none"}},
		{Config: map[string]any{"nodePools": []any{map[string]any{"desiredSize": "3"}}}},
		{Status: map[string]any{"phase": int64(1)}},
		{Status: map[string]any{"upgradeTaskId": true}},
	} {
		p := Reconcile(in)
		passes, gaveUp := Converge(in, 20)
		if !strings.HasPrefix(p.Error, "cannot read the ") || len(p.Calls) > 0 || !gaveUp || len(passes) != 1 {
			t.Errorf("%v: error %q, %d calls, %d passes", in, p.Error, len(p.Calls), len(passes))
		}
		if v := Read(in); v.Error != p.Error || v.Rancher != nil {
			t.Errorf("%v: reading says %q", in, v.Error)
		}
	}
}

func BenchmarkReconcileFromSpec(b *testing.B) {
	spec, config := largeSpec(100), largeSpec(100)
	poolSet(50, int64(4), "desiredSize")(config)
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
	spec, config := largeSpec(100), largeSpec(100)
	poolSet(50, int64(4), "desiredSize")(config)
	cloud, err := FromSpec(spec, config, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p := Reconcile(Input{Name: fixtureName, Config: config, Cloud: cloud, Status: map[string]any{"phase": "updating"}})
		if len(p.Calls) != 1 {
			b.Fatalf("%d calls, error %q", len(p.Calls), p.Error)
		}
	}
}
