package gke

import (
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// spec is GKEClusterConfigSpec (rancher/gke-operator,
// pkg/apis/gke.cattle.io/v1). Nil means "not managed" in a Config. The parts
// that Google's own types spell alike are those types.
type spec struct {
	region, zone, description        string
	project, credential, clusterName string
	imported                         bool
	labels                           map[string]string
	alpha                            *bool
	addons                           *addons
	clusterCIDR                      *string
	version, logging, monitoring     *string
	pools                            []pool
	network, subnetwork              *string
	networkPolicy                    *bool
	private                          *privateConfig
	ipAllocation                     *ipAllocation
	authorized                       *authorizedNetworks
	locations                        []string
	window                           *string
	autopilot                        *switchedOn
	bootKey                          *bootKey
}

type addons struct{ loadBalancing, podAutoscaling, networkPolicy bool }

// bootKey is the key that encrypts the boot disks of new node pools.
type bootKey struct{ key, ring string }

// pool is GKENodePoolConfig.
type pool struct {
	name, version *string
	count         *int64
	maxPods       *int64
	config        *nodeConfig
	autoscaling   *autoscaling
	management    *management
}

// decodeSpec reads a Config as the operator sees it: Rancher writes the decoded
// Config to the custom resource through a form that drops empty omitempty
// members, so that a pool's labels {} arrive as null. Unknown members are
// ignored, a wrong type is an error.
func decodeSpec(raw map[string]any) (*spec, error) {
	t, err := schema.For(hosted.GKE).Decode(raw)
	if err != nil {
		return nil, err
	}
	m := members(t)
	s := &spec{
		region: m.text("region"), zone: m.text("zone"), imported: m.flag("imported"), description: m.text("description"),
		labels: m.texts("labels"), alpha: m.flagPtr("enableKubernetesAlpha"), clusterCIDR: m.textPtr("clusterIpv4Cidr"),
		project: m.text("projectID"), credential: m.text("googleCredentialSecret"), clusterName: m.text("clusterName"),
		version: m.textPtr("kubernetesVersion"), logging: m.textPtr("loggingService"), monitoring: m.textPtr("monitoringService"),
		network: m.textPtr("network"), subnetwork: m.textPtr("subnetwork"), networkPolicy: m.flagPtr("networkPolicyEnabled"),
		locations: m.list("locations"), window: m.textPtr("maintenanceWindow"), pools: decodePools(m["nodePools"]),
	}
	if a := m.object("clusterAddons"); a != nil {
		s.addons = &addons{a.flag("httpLoadBalancing"), a.flag("horizontalPodAutoscaling"), a.flag("networkPolicyConfig")}
	}
	if p := m.object("privateClusterConfig"); p != nil {
		s.private = &privateConfig{p.flag("enablePrivateEndpoint"), p.flag("enablePrivateNodes"), p.text("masterIpv4CidrBlock")}
	}
	if p := m.object("ipAllocationPolicy"); p != nil {
		s.ipAllocation = &ipAllocation{p.text("clusterIpv4CidrBlock"), p.text("clusterSecondaryRangeName"), p.flag("createSubnetwork"),
			p.text("nodeIpv4CidrBlock"), p.text("servicesIpv4CidrBlock"), p.text("servicesSecondaryRangeName"),
			p.text("subnetworkName"), p.flag("useIpAliases")}
	}
	if a := m.object("masterAuthorizedNetworks"); a != nil {
		s.authorized = &authorizedNetworks{Enabled: a.flag("enabled"), CidrBlocks: decodeBlocks(a["cidrBlocks"])}
	}
	if a := m.object("autopilotConfig"); a != nil {
		s.autopilot = &switchedOn{a.flag("enabled")}
	}
	if k := m.object("customerManagedEncryptionKey"); k != nil {
		s.bootKey = &bootKey{key: k.text("keyName"), ring: k.text("ringName")}
	}
	return s, nil
}

func decodePools(v any) []pool {
	l := hosted.List(v)
	if l == nil {
		return nil
	}
	out := make([]pool, len(l))
	for i, e := range l {
		m := members(hosted.Map(e))
		p := pool{name: m.textPtr("name"), version: m.textPtr("version"), count: m.numberPtr("initialNodeCount"),
			maxPods: m.numberPtr("maxPodsConstraint"), config: decodeNodeConfig(m.object("config"))}
		if a := m.object("autoscaling"); a != nil {
			p.autoscaling = &autoscaling{a.flag("enabled"), a.number("maxNodeCount"), a.number("minNodeCount")}
		}
		if g := m.object("management"); g != nil {
			p.management = &management{g.flag("autoRepair"), g.flag("autoUpgrade")}
		}
		out[i] = p
	}
	return out
}

func decodeNodeConfig(m members) *nodeConfig {
	if m == nil {
		return nil
	}
	c := &nodeConfig{
		BootDiskKmsKey: m.text("bootDiskKmsKey"), DiskSizeGb: m.number("diskSizeGb"), DiskType: m.text("diskType"),
		ImageType: m.text("imageType"), Labels: m.texts("labels"), LocalSsdCount: m.number("localSsdCount"),
		MachineType: m.text("machineType"), OauthScopes: m.list("oauthScopes"), Preemptible: m.flag("preemptible"),
		Tags: m.list("tags"), ServiceAccount: m.text("serviceAccount"),
	}
	if len(c.Labels) == 0 {
		c.Labels = nil
	}
	for _, e := range hosted.List(m["taints"]) {
		t := members(hosted.Map(e))
		c.Taints = append(c.Taints, &nodeTaint{t.text("effect"), t.text("key"), t.text("value")})
	}
	return c
}

// decodeBlocks keeps null blocks, which crash the operator when it sends them.
func decodeBlocks(v any) []*cidrBlock {
	var out []*cidrBlock
	for _, e := range hosted.List(v) {
		b := members(hosted.Map(e))
		if b == nil {
			out = append(out, nil)
			continue
		}
		out = append(out, &cidrBlock{b.text("cidrBlock"), b.text("displayName")})
	}
	return out
}

// encode writes a spec the way Kubernetes' typed-to-unstructured conversion
// does.
func (s *spec) encode() map[string]any {
	t := schema.Typed{
		"region": s.region, "zone": s.zone, "imported": s.imported, "description": s.description, "labels": jsonTexts(s.labels),
		"enableKubernetesAlpha": orNull(s.alpha), "clusterIpv4Cidr": orNull(s.clusterCIDR), "projectID": s.project,
		"googleCredentialSecret": s.credential, "clusterName": s.clusterName, "kubernetesVersion": orNull(s.version),
		"loggingService": orNull(s.logging), "monitoringService": orNull(s.monitoring), "network": orNull(s.network),
		"subnetwork": orNull(s.subnetwork), "networkPolicyEnabled": orNull(s.networkPolicy), "locations": jsonList(s.locations),
		"maintenanceWindow": orNull(s.window),
	}
	if s.addons != nil {
		t["clusterAddons"] = map[string]any{"httpLoadBalancing": s.addons.loadBalancing,
			"horizontalPodAutoscaling": s.addons.podAutoscaling, "networkPolicyConfig": s.addons.networkPolicy}
	}
	if p := s.private; p != nil {
		t["privateClusterConfig"] = map[string]any{"enablePrivateEndpoint": p.EnablePrivateEndpoint,
			"enablePrivateNodes": p.EnablePrivateNodes, "masterIpv4CidrBlock": p.MasterIpv4CidrBlock}
	}
	if p := s.ipAllocation; p != nil {
		t["ipAllocationPolicy"] = map[string]any{"clusterIpv4CidrBlock": p.ClusterIpv4CidrBlock,
			"clusterSecondaryRangeName": p.ClusterSecondaryRangeName, "createSubnetwork": p.CreateSubnetwork,
			"nodeIpv4CidrBlock": p.NodeIpv4CidrBlock, "servicesIpv4CidrBlock": p.ServicesIpv4CidrBlock,
			"servicesSecondaryRangeName": p.ServicesSecondaryRangeName, "subnetworkName": p.SubnetworkName,
			"useIpAliases": p.UseIPAliases}
	}
	if a := s.authorized; a != nil {
		t["masterAuthorizedNetworks"] = map[string]any{"enabled": a.Enabled, "cidrBlocks": jsonBlocks(a.CidrBlocks)}
	}
	if s.autopilot != nil {
		t["autopilotConfig"] = map[string]any{"enabled": s.autopilot.Enabled}
	}
	if s.bootKey != nil {
		t["customerManagedEncryptionKey"] = map[string]any{"keyName": s.bootKey.key, "ringName": s.bootKey.ring}
	}
	if s.pools != nil {
		t["nodePools"] = jsonPools(s.pools)
	}
	return schema.For(hosted.GKE).Encode(t)
}

func jsonBlocks(blocks []*cidrBlock) any {
	var out []any
	for _, b := range blocks {
		if b == nil {
			out = append(out, nil)
			continue
		}
		out = append(out, map[string]any{"cidrBlock": b.CidrBlock, "displayName": b.DisplayName})
	}
	return out
}

func jsonPools(pools []pool) any {
	out := make([]any, len(pools))
	for i, p := range pools {
		m := map[string]any{"name": orNull(p.name), "version": orNull(p.version),
			"initialNodeCount": orNull(p.count), "maxPodsConstraint": orNull(p.maxPods)}
		if p.config != nil {
			m["config"] = jsonNodeConfig(p.config)
		}
		if a := p.autoscaling; a != nil {
			m["autoscaling"] = map[string]any{"enabled": a.Enabled, "maxNodeCount": a.MaxNodeCount, "minNodeCount": a.MinNodeCount}
		}
		if g := p.management; g != nil {
			m["management"] = map[string]any{"autoRepair": g.AutoRepair, "autoUpgrade": g.AutoUpgrade}
		}
		out[i] = m
	}
	return out
}

func jsonNodeConfig(c *nodeConfig) map[string]any {
	var taints []any
	for _, t := range c.Taints {
		taints = append(taints, map[string]any{"effect": t.Effect, "key": t.Key, "value": t.Value})
	}
	return map[string]any{
		"bootDiskKmsKey": c.BootDiskKmsKey, "diskSizeGb": c.DiskSizeGb, "diskType": c.DiskType, "imageType": c.ImageType,
		"labels": jsonTexts(c.Labels), "localSsdCount": c.LocalSsdCount, "machineType": c.MachineType,
		"oauthScopes": jsonList(c.OauthScopes), "preemptible": c.Preemptible, "tags": jsonList(c.Tags), "taints": taints,
		"serviceAccount": c.ServiceAccount,
	}
}
