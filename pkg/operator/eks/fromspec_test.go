package eks

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// A usable reading of any recorded cloud is read again from the cloud that is
// built from it, and nothing is pushed to that cloud when the Config asks for
// exactly what is there.
func TestConformanceEKSFromSpec(t *testing.T) {
	vectors.Run(t, "eks.read", func(line []byte) (string, error) {
		var c readCase
		if err := json.Unmarshal(line, &c); err != nil {
			return "?", err
		}
		view := object(c.Expect.RancherView)
		if view == nil {
			return c.ID, nil
		}
		st := map[string]any{"managedLaunchTemplateID": c.ManagedLaunchTemplateID, "phase": "active"}
		cloud, err := FromSpec(view, view, st)
		if err != nil {
			return c.ID, err
		}
		again := Read(c.RancherCluster, view, c.ManagedLaunchTemplateID, cloud)
		if again.Error != "" {
			return c.ID, fmt.Errorf("reading again: %s", again.Error)
		}
		if err := sameView(forgetful(again.RancherView), forgetful(view)); err != nil {
			return c.ID, err
		}
		p := Reconcile(Input{Name: "c-ab12c", Config: view, Status: st, Cloud: cloud})
		if len(p.Calls) > 0 {
			return c.ID, fmt.Errorf("pushes %s for %v", p.Calls[0].Op, p.Calls[0].Fields)
		}
		return c.ID, nil
	})
}

// forgetful drops what a spec cannot carry into a cloud: whether an absent
// version or list was absent or in transition, and the address family "".
func forgetful(view map[string]any) map[string]any {
	out := hosted.CloneMap(view)
	for _, g := range hosted.List(out["nodeGroups"]) {
		for _, k := range []string{"subnets", "spotInstanceTypes"} {
			if l := hosted.List(hosted.Map(g)[k]); len(l) == 0 {
				hosted.Map(g)[k] = nil
			}
		}
	}
	if deref(text(out["kmsKey"])) == "" {
		out["kmsKey"] = nil
	}
	return out
}

// The documented example: private access was switched on in the console, and
// somebody edits a tag.
func TestDocumentedExample(t *testing.T) {
	cloudSpec := object([]byte(`{"displayName":"atlas","region":"eu-west-1","kubernetesVersion":"1.31","publicAccess":true,"privateAccess":true,
		"tags":{"team":"red"},"nodeGroups":[]}`))
	config := hosted.CloneMap(cloudSpec)
	config["privateAccess"] = false
	config["tags"] = map[string]any{"team": "blue"}
	for _, tc := range []struct {
		private any
		want    []string
	}{
		{false, []string{"UpdateClusterConfig [privateAccess] carries [publicAccess]", "TagResource [tags.team] carries []"}},
		{nil, []string{"TagResource [tags.team] carries []"}},
	} {
		config["privateAccess"] = tc.private
		cloud, err := FromSpec(cloudSpec, config, nil)
		if err != nil {
			t.Fatal(err)
		}
		passes, gaveUp := Converge(Input{Name: "c-ab12c", Config: config, Cloud: cloud}, 20)
		if gaveUp {
			t.Fatalf("private access %v: no rest after %d passes", tc.private, len(passes))
		}
		var got []string
		for _, p := range passes {
			for _, c := range p.Calls {
				got = append(got, fmt.Sprintf("%s %v carries %v", c.Op, c.Fields, c.Carried))
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("private access %v: calls\n%v, want\n%v", tc.private, got, tc.want)
		}
	}
}

// Calls answer for exactly the fields that differ.
func TestAttribution(t *testing.T) {
	const upstream = `{"displayName":"atlas","region":"eu-west-1","kubernetesVersion":"1.31","publicAccess":true,"privateAccess":false,"tags":{},
		"loggingTypes":["api"],"nodeGroups":[
		{"nodegroupName":"a","desiredSize":2,"minSize":1,"maxSize":4,"labels":{"x":"1","y":"1"},"tags":{},"resourceTags":{},"instanceType":"m5.large","diskSize":20,"version":"1.31"},
		{"nodegroupName":"b","desiredSize":2,"minSize":1,"maxSize":4,"labels":{},"tags":{"k":"v"},"resourceTags":{},"instanceType":"m5.large","diskSize":20,"version":"1.31"}]}`
	st := map[string]any{"managedLaunchTemplateID": "lt-1", "managedLaunchTemplateVersions": map[string]any{"a": "2", "b": "3"}, "phase": "active"}
	for _, tc := range []struct {
		name string
		edit func(config map[string]any, groups []any)
		want []string
	}{
		{"size", func(_ map[string]any, g []any) { hosted.Map(g[0])["desiredSize"] = int64(3) },
			[]string{"UpdateNodegroupConfig [nodeGroups[a].desiredSize] [nodeGroups[a].maxSize nodeGroups[a].minSize] update nodeGroups[a]"}},
		{"labels", func(_ map[string]any, g []any) { hosted.Map(g[0])["labels"] = map[string]any{"x": "2"} },
			[]string{"UpdateNodegroupConfig [nodeGroups[a].labels.x nodeGroups[a].labels.y] [nodeGroups[a].desiredSize nodeGroups[a].maxSize nodeGroups[a].minSize] update nodeGroups[a]"}},
		{"group tags", func(_ map[string]any, g []any) { hosted.Map(g[1])["tags"] = map[string]any{} },
			[]string{"UntagResource [nodeGroups[b].tags.k] [] update nodeGroups[b]"}},
		{"disk", func(_ map[string]any, g []any) { hosted.Map(g[0])["diskSize"] = int64(30) },
			[]string{"CreateLaunchTemplateVersion [nodeGroups[a].diskSize] [] update nodeGroups[a]",
				// Group b's tags make the operator forget the old template version.
				"UpdateNodegroupVersion [nodeGroups[a].diskSize] [] update nodeGroups[a]"}},
		{"group gone from the config", func(c map[string]any, g []any) { c["nodeGroups"] = g[:1] },
			[]string{"DeleteNodegroup [nodeGroups[b]] [] delete nodeGroups[b]", "DeleteLaunchTemplateVersions [] [] update "}},
		{"logging", func(c map[string]any, _ []any) { c["loggingTypes"] = []any{"audit"} },
			[]string{"UpdateClusterConfig [loggingTypes] [] update "}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			config := object([]byte(upstream))
			tc.edit(config, hosted.List(config["nodeGroups"]))
			cloud, err := FromSpec(object([]byte(upstream)), config, st)
			if err != nil {
				t.Fatal(err)
			}
			passes, _ := Converge(Input{Name: "c-ab12c", Config: config, Status: st, Cloud: cloud}, 20)
			var got []string
			for _, p := range passes {
				for _, c := range p.Calls {
					got = append(got, fmt.Sprintf("%s %v %v %s %s", c.Op, c.Fields, c.Carried, c.Effect, c.Object))
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got\n%q, want\n%q", got, tc.want)
			}
		})
	}
}

func BenchmarkReconcile(b *testing.B) {
	groups := make([]any, 100)
	versions := map[string]any{}
	for i := range groups {
		name := fmt.Sprintf("group-%03d", i)
		groups[i] = map[string]any{"nodegroupName": name, "desiredSize": int64(2), "minSize": int64(1), "maxSize": int64(4), "instanceType": "m5.large",
			"diskSize": int64(20), "version": "1.31", "labels": map[string]any{"tier": "web"}, "tags": map[string]any{}, "resourceTags": map[string]any{"team": "blue"}}
		versions[name] = fmt.Sprint(i + 2)
	}
	config := map[string]any{"displayName": "atlas", "region": "eu-west-1", "kubernetesVersion": "1.31", "nodeGroups": groups}
	st := map[string]any{"managedLaunchTemplateID": "lt-1", "managedLaunchTemplateVersions": versions, "phase": "active"}
	b.ReportAllocs()
	for b.Loop() {
		cloud, err := FromSpec(config, config, st)
		if err != nil {
			b.Fatal(err)
		}
		if p := Reconcile(Input{Config: config, Status: st, Cloud: cloud}); len(p.Calls) > 0 {
			b.Fatal(p.Calls[0].Op)
		}
	}
}
