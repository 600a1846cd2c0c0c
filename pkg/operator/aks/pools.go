package aks

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// poolAction is one thing that a pass could do about an agent pool: refuse,
// send pool, or delete name.
type poolAction struct {
	refusal error
	send    *pool
	name    string
	call    operator.Call
}

// updatePools handles one agent pool. Which of several the operator takes is
// random; updates and creations come before deletions.
func (r *run) updatePools(upstream *spec) (done bool, err error) {
	if r.config.pools == nil {
		return false, nil
	}
	wanted, err := r.poolMap(r.config.pools)
	if err != nil {
		return false, err
	}
	existing, _ := r.poolMap(upstream.pools)
	actions := r.poolUpdates(wanted, existing)
	if len(actions) == 0 {
		actions = r.poolDeletions(wanted, existing)
	}
	if len(actions) == 0 {
		return false, nil
	}
	r.choices = len(actions)
	return true, r.actOnPool(actions[min(r.choice, len(actions)-1)])
}

func (r *run) actOnPool(a poolAction) error {
	if a.refusal != nil {
		return a.refusal
	}
	if r.status.phase != operator.PhaseUpdating {
		r.again()
		return nil
	}
	if a.send == nil {
		if err := r.azure.deletePool(a.name, a.call); err != nil {
			return fmt.Errorf("failed to remove node pool: %w", err)
		}
		r.again()
		return nil
	}
	err := zonesError(a.send.zones, r.config.resourceLocation)
	if err == nil {
		err = r.azure.putPool(text(a.send.name), poolBody(a.send), a.call)
	}
	if err != nil {
		return fmt.Errorf("failed to update cluster %s: %w", r.id(), err)
	}
	r.again()
	return nil
}

func (r *run) poolUpdates(wanted, existing map[string]*pool) []poolAction {
	var actions []poolAction
	for _, name := range hosted.SortedKeys(wanted) {
		p := *wanted[name]
		object := poolPath(name)
		have := existing[name]
		if have == nil {
			actions = append(actions, poolAction{send: &p, name: name,
				call: operator.Call{Effect: operator.Create, Object: object, Fields: []string{object}}})
			continue
		}
		if have.subnetID != nil {
			p.subnetID = have.subnetID
		}
		if truth(p.autoscaling) {
			p.count = nil
		}
		leaves, err := r.poolDifferences(&p, have)
		if err != nil {
			actions = append(actions, poolAction{refusal: err})
		} else if len(leaves) > 0 {
			actions = append(actions, poolAction{send: &p, name: name, call: poolCall(object, leaves, &p, have)})
		}
	}
	return actions
}

// poolDifferences names the members of a pool that make the operator send it.
// Zones cannot be changed, and bounds without autoscaling are refused.
func (r *run) poolDifferences(want, have *pool) ([]string, error) {
	var leaves []string
	differs := func(yes bool, leaf string) {
		if yes {
			leaves = append(leaves, leaf)
		}
	}
	if truth(want.autoscaling) {
		differs(!truth(have.autoscaling), "enableAutoScaling")
		differs(number(want.minCount) != number(have.minCount), "minCount")
		differs(number(want.maxCount) != number(have.maxCount), "maxCount")
	} else {
		if want.minCount != nil && want.maxCount != nil {
			return nil, fmt.Errorf("min and max node count must be nil for node pool [%s] for cluster %s, because autoscaling is disabled", text(want.name), r.id())
		}
		differs(truth(have.autoscaling), "enableAutoScaling")
		differs(!truth(have.autoscaling) && number(want.count) != number(have.count), "count")
	}
	differs(want.version != nil && *want.version != text(have.version), "orchestratorVersion")
	if want.labels != nil && !sameLabels(want.labels, have.labels) {
		leaves = append(leaves, labelLeaves(want.labels, have.labels)...)
	}
	differs(want.taints != nil && !(len(*want.taints) == 0 && have.taints == nil) && !sameTexts(want.taints, have.taints), "nodeTaints")
	differs(want.maxSurge != nil && *want.maxSurge != text(have.maxSurge), "maxSurge")
	differs(want.mode != "" && want.mode != have.mode, "mode")
	if want.zones != nil && have.zones != nil && !sameTexts(want.zones, have.zones) {
		return nil, fmt.Errorf("changing availability zones for node pool [%s] in cluster %s is not permitted", text(want.name), r.id())
	}
	return leaves, nil
}

// poolDeletions are the pools that the Config does not name. The last System
// pool is never deleted.
func (r *run) poolDeletions(wanted, existing map[string]*pool) []poolAction {
	system := false
	for _, p := range wanted {
		system = system || p.mode == modeSystem
	}
	var actions []poolAction
	for _, name := range hosted.SortedKeys(existing) {
		if wanted[name] != nil {
			continue
		}
		if existing[name].mode == modeSystem && !system {
			actions = append(actions, poolAction{refusal: fmt.Errorf("cannot remove node pool [%s] with mode System from cluster %s", name, r.id())})
			continue
		}
		object := poolPath(name)
		actions = append(actions, poolAction{name: name,
			call: operator.Call{Effect: operator.Delete, Object: object, Fields: []string{object}}})
	}
	return actions
}
