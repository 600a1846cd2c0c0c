package ack

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// FromSpec makes the quiet cloud that reads as spec, which is in UpstreamSpec
// form. config gives the ids of the cluster and of node pools where the spec
// lacks them; a node pool without any gets one, because in the cloud every pool
// has an id. An upgrade that status knows of has succeeded. Absent is what the
// reader never looks at: nodes and add-ons. If spec has several zones, which only
// a Config can, the cluster reports the first.
//
// A value of the wrong type and a spec without a version, which no reading
// yields, are errors.
func FromSpec(spec, config, _ map[string]any) (Cloud, error) {
	s, err := decodeSpec(spec)
	if err != nil {
		return Cloud{}, fmt.Errorf("cannot read the spec: %w", err)
	}
	if s.version == "" {
		return Cloud{}, errors.New("the spec has no kubernetesVersion: it is not a reading of a cluster")
	}
	c, err := decodeSpec(config)
	if err != nil {
		return Cloud{}, fmt.Errorf("cannot read the config: %w", err)
	}
	if s.clusterID == "" {
		s.clusterID = c.clusterID
	}
	for i := range s.pools {
		if s.pools[i].id == "" {
			s.pools[i].id = idOf(s.pools[i].name, c.pools)
		}
	}
	return Cloud{quietAnswers(s)}, nil
}

// idOf is the id that the Config has for a pool, or else one that is made up.
func idOf(name string, config []pool) string {
	for _, p := range config {
		if p.name == name && p.id != "" {
			return p.id
		}
	}
	return "unknown-id-of-" + name
}

// quietAnswers are the answers of a cloud that is as s says and does nothing.
func quietAnswers(s *spec) answers {
	state, done := stateRunning, taskSuccess
	c := &cluster{
		ID: &s.clusterID, Name: &s.clusterName, State: &state, Type: &s.clusterType, Spec: &s.clusterSpec,
		CurrentVersion: &s.version, RegionID: &s.region, VpcID: &s.vpc, VswitchIDs: pointers(s.vswitches),
		ContainerCidr: &s.containerCIDR, ServiceCidr: &s.serviceCIDR, ProxyMode: &s.proxyMode,
		SecurityGroupID: &s.securityGroup, ResourceGroupID: &s.resourceGroup, Parameters: map[string]*string{},
	}
	if len(s.zones) > 0 {
		c.ZoneID = &s.zones[0]
	}
	if s.nodeMask != 0 {
		mask := strconv.FormatInt(s.nodeMask, 10)
		c.NodeCidrMask = &mask
	}
	if s.publicAccess != nil {
		c.MasterURL = masterURL(*s.publicAccess)
	}
	if s.snat != nil {
		snat := strconv.FormatBool(*s.snat)
		c.Parameters["SNatEntry"] = &snat
	}
	if s.podVswitches != nil {
		c.Parameters["PodVswitchIds"] = jsonText(s.podVswitches)
	}
	list := &poolList{}
	for _, p := range s.pools {
		list.Nodepools = append(list.Nodepools, quietPool(p))
	}
	return answers{Cluster: c, NodePools: list, Task: &task{State: &done}}
}

// masterURL is the document that tells the addresses of the API. The addresses
// are made up.
func masterURL(public bool) *string {
	urls := `{"intranet_api_server_endpoint":"https://192.0.2.1:6443"}`
	if public {
		urls = `{"api_server_endpoint":"https://198.51.100.1:6443","intranet_api_server_endpoint":"https://192.0.2.1:6443"}`
	}
	return &urls
}

func jsonText(l []string) *string {
	data, err := json.Marshal(l)
	if err != nil { // a list of strings can always be written
		return nil
	}
	text := string(data)
	return &text
}

func quietPool(p pool) *nodePool {
	state := poolActive
	g := &scalingGroup{
		AutoRenew: &p.autoRenew, AutoRenewPeriod: &p.autoRenewPeriod, DesiredSize: p.desired, ImageID: &p.imageID,
		ImageType: &p.imageType, InstanceChargeType: &p.chargeType, InstanceTypes: pointers(p.instanceTypes), KeyPair: &p.keyPair,
		Period: &p.period, PeriodUnit: &p.periodUnit, SystemDiskCategory: &p.diskCategory, SystemDiskSize: &p.diskSize,
		VswitchIDs: pointers(p.vswitches), DataDisks: diskBodies(p.disks),
	}
	return &nodePool{
		NodepoolInfo: &poolInfo{ID: &p.id, Name: &p.name}, ScalingGroup: g, Status: &poolStatus{&state},
		AutoScaling:      &autoScaling{Enable: p.autoscaling, MaxInstances: p.most, MinInstances: p.least, Type: &p.scalingType},
		KubernetesConfig: &kubernetesConfig{Runtime: &p.runtime, RuntimeVersion: &p.runtimeVersion},
	}
}
