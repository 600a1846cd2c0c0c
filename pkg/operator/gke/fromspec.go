package gke

import (
	"errors"
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// What stands for facts of an existing cluster that no spec carries. An import
// asks for the first two; the last goes into every change of the labels.
const (
	unknownEndpoint    = "192.0.2.1"
	unknownCA          = "unknown"
	unknownFingerprint = "unknown"
)

// FromSpec makes the quiet cloud that reads as spec, which is in UpstreamSpec
// form. config gives the cluster's name where the spec lacks it; status is not
// needed for GKE. What the operator never reads is absent: authorized networks
// while they are off, a recurring maintenance window and exclusions, scopes of
// nodes, and pools that are being deleted. Add-ons are all named.
//
// A value of the wrong type and a spec without a version, which no reading
// yields, are errors.
func FromSpec(spec, config, _ map[string]any) (Cloud, error) {
	s, err := decodeSpec(spec)
	if err != nil {
		return Cloud{}, fmt.Errorf("cannot read the spec: %w", err)
	}
	if s.version == nil {
		return Cloud{}, errors.New("the spec has no kubernetesVersion: it is not a reading of a cluster")
	}
	c := &cluster{
		Name: orDefault(hosted.Str(config["clusterName"]), s.clusterName), Description: s.description, Status: stateRunning,
		Endpoint: unknownEndpoint, MasterAuth: &masterAuth{unknownCA}, LabelFingerprint: unknownFingerprint,
		CurrentMasterVersion: *s.version, EnableKubernetesAlpha: deref(s.alpha), ClusterIpv4Cidr: deref(s.clusterCIDR),
		LoggingService: deref(s.logging), MonitoringService: deref(s.monitoring), Network: deref(s.network),
		Subnetwork: deref(s.subnetwork), Locations: s.locations, ResourceLabels: s.labels,
		PrivateClusterConfig: s.private, IPAllocationPolicy: s.ipAllocation, AuthorizedNetworks: s.authorized,
		Autopilot: s.autopilot, NetworkPolicy: &networkPolicy{Enabled: deref(s.networkPolicy)},
	}
	if a := deref(s.addons); s.addons != nil {
		c.AddonsConfig = &addonsConfig{&switchedOff{!a.loadBalancing}, &switchedOff{!a.podAutoscaling}, &switchedOff{!a.networkPolicy}}
	}
	if deref(s.window) != "" {
		c.MaintenancePolicy = &maintenancePolicy{&maintenanceWindow{&dailyWindow{*s.window}}}
	}
	for i := range s.pools {
		c.NodePools = append(c.NodePools, quietPool(&s.pools[i]))
	}
	return Cloud{cluster: c}, nil
}

func quietPool(p *pool) *nodePool {
	out := &nodePool{Name: deref(p.name), Status: stateRunning, Version: deref(p.version), InitialNodeCount: deref(p.count),
		Config: p.config, Autoscaling: p.autoscaling, Management: p.management}
	if p.maxPods != nil {
		out.MaxPodsConstraint = &podsConstraint{*p.maxPods}
	}
	return out
}
