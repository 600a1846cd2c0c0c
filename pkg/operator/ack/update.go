package ack

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// errNoPools is the answer about node pools without a body.
var errNoPools = errors.New("received empty response for cluster nodepools")

// busyPool are the states of a node pool in which the operator waits.
var busyPool = []string{"scaling", poolDeleting, "initial", "updating", "removing", "removing_nodes"}

// checkAndUpdate waits while Alibaba Cloud is at work, upgrades the cluster, or
// else compares the node pools (rancher/ali-operator,
// controller/ali-cluster-config-handler.go, checkAndUpdate).
func (r *run) checkAndUpdate() error {
	c, err := r.alibaba.detail(r.config.clusterID)
	if err != nil {
		return err
	}
	if c == nil {
		return errors.New("the cluster is nil, indicating no cluster information is available")
	}
	r.fillIn(c)
	if done, err := r.followTask(); done || err != nil {
		return err
	}
	state := schema.OrZero(c.State)
	if state == "" {
		// The operator writes a failure message too, which its bookkeeping of
		// errors takes back at once.
		r.setPhase(operator.PhaseUpdating)
		return nil
	}
	if state != stateRunning {
		r.await()
		return nil
	}
	list, err := r.listPools()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, isBusy) {
		r.await()
		return nil
	}
	if r.config.version != schema.OrZero(c.CurrentVersion) {
		return r.upgrade()
	}
	return r.updatePools()
}

// await comes back as again does; the cloud is busy.
func (r *run) await() {
	r.waiting = true
	r.again()
}

func (r *run) listPools() ([]*nodePool, error) {
	list, err := r.alibaba.pools(r.config.clusterID)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, errNoPools
	}
	return list.Nodepools, nil
}

// isBusy passes over pools without a name or state.
func isBusy(np *nodePool) bool {
	if np == nil || np.NodepoolInfo == nil || np.NodepoolInfo.Name == nil || np.Status == nil {
		return false
	}
	return slices.Contains(busyPool, schema.OrZero(np.Status.State))
}

// fillIn completes the Config from the cloud (pkg/alibaba/common.go,
// SyncConfigSpecClusterFieldsWithUpstream): of what it replaces, requests for
// new node pools carry the vSwitches and the resource group. Nothing of it is
// written to the custom resource.
func (r *run) fillIn(c *cluster) {
	str := schema.OrZero[string]
	s := r.config
	if s.version == "" {
		s.version = str(c.CurrentVersion)
	}
	s.clusterName, s.clusterType, s.clusterSpec = str(c.Name), str(c.Type), str(c.Spec)
	s.vswitches, s.resourceGroup, s.vpc, s.proxyMode = texts(c.VswitchIDs), str(c.ResourceGroupID), str(c.VpcID), str(c.ProxyMode)
	s.containerCIDR, s.serviceCIDR, s.nodeMask = str(c.ContainerCidr), str(c.ServiceCidr), maskOf(c, s.nodeMask)
}

// followTask looks after an upgrade that was sent. A task in an unknown state
// keeps nobody from going on.
func (r *run) followTask() (done bool, err error) {
	if r.taskID == "" {
		return false, nil
	}
	t, err := r.alibaba.task(r.taskID)
	if err != nil {
		return false, fmt.Errorf("failed to describe task info for cluster %s: %w", r.config.clusterID, err)
	}
	if t == nil {
		return false, nil
	}
	switch schema.OrZero(t.State) {
	case taskRunning:
		r.await()
		return true, nil
	case taskFailed:
		if t.Error == nil || t.Error.Message == nil {
			return false, fmt.Errorf("update cluster %s failed: error message is missing", r.config.clusterID)
		}
		return false, fmt.Errorf(`update cluster %s failed: {"Upgrade k8s version error":"%s"}`, r.config.clusterID, *t.Error.Message)
	case taskSuccess:
		r.taskID, r.wrote = "", true
		return true, nil
	}
	return false, nil
}

// upgrade sends the wanted version, whatever it is.
func (r *run) upgrade() error {
	if r.phase != operator.PhaseUpdating {
		r.again()
		return nil
	}
	version := r.config.version
	empty, err := r.alibaba.write(opUpgrade, clusterTarget(r.config.clusterID), upgradeBody{&version},
		operator.Call{Fields: []string{"kubernetesVersion"}}, func() { r.alibaba.applyUpgrade(version) })
	if err == nil && empty {
		err = errors.New("received empty upgrade cluster response")
	}
	if err != nil {
		return fmt.Errorf(`{"Please check that the version of k8s to be upgraded is entered correctly":"%s"}`, err.Error())
	}
	r.taskID, r.wrote = newTaskID, true
	return nil
}
