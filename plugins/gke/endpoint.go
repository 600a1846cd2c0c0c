package gke

import (
	"cloud.google.com/go/container/apiv1/containerpb"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// endpoint tells how the API server can be reached. Google moved these settings;
// the members that Rancher reads are deprecated. Where the new ones are set, they
// are the truth.
func endpoint(t map[string]any, from map[string]string, c *containerpb.Cluster) {
	ip := c.GetControlPlaneEndpointsConfig().GetIpEndpointsConfig()
	private := hosted.Map(t["privateClusterConfig"])
	if ip != nil && ip.EnablePublicEndpoint != nil {
		private["enablePrivateEndpoint"] = !ip.GetEnablePublicEndpoint()
		from["privateClusterConfig.enablePrivateEndpoint"] = "GetCluster: controlPlaneEndpointsConfig.ipEndpointsConfig.enablePublicEndpoint"
	}
	if n := c.GetNetworkConfig(); n != nil && n.DefaultEnablePrivateNodes != nil {
		private["enablePrivateNodes"] = n.GetDefaultEnablePrivateNodes()
		from["privateClusterConfig.enablePrivateNodes"] = "GetCluster: networkConfig.defaultEnablePrivateNodes"
	}
	t["privateClusterConfig"] = private
	authorized, at := c.GetMasterAuthorizedNetworksConfig(), "masterAuthorizedNetworksConfig" //nolint:staticcheck // SA1019: clusters may still have it
	if now := ip.GetAuthorizedNetworksConfig(); now != nil {
		authorized, at = now, "controlPlaneEndpointsConfig.ipEndpointsConfig.authorizedNetworksConfig"
	}
	t["masterAuthorizedNetworks"] = networks(authorized)
	authorizedFrom(from, "GetCluster: "+at)
}

// networks are the authorized networks. Rancher sees the blocks only while the
// feature is on.
func networks(a *containerpb.MasterAuthorizedNetworksConfig) map[string]any {
	out := map[string]any{"enabled": a.GetEnabled()}
	var blocks []any
	for _, b := range a.GetCidrBlocks() {
		blocks = append(blocks, map[string]any{"cidrBlock": b.GetCidrBlock(), "displayName": b.GetDisplayName()})
	}
	if blocks != nil {
		out["cidrBlocks"] = blocks
	}
	return out
}

func authorizedFrom(from map[string]string, at string) {
	const field = "masterAuthorizedNetworks"
	from[field] = at
	from[field+".enabled"] = at + ".enabled"
	from[field+".cidrBlocks"] = at + ".cidrBlocks"
	from[field+".cidrBlocks[].cidrBlock"] = at + ".cidrBlocks[].cidrBlock"
	from[field+".cidrBlocks[].displayName"] = at + ".cidrBlocks[].displayName"
}
