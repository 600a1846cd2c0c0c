package gke

import (
	"errors"
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
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
		CurrentMasterVersion: *s.version, EnableKubernetesAlpha: schema.OrZero(s.alpha), ClusterIpv4Cidr: schema.OrZero(s.clusterCIDR),
		LoggingService: schema.OrZero(s.logging), MonitoringService: schema.OrZero(s.monitoring), Network: schema.OrZero(s.network),
		Subnetwork: schema.OrZero(s.subnetwork), Locations: s.locations, ResourceLabels: s.labels,
		PrivateClusterConfig: s.private, IPAllocationPolicy: s.ipAllocation, AuthorizedNetworks: s.authorized,
		Autopilot: s.autopilot, NetworkPolicy: &networkPolicy{Enabled: schema.OrZero(s.networkPolicy)},
	}
	if a := schema.OrZero(s.addons); s.addons != nil {
		c.AddonsConfig = &addonsConfig{&switchedOff{!a.loadBalancing}, &switchedOff{!a.podAutoscaling}, &switchedOff{!a.networkPolicy}}
	}
	if schema.OrZero(s.window) != "" {
		c.MaintenancePolicy = &maintenancePolicy{&maintenanceWindow{&dailyWindow{*s.window}}}
	}
	for i := range s.pools {
		c.NodePools = append(c.NodePools, quietPool(&s.pools[i]))
	}
	return Cloud{cluster: c}, nil
}

func quietPool(p *pool) *nodePool {
	out := &nodePool{Name: schema.OrZero(p.name), Status: stateRunning, Version: schema.OrZero(p.version), InitialNodeCount: schema.OrZero(p.count),
		Config: p.config, Autoscaling: p.autoscaling, Management: p.management}
	if p.maxPods != nil {
		out.MaxPodsConstraint = &podsConstraint{*p.maxPods}
	}
	return out
}
