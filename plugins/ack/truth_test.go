package ack

import (
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback/alibaba"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// TestTruthSeesWhatRancherDoesNot compares view and truth of a cluster with the
// blind spots of Rancher's reading.
func TestTruthSeesWhatRancherDoesNot(t *testing.T) {
	r := newRig(t)
	r.put(demoDetail, demoPools)
	got := r.must(r.request())
	const workers = `{"desiredSize":3,"enableAutoScaling":false,"instanceTypes":["ecs.g7.xlarge"],"name":"workers","nodePoolId":"np-1"}`
	const gone, old = `{"desiredSize":1,"name":"gone","nodePoolId":"np-0"}`, `{"name":"old","nodePoolId":"np-2"}`
	for key, c := range map[string]struct{ view, truth string }{
		"clusterName":               {`"old-name"`, `"demo-a"`},
		"kubernetesVersion":         {`"1.33.3-aliyun.1"`, `"1.33.3-aliyun.1"`},
		"endpointPublicAccess":      {"true", "false"},
		"zoneIds":                   {`["cn-hangzhou-a","cn-hangzhou-b"]`, "absent"},
		"isEnterpriseSecurityGroup": {"true", "absent"},
		"imported":                  {"true", "absent"},
		"alibabaCredentialSecret":   {`"cattle-global-data:cc-demo1"`, "absent"},
		"snatEntry":                 {"true", "true"},
		"podVswitchIds":             {`["vsw-3"]`, `["vsw-3"]`},
		"nodeCidrMask":              {"26", "26"},
		"nodePools":                 {"[" + gone + "," + workers + "," + old + "]", "[" + workers + "," + old + "]"},
	} {
		if v, w := text(got.Spec, key), text(got.Truth, key); v != c.view || w != c.truth {
			t.Errorf("%s: view %s, truth %s; want %s, %s", key, v, w, c.view, c.truth)
		}
	}
	if _, err := schema.For(hosted.ACK).Decode(got.Truth); err != nil {
		t.Error(err)
	}
	if got.Partial || got.Error != "" || !got.At.Equal(start) || got.Origin != "ACK cn-hangzhou, with Rancher's credential cattle-global-data:cc-demo1" {
		t.Errorf("%v %q %v %q", got.Partial, got.Error, got.At, got.Origin)
	}
}

func text(m map[string]any, key string) string {
	v, ok := m[key]
	if !ok {
		return "absent"
	}
	return hosted.Canonical(v)
}

// TestEveryFieldHasASource: each field of the table is told by a member, or is one
// of those that are not.
func TestEveryFieldHasASource(t *testing.T) {
	known := sources()
	var walk func(f schema.Field, path string)
	walk = func(f schema.Field, path string) {
		for _, m := range f.Fields {
			p := strings.TrimPrefix(path+"."+m.Name, ".")
			none := false
			for _, u := range untold {
				none = none || p == u || strings.HasPrefix(p, u+"[]")
			}
			if from, ok := known[p]; ok == none || ok && !strings.Contains(from, ": ") {
				t.Errorf("source of %s: %q", p, from)
			}
			delete(known, p)
			if m.Elem != nil {
				walk(*m.Elem, p+"[]")
			}
		}
	}
	walk(schema.For(hosted.ACK).Root, "")
	for p := range known {
		t.Errorf("there is no field %s", p)
	}
}

// TestTruthOfSmallDifferences: what other answers make of the truth.
func TestTruthOfSmallDifferences(t *testing.T) {
	for name, c := range map[string]struct {
		detail, pools, key, want string
	}{
		"no address":        {`{"cluster_id":"c123"}`, `{"nodepools":[]}`, "endpointPublicAccess", "absent"},
		"a public one":      {`{"cluster_id":"c123","master_url":"{\"api_server_endpoint\":\"https://203.0.113.1:6443\"}"}`, `{"nodepools":[]}`, "endpointPublicAccess", "true"},
		"no pool":           {`{"cluster_id":"c123"}`, `{"nodepools":[]}`, "nodePools", "[]"},
		"half a list":       {`{"cluster_id":"c123","parameters":{"PodVswitchIds":"[\"vsw-1\",7]"}}`, `{"nodepools":[]}`, "podVswitchIds", "absent"},
		"no snat":           {`{"cluster_id":"c123"}`, `{"nodepools":[]}`, "snatEntry", "absent"},
		"snat switched off": {`{"cluster_id":"c123","parameters":{"SNatEntry":"False"}}`, `{"nodepools":[]}`, "snatEntry", "false"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.put(c.detail, c.pools)
			if got := text(r.must(r.request()).Truth, c.key); got != c.want {
				t.Errorf("%s: %s, want %s", c.key, got, c.want)
			}
		})
	}
}

// TestNoAnswerAboutNodePools: Rancher then takes the Config for the cloud's state.
// The reading says so, and the truth does not.
func TestNoAnswerAboutNodePools(t *testing.T) {
	r := newRig(t)
	r.put(demoDetail, demoPools)
	r.cloud.Fail(alibaba.Fault{Action: "DescribeClusterNodePools", Kind: alibaba.Empty})
	q := r.request()
	q.Snapshot.Config["nodePools"] = []any{map[string]any{"name": "invented"}}
	got := r.must(q)
	if !got.Partial || !strings.Contains(got.Error, "node pools is empty") || text(got.Spec, "nodePools") != `[{"name":"invented"}]` ||
		text(got.Truth, "nodePools") != "absent" || got.Truth["clusterName"] != "demo-a" || got.Sources["nodePools"] != "" || got.Sources["nodePools[].name"] != "" {
		t.Errorf("%v %q, view %s, truth %s", got.Partial, got.Error, text(got.Spec, "nodePools"), text(got.Truth, "nodePools"))
	}
}
