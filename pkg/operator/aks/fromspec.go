package aks

import (
	"errors"
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// FromSpec builds the quiet cloud whose reading is spec, which has the form of
// an UpstreamSpec. The Config lends the names that a spec may lack, status the
// rbacEnabled that no spec has. Nothing is in progress in it.
//
// A spec says nothing of what the operator never reads: subscriptions in
// resource ids, further addon settings, identities beside the first. Requests
// that write the cluster back lack those. A spec without kubernetesVersion is
// no reading of a cluster, which is an error, and so is a wrong type.
func FromSpec(spec, config, status map[string]any) (Cloud, error) {
	s, err := decodeSpec(spec)
	if err != nil {
		return Cloud{}, fmt.Errorf("cannot read the spec: %w", err)
	}
	if s.version == nil {
		return Cloud{}, errors.New("the spec has no kubernetesVersion, so it cannot be what Rancher read of a cluster")
	}
	properties := map[string]any{"provisioningState": stateSucceeded, "kubernetesVersion": *s.version}
	set(properties, "dnsPrefix", s.dnsPrefix)
	if rbac, ok := status["rbacEnabled"].(bool); ok {
		properties["enableRBAC"] = rbac
	}
	if s.pools != nil {
		properties["agentPoolProfiles"] = poolProfiles(s.pools)
	}
	setUnlessEmpty(properties, "networkProfile", networkProfile(s))
	setUnlessEmpty(properties, "linuxProfile", linuxProfile(s))
	setUnlessEmpty(properties, "addonProfiles", addonProfiles(s))
	setUnlessEmpty(properties, "apiServerAccessProfile", accessProfile(s))
	doc := map[string]any{
		"name":     orElse(hosted.Str(config["clusterName"]), s.clusterName),
		"location": orElse(hosted.Str(config["resourceLocation"]), s.resourceLocation), "properties": properties,
	}
	if s.tags != nil {
		doc["tags"] = jsonTags(s.tags)
	}
	if truth(s.managedIdentity) || s.userIdentity != nil {
		doc["identity"] = identityOf(s)
	}
	return Cloud{doc: doc, Endpoints: endpointsIn(s)}, nil
}

func endpointsIn(s *spec) Endpoints {
	e := EndpointsOf("")
	return Endpoints{Base: orElse(text(s.baseURL), e.Base), Login: orElse(text(s.authBaseURL), e.Login)}
}

func setUnlessEmpty(m map[string]any, key string, v map[string]any) {
	if len(v) > 0 {
		m[key] = v
	}
}

func poolProfiles(pools []pool) []any {
	out := make([]any, len(pools))
	for i := range pools {
		p := &pools[i]
		m := map[string]any{"provisioningState": stateSucceeded, "type": "VirtualMachineScaleSets",
			"vmSize": p.vmSize, "mode": p.mode, "osType": p.osType}
		set(m, "name", p.name)
		setInt(m, "count", p.count)
		setInt(m, "maxPods", p.maxPods)
		setInt(m, "osDiskSizeGB", p.diskGB)
		if p.diskType != "" {
			m["osDiskType"] = p.diskType
		}
		set(m, "orchestratorVersion", p.version)
		set(m, "enableAutoScaling", p.autoscaling)
		setInt(m, "minCount", p.minCount)
		setInt(m, "maxCount", p.maxCount)
		set(m, "vnetSubnetID", p.subnetID)
		if p.zones != nil {
			m["availabilityZones"] = jsonTexts(p.zones)
		}
		if p.taints != nil {
			m["nodeTaints"] = jsonTexts(p.taints)
		}
		setPoolExtras(m, p)
		out[i] = m
	}
	return out
}

func networkProfile(s *spec) map[string]any {
	m := map[string]any{}
	set(m, "networkPolicy", s.networkPolicy)
	set(m, "dnsServiceIP", s.dnsServiceIP)
	set(m, "serviceCidr", s.serviceCIDR)
	set(m, "podCidr", s.podCIDR)
	set(m, "outboundType", s.outboundType)
	set(m, "loadBalancerSku", s.loadBalancer)
	if s.networkPlugin != nil || len(m) > 0 {
		m["networkPlugin"] = text(s.networkPlugin)
	}
	return m
}

func linuxProfile(s *spec) map[string]any {
	if s.adminUser == nil && s.sshKey == nil {
		return nil
	}
	key := map[string]any{}
	set(key, "keyData", s.sshKey)
	m := map[string]any{"ssh": map[string]any{"publicKeys": []any{key}}}
	set(m, "adminUsername", s.adminUser)
	return m
}

func addonProfiles(s *spec) map[string]any {
	m := map[string]any{}
	if s.httpRouting != nil {
		m[routingAddon] = map[string]any{"enabled": *s.httpRouting}
	}
	if s.monitoring == nil {
		return m
	}
	agent := map[string]any{"enabled": *s.monitoring}
	if *s.monitoring && text(s.workspaceGroup) != "" && text(s.workspaceName) != "" {
		id := workspaceResource(Credential{}.subscription(), *s.workspaceGroup, *s.workspaceName)
		agent["config"] = map[string]any{workspaceKey: id}
	}
	m[monitoringAddon] = agent
	return m
}

func accessProfile(s *spec) map[string]any {
	m := map[string]any{}
	set(m, "enablePrivateCluster", s.private)
	set(m, "privateDNSZone", s.privateDNSZone)
	if s.ranges != nil {
		m["authorizedIPRanges"] = jsonTexts(s.ranges)
	}
	return m
}

func identityOf(s *spec) map[string]any {
	m := map[string]any{"type": "SystemAssigned"}
	if s.userIdentity != nil {
		m["type"] = "UserAssigned"
		m["userAssignedIdentities"] = map[string]any{*s.userIdentity: map[string]any{}}
	}
	return m
}
