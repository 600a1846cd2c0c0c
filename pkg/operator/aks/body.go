package aks

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// The values that the operator knows, in Azure's spelling.
const (
	pluginAzure, pluginKubenet = "azure", "kubenet"
	policyAzure, policyCalico  = "azure", "calico"

	outboundLoadBalancer = "loadBalancer"
	outboundRouting      = "userDefinedRouting"
	outboundManagedNAT   = "managedNATGateway"
	outboundAssignedNAT  = "userAssignedNATGateway"

	skuStandard, skuBasic = "standard", "basic"
	modeSystem            = "System"
)

// nodeGroupNameMax is how much the operator keeps of a default node resource
// group's name.
const nodeGroupNameMax = 80

// set stores an optional value; nil is left out of a request.
func set[T any](m map[string]any, key string, v *T) {
	if v != nil {
		m[key] = any(*v)
	}
}

func setInt(m map[string]any, key string, v *int32) {
	if v != nil {
		m[key] = int64(*v)
	}
}

// desiredCluster is the ManagedCluster that the operator makes of a spec
// (rancher/aks-operator, pkg/aks/create.go, createManagedCluster). It may
// create a workspace on the way.
func (r *run) desiredCluster(s *spec, cause operator.Call) (map[string]any, error) {
	properties := map[string]any{"nodeResourceGroup": nodeGroupName(s)}
	set(properties, "kubernetesVersion", s.version)
	network, err := desiredNetwork(s)
	if err != nil {
		return nil, err
	}
	properties["networkProfile"] = network
	if properties["agentPoolProfiles"], err = r.desiredPools(s); err != nil {
		return nil, err
	}
	if s.adminUser != nil && s.sshKey != nil {
		properties["linuxProfile"] = map[string]any{"adminUsername": *s.adminUser,
			"ssh": map[string]any{"publicKeys": []any{map[string]any{"keyData": *s.sshKey}}}}
	}
	if properties["addonProfiles"], err = r.desiredAddons(s, cause); err != nil {
		return nil, err
	}
	if r.status.phase != operator.PhaseUpdating && r.status.phase != operator.PhaseActive {
		properties["servicePrincipalProfile"] = map[string]any{"clientId": r.credential.clientID(), "secret": r.credential.clientSecret()}
	}
	if text(s.dnsPrefix) != "" {
		properties["dnsPrefix"] = *s.dnsPrefix
	}
	if access := desiredAccess(s); access != nil {
		properties["apiServerAccessProfile"] = access
	}
	tags, _ := jsonTags(s.tags).(map[string]any)
	if tags == nil {
		tags = map[string]any{}
	}
	return map[string]any{"name": s.clusterName, "location": s.resourceLocation, "tags": tags,
		"properties": properties, "identity": desiredIdentity(s)}, nil
}

func nodeGroupName(s *spec) string {
	if name := text(s.nodeResourceGroup); name != "" {
		return name
	}
	name := fmt.Sprintf("MC_%s_%s_%s", s.resourceGroup, s.clusterName, s.resourceLocation)
	return name[:min(len(name), nodeGroupNameMax)]
}

// desiredNetwork fills in kubenet, a load balancer and the standard tier where
// the spec says nothing.
func desiredNetwork(s *spec) (map[string]any, error) {
	m := map[string]any{}
	switch outbound := strings.ToLower(text(s.outboundType)); outbound {
	case "":
		m["outboundType"] = outboundLoadBalancer
	default:
		for _, known := range []string{outboundLoadBalancer, outboundRouting, outboundManagedNAT} {
			if outbound == strings.ToLower(known) {
				m["outboundType"] = known
			}
		}
	}
	switch policy := strings.ToLower(text(s.networkPolicy)); policy {
	case "":
	case policyAzure, policyCalico:
		m["networkPolicy"] = policy
	default:
		return nil, fmt.Errorf("networkPolicy '%s' is not supported", text(s.networkPolicy))
	}
	switch plugin := strings.ToLower(text(s.networkPlugin)); plugin {
	case "":
		m["networkPlugin"] = pluginKubenet
	case pluginAzure, pluginKubenet:
		m["networkPlugin"] = plugin
	default:
		return nil, fmt.Errorf("networkPlugin '%s' is not supported", text(s.networkPlugin))
	}
	if m["networkPlugin"] == pluginKubenet && text(s.networkPolicy) == policyAzure {
		return nil, errors.New("network plugin Kubenet is not compatible with network policy Azure")
	}
	switch {
	case strings.EqualFold(text(s.outboundType), outboundRouting):
	case strings.EqualFold(text(s.loadBalancer), skuBasic):
		m["loadBalancerSku"] = skuBasic
	default:
		m["loadBalancerSku"] = skuStandard
	}
	if exactPlugin(s) {
		set(m, "dnsServiceIP", s.dnsServiceIP)
		set(m, "serviceCidr", s.serviceCIDR)
		set(m, "podCidr", s.podCIDR)
	}
	return m, nil
}

// exactPlugin tells whether the plugin is spelled as Azure spells it, without
// which addresses and the network's resource group are ignored.
func exactPlugin(s *spec) bool {
	return text(s.networkPlugin) == pluginAzure || text(s.networkPlugin) == pluginKubenet
}

func (r *run) desiredPools(s *spec) ([]any, error) {
	out := make([]any, 0, len(s.pools))
	for i := range s.pools {
		p := &s.pools[i]
		if err := zonesError(p.zones, s.resourceLocation); err != nil {
			return nil, err
		}
		m := map[string]any{"osDiskType": p.diskType, "osType": p.osType, "vmSize": p.vmSize, "mode": p.mode,
			"nodeTaints": listOrEmpty(p.taints)}
		set(m, "name", p.name)
		setInt(m, "count", p.count)
		setInt(m, "maxPods", p.maxPods)
		setInt(m, "osDiskSizeGB", p.diskGB)
		set(m, "orchestratorVersion", s.version)
		if text(p.version) != "" {
			m["orchestratorVersion"] = *p.version
		}
		setPoolExtras(m, p)
		if p.zones != nil {
			m["availabilityZones"] = jsonTexts(p.zones)
		}
		if truth(p.autoscaling) {
			m["enableAutoScaling"] = true
			setInt(m, "maxCount", p.maxCount)
			setInt(m, "minCount", p.minCount)
		}
		if s.vnet != nil && s.subnet != nil {
			m["vnetSubnetID"] = r.subnetID(s)
		}
		out = append(out, m)
	}
	return out, nil
}

// setPoolExtras sets what a pool has in both kinds of request.
func setPoolExtras(m map[string]any, p *pool) {
	if p.labels != nil {
		m["nodeLabels"] = jsonTextMap(p.labels)
	}
	if p.maxSurge != nil {
		m["upgradeSettings"] = map[string]any{"maxSurge": *p.maxSurge}
	}
}

func (r *run) subnetID(s *spec) string {
	group := s.resourceGroup
	if exactPlugin(s) && text(s.vnetGroup) != "" {
		group = *s.vnetGroup
	}
	return fmt.Sprintf("/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Network/virtualNetworks/%s/subnets/%s",
		r.azure.subscription, group, *s.vnet, *s.subnet)
}

func listOrEmpty(l *[]string) any {
	if l == nil {
		return []any{}
	}
	return jsonTexts(l)
}

func (r *run) desiredAddons(s *spec, cause operator.Call) (map[string]any, error) {
	addons := map[string]any{}
	if !strings.HasPrefix(s.resourceLocation, "china") {
		routing := map[string]any{}
		set(routing, "enabled", s.httpRouting)
		addons[routingAddon] = routing
	}
	if s.monitoring == nil {
		return addons, nil
	}
	agent := map[string]any{"enabled": *s.monitoring}
	addons[monitoringAddon] = agent
	if !*s.monitoring {
		return addons, nil
	}
	w, err := workspaceFor(s)
	if err != nil {
		return nil, err
	}
	id, err := r.azure.workspaceID(w, cause)
	if err != nil {
		return nil, err
	}
	agent["config"] = map[string]any{workspaceKey: id}
	return addons, nil
}

func desiredAccess(s *spec) map[string]any {
	if s.ranges == nil && !truth(s.private) {
		return nil
	}
	m := map[string]any{}
	if s.ranges != nil {
		m["authorizedIPRanges"] = jsonTexts(s.ranges)
	}
	if truth(s.private) {
		m["enablePrivateCluster"] = true
		set(m, "privateDNSZone", s.privateDNSZone)
	}
	return m
}

func desiredIdentity(s *spec) map[string]any {
	if truth(s.managedIdentity) && s.userIdentity != nil {
		return map[string]any{"type": "UserAssigned", "userAssignedIdentities": map[string]any{*s.userIdentity: map[string]any{}}}
	}
	return map[string]any{"type": "SystemAssigned"}
}

// merged is the cluster as the operator writes it back: the one that is there
// with the desired one's settings laid over it (rancher/aks-operator,
// pkg/aks/update.go, updateCluster). Identity, name, location, DNS prefix and
// private access stay; existing pools stay as they are.
func merged(desired, actual map[string]any) map[string]any {
	want := hosted.Map(desired["properties"])
	have := maps.Clone(hosted.Map(actual["properties"]))
	if v, ok := want["kubernetesVersion"]; ok {
		have["kubernetesVersion"] = v
	}
	have["agentPoolProfiles"] = mergedPools(hosted.List(want["agentPoolProfiles"]), hosted.List(have["agentPoolProfiles"]))
	have["addonProfiles"] = overlaid(have["addonProfiles"], want["addonProfiles"])
	have["apiServerAccessProfile"] = mergedAccess(hosted.Map(want["apiServerAccessProfile"]), have["apiServerAccessProfile"])
	for _, whole := range []string{"linuxProfile", "servicePrincipalProfile"} {
		if v, ok := want[whole]; ok {
			have[whole] = v
		}
	}
	have["networkProfile"] = overlaid(have["networkProfile"], want["networkProfile"])
	out := with(actual, "properties", have)
	out["tags"] = desired["tags"]
	return out
}

// overlaid copies a map and replaces the members that over has.
func overlaid(base, over any) map[string]any {
	out := maps.Clone(hosted.Map(base))
	if out == nil {
		out = map[string]any{}
	}
	maps.Copy(out, hosted.Map(over))
	return out
}

func mergedPools(want, have []any) []any {
	out := append(make([]any, 0, len(have)), have...)
	there := make(map[string]bool, len(have))
	for _, p := range have {
		there[hosted.Str(hosted.Map(p)["name"])] = true
	}
	for _, p := range want {
		name := hosted.Str(hosted.Map(p)["name"])
		if !there[name] {
			out = append(out, p)
		}
		there[name] = true
	}
	return out
}

// mergedAccess takes the desired IP ranges. Without any it empties those that
// are there: null in the Config does not mean "leave alone".
func mergedAccess(want map[string]any, have any) map[string]any {
	m, ok := have.(map[string]any)
	if !ok {
		m = map[string]any{"authorizedIPRanges": []any{}}
	}
	if v, ok := want["authorizedIPRanges"]; ok {
		return with(m, "authorizedIPRanges", v)
	}
	if _, ok := m["authorizedIPRanges"]; ok {
		return with(m, "authorizedIPRanges", []any{})
	}
	return m
}

// poolBody is the body of an agent pool request (pkg/aks/create.go,
// CreateOrUpdateAgentPool). Taints and zones that the pool leaves null go out
// as empty lists.
func poolBody(p *pool) map[string]any {
	m := map[string]any{
		"osDiskType": p.diskType, "osType": p.osType, "vmSize": p.vmSize, "mode": p.mode,
		"type": "VirtualMachineScaleSets", "availabilityZones": listOrEmpty(p.zones), "nodeTaints": listOrEmpty(p.taints),
	}
	setInt(m, "count", p.count)
	setInt(m, "maxPods", p.maxPods)
	setInt(m, "osDiskSizeGB", p.diskGB)
	set(m, "orchestratorVersion", p.version)
	set(m, "enableAutoScaling", p.autoscaling)
	setInt(m, "minCount", p.minCount)
	setInt(m, "maxCount", p.maxCount)
	set(m, "vnetSubnetID", p.subnetID)
	setPoolExtras(m, p)
	return m
}
