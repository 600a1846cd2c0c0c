package ack

import (
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// spec is AliClusterConfigSpec (rancher/ali-operator,
// pkg/apis/ali.cattle.io/v1). The type omits every empty member, so an empty
// value in a Config is the same as none: the field is not managed.
type spec struct {
	clusterName, clusterID, credential, region string
	clusterType, clusterSpec, version          string
	vpc, containerCIDR, serviceCIDR, proxyMode string
	securityGroup, resourceGroup               string
	nodeMask                                   int64
	vswitches, podVswitches, zones             []string
	snat, publicAccess, enterpriseGroup        *bool
	imported                                   bool
	pools                                      []pool
	addons                                     []addon
}

// pool is AliNodePool.
type pool struct {
	id, name, scalingType             string
	desired, least, most              *int64
	autoscaling                       *bool
	autoRenew                         bool
	autoRenewPeriod, period, diskSize int64
	disks                             []disk
	chargeType, keyPair, periodUnit   string
	imageID, imageType, diskCategory  string
	instanceTypes, vswitches          []string
	runtime, runtimeVersion           string
}

type disk struct {
	category, encrypted, snapshotPolicy string
	size                                int64
}

type addon struct{ name, config string }

// decodeSpec reads a Config as the operator sees it. Unknown members are
// ignored, a wrong type is an error.
func decodeSpec(raw map[string]any) (*spec, error) {
	t, err := schema.For(hosted.ACK).Decode(raw)
	if err != nil {
		return nil, err
	}
	m := schema.Members(t)
	return &spec{
		clusterName: m.Text("clusterName"), clusterID: m.Text("clusterId"), credential: m.Text("alibabaCredentialSecret"),
		clusterType: m.Text("clusterType"), clusterSpec: m.Text("clusterSpec"), version: m.Text("kubernetesVersion"),
		region: m.Text("regionId"), vpc: m.Text("vpcId"), containerCIDR: m.Text("containerCidr"), serviceCIDR: m.Text("serviceCidr"),
		nodeMask: m.Number("nodeCidrMask"), vswitches: filled(m.Texts("vswitchIds")), podVswitches: filled(m.Texts("podVswitchIds")),
		snat: m.FlagPtr("snatEntry"), proxyMode: m.Text("proxyMode"), publicAccess: m.FlagPtr("endpointPublicAccess"),
		securityGroup: m.Text("securityGroupId"), resourceGroup: m.Text("resourceGroupId"), zones: filled(m.Texts("zoneIds")),
		enterpriseGroup: m.FlagPtr("isEnterpriseSecurityGroup"), imported: m.Flag("imported"),
		pools: decodePools(m["nodePools"]), addons: decodeAddons(m["addons"]),
	}, nil
}

// filled is nil for an empty list.
func filled(l []string) []string {
	if len(l) == 0 {
		return nil
	}
	return l
}

func decodePools(v any) []pool {
	var out []pool
	for _, e := range hosted.List(v) {
		m := schema.MembersOf(e)
		out = append(out, pool{
			id: m.Text("nodePoolId"), name: m.Text("name"), scalingType: m.Text("scalingType"),
			desired: m.NumberPtr("desiredSize"), least: m.NumberPtr("minInstances"), most: m.NumberPtr("maxInstances"),
			autoscaling: m.FlagPtr("enableAutoScaling"), autoRenew: m.Flag("autoRenew"), autoRenewPeriod: m.Number("autoRenewPeriod"),
			period: m.Number("period"), periodUnit: m.Text("periodUnit"), chargeType: m.Text("instanceChargeType"),
			instanceTypes: filled(m.Texts("instanceTypes")), keyPair: m.Text("keyPair"), imageID: m.Text("imageId"),
			imageType: m.Text("imageType"), vswitches: filled(m.Texts("vswitchIds")), diskCategory: m.Text("systemDiskCategory"),
			diskSize: m.Number("systemDiskSize"), runtime: m.Text("runtime"), runtimeVersion: m.Text("runtimeVersion"),
			disks: decodeDisks(m["dataDisks"]),
		})
	}
	return out
}

func decodeDisks(v any) []disk {
	var out []disk
	for _, e := range hosted.List(v) {
		m := schema.MembersOf(e)
		out = append(out, disk{m.Text("category"), m.Text("encrypted"), m.Text("autoSnapshotPolicyId"), m.Number("size")})
	}
	return out
}

func decodeAddons(v any) []addon {
	var out []addon
	for _, e := range hosted.List(v) {
		m := schema.MembersOf(e)
		out = append(out, addon{m.Text("name"), m.Text("config")})
	}
	return out
}

// encode writes a spec the way Kubernetes' typed-to-unstructured conversion
// does.
func (s *spec) encode() map[string]any {
	return schema.For(hosted.ACK).Encode(schema.Typed{
		"clusterName": s.clusterName, "clusterId": s.clusterID, "alibabaCredentialSecret": s.credential,
		"clusterType": s.clusterType, "clusterSpec": s.clusterSpec, "kubernetesVersion": s.version, "regionId": s.region,
		"vpcId": s.vpc, "containerCidr": s.containerCIDR, "serviceCidr": s.serviceCIDR, "nodeCidrMask": s.nodeMask,
		"vswitchIds": schema.ListOf(s.vswitches), "podVswitchIds": schema.ListOf(s.podVswitches), "snatEntry": schema.OrNull(s.snat),
		"proxyMode": s.proxyMode, "endpointPublicAccess": schema.OrNull(s.publicAccess), "securityGroupId": s.securityGroup,
		"resourceGroupId": s.resourceGroup, "zoneIds": schema.ListOf(s.zones),
		"isEnterpriseSecurityGroup": schema.OrNull(s.enterpriseGroup), "imported": s.imported,
		"nodePools": encodeList(s.pools, encodePool), "addons": encodeList(s.addons, encodeAddon),
	})
}

func encodeList[T any](l []T, encode func(T) any) any {
	var out []any
	for _, e := range l {
		out = append(out, encode(e))
	}
	return out
}

func encodePool(p pool) any {
	return map[string]any{
		"nodePoolId": p.id, "name": p.name, "scalingType": p.scalingType, "desiredSize": schema.OrNull(p.desired),
		"minInstances": schema.OrNull(p.least), "maxInstances": schema.OrNull(p.most), "enableAutoScaling": schema.OrNull(p.autoscaling),
		"autoRenew": p.autoRenew, "autoRenewPeriod": p.autoRenewPeriod, "period": p.period, "periodUnit": p.periodUnit,
		"instanceChargeType": p.chargeType, "instanceTypes": schema.ListOf(p.instanceTypes), "keyPair": p.keyPair,
		"imageId": p.imageID, "imageType": p.imageType, "vswitchIds": schema.ListOf(p.vswitches),
		"systemDiskCategory": p.diskCategory, "systemDiskSize": p.diskSize, "runtime": p.runtime, "runtimeVersion": p.runtimeVersion,
		"dataDisks": encodeList(p.disks, encodeDisk),
	}
}

func encodeDisk(d disk) any {
	return map[string]any{"category": d.category, "size": d.size, "encrypted": d.encrypted, "autoSnapshotPolicyId": d.snapshotPolicy}
}

func encodeAddon(a addon) any { return map[string]any{"name": a.name, "config": a.config} }
