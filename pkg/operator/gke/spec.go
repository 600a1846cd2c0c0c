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
	m := schema.Members(t)
	s := &spec{
		region: m.Text("region"), zone: m.Text("zone"), imported: m.Flag("imported"), description: m.Text("description"),
		labels: m.TextMap("labels"), alpha: m.FlagPtr("enableKubernetesAlpha"), clusterCIDR: m.TextPtr("clusterIpv4Cidr"),
		project: m.Text("projectID"), credential: m.Text("googleCredentialSecret"), clusterName: m.Text("clusterName"),
		version: m.TextPtr("kubernetesVersion"), logging: m.TextPtr("loggingService"), monitoring: m.TextPtr("monitoringService"),
		network: m.TextPtr("network"), subnetwork: m.TextPtr("subnetwork"), networkPolicy: m.FlagPtr("networkPolicyEnabled"),
		locations: m.Texts("locations"), window: m.TextPtr("maintenanceWindow"), pools: decodePools(m["nodePools"]),
	}
	if a := m.Object("clusterAddons"); a != nil {
		s.addons = &addons{a.Flag("httpLoadBalancing"), a.Flag("horizontalPodAutoscaling"), a.Flag("networkPolicyConfig")}
	}
	if p := m.Object("privateClusterConfig"); p != nil {
		s.private = &privateConfig{p.Flag("enablePrivateEndpoint"), p.Flag("enablePrivateNodes"), p.Text("masterIpv4CidrBlock")}
	}
	if p := m.Object("ipAllocationPolicy"); p != nil {
		s.ipAllocation = &ipAllocation{p.Text("clusterIpv4CidrBlock"), p.Text("clusterSecondaryRangeName"), p.Flag("createSubnetwork"),
			p.Text("nodeIpv4CidrBlock"), p.Text("servicesIpv4CidrBlock"), p.Text("servicesSecondaryRangeName"),
			p.Text("subnetworkName"), p.Flag("useIpAliases")}
	}
	if a := m.Object("masterAuthorizedNetworks"); a != nil {
		s.authorized = &authorizedNetworks{Enabled: a.Flag("enabled"), CidrBlocks: decodeBlocks(a["cidrBlocks"])}
	}
	if a := m.Object("autopilotConfig"); a != nil {
		s.autopilot = &switchedOn{a.Flag("enabled")}
	}
	if k := m.Object("customerManagedEncryptionKey"); k != nil {
		s.bootKey = &bootKey{key: k.Text("keyName"), ring: k.Text("ringName")}
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
		m := schema.MembersOf(e)
		p := pool{name: m.TextPtr("name"), version: m.TextPtr("version"), count: m.NumberPtr("initialNodeCount"),
			maxPods: m.NumberPtr("maxPodsConstraint"), config: decodeNodeConfig(m.Object("config"))}
		if a := m.Object("autoscaling"); a != nil {
			p.autoscaling = &autoscaling{a.Flag("enabled"), a.Number("maxNodeCount"), a.Number("minNodeCount")}
		}
		if g := m.Object("management"); g != nil {
			p.management = &management{g.Flag("autoRepair"), g.Flag("autoUpgrade")}
		}
		out[i] = p
	}
	return out
}

func decodeNodeConfig(m schema.Members) *nodeConfig {
	if m == nil {
		return nil
	}
	c := &nodeConfig{
		BootDiskKmsKey: m.Text("bootDiskKmsKey"), DiskSizeGb: m.Number("diskSizeGb"), DiskType: m.Text("diskType"),
		ImageType: m.Text("imageType"), Labels: m.TextMap("labels"), LocalSsdCount: m.Number("localSsdCount"),
		MachineType: m.Text("machineType"), OauthScopes: m.Texts("oauthScopes"), Preemptible: m.Flag("preemptible"),
		Tags: m.Texts("tags"), ServiceAccount: m.Text("serviceAccount"),
	}
	if len(c.Labels) == 0 {
		c.Labels = nil
	}
	for _, e := range hosted.List(m["taints"]) {
		t := schema.MembersOf(e)
		c.Taints = append(c.Taints, &nodeTaint{t.Text("effect"), t.Text("key"), t.Text("value")})
	}
	return c
}

// decodeBlocks keeps null blocks, which crash the operator when it sends them.
func decodeBlocks(v any) []*cidrBlock {
	var out []*cidrBlock
	for _, e := range hosted.List(v) {
		b := schema.MembersOf(e)
		if b == nil {
			out = append(out, nil)
			continue
		}
		out = append(out, &cidrBlock{b.Text("cidrBlock"), b.Text("displayName")})
	}
	return out
}

// encode writes a spec the way Kubernetes' typed-to-unstructured conversion
// does.
func (s *spec) encode() map[string]any {
	t := schema.Typed{
		"region": s.region, "zone": s.zone, "imported": s.imported, "description": s.description, "labels": schema.MapOf(s.labels),
		"enableKubernetesAlpha": schema.OrNull(s.alpha), "clusterIpv4Cidr": schema.OrNull(s.clusterCIDR), "projectID": s.project,
		"googleCredentialSecret": s.credential, "clusterName": s.clusterName, "kubernetesVersion": schema.OrNull(s.version),
		"loggingService": schema.OrNull(s.logging), "monitoringService": schema.OrNull(s.monitoring), "network": schema.OrNull(s.network),
		"subnetwork": schema.OrNull(s.subnetwork), "networkPolicyEnabled": schema.OrNull(s.networkPolicy), "locations": schema.ListOf(s.locations),
		"maintenanceWindow": schema.OrNull(s.window),
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
		m := map[string]any{"name": schema.OrNull(p.name), "version": schema.OrNull(p.version),
			"initialNodeCount": schema.OrNull(p.count), "maxPodsConstraint": schema.OrNull(p.maxPods)}
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
		"labels": schema.MapOf(c.Labels), "localSsdCount": c.LocalSsdCount, "machineType": c.MachineType,
		"oauthScopes": schema.ListOf(c.OauthScopes), "preemptible": c.Preemptible, "tags": schema.ListOf(c.Tags), "taints": taints,
		"serviceAccount": c.ServiceAccount,
	}
}
