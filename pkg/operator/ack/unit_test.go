package ack

import (
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

func TestDecodeCloudRefuses(t *testing.T) {
	for _, text := range []string{`{`, `[]`, `{"cluster":[]}`, `{"nodePools":{"nodepools":{}}}`, `{"cluster":{"name":1}}`} {
		if _, err := DecodeCloud([]byte(text)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
	for _, text := range []string{`null`, `{}`, `{"cluster":null}`} {
		if c, err := DecodeCloud([]byte(text)); err != nil || c.Exists() {
			t.Errorf("%s: %v, exists %v", text, err, c.Exists())
		}
	}
}

// FuzzCloud: no answer of the cloud makes the package panic.
func FuzzCloud(f *testing.F) {
	f.Add(`{"cluster":{"cluster_id":"c123","state":"running","current_version":"1.33.3-aliyun.1"},"nodePools":{"nodepools":[{"scaling_group":{}}]}}`)
	f.Add(`{"cluster":{"state":"running","master_url":"{}","parameters":{"PodVswitchIds":"[1]"}},"nodePools":{"nodepools":[null]}}`)
	f.Add(`{"cluster":{"state":"running"},"nodePools":{"nodepools":[{"nodepool_info":{"nodepool_id":"x"},"scaling_group":{"desired_size":1}}]},"nodes":{"x":{"nodes":[null]}}}`)
	f.Add(`null`)
	config := largeSpec(1)
	f.Fuzz(func(t *testing.T, text string) {
		cloud, err := DecodeCloud([]byte(text))
		if err != nil {
			return
		}
		in := Input{Name: fixtureName, Config: config, Cloud: cloud, Status: map[string]any{"phase": "updating", "upgradeTaskId": "t"}}
		if v := Read(in); (v.Error == "") != (v.Rancher != nil) {
			t.Errorf("reading gives %v and %q", v.Rancher, v.Error)
		}
		if passes, gaveUp := Converge(in, 20); !gaveUp && passes[len(passes)-1].Error != "" {
			t.Errorf("at rest with %q", passes[len(passes)-1].Error)
		}
	})
}

// TestReadingTheConfig: without an answer about node pools the reader hands back
// the Config as if it had been read.
func TestReadingTheConfig(t *testing.T) {
	config := largeSpec(1)
	config["kubernetesVersion"] = "9.9"
	cloud, err := FromSpec(largeSpec(2), config, nil)
	if err != nil {
		t.Fatal(err)
	}
	cloud.answers.NodePools = nil
	v := Read(Input{Config: config, Cloud: cloud})
	if got, want := hosted.Canonical(v.Rancher), hosted.Canonical(config); got != want || v.Error != "" {
		t.Errorf("error %q, view %s", v.Error, firstDifference(got, want))
	}
}

// TestUpgrade: go to updating, send the version, forget the task, compare.
func TestUpgrade(t *testing.T) {
	in := edited(t, []edit{set("kubernetesVersion", "1.34.1-aliyun.1")}, nil)
	in.Status = map[string]any{"phase": operator.PhaseActive}
	passes, gaveUp := Converge(in, 20)
	if gaveUp || len(passes) != 4 {
		t.Fatalf("gave up %v after %d passes", gaveUp, len(passes))
	}
	for i, want := range []struct {
		phase, task, requeue string
		calls                int
	}{{"updating", "", "statusEvent", 0}, {"updating", newTaskID, "statusEvent", 1}, {"updating", "", "statusEvent", 0}, {"active", "", "statusEvent", 0}} {
		p := passes[i]
		if p.Phase != want.phase || p.Status["upgradeTaskId"] != want.task || p.Requeue != want.requeue || len(p.Calls) != want.calls {
			t.Errorf("pass %d: %+v", i+1, p)
		}
	}
	in.Faults = []operator.Fault{{Op: opUpgrade, Status: 400, Code: "Bad", Message: "no"}}
	in.Status = map[string]any{"phase": operator.PhaseUpdating}
	p := Reconcile(in)
	if !strings.HasPrefix(p.Error, `{"Please check that the version of k8s to be upgraded is entered correctly":"SDKError:`) || p.Calls[0].Error != "Bad" || p.FailureMessage != p.Error {
		t.Errorf("refused upgrade: %+v", p)
	}
}

// TestBusy: every state in which the operator waits, and how it says so.
func TestBusy(t *testing.T) {
	for name, c := range map[string]struct {
		disturb func(*answers)
		waiting bool
	}{
		"cluster updating": {func(a *answers) { *a.Cluster.State = "updating" }, true},
		"cluster failed":   {func(a *answers) { *a.Cluster.State = "failed" }, true},
		"state unknown":    {func(a *answers) { a.Cluster.State = nil }, false},
		"pool scaling":     {func(a *answers) { *a.NodePools.Nodepools[1].Status.State = "scaling" }, true},
		"pool removing":    {func(a *answers) { *a.NodePools.Nodepools[1].Status.State = "removing_nodes" }, true},
		"task running":     {func(a *answers) { *a.Task.State = taskRunning }, true},
	} {
		for _, phase := range []string{operator.PhaseActive, operator.PhaseUpdating} {
			in := edited(t, []edit{poolSet(0, int64(9), "desiredSize")}, nil)
			c.disturb(&in.Cloud.answers)
			in.Status = map[string]any{"phase": phase, "upgradeTaskId": "t"}
			if name != "task running" {
				in.Status["upgradeTaskId"] = ""
			}
			p := Reconcile(in)
			requeue := "30s"
			if phase == operator.PhaseActive || !c.waiting {
				requeue = "statusEvent"
			}
			if p.Waiting != c.waiting || len(p.Calls) > 0 || p.Error != "" || p.Phase != operator.PhaseUpdating || p.Requeue != requeue {
				t.Errorf("%s, phase %s: %+v", name, phase, p)
			}
		}
	}
}

// TestAppliesToACopy: following a push changes neither the cloud nor the Config
// that it started from.
func TestAppliesToACopy(t *testing.T) {
	in := edited(t, []edit{set("kubernetesVersion", "1.34.1-aliyun.1"), poolSet(0, int64(9), "desiredSize"), poolSet(1, "fresh", "name"), poolSet(1, nil, "nodePoolId")}, nil)
	config := hosted.Canonical(in.Config)
	before, err := in.Cloud.Document()
	if err != nil {
		t.Fatal(err)
	}
	passes, gaveUp := Converge(in, 20)
	if gaveUp || len(passes) != 8 {
		t.Errorf("gave up %v after %d passes", gaveUp, len(passes))
	}
	after, err := in.Cloud.Document()
	if err != nil || hosted.Canonical(after) != hosted.Canonical(before) {
		t.Errorf("the cloud has changed: %v, %s", err, firstDifference(hosted.Canonical(after), hosted.Canonical(before)))
	}
	if hosted.Canonical(in.Config) != config {
		t.Error("the config has changed")
	}
}

// TestCreation: the new id is kept over the passes, and the cluster is there.
func TestCreation(t *testing.T) {
	config := largeSpec(1)
	delete(config, "clusterId")
	poolSet(0, nil, "nodePoolId")(config)
	config["vpcId"] = "vpc-1"
	delete(config, "zoneIds")
	passes, gaveUp := Converge(Input{Name: fixtureName, Config: config, Status: map[string]any{"phase": ""}}, 20)
	var ops []string
	for _, p := range passes {
		for _, c := range p.Calls {
			ops = append(ops, c.Op+" "+c.Target)
		}
	}
	if got, want := strings.Join(ops, ", "), "CreateCluster clusters, CreateClusterNodePool clusters/new-cluster/nodepools"; gaveUp || got != want {
		t.Errorf("gave up %v: %s, last error %q", gaveUp, got, passes[len(passes)-1].Error)
	}
}
