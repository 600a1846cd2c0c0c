package ack

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// queues are the Config's node pools by what a pass may do with them: existing
// have an id, their own or that of the cloud's pool of the same name.
type queues struct {
	existing, fresh []pool
	cloud           []pool
	byID            map[string]pool
}

// updatePools compares the node pools. A pass creates pools, or changes pools,
// or takes one step of deleting one (controller/ali-cluster-config-handler.go,
// updateNodePools). A pass that starts in phase active only goes to updating.
func (r *run) updatePools() error {
	if r.config.pools == nil {
		r.finish(true)
		return nil
	}
	q, err := r.sortPools()
	if err != nil {
		return err
	}
	differs := slices.ContainsFunc(q.existing, q.differs)
	superfluous := q.superfluous()
	if len(q.fresh) == 0 && !differs && len(superfluous) == 0 {
		r.finish(true)
		return nil
	}
	if r.phase != operator.PhaseUpdating {
		r.again()
		return nil
	}
	changed, err := r.createPools(q.fresh)
	if err == nil && !changed && differs {
		changed, err = r.changePools(q)
	}
	if err == nil && !changed && len(superfluous) > 0 {
		changed, err = true, r.deletePool(superfluous[0])
	}
	switch {
	case err != nil:
		return err
	case changed:
		r.again()
		return nil
	}
	// A size that differs on a pool that scales itself is seen as a difference,
	// and never sent: the pass ends as if all were well, and the next one finds
	// it again.
	r.finish(false)
	return nil
}

// finish ends a pass that sent nothing, in phase active.
func (r *run) finish(settled bool) {
	r.settled = settled
	if r.phase != operator.PhaseActive {
		r.setPhase(operator.PhaseActive)
	}
}

func (r *run) sortPools() (queues, error) {
	list, err := r.listPools()
	if err != nil {
		return queues{}, err
	}
	cloud, err := readPools(list)
	if err != nil {
		return queues{}, err
	}
	q := queues{cloud: cloud, byID: map[string]pool{}}
	idOf := map[string]string{}
	for _, p := range cloud {
		q.byID[p.id] = p
		idOf[p.name] = p.id
	}
	for _, p := range r.config.pools {
		if id, ok := idOf[p.name]; ok {
			p.id = id
		}
		if p.id == "" {
			q.fresh = append(q.fresh, p)
		} else {
			q.existing = append(q.existing, p)
		}
	}
	return q, nil
}

// differs is what makes the operator start on a pool (needsUpdate). A pool whose
// id the cloud does not know is passed over: nothing brings it back.
func (q queues) differs(p pool) bool {
	have, ok := q.byID[p.id]
	if !ok {
		return false
	}
	wants, has := schema.OrZero(p.autoscaling), schema.OrZero(have.autoscaling)
	return wants != has || wants && boundsDiffer(p, have) || sizeDiffers(p, have)
}

func boundsDiffer(want, have pool) bool {
	return schema.OrZero(want.most) != schema.OrZero(have.most) || schema.OrZero(want.least) != schema.OrZero(have.least)
}

// sizeDiffers compares only sizes that are both known.
func sizeDiffers(want, have pool) bool {
	return want.desired != nil && have.desired != nil && *want.desired != *have.desired
}

// superfluous are the cloud's pools that no pool of the Config has the id of.
func (q queues) superfluous() []pool {
	var out []pool
	for _, have := range q.cloud {
		if !slices.ContainsFunc(q.existing, func(p pool) bool { return p.id == have.id }) {
			out = append(out, have)
		}
	}
	return out
}

// field names a pool in paths.
func (p pool) field() string {
	name := p.name
	if name == "" {
		name = p.id
	}
	return hosted.Path{}.Key("nodePools").Item(name).String()
}

func joined(failed []string) error {
	if len(failed) == 0 {
		return nil
	}
	return errors.New(strings.Join(failed, ";"))
}

// createPools creates all new pools and goes on after a failure.
func (r *run) createPools(fresh []pool) (changed bool, err error) {
	var failed []string
	for _, p := range fresh {
		body := r.newPool(p)
		object := p.field()
		empty, err := r.alibaba.write(opPoolCreate, poolsTarget(r.config.clusterID), body,
			operator.Call{Effect: operator.Create, Object: object, Fields: []string{object}}, func() { r.alibaba.applyPoolCreate(body) })
		if err == nil && empty {
			err = errors.New("received empty response")
		}
		if err != nil {
			failed = append(failed, fmt.Sprintf("nodepool %s create error: %s", p.name, err.Error()))
			continue
		}
		changed = true
	}
	return changed, joined(failed)
}

// newPool is the request for a pool (pkg/alibaba/nodepool.go,
// newNodePoolCreateRequest). Every text, number and switch is sent, even if
// empty; without vSwitches of its own a pool gets the cluster's.
func (r *run) newPool(p pool) *nodePool {
	group := r.config.resourceGroup
	vswitches := p.vswitches
	if vswitches == nil {
		vswitches = r.config.vswitches
	}
	out := &nodePool{
		AutoScaling:      &autoScaling{Enable: p.autoscaling, MaxInstances: p.most, MinInstances: p.least, Type: &p.scalingType},
		NodepoolInfo:     &poolInfo{Name: &p.name, ResourceGroupID: &group},
		KubernetesConfig: &kubernetesConfig{Runtime: &p.runtime, RuntimeVersion: &p.runtimeVersion},
		ScalingGroup: &scalingGroup{
			AutoRenew: &p.autoRenew, AutoRenewPeriod: &p.autoRenewPeriod, InstanceChargeType: &p.chargeType,
			InstanceTypes: pointers(p.instanceTypes), KeyPair: &p.keyPair, Period: &p.period, PeriodUnit: &p.periodUnit,
			ImageType: &p.imageType, ImageID: &p.imageID, SystemDiskCategory: &p.diskCategory, SystemDiskSize: &p.diskSize,
			VswitchIDs: pointers(vswitches), DesiredSize: p.desired, DataDisks: diskBodies(p.disks),
		},
	}
	return out
}

func diskBodies(disks []disk) []*dataDisk {
	var out []*dataDisk
	for _, d := range disks {
		out = append(out, &dataDisk{Category: &d.category, Size: &d.size, Encrypted: &d.encrypted, AutoSnapshotPolicyID: &d.snapshotPolicy})
	}
	return out
}

func pointers(l []string) []*string {
	var out []*string
	for _, s := range l {
		out = append(out, &s)
	}
	return out
}

// changePools sends autoscaling and size of the pools that differ, and goes on
// after a failure.
func (r *run) changePools(q queues) (changed bool, err error) {
	var failed []string
	for _, p := range q.existing {
		have, ok := q.byID[p.id]
		if !ok {
			continue
		}
		sent, what := r.changePool(p, have)
		if sent == nil {
			continue
		}
		cause := operator.Call{Object: p.field(), Fields: poolFields(p, have, sent)}
		if err := r.modify(p.id, sent, cause); err != nil {
			failed = append(failed, fmt.Sprintf("nodepool %s %s error: %s", p.name, what, err.Error()))
			continue
		}
		changed = true
	}
	return changed, joined(failed)
}

// changePool is the request that makes a pool what the Config wants, nil if
// there is none to send, and what it is called in an error.
func (r *run) changePool(want, have pool) (*nodePool, string) {
	on := schema.OrZero(want.autoscaling)
	has := schema.OrZero(have.autoscaling)
	switch {
	case on && (!has || boundsDiffer(want, have)):
		return &nodePool{AutoScaling: &autoScaling{Enable: &on, MaxInstances: want.most, MinInstances: want.least}}, "autoscaling enable"
	case !on && (has || sizeDiffers(want, have)):
		body := &nodePool{AutoScaling: &autoScaling{Enable: &on}}
		if want.desired != nil {
			body.ScalingGroup = &scalingGroup{DesiredSize: want.desired}
		}
		return body, "update"
	}
	return nil, ""
}

// poolFields names the members that a request changes.
func poolFields(want, have pool, sent *nodePool) []string {
	var fields []string
	differs := func(yes bool, leaf string) {
		if yes {
			fields = append(fields, want.field()+"."+leaf)
		}
	}
	on := schema.OrZero(want.autoscaling)
	differs(sent.ScalingGroup != nil && (have.desired == nil || *want.desired != *have.desired), "desiredSize")
	differs(on != schema.OrZero(have.autoscaling), "enableAutoScaling")
	differs(on && schema.OrZero(want.most) != schema.OrZero(have.most), "maxInstances")
	differs(on && schema.OrZero(want.least) != schema.OrZero(have.least), "minInstances")
	return fields
}

func (r *run) modify(id string, body *nodePool, cause operator.Call) error {
	_, err := r.alibaba.write(opPoolModify, poolTarget(r.config.clusterID, id), body, cause, func() { r.alibaba.applyModify(id, body) })
	return err
}

// deletePool takes the next step of deleting a pool: size to 0, autoscaling to
// 0, nodes away, and last the pool itself (pkg/alibaba/nodepool.go,
// DeleteNodePool). While an autoscaler takes its nodes away nothing is sent.
func (r *run) deletePool(p pool) error {
	if err := r.deleteStep(p); err != nil {
		if isPanic(err) {
			return err
		}
		return fmt.Errorf("nodepool %s delete error: %w", p.id, err)
	}
	return nil
}

func (r *run) deleteStep(p pool) error {
	cause := operator.Call{Effect: operator.Delete, Object: p.field(), Fields: []string{p.field()}}
	if body := emptied(p); body != nil {
		if err := r.modify(p.id, body, cause); err != nil {
			return fmt.Errorf("failed to update nodepool %s size to 0: %w", p.id, err)
		}
		return nil
	}
	list, err := r.alibaba.nodes(r.config.clusterID, p.id)
	if err == nil && list == nil {
		err = errors.New("received empty response")
	}
	switch {
	case err != nil:
		return fmt.Errorf("failed to get nodes for nodepool %s: %w", p.id, err)
	case len(list.Nodes) == 0:
		_, err = r.alibaba.write(opPoolDelete, poolTarget(r.config.clusterID, p.id), nil, cause, func() { r.alibaba.applyPoolDelete(p.id) })
		if err != nil {
			return fmt.Errorf("failed to delete nodepool %s: %w", p.id, err)
		}
		return nil
	case schema.OrZero(p.autoscaling):
		r.waiting = true
		return nil
	}
	return r.removeNodes(p, list.Nodes, cause)
}

// emptied is the request that takes a pool to size 0, nil if it is there.
func emptied(p pool) *nodePool {
	zero, on := int64(0), true
	least, most := schema.OrZero(p.least), schema.OrZero(p.most)
	switch {
	case schema.OrZero(p.desired) != 0:
		return &nodePool{ScalingGroup: &scalingGroup{DesiredSize: &zero}}
	case p.most != nil && least != 0, most != 0:
		return &nodePool{AutoScaling: &autoScaling{Enable: &on, MaxInstances: &zero, MinInstances: &zero}}
	}
	return nil
}

func (r *run) removeNodes(p pool, nodes []*node, cause operator.Call) error {
	body := removeBody{}
	for _, n := range nodes {
		if n == nil {
			return errNil
		}
		if n.InstanceID != nil {
			body.InstanceIDs = append(body.InstanceIDs, *n.InstanceID)
		}
	}
	_, err := r.alibaba.write(opRemoveNodes, poolTarget(r.config.clusterID, p.id)+"/nodes", body, cause, func() { r.alibaba.applyRemoveNodes(p.id) })
	if err != nil {
		return fmt.Errorf("failed to scale down nodes for nodepool %s: %w", p.id, err)
	}
	return nil
}
