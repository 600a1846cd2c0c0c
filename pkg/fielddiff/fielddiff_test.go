package fielddiff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

func spec(t *testing.T, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	v, err := hosted.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return hosted.Map(v)
}

func describe(entries []Entry) string {
	names := map[Pair]string{ConfigUpstream: "CU", ConfigLive: "CL", UpstreamLive: "UL", ConfigApplied: "CA"}
	var lines []string
	for _, e := range entries {
		line := e.Path.String()
		for _, p := range pairs {
			if e.Differs&p.pair != 0 {
				line += " " + names[p.pair]
			}
			if e.OrderOnly&p.pair != 0 {
				line += " order:" + names[p.pair]
			}
		}
		if e.Differs != 0 || e.OrderOnly != 0 {
			if e.Unmanaged {
				line += " unmanaged"
			}
			if e.Field == nil {
				line += " unknown"
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func TestDiff(t *testing.T) {
	for _, tc := range []struct {
		name                            string
		provider                        hosted.Provider
		config, upstream, live, applied string
		want                            string
	}{
		{"one leaf", hosted.EKS, `{"privateAccess":false}`, `{"privateAccess":true}`, "", "", "privateAccess CU"},
		{"absent and null are the same", hosted.EKS, `{"nodeGroups":[{"nodegroupName":"a","version":null}]}`,
			`{"nodeGroups":[{"nodegroupName":"a"}]}`, "", "", ""},
		{"null and empty differ where both are written", hosted.EKS, `{"nodeGroups":[{"nodegroupName":"a","labels":null}]}`,
			`{"nodeGroups":[{"nodegroupName":"a","labels":{}}]}`, "", "", "nodeGroups[a].labels CU"},
		{"empty is none where the type omits it", hosted.AKS, `{"nodePools":[{"name":"a","nodeLabels":{}}]}`,
			`{"nodePools":[{"name":"a"}]}`, "", "", ""},
		{"unmanaged unit is no drift", hosted.EKS, `{"tags":null}`, `{"tags":{"a":"1"}}`, "", "", ""},
		{"unmanaged unit still compares the readings", hosted.EKS, `{}`, `{"tags":{"a":"1","b":"1"}}`, `{"tags":{"a":"2","b":"1"}}`, "",
			"tags.a UL unmanaged"},
		{"item added in front", hosted.EKS, `{"nodeGroups":[{"nodegroupName":"b"}]}`,
			`{"nodeGroups":[{"nodegroupName":"a"},{"nodegroupName":"b"}]}`, "", "", "nodeGroups[a] CU"},
		{"order of groups", hosted.GKE, `{"nodePools":[{"name":"a"},{"name":"b"}]}`,
			`{"nodePools":[{"name":"b"},{"name":"a"}]}`, "", "", "nodePools order:CU"},
		{"order of a set", hosted.EKS, `{"loggingTypes":["api","audit"]}`, `{"loggingTypes":["audit","api"]}`, "", "",
			"loggingTypes order:CU"},
		{"map keys", hosted.EKS, `{"tags":{"a.b/c":"1","gone":"x"}}`, `{"tags":{"a.b/c":"2","new":"y"}}`, "", "",
			"tags[\"a.b/c\"] CU\ntags.gone CU\ntags.new CU"},
		{"unknown field", hosted.EKS, `{"futureField":{"x":1}}`, `{"futureField":{"x":2}}`, "", "", "futureField.x CU unknown"},
		{"frozen", hosted.EKS, `{"tags":{"a":"1"}}`, `{"tags":{"a":"1"}}`, "", `{"tags":{}}`, "tags.a CA"},
		{"became unmanaged but not applied", hosted.EKS, `{"tags":null}`, `{"tags":{"a":"1"}}`, "", `{"tags":{"a":"1"}}`, "tags CA unmanaged"},
		{"live against both", hosted.EKS, `{"privateAccess":false}`, `{"privateAccess":false}`, `{"privateAccess":true}`, "",
			"privateAccess CL UL"},
		{"description is never unmanaged", hosted.GKE, `{"description":""}`, `{"description":"x"}`, "", "", "description CU"},
		{"wrong type is shown, not lost", hosted.EKS, `{"nodeGroups":"oops"}`, `{"nodeGroups":[]}`, "", "", "nodeGroups CU"},
		{"a tag with an empty value is a tag", hosted.EKS, `{"tags":{"a":""}}`, `{"tags":{}}`, "", "", "tags.a CU"},
		{"an empty tag beside others", hosted.EKS, `{"tags":{"a":"","b":"1"}}`, `{"tags":{"b":"1"}}`, "", "", "tags.a CU"},
		{"description absent is description empty", hosted.GKE, `{}`, `{"description":"x"}`, "", "", "description CU"},
		{"duplicate identity", hosted.EKS, `{"nodeGroups":[{"nodegroupName":"a"},{"nodegroupName":"a"}]}`,
			`{"nodeGroups":[{"nodegroupName":"a"}]}`, "", "", "nodeGroups[a#2] CU"},
		{"item without identity compares the list whole", hosted.EKS, `{"nodeGroups":[{"diskSize":1}]}`,
			`{"nodeGroups":[{"nodegroupName":"a"}]}`, "", "", "nodeGroups CU"},
		{"whole number of another size", hosted.AKS, `{"nodePools":[{"name":"a","count":3}]}`, `{"nodePools":[{"name":"a","count":4}]}`,
			"", "", "nodePools[a].count CU"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := Sides{}.With(Config, spec(t, tc.config)).With(Upstream, spec(t, tc.upstream))
			if tc.live != "" {
				s = s.With(Live, spec(t, tc.live))
			}
			if tc.applied != "" {
				s = s.With(Applied, spec(t, tc.applied))
			}
			if got := describe(Diff(schema.For(tc.provider), s)); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
			if got := describe(Differences(schema.For(tc.provider), s)); got != tc.want {
				t.Errorf("the fast walk got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// Equal sides never differ, whatever they hold.
func TestDiffOfItself(t *testing.T) {
	for _, p := range hosted.Providers() {
		v := sample(p, 4)
		s := Sides{}.With(Config, v).With(Upstream, hosted.CloneMap(v)).With(Live, hosted.CloneMap(v)).With(Applied, hosted.CloneMap(v))
		entries := Diff(schema.For(p), s)
		if len(entries) < 10 {
			t.Errorf("%s: only %d places visited", p, len(entries))
		}
		if d := describe(entries); d != "" {
			t.Errorf("%s: a spec differs from itself:\n%s", p, d)
		}
	}
}

func sample(p hosted.Provider, groups int) map[string]any {
	key := schema.For(p)
	id := "name"
	if p == hosted.EKS {
		id = "nodegroupName"
	}
	list := make([]any, groups)
	for i := range list {
		list[i] = map[string]any{
			id: fmt.Sprintf("group-%03d", i), "desiredSize": int64(3), "minSize": int64(1), "maxSize": int64(5),
			"instanceType": "m5.large", "diskSize": int64(20), "version": "1.31",
			"labels": map[string]any{"tier": "web", "zone": "a"}, "tags": map[string]any{"team": "blue"},
			"subnets": []any{"subnet-0aaa", "subnet-0bbb"},
		}
	}
	out := map[string]any{p.NodeListKey(): list}
	for _, f := range key.Root.Fields {
		switch f.Kind {
		case schema.String:
			out[f.Name] = "x"
		case schema.Bool:
			out[f.Name] = true
		}
	}
	return out
}

func BenchmarkDiff(b *testing.B) {
	for _, n := range []int{1, 10, 100, 500} {
		config := sample(hosted.EKS, n)
		upstream, live := hosted.CloneMap(config), hosted.CloneMap(config)
		for i, g := range hosted.List(live["nodeGroups"]) {
			if i%20 == 0 {
				hosted.Map(g)["desiredSize"] = int64(7)
			}
		}
		s := Sides{}.With(Config, config).With(Upstream, upstream).With(Live, live)
		b.Run(fmt.Sprintf("groups=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Diff(schema.For(hosted.EKS), s)
			}
		})
	}
}
