package ack

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// importCluster stores how to reach a cluster that runs.
func (r *run) importCluster() error {
	c, err := r.alibaba.detail(r.config.clusterID)
	if err != nil {
		return err
	}
	state := "unknown"
	if c != nil && c.State != nil {
		state = *c.State
	}
	if state != stateRunning {
		return fmt.Errorf("the current cluster status is %s. Please wait for the cluster to become %s", state, stateRunning)
	}
	return r.storeAccess()
}

func (r *run) storeAccess() error {
	if err := r.alibaba.kubeconfig(r.config.clusterID); err != nil {
		return err
	}
	r.setPhase(operator.PhaseActive)
	return nil
}

func (r *run) awaitCreation() error {
	c, err := r.alibaba.detail(r.config.clusterID)
	switch {
	case err != nil:
		return err
	case c == nil:
		return errors.New("create cluster error: got the cluster as nil, indicating no cluster information is available")
	case c.State == nil:
		return errNil
	case *c.State == stateFailed:
		return fmt.Errorf("creation failed for cluster %v", r.config.clusterName)
	case *c.State == stateRunning:
		return r.storeAccess()
	}
	r.wake, r.waiting = "30s", true
	return nil
}

// create begins an import or a creation. A Config that has an id already is only
// waited for.
func (r *run) create() error {
	if r.config.imported {
		r.setPhase(operator.PhaseImporting)
		return nil
	}
	if r.config.clusterID == "" {
		if err := r.createCluster(); err != nil {
			return err
		}
	}
	r.setPhase(operator.PhaseCreating)
	return nil
}

func (r *run) createCluster() error {
	if err := r.validate(); err != nil {
		return err
	}
	body := r.newCluster()
	empty, err := r.alibaba.write(opCreate, "clusters", body, operator.Call{Effect: operator.Create},
		func() { r.alibaba.applyCreate(r.config) })
	if err != nil {
		return err
	}
	if empty {
		return errors.New("received invalid cluster response")
	}
	r.config.clusterID = newClusterID
	return nil
}

// managedType is the only cluster type that the operator creates.
const managedType = "ManagedKubernetes"

// validate is what the operator demands of a new Config (rancher/ali-operator,
// pkg/alibaba/cluster.go, validateCreateRequest).
func (r *run) validate() error {
	c := r.config
	switch {
	case c.clusterName == "":
		return errors.New("cluster name is required")
	case c.region == "":
		return errors.New("region id is required")
	case c.clusterType != managedType:
		return fmt.Errorf("cluster type %s is not supported", c.clusterType)
	case c.zones == nil && c.vpc == "":
		return errors.New("vpcId is required if zoneIds are not provided")
	case c.zones == nil && c.vswitches == nil:
		return errors.New("vSwitchIds are required if zoneIds are not provided")
	case c.zones != nil && (c.vpc != "" || c.vswitches != nil):
		return errors.New("zoneIds should not be used together with vpcId and vSwitchIds")
	}
	return nil
}

// newCluster is the request for a cluster. Every text is sent, even if empty;
// zones and node pools are not part of it.
func (r *run) newCluster() clusterBody {
	c := *r.config
	mask := strconv.FormatInt(c.nodeMask, 10)
	body := clusterBody{
		Name: &c.clusterName, ClusterType: &c.clusterType, ClusterSpec: &c.clusterSpec, RegionID: &c.region,
		KubernetesVersion: &c.version, VpcID: &c.vpc, ContainerCidr: &c.containerCIDR, ServiceCidr: &c.serviceCIDR,
		NodeCidrMask: &mask, SnatEntry: c.snat, ProxyMode: &c.proxyMode, EndpointPublicAccess: c.publicAccess,
		SecurityGroupID: &c.securityGroup, PodVswitchIDs: c.podVswitches, ResourceGroupID: &c.resourceGroup,
		VswitchIDs: c.vswitches, IsEnterpriseSecurityGroup: c.enterpriseGroup,
	}
	for i := range c.addons {
		body.Addons = append(body.Addons, &addonBody{&c.addons[i].name, &c.addons[i].config})
	}
	return body
}
