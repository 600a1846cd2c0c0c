package aks

import (
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

func ptr[T any](v T) *T { return &v }

// TestDesiredNetwork pins the defaults and the spellings of the network part.
func TestDesiredNetwork(t *testing.T) {
	for _, c := range []struct {
		name, want string
		spec       spec
	}{
		{"nothing said", `{"loadBalancerSku":"standard","networkPlugin":"kubenet","outboundType":"loadBalancer"}`, spec{dnsServiceIP: ptr("192.0.2.10")}},
		{"routing leaves the tier alone", `{"networkPlugin":"azure","outboundType":"userDefinedRouting"}`,
			spec{networkPlugin: ptr("azure"), outboundType: ptr("UserDefinedRouting"), loadBalancer: ptr("Basic")}},
		{"assigned NAT is not sent", `{"loadBalancerSku":"basic","networkPlugin":"kubenet"}`,
			spec{outboundType: ptr("userAssignedNATGateway"), loadBalancer: ptr("BASIC")}},
		{"addresses need the exact plugin", `{"loadBalancerSku":"standard","networkPlugin":"azure","outboundType":"loadBalancer"}`,
			spec{networkPlugin: ptr("Azure"), serviceCIDR: ptr("192.0.2.0/24")}},
		{"policy in any case", `{"loadBalancerSku":"standard","networkPlugin":"azure","networkPolicy":"calico","outboundType":"managedNATGateway","podCidr":"192.0.2.0/24"}`,
			spec{networkPlugin: ptr("azure"), networkPolicy: ptr("Calico"), outboundType: ptr("managednatgateway"), podCIDR: ptr("192.0.2.0/24")}},
		{"kubenet and azure policy", "network plugin Kubenet is not compatible with network policy Azure", spec{networkPolicy: ptr("azure")}},
		{"policy unknown", "networkPolicy 'Cilium' is not supported", spec{networkPolicy: ptr("Cilium")}},
		{"plugin unknown", "networkPlugin 'none' is not supported", spec{networkPlugin: ptr("none")}},
	} {
		m, err := desiredNetwork(&c.spec)
		got := hosted.Canonical(m)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestDesiredPools pins the subnet, the version and the autoscaler of a new
// cluster's pools.
func TestDesiredPools(t *testing.T) {
	r, err := newRun(Input{Name: fixtureName})
	if err != nil {
		t.Fatal(err)
	}
	s := spec{resourceGroup: "rg-demo", resourceLocation: "eastus", version: ptr("1.33.2"), vnet: ptr("net-a"), subnet: ptr("sub-a"),
		networkPlugin: ptr("azure"), vnetGroup: ptr("rg-net"),
		pools: []pool{{name: ptr("a"), zones: &[]string{"1"}, version: ptr(""), minCount: ptr(int32(1)), maxCount: ptr(int32(3)), autoscaling: ptr(true)},
			{name: ptr("b"), version: ptr("1.32.1"), minCount: ptr(int32(1)), autoscaling: ptr(false)}}}
	list, err := r.desiredPools(&s)
	if err != nil {
		t.Fatal(err)
	}
	a, b := hosted.Map(list[0]), hosted.Map(list[1])
	subnet := hosted.Str(a["vnetSubnetID"])
	if !strings.HasSuffix(subnet, "/resourceGroups/rg-net/providers/Microsoft.Network/virtualNetworks/net-a/subnets/sub-a") {
		t.Errorf("subnet %q", subnet)
	}
	if a["orchestratorVersion"] != "1.33.2" || b["orchestratorVersion"] != "1.32.1" || a["maxCount"] != int64(3) {
		t.Errorf("pools %s", hosted.Canonical(list))
	}
	for _, absent := range []string{"minCount", "enableAutoScaling", "availabilityZones"} {
		if _, ok := b[absent]; ok {
			t.Errorf("a pool without autoscaling sends %s", absent)
		}
	}
	s.networkPlugin = ptr("Azure")
	if list, err = r.desiredPools(&s); err != nil || !strings.Contains(hosted.Canonical(list), "/resourceGroups/rg-demo/") {
		t.Errorf("the network's group counts although the plugin is misspelled: %s, %v", hosted.Canonical(list), err)
	}
	s.resourceLocation = "westus"
	if _, err = r.desiredPools(&s); err == nil {
		t.Error("zones in a region without them are accepted")
	}
}

// TestDesiredAddons: no HTTP application routing in China, null is not sent.
func TestDesiredAddons(t *testing.T) {
	r, err := newRun(Input{Name: fixtureName})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spec spec
		want string
	}{
		{spec{resourceLocation: "chinaeast2", httpRouting: ptr(true)}, `{}`},
		{spec{resourceLocation: "eastus"}, `{"httpApplicationRouting":{}}`},
		{spec{resourceLocation: "eastus", httpRouting: ptr(false), monitoring: ptr(false), workspaceName: ptr("ws")},
			`{"httpApplicationRouting":{"enabled":false},"omsAgent":{"enabled":false}}`},
	} {
		m, err := r.desiredAddons(&c.spec, operator.Call{})
		if got := hosted.Canonical(m); err != nil || got != c.want {
			t.Errorf("%s, %v, want %s", got, err, c.want)
		}
	}
}

// TestAlternativesByOrder: two changed pools, two outcomes; the first by name
// is Reconcile's.
func TestAlternativesByOrder(t *testing.T) {
	list := pools("workers", map[string]any{"count": int64(5)})
	hosted.Map(list[0])["count"] = int64(4)
	in := Input{Name: fixtureName, Config: edited(map[string]any{"nodePools": list}), Cloud: quiet(t), Status: map[string]any{"phase": "updating"}}
	all := Alternatives(in)
	if len(all) != 2 || all[0].Calls[0].Object != "nodePools[syspool]" || all[1].Calls[0].Object != "nodePools[workers]" {
		t.Fatalf("alternatives %+v", all)
	}
	if first := Reconcile(in); !sameOutcome(first, all[0]) {
		t.Errorf("first is %+v", first)
	}
	in.Status = map[string]any{"phase": "active"}
	if all = Alternatives(in); len(all) != 1 || len(all[0].Calls) != 0 {
		t.Errorf("from active: %+v", all)
	}
}

// TestTaintsNilAndEmpty: an empty list is no reason to push against a pool
// without taints, but against one that has some.
func TestTaintsNilAndEmpty(t *testing.T) {
	r, err := newRun(Input{Name: fixtureName})
	if err != nil {
		t.Fatal(err)
	}
	some, none := &[]string{"a=b:NoSchedule"}, &[]string{}
	for _, c := range []struct {
		want, have *[]string
		push       bool
	}{
		{none, nil, false}, {none, none, false}, {none, some, true}, {nil, some, false}, {some, nil, true}, {some, some, false},
	} {
		leaves, err := r.poolDifferences(&pool{taints: c.want}, &pool{taints: c.have})
		if err != nil || (len(leaves) == 1) != c.push {
			t.Errorf("want %s, have %s: %q, %v", hosted.Canonical(jsonTexts(c.want)), hosted.Canonical(jsonTexts(c.have)), leaves, err)
		}
	}
}
