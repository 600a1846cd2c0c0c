package gke

import (
	"slices"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]string{
		"1.33.4-gke.1000": "1.33.4-gke.1000", "v1.33": "1.33.0", "1": "1.0.0", "01.02.3": "1.2.3",
		"1.2.3+a-b": "1.2.3+a-b", "1.2-x.y+z": "1.2.0-x.y+z", "1.2.3--": "1.2.3--",
	} {
		if v, err := parseVersion(text); err != nil || v.String() != want {
			t.Errorf("%q reads as %q, %v", text, v, err)
		}
	}
	for text, want := range map[string]string{
		"": "invalid semantic version", "latest": "invalid semantic version", "1.2.3.4": "invalid semantic version",
		"1..3": "invalid semantic version", "1.2.3-": "invalid semantic version", "1.2.3-a..b": "invalid semantic version",
		"1.2.3+": "invalid semantic version", "V1.2": "invalid semantic version", " 1.2": "invalid semantic version",
		"1.2.3-01": "version segment starts with 0", "1.99999999999999999999": "error parsing version segment",
	} {
		if v, err := parseVersion(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q reads as %q, %v; want %q", text, v, err, want)
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	f.Add("1.33.4-gke.1000")
	f.Add("v1.2+b")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := parseVersion(text)
		if err != nil {
			return
		}
		if again, err := parseVersion(v.String()); err != nil || again != v {
			t.Errorf("%q is written as %q, which reads as %q, %v", text, v, again, err)
		}
	})
}

// FuzzCloud: no answer of the cloud makes the package panic.
func FuzzCloud(f *testing.F) {
	f.Add(`{"status":"RUNNING","nodePools":[{"name":"a","config":{}}]}`)
	f.Add(`{"nodePools":[null],"masterAuthorizedNetworksConfig":{"enabled":true,"cidrBlocks":[null]}}`)
	f.Add(`null`)
	config := largeSpec(1)
	f.Fuzz(func(t *testing.T, text string) {
		cloud, err := DecodeCloud([]byte(text))
		if err != nil {
			return
		}
		in := Input{Name: fixtureName, Config: config, Cloud: cloud}
		if v := Read(in); (v.Error == "") != (v.Rancher != nil) {
			t.Errorf("reading gives %v and %q", v.Rancher, v.Error)
		}
		if passes, gaveUp := Converge(in, 20); !gaveUp && passes[len(passes)-1].Error != "" {
			t.Errorf("at rest with %q", passes[len(passes)-1].Error)
		}
	})
}

func TestDecodeCloudRefuses(t *testing.T) {
	for _, text := range []string{`{`, `[]`, `{"nodePools":{}}`, `{"nodePools":[{"initialNodeCount":"3"}]}`} {
		if _, err := DecodeCloud([]byte(text)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// TestCrashes lists crashes that the recorded cases have no room for.
func TestCrashes(t *testing.T) {
	nulls := map[string]any{"enabled": true, "cidrBlocks": []any{nil}}
	for name, c := range map[string]struct {
		cloud  string
		config map[string]any
	}{
		"null pool":      {`{"nodePools":[null]}`, nil},
		"null block":     {`{"masterAuthorizedNetworksConfig":{"enabled":true,"cidrBlocks":[null]}}`, nil},
		"null taint":     {`{"nodePools":[{"name":"a","config":{"taints":[null]}}]}`, nil},
		"block in push":  {`{}`, map[string]any{"masterAuthorizedNetworks": nulls}},
		"no pool config": {`{"nodePools":[{"name":"a"}]}`, map[string]any{"nodePools": []any{map[string]any{"name": "a"}}}},
	} {
		cloud, err := DecodeCloud([]byte(c.cloud))
		if err != nil {
			t.Fatal(err)
		}
		p := Reconcile(Input{Name: fixtureName, Config: c.config, Cloud: cloud, Status: map[string]any{"phase": "updating"}})
		if !p.Panic || !strings.HasPrefix(p.Error, "panic: ") || p.Phase != operator.PhaseUpdating || !p.WillRunAgain {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestAutoscalingOfPoolWithout: a pool that reports no autoscaling counts as one
// where it is off.
func TestAutoscalingOfPoolWithout(t *testing.T) {
	on := map[string]any{"enabled": true, "maxNodeCount": int64(3)}
	compareCalls(t, reconcileEdited(t, []edit{poolSet(0, on, "autoscaling")}, []edit{poolSet(0, nil, "autoscaling")}, OmittedUnchanged),
		[]call{{"setAutoscaling", "nodePools[pool-000].autoscaling.enabled nodePools[pool-000].autoscaling.maxNodeCount", "", "nodePools[pool-000]", operator.Update}})
}

// TestDuplicateNamesInTheCloud: the operator then knows no pool at all, creates
// what it wants and deletes nothing.
func TestDuplicateNamesInTheCloud(t *testing.T) {
	p := reconcileEdited(t, []edit{func(s map[string]any) { s["nodePools"] = hosted.List(s["nodePools"])[:1] }},
		[]edit{poolSet(1, "pool-000", "name")}, OmittedUnchanged)
	compareCalls(t, p, []call{{"create", "nodePools[pool-000]", "", "nodePools[pool-000]", operator.Create}})
}

// TestAppliesToACopy: following a push changes neither the cloud nor the Config
// that it started from.
func TestAppliesToACopy(t *testing.T) {
	spec, config := largeSpec(3), largeSpec(3)
	for _, e := range []edit{
		set("kubernetesVersion", "1.34.0-gke.1"), set("labels", map[string]any{"team": "red"}), set("maintenanceWindow", "05:00"),
		set("clusterAddons", map[string]any{"networkPolicyConfig": true}), set("networkPolicyEnabled", true), set("loggingService", "none"),
		set("masterAuthorizedNetworks", map[string]any{}), poolSet(0, int64(1), "initialNodeCount"), poolSet(1, "fresh", "name"),
		poolSet(0, map[string]any{"tier": "db"}, "config", "labels"), poolSet(0, "1.34.0-gke.1", "version"),
		poolSet(0, int64(8), "autoscaling", "maxNodeCount"), poolSet(2, map[string]any{"autoRepair": true, "autoUpgrade": true}, "management"),
	} {
		e(config)
	}
	before := hosted.Canonical(config)
	cloud, err := FromSpec(spec, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	passes, gaveUp := Converge(Input{Name: fixtureName, Config: config, Cloud: cloud}, 20)
	if gaveUp || len(passes) != 12 {
		t.Errorf("%d passes, gave up %v", len(passes), gaveUp)
	}
	for i, p := range passes {
		if slices.ContainsFunc(p.Calls, func(c operator.Call) bool { return c.Pass != i+1 }) {
			t.Errorf("pass %d numbers its calls wrongly", i+1)
		}
	}
	if v := Read(Input{Config: spec, Cloud: cloud}); hosted.Canonical(v.Rancher) != hosted.Canonical(spec) {
		t.Errorf("the cloud has changed: %s", firstDifference(hosted.Canonical(v.Rancher), hosted.Canonical(spec)))
	}
	if after := hosted.Canonical(config); after != before {
		t.Errorf("the config has changed: %s", firstDifference(after, before))
	}
}

func TestPermute(t *testing.T) {
	seen := map[string]bool{}
	first := ""
	l := []string{"a", "b", "c", "d"}
	permute(l, 0, func() bool {
		s := strings.Join(l, "")
		if first == "" {
			first = s
		}
		seen[s] = true
		return true
	})
	if first != "abcd" || len(seen) != 24 || strings.Join(l, "") != "abcd" {
		t.Errorf("began with %s, saw %d orders, left %v", first, len(seen), l)
	}
	n := 0
	permute(l, 0, func() bool { n++; return n < 5 })
	if n != 5 {
		t.Errorf("visited %d orders, want 5", n)
	}
}

// TestAlternatives: of two refused deletions either can come first.
func TestAlternatives(t *testing.T) {
	spec := largeSpec(3)
	config := largeSpec(1)
	cloud, err := FromSpec(spec, config, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Name: fixtureName, Config: config, Cloud: cloud,
		Faults: []operator.Fault{{Op: opPoolDelete, Target: "pool-002", HTTPStatus: 403, Code: "PERMISSION_DENIED", Reason: "forbidden", Message: "no"}}}
	all := Alternatives(in)
	if len(all) != 2 || len(all[0].Calls) != 2 || len(all[1].Calls) != 1 {
		t.Fatalf("alternatives %+v", all)
	}
	if got, want := all[0].Error, "googleapi: Error 403: no, forbidden"; got != want || all[1].Error != want {
		t.Errorf("errors %q and %q", got, all[1].Error)
	}
	if c := all[0].Calls[1]; c.HTTPStatus != 403 || c.Error != "PERMISSION_DENIED" {
		t.Errorf("failed call %+v", c)
	}
}
