package aks

import (
	"slices"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// baseSpec is what Rancher read of a cluster with two pools.
func baseSpec() map[string]any {
	poolOf := func(name, mode string) map[string]any {
		return map[string]any{"name": name, "mode": mode, "count": int64(3), "maxPods": int64(110), "vmSize": "Standard_D2s_v3",
			"osDiskSizeGB": int64(128), "osDiskType": "Managed", "osType": "Linux", "orchestratorVersion": "1.33.2",
			"enableAutoScaling": false, "nodeTaints": []any{"dedicated=batch:NoSchedule"}, "nodeLabels": map[string]any{"tier": "web"}}
	}
	return map[string]any{
		"azureCredentialSecret": "cattle-global-data:cc-demo1", "clusterName": "demo-a", "resourceGroup": "rg-demo",
		"resourceLocation": "eastus", "imported": false, "kubernetesVersion": "1.33.2",
		"tags": map[string]any{"team": "blue", "cost": "c1"}, "authorizedIpRanges": []any{"203.0.113.0/28", "198.51.100.7/32"},
		"networkPlugin": "azure", "outboundType": "loadBalancer", "loadBalancerSku": "Standard",
		"httpApplicationRouting": false, "monitoring": false,
		"nodePools": []any{poolOf("syspool", "System"), poolOf("workers", "User")},
	}
}

// edited is baseSpec with changes; a nil change unmanages the key.
func edited(changes map[string]any) map[string]any {
	c := baseSpec()
	for k, v := range changes {
		c[k] = v
	}
	return c
}

// unmanaged is a Config with the identity of baseSpec and nothing else but
// what is given.
func unmanaged(imported bool, managed map[string]any) map[string]any {
	c := map[string]any{"azureCredentialSecret": "cattle-global-data:cc-demo1", "clusterName": "demo-a", "resourceGroup": "rg-demo",
		"resourceLocation": "eastus", "imported": imported}
	for k, v := range managed {
		c[k] = v
	}
	return c
}

// pools returns baseSpec's pools, one of them with changed leaves.
func pools(name string, changes map[string]any) []any {
	list := hosted.List(baseSpec()["nodePools"])
	for _, p := range list {
		m := hosted.Map(p)
		for k, v := range changes {
			if m["name"] == name {
				m[k] = v
			}
		}
	}
	return list
}

// attributed is a call as the table below names it.
type attributed struct {
	op              string
	fields, carried []string
	effect          operator.Effect
	object          string
}

const (
	clusterPut = "ManagedClusters.BeginCreateOrUpdate"
	tagsPatch  = "ManagedClusters.BeginUpdateTags"
	poolPut    = "AgentPools.BeginCreateOrUpdate"
	poolDelete = "AgentPools.BeginDelete"
)

func TestAttribution(t *testing.T) {
	cases := []struct {
		name   string
		config map[string]any
		want   []attributed
	}{
		{"each tag that differs", edited(map[string]any{"tags": map[string]any{"team": "red", "cost": "c1", "app.example.com/tier": "web"}}),
			[]attributed{{tagsPatch, []string{"tags.team", `tags["app.example.com/tier"]`}, nil, operator.Update, ""}}},
		{"a tag that only the cloud has", edited(map[string]any{"tags": map[string]any{"team": "blue"}}),
			[]attributed{{tagsPatch, []string{"tags.cost"}, nil, operator.Update, ""}}},
		{"version of a fully managed cluster carries nothing", edited(map[string]any{"kubernetesVersion": "1.34.0"}),
			[]attributed{{clusterPut, []string{"kubernetesVersion"}, nil, operator.Update, ""}}},
		{"created, only the version managed: blanks and defaults", unmanaged(false, map[string]any{"kubernetesVersion": "1.34.0"}),
			[]attributed{{clusterPut, []string{"kubernetesVersion"}, []string{"authorizedIpRanges", "networkPlugin", "tags"}, operator.Update, ""}}},
		{"imported, only the version managed: nothing else changes", unmanaged(true, map[string]any{"kubernetesVersion": "1.34.0"}),
			[]attributed{{clusterPut, []string{"kubernetesVersion"}, nil, operator.Update, ""}}},
		{"imported: the old tags are put back", unmanaged(true, map[string]any{"kubernetesVersion": "1.34.0", "tags": map[string]any{"team": "red", "cost": "c1"}}),
			[]attributed{{tagsPatch, []string{"tags.team"}, nil, operator.Update, ""},
				{clusterPut, []string{"kubernetesVersion"}, []string{"tags.team"}, operator.Update, ""}}},
		{"each range that comes or goes", edited(map[string]any{"authorizedIpRanges": []any{"203.0.113.0/28", "192.0.2.1/32"}}),
			[]attributed{{clusterPut, []string{"authorizedIpRanges[192.0.2.1/32]", "authorizedIpRanges[198.51.100.7/32]"}, nil, operator.Update, ""}}},
		{"ranges in another order", edited(map[string]any{"authorizedIpRanges": []any{"198.51.100.7/32", "203.0.113.0/28"}}),
			[]attributed{{clusterPut, []string{"authorizedIpRanges"}, nil, operator.Update, ""}}},
		{"monitoring chooses a workspace", edited(map[string]any{"monitoring": true, "httpApplicationRouting": true}),
			[]attributed{{clusterPut, []string{"httpApplicationRouting", "monitoring"}, []string{"logAnalyticsWorkspaceGroup", "logAnalyticsWorkspaceName"}, operator.Update, ""}}},
		{"a managed value goes along", edited(map[string]any{"kubernetesVersion": "1.34.0", "outboundType": "managedNATGateway"}),
			[]attributed{{clusterPut, []string{"kubernetesVersion"}, []string{"outboundType"}, operator.Update, ""}}},
		{"leaves of a pool", edited(map[string]any{"nodePools": pools("workers", map[string]any{"count": int64(5), "maxSurge": "50%"})}),
			[]attributed{{poolPut, []string{"nodePools[workers].count", "nodePools[workers].maxSurge"}, nil, operator.Update, "nodePools[workers]"}}},
		{"labels by key", edited(map[string]any{"nodePools": pools("workers", map[string]any{"nodeLabels": map[string]any{"zone": "a"}})}),
			[]attributed{{poolPut, []string{"nodePools[workers].nodeLabels.tier", "nodePools[workers].nodeLabels.zone"}, nil, operator.Update, "nodePools[workers]"}}},
		{"taints left null are blanked with the count", edited(map[string]any{"nodePools": pools("workers", map[string]any{"count": int64(5), "nodeTaints": nil})}),
			[]attributed{{poolPut, []string{"nodePools[workers].count"}, []string{"nodePools[workers].nodeTaints"}, operator.Update, "nodePools[workers]"}}},
		{"a fixed member of a pool goes along", edited(map[string]any{"nodePools": pools("workers", map[string]any{"mode": "System", "vmSize": "Standard_D4s_v3"})}),
			[]attributed{{poolPut, []string{"nodePools[workers].mode"}, []string{"nodePools[workers].vmSize"}, operator.Update, "nodePools[workers]"}}},
		{"a pool that is missing", edited(map[string]any{"nodePools": append(pools("", nil), map[string]any{"name": "batch", "mode": "User", "count": int64(1)})}),
			[]attributed{{poolPut, []string{"nodePools[batch]"}, nil, operator.Create, "nodePools[batch]"}}},
		{"a pool too many", edited(map[string]any{"nodePools": pools("", nil)[:1]}),
			[]attributed{{poolDelete, []string{"nodePools[workers]"}, nil, operator.Delete, "nodePools[workers]"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			cloud, err := FromSpec(baseSpec(), c.config, nil)
			if err != nil {
				t.Fatal(err)
			}
			p := Reconcile(Input{Name: fixtureName, Config: c.config, Cloud: cloud, Status: map[string]any{"phase": "updating"}})
			if p.Error != "" || len(p.Calls) != len(c.want) {
				t.Fatalf("error %q, calls %+v", p.Error, p.Calls)
			}
			for i, w := range c.want {
				g := p.Calls[i]
				if g.Op != w.op || !slices.Equal(g.Fields, w.fields) || !slices.Equal(g.Carried, w.carried) || g.Effect != w.effect || g.Object != w.object {
					t.Errorf("call %d: %s fields %q carried %q effect %s object %q\nwant %+v", i, g.Op, g.Fields, g.Carried, g.Effect, g.Object, w)
				}
			}
		})
	}
}

// TestFieldsAreSorted: all causes of one request are named, in order, as paths.
func TestFieldsAreSorted(t *testing.T) {
	config := edited(map[string]any{"monitoring": true, "kubernetesVersion": "1.34.0", "httpApplicationRouting": true, "authorizedIpRanges": []any{}})
	cloud, err := FromSpec(baseSpec(), config, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := Reconcile(Input{Name: fixtureName, Config: config, Cloud: cloud, Status: map[string]any{"phase": "updating"}})
	if len(p.Calls) != 1 || len(p.Calls[0].Fields) != 5 || !slices.IsSorted(p.Calls[0].Fields) || !slices.IsSorted(p.Calls[0].Carried) {
		t.Fatalf("calls %+v", p.Calls)
	}
	for _, f := range p.Calls[0].Fields {
		if q, err := hosted.ParsePath(f); err != nil || q.String() != f {
			t.Errorf("%q is not a path: %v", f, err)
		}
	}
}
