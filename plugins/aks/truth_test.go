package aks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/aks"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// TestTruthDiffersFromTheViewOnlyWhereRancherIsBlind holds the truth against Rancher's
// view of all recorded clouds: what Rancher reports must be true, apart from the blind
// spots, each of which has its own condition here.
func TestTruthDiffersFromTheViewOnlyWhereRancherIsBlind(t *testing.T) {
	compared, counts := 0, 0
	vectors.Run(t, "aks.read", func(line []byte) (string, error) {
		c, err := decodeRecorded(line)
		if err != nil || c.Expect.RancherView == nil {
			return c.ID, err
		}
		cloud, err := aks.DecodeCloud([]byte(hosted.Canonical(c.Cloud)))
		if err != nil {
			return c.ID, err
		}
		doc := cloud.Document()
		truth := truthOf(doc, c.Config)
		for _, key := range hosted.SortedKeys(c.Expect.RancherView) {
			want, got := c.Expect.RancherView[key], truth[key]
			switch {
			case key == "nodePools":
				n, err := samePools(hosted.List(want), hosted.List(got), doc)
				counts += n
				if err != nil {
					return c.ID, err
				}
			case want == nil, key == "baseUrl", key == "authBaseUrl", key == "azureCredentialSecret", key == "imported":
			case key == "resourceGroup" || key == "clusterName" || key == "resourceLocation":
				// The view echoes the Config, the truth does not.
			case key == "userAssignedIdentity":
				if _, ok := hosted.Map(hosted.Map(doc["identity"])["userAssignedIdentities"])[hosted.Str(got)]; !ok {
					return c.ID, fmt.Errorf("%v is not one of the cluster's identities", got)
				}
			case key == "managedIdentity" && hosted.Map(doc["identity"])["type"] == "None":
				if got != false {
					return c.ID, fmt.Errorf("an identity of type None is an identity")
				}
			case key == "sshPublicKey":
				if !strings.Contains(hosted.Canonical(doc["properties"]), hosted.Canonical(got)) {
					return c.ID, fmt.Errorf("%v is not a key of the cluster", got)
				}
			case key == "logAnalyticsWorkspaceName" && got == strings.TrimSuffix(hosted.Str(want), "/"):
				// Rancher takes the slash at the end of an id for a part of the name.
			case !sameFolded(want, got):
				return c.ID, fmt.Errorf("%s: truth %s, view %s", key, hosted.Canonical(got), hosted.Canonical(want))
			}
			compared++
		}
		return c.ID, nil
	})
	t.Logf("%d fields of views are true; %d counts in them are not Azure's", compared, counts)
	if compared == 0 || counts == 0 {
		t.Error("the recorded cases do not show the difference")
	}
}

func sameFolded(a, b any) bool {
	return hosted.Equal(a, b) || strings.EqualFold(hosted.Str(a), hosted.Str(b)) && hosted.Str(a) != ""
}

// samePools compares pools; n is how many counts differ because the view has the
// Config's.
func samePools(view, truth []any, doc map[string]any) (n int, err error) {
	if len(view) != len(truth) {
		return 0, fmt.Errorf("%d pools, view has %d", len(truth), len(view))
	}
	for i := range view {
		v, got, cloud := hosted.Map(view[i]), hosted.Map(truth[i]), poolsOf(doc)[i]
		for _, key := range hosted.SortedKeys(v) {
			switch want := v[key]; {
			case key == "count":
				if !hosted.Equal(got[key], cloud["count"]) {
					return n, fmt.Errorf("the count is not Azure's: %v", got[key])
				}
				busy := cloud["provisioningState"] != "Succeeded" || cloud["enableAutoScaling"] == true
				if hosted.Equal(want, got[key]) {
					continue
				}
				if n++; !busy {
					return n, fmt.Errorf("a pool at rest: count %v, view %v", got[key], want)
				}
			case want != nil && want != "" && !sameFolded(want, got[key]):
				return n, fmt.Errorf("pool %v: %s: truth %s, view %s", v["name"], key, hosted.Canonical(got[key]), hosted.Canonical(want))
			}
		}
	}
	return n, nil
}

func TestTruthFillsBlindSpots(t *testing.T) {
	subnet := func(group, vnet, subnet string) string {
		return "/subscriptions/" + subscription + "/resourceGroups/" + group + "/providers/Microsoft.Network/virtualNetworks/" + vnet + "/subnets/" + subnet
	}
	workspace := map[string]any{"logAnalyticsWorkspaceResourceID": "/subscriptions/" + subscription +
		"/resourcegroups/RG-Logs/providers/microsoft.operationalinsights/workspaces/ws-demo"}
	for _, c := range []struct {
		name   string
		change func(doc, properties, config map[string]any)
		// view and truth are JSON of a field, "" if it is absent.
		field, view, truth string
	}{
		{"an autoscaled pool", nil, "count of work", `2`, `7`},
		{"a busy pool", func(_, p, c map[string]any) {
			pool(p, 0)["provisioningState"], pool(p, 0)["count"] = "Scaling", int64(5)
		}, "count of sys", `3`, `5`},
		{"monitoring under another key", func(_, p, _ map[string]any) {
			p["addonProfiles"] = map[string]any{"omsagent": map[string]any{"enabled": true, "config": workspace}}
		}, "monitoring", `null`, `true`},
		{"its workspace", func(_, p, c map[string]any) {
			p["addonProfiles"] = map[string]any{"OMSAgent": map[string]any{"enabled": true, "config": workspace}}
			c["logAnalyticsWorkspaceGroup"] = "rg-logs"
		}, "logAnalyticsWorkspaceGroup", `null`, `"rg-logs"`},
		{"monitoring switched off", func(_, p, _ map[string]any) {
			p["addonProfiles"] = map[string]any{"omsagent": map[string]any{"enabled": false, "config": workspace}}
		}, "logAnalyticsWorkspaceName", `null`, ``},
		{"no monitoring", nil, "monitoring", `null`, `false`},
		{"no routing", nil, "httpApplicationRouting", `null`, `false`},
		{"network", func(_, p, _ map[string]any) { pool(p, 0)["vnetSubnetID"] = subnet("rg-net", "vnet-a", "sub-a") }, "virtualNetwork", `null`, `"vnet-a"`},
		{"its group", func(_, p, _ map[string]any) { pool(p, 0)["vnetSubnetID"] = subnet("rg-net", "vnet-a", "sub-a") }, "virtualNetworkResourceGroup", `null`, `"rg-net"`},
		{"two subnets", func(_, p, _ map[string]any) {
			pool(p, 0)["vnetSubnetID"], pool(p, 1)["vnetSubnetID"] = subnet("rg-net", "vnet-a", "sub-a"), subnet("rg-net", "vnet-a", "sub-b")
		}, "subnet", `null`, ``},
		{"two networks with the same subnet", func(_, p, _ map[string]any) {
			pool(p, 0)["vnetSubnetID"], pool(p, 1)["vnetSubnetID"] = subnet("rg-net", "vnet-a", "sub-a"), subnet("rg-net", "vnet-b", "sub-a")
		}, "subnet", `null`, ``},
		{"one network, two subnets", func(_, p, _ map[string]any) {
			pool(p, 0)["vnetSubnetID"], pool(p, 1)["vnetSubnetID"] = subnet("rg-net", "vnet-a", "sub-a"), subnet("RG-NET", "vnet-a", "sub-b")
		}, "virtualNetwork", `null`, `"vnet-a"`},
		{"the nodes' group", nil, "nodeResourceGroup", ``, `"MC_rg-demo_demo-a_eastus"`},
		{"the requested version", nil, "kubernetesVersion", `"1.33"`, `"1.33"`},
		{"several identities", func(d, _, c map[string]any) {
			d["identity"] = map[string]any{"type": "UserAssigned", "userAssignedIdentities": map[string]any{"/ids/a": map[string]any{}, "/ids/b": map[string]any{}}}
			c["userAssignedIdentity"] = "/IDS/a"
		}, "userAssignedIdentity", `"/ids/b"`, `"/IDS/a"`},
		{"identity of type None", func(d, _, _ map[string]any) { d["identity"] = map[string]any{"type": "None"} }, "managedIdentity", `true`, `false`},
		{"spelling", func(_, _, c map[string]any) { c["loadBalancerSku"] = "Standard" }, "loadBalancerSku", `"standard"`, `"Standard"`},
		{"another value", func(_, _, c map[string]any) { c["loadBalancerSku"] = "basic" }, "loadBalancerSku", `"standard"`, `"standard"`},
		{"location", func(d, _, c map[string]any) { d["location"], c["resourceLocation"] = "westus", "eastus" }, "resourceLocation", `"eastus"`, `"westus"`},
		{"location's name", func(d, _, _ map[string]any) { d["location"] = "East US" }, "resourceLocation", `"eastus"`, `"eastus"`},
		{"a moved cluster", func(d, _, _ map[string]any) { d["id"] = strings.Replace(clusterID, "rg-demo", "rg-new", 1) }, "resourceGroup", `"rg-demo"`, `"rg-new"`},
		{"the second key", func(_, p, c map[string]any) {
			p["linuxProfile"] = map[string]any{"adminUsername": "u", "ssh": map[string]any{"publicKeys": []any{map[string]any{"keyData": "k1"}, map[string]any{"keyData": "k2"}}}}
			c["sshPublicKey"] = "k2"
		}, "sshPublicKey", `"k1"`, `"k2"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, req := newRig(t), request(t)
			if c.change != nil {
				r.edit(func(d, p map[string]any) { c.change(d, p, req.Snapshot.Config) })
			}
			got := mustRead(t, r, req)
			if v := fieldText(got.Spec, c.field); v != c.view {
				t.Errorf("view %s, want %s", v, c.view)
			}
			if v := fieldText(got.Truth, c.field); v != c.truth {
				t.Errorf("truth %s, want %s", v, c.truth)
			}
		})
	}
}

// fieldText is a top-level field, or the "count of" a pool, as JSON.
func fieldText(spec map[string]any, field string) string {
	v, ok := spec[field]
	if name, of := strings.CutPrefix(field, "count of "); of {
		v, ok = configPool(spec, name)["count"]
	}
	if !ok {
		return ""
	}
	return hosted.Canonical(v)
}

// A pool without what the operator takes for granted crashes Rancher's reading, and
// the truth tells it all the same.
func TestWhatCrashesRancherIsStillTold(t *testing.T) {
	r := newRig(t)
	r.edit(func(_, p map[string]any) { delete(pool(p, 1), "vmSize") })
	got, err := r.reader.Read(t.Context(), request(t))
	if err == nil || !strings.Contains(err.Error(), "panic: runtime error") {
		t.Fatalf("error %v", err)
	}
	if got.Spec != nil || got.Error != err.Error() {
		t.Errorf("view %v, error %q", got.Spec, got.Error)
	}
	if v := fieldText(got.Truth, "count of work"); v != "7" {
		t.Errorf("the truth has count %s", v)
	}
}

// TestSourcesNameEveryField holds the sources against the table of fields.
func TestSourcesNameEveryField(t *testing.T) {
	untold := []string{"imported", "azureCredentialSecret", "baseUrl", "authBaseUrl", "dockerBridgeCidr"}
	want := map[string]bool{}
	for _, f := range schema.For(hosted.AKS).Root.Fields {
		switch {
		case slices.Contains(untold, f.Name):
		case f.Name == "nodePools":
			for _, m := range f.Elem.Fields {
				want["nodePools[]."+m.Name] = true
			}
		default:
			want[f.Name] = true
		}
	}
	got := mustRead(t, newRig(t), request(t)).Sources
	for f := range want {
		if !strings.HasPrefix(got[f], "ManagedClusters.Get: ") {
			t.Errorf("%s: source %q", f, got[f])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d sources for %d fields", len(got), len(want))
	}
}

func TestTruthHasOnlyFieldsOfTheConfig(t *testing.T) {
	got := mustRead(t, newRig(t), request(t))
	table := schema.For(hosted.AKS)
	for f := range got.Truth {
		if _, ok := table.Unit(f); !ok {
			t.Errorf("a Config has no %s", f)
		}
	}
	for _, p := range hosted.List(got.Truth["nodePools"]) {
		for m := range hosted.Map(p) {
			if _, ok := table.Lookup(hosted.Path{}.Key("nodePools").Item("x").Key(m)); !ok {
				t.Errorf("a pool has no %s", m)
			}
		}
	}
	if got.At != clock || got.Origin != "AKS eastus, Rancher's credential cattle-global-data/cc-demo" {
		t.Errorf("read at %v from %q", got.At, got.Origin)
	}
}
