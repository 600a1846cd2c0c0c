package aks

import (
	"regexp"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// poolsOf are the agent pools of a document.
func poolsOf(doc map[string]any) []map[string]any {
	var out []map[string]any
	for _, p := range hosted.List(hosted.Map(doc["properties"])["agentPoolProfiles"]) {
		if m := hosted.Map(p); m != nil {
			out = append(out, m)
		}
	}
	return out
}

func (t *truth) pools() {
	pools := []any{}
	for _, m := range poolsOf(t.doc) {
		pools = append(pools, truthOfPool(m, configPool(t.config, hosted.Str(m["name"]))))
	}
	t.put("nodePools", pools)
}

// configPool is the pool of that name in the Config, nil if it has none.
func configPool(config map[string]any, name string) map[string]any {
	for _, p := range hosted.List(config["nodePools"]) {
		if m := hosted.Map(p); m["name"] == name {
			return m
		}
	}
	return nil
}

func truthOfPool(m, config map[string]any) map[string]any {
	t := truth{config: config, out: map[string]any{}}
	for _, member := range []string{"name", "count", "maxPods", "osDiskSizeGB", "orchestratorVersion", "minCount", "maxCount"} {
		t.put(member, m[member])
	}
	for _, member := range []string{"vmSize", "osDiskType", "mode", "osType", "vnetSubnetID"} {
		t.text(member, m[member])
	}
	t.put("enableAutoScaling", m["enableAutoScaling"] == true)
	t.put("availabilityZones", texts(m["availabilityZones"]))
	t.put("nodeTaints", texts(m["nodeTaints"]))
	t.put("maxSurge", hosted.Map(m["upgradeSettings"])["maxSurge"])
	labels := map[string]any{}
	for k, v := range hosted.Map(m["nodeLabels"]) {
		labels[k] = v
	}
	t.put("nodeLabels", labels)
	return t.out
}

var subnetIn = regexp.MustCompile(`(?i)/resourcegroups/([^/]+)/providers/Microsoft\.Network/virtualNetworks/([^/]+)/subnets/([^/]+)$`)

// subnet derives the network that the Config names once for all pools. Where the
// pools lie in different ones, there is no one answer and the part is left out.
func (t *truth) subnet() {
	fields := []string{"virtualNetworkResourceGroup", "virtualNetwork", "subnet"}
	common := map[string]string{}
	apart := map[string]bool{}
	for _, p := range poolsOf(t.doc) {
		m := subnetIn.FindStringSubmatch(hosted.Str(p["vnetSubnetID"]))
		if m == nil {
			continue
		}
		for i, f := range fields {
			if have, ok := common[f]; ok && !strings.EqualFold(have, m[i+1]) {
				apart[f] = true
			}
			common[f] = m[i+1]
		}
	}
	for _, f := range fields {
		if apart[f] {
			return // what lies below one of several is not one either
		}
		if v, ok := common[f]; ok {
			t.text(f, v)
		}
	}
}
