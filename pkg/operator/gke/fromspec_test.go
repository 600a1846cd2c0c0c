package gke

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
	vectors.Run(t, "gke.read", func(line []byte) (string, error) {
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
// nothing. Where the operator does not accept what it read itself, the reason is
// one that oddity knows; without it the rest is quiet.
func TestFromSpecIsQuiet(t *testing.T) {
	rejected, all := 0, 0
	vectors.Run(t, "gke.read", func(line []byte) (string, error) {
		id, _, expect, _, err := load(line)
		if err != nil {
			return id, err
		}
		spec := hosted.Map(expect["rancherView"])
		if spec == nil {
			return id, nil
		}
		all++
		cloud, err := FromSpec(spec, spec, nil)
		if err != nil {
			return id, err
		}
		var j judged
		in := Input{Name: fixtureName, Config: hosted.CloneMap(spec), Cloud: cloud}
		if reason, keys := oddity(spec); reason != "" {
			rejected++
			p := Reconcile(in)
			j.same(reason, len(p.Calls) > 0 || p.Error != "", true)
			for _, k := range keys {
				in.Config[k] = nil
			}
		}
		p := Reconcile(in)
		j.same("calls", callsAsRecorded(p.Calls), []any{})
		j.same("error", p.Error, "")
		j.same("phase", p.Phase, operator.PhaseActive)
		return id, j.err()
	})
	t.Logf("%d of %d views are not accepted as Config", rejected, all)
}

// oddity says why the operator does not accept what it read itself, and which
// fields are to blame.
func oddity(spec map[string]any) (reason string, keys []string) {
	for _, k := range []string{"loggingService", "monitoringService"} {
		if spec[k] == "" {
			reason, keys = "an empty service stands for the default one", append(keys, k)
		}
	}
	if autopilot, _ := hosted.Dig(spec, "autopilotConfig", "enabled"); autopilot == true {
		return reason, keys
	}
	seen := map[string]bool{}
	for _, p := range hosted.List(spec["nodePools"]) {
		m := hosted.Map(p)
		name := hosted.Str(m["name"])
		if m["config"] == nil || seen[name] {
			return "a pool without config crashes the operator, and two pools of one name it refuses", append(keys, "nodePools")
		}
		seen[name] = true
	}
	return reason, keys
}

func TestFromSpecRefuses(t *testing.T) {
	for name, spec := range map[string]map[string]any{
		"no version":      {"labels": map[string]any{}},
		"version of type": {"kubernetesVersion": int64(1)},
		"pool of type":    {"kubernetesVersion": "1.33.4-gke.1000", "nodePools": []any{"workers"}},
	} {
		if _, err := FromSpec(spec, nil, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestFromSpecCanBeImported: the cloud has what an import asks for, and the
// Config's name.
func TestFromSpecCanBeImported(t *testing.T) {
	spec := largeSpec(1)
	cloud, err := FromSpec(spec, map[string]any{"clusterName": "demo-b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := Reconcile(Input{Name: fixtureName, Config: spec, Cloud: cloud, Status: map[string]any{"phase": "importing"}})
	if p.Error != "" || p.Phase != operator.PhaseActive {
		t.Errorf("import ends in %q with %q", p.Phase, p.Error)
	}
	doc, err := cloud.Document()
	if err != nil || doc["name"] != "demo-b" || doc["status"] != "RUNNING" {
		t.Errorf("document %s, %v", hosted.Canonical(doc), err)
	}
	again, err := DecodeCloud([]byte(hosted.Canonical(doc)))
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Name: fixtureName, Config: spec, Cloud: again}
	if got, want := hosted.Canonical(Read(in).Rancher), hosted.Canonical(spec); got != want {
		t.Errorf("document reads as %s", firstDifference(got, want))
	}
}

// largeSpec is an UpstreamSpec with many pools.
func largeSpec(pools int) map[string]any {
	list := make([]any, pools)
	for i := range list {
		list[i] = map[string]any{
			"name": fmt.Sprintf("pool-%03d", i), "version": "1.33.4-gke.1000", "initialNodeCount": int64(3),
			"maxPodsConstraint": int64(110), "management": map[string]any{"autoRepair": true, "autoUpgrade": true},
			"autoscaling": map[string]any{"enabled": true, "maxNodeCount": int64(5), "minNodeCount": int64(1)},
			"config": map[string]any{"diskSizeGb": int64(100), "diskType": "pd-balanced", "imageType": "COS_CONTAINERD",
				"labels": map[string]any{"tier": "web", "team": "blue"}, "machineType": "e2-standard-4",
				"tags":           []any{"net-a", "net-b"},
				"taints":         []any{map[string]any{"effect": "NO_SCHEDULE", "key": "dedicated", "value": "batch"}},
				"serviceAccount": "nodes@example-project-1.iam.gserviceaccount.com"},
		}
	}
	return map[string]any{
		"region": "us-central1", "zone": "", "imported": true, "description": "", "projectID": "example-project-1",
		"googleCredentialSecret": "cattle-global-data:cc-demo1", "clusterName": "demo-a",
		"labels": map[string]any{"team": "blue"}, "enableKubernetesAlpha": false, "clusterIpv4Cidr": "192.0.2.0/24",
		"clusterAddons":     map[string]any{"httpLoadBalancing": true, "horizontalPodAutoscaling": true},
		"kubernetesVersion": "1.33.4-gke.1000", "loggingService": defaultLogging, "monitoringService": defaultMonitoring,
		"network": "net-main", "subnetwork": "subnet-main", "networkPolicyEnabled": false,
		"privateClusterConfig": map[string]any{}, "ipAllocationPolicy": map[string]any{"useIpAliases": true},
		"masterAuthorizedNetworks": map[string]any{"enabled": true, "cidrBlocks": []any{
			map[string]any{"cidrBlock": "203.0.113.0/28", "displayName": "office"}, map[string]any{"cidrBlock": "203.0.113.64/28"}}},
		"locations": []any{"us-central1-a", "us-central1-b"}, "maintenanceWindow": "03:00", "nodePools": list,
	}
}

// TestWrongTypes: whatever the user has written, it ends in an error.
func TestWrongTypes(t *testing.T) {
	for _, in := range []Input{
		{Config: map[string]any{"nodePools": "none"}},
		{Config: map[string]any{"labels": []any{}}},
		{Config: map[string]any{"nodePools": []any{map[string]any{"initialNodeCount": "3"}}}},
		{Status: map[string]any{"phase": int64(1)}},
		{Status: map[string]any{"failureMessage": true}},
	} {
		p := Reconcile(in)
		passes, gaveUp := Converge(in, 20)
		if !strings.HasPrefix(p.Error, "cannot read the ") || len(p.Calls) > 0 || !gaveUp || len(passes) != 1 {
			t.Errorf("%v: error %q, %d calls, %d passes", in, p.Error, len(p.Calls), len(passes))
		}
		if v := Read(in); v.Error != p.Error || v.Rancher != nil {
			t.Errorf("%v: reading says %q", in, v.Error)
		}
		if a := Alternatives(in); len(a) != 1 || a[0].Error != p.Error {
			t.Errorf("%v: %d alternatives", in, len(a))
		}
	}
}

func BenchmarkReconcileFromSpec(b *testing.B) {
	spec := largeSpec(100)
	config := hosted.CloneMap(spec)
	hosted.Map(hosted.List(config["nodePools"])[50])["initialNodeCount"] = int64(4)
	for b.Loop() {
		cloud, err := FromSpec(spec, config, nil)
		if err != nil {
			b.Fatal(err)
		}
		if p := Reconcile(Input{Name: fixtureName, Config: config, Cloud: cloud}); len(p.Calls) != 1 || p.Error != "" {
			b.Fatalf("%d calls, error %q", len(p.Calls), p.Error)
		}
	}
}

func BenchmarkReconcileOnly(b *testing.B) {
	spec := largeSpec(100)
	config := hosted.CloneMap(spec)
	hosted.Map(hosted.List(config["nodePools"])[50])["initialNodeCount"] = int64(4)
	cloud, err := FromSpec(spec, config, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if p := Reconcile(Input{Name: fixtureName, Config: config, Cloud: cloud}); len(p.Calls) != 1 {
			b.Fatalf("%d calls, error %q", len(p.Calls), p.Error)
		}
	}
}
