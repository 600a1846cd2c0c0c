package gke

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// updatePools handles every node pool, each with at most one call: changes and
// creations, then deletions. It stops at the first error. A Config with
// autopilot has no node pools to handle.
func (r *run) updatePools(upstream *spec) (outcome, error) {
	c := r.config
	if c.pools == nil || c.autopilot != nil && c.autopilot.Enabled {
		return unchanged, nil
	}
	wanted, err := r.poolMap(c.pools)
	if err != nil {
		return unchanged, err
	}
	// The operator drops this error, and with it every pool: if the cloud
	// reports a name twice, none seems to exist.
	existing, _ := r.poolMap(upstream.pools)
	sum := unchanged
	for _, name := range r.walk(wanted) {
		o, err := r.handlePool(wanted[name], existing[name])
		if err != nil {
			return unchanged, err
		}
		sum = cmp.Or(sum, o)
	}
	for _, name := range r.walk(existing) {
		if wanted[name] != nil {
			continue
		}
		o, err := r.deletePool(name)
		if err != nil {
			return unchanged, err
		}
		sum = cmp.Or(sum, o)
	}
	return sum, nil
}

// poolMap finds pools by name; nameless ones are left out.
func (r *run) poolMap(pools []pool) (map[string]*pool, error) {
	out := make(map[string]*pool, len(pools))
	for i := range pools {
		name := pools[i].name
		if name == nil {
			continue
		}
		if out[*name] != nil {
			return nil, fmt.Errorf("cluster [%s] cannot have multiple nodepools with name %s", r.name, *name)
		}
		out[*name] = &pools[i]
	}
	return out, nil
}

// walk lists names in the run's order.
func (r *run) walk(pools map[string]*pool) []string {
	return slices.SortedFunc(maps.Keys(pools), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.order[a], r.order[b]), cmp.Compare(a, b))
	})
}

// handlePool creates a pool or sends its first difference.
func (r *run) handlePool(want, have *pool) (outcome, error) {
	if have == nil {
		return r.createPool(want)
	}
	steps := []func(want, have *pool) (outcome, error){
		r.updatePoolVersion, r.updatePoolSize, r.updatePoolAutoscaling, r.updatePoolManagement, r.updatePoolLabels,
	}
	for _, step := range steps {
		if o, err := step(want, have); err != nil || o != unchanged {
			return o, err
		}
	}
	return unchanged, nil
}

// sendToPool sends a request to a node pool. A cloud that is busy is asked again.
func (r *run) sendToPool(op, name string, body any, cause operator.Call, apply func()) (outcome, error) {
	cause.Object = poolField(name)
	err := r.google.write(request{op: op, target: r.google.place.pool(name), body: body, cause: cause, apply: apply})
	return poolOutcome(err)
}

func poolOutcome(err error) (outcome, error) {
	switch {
	case err == nil:
		return changed, nil
	case says(err, textBusy):
		return refused, nil
	}
	return unchanged, err
}

// updatePoolVersion sends version and image type; without a version not even the
// image type is looked at.
func (r *run) updatePoolVersion(want, have *pool) (outcome, error) {
	if want.version == nil {
		return unchanged, nil
	}
	var body poolUpdateBody
	var fields leaves
	if v := *want.version; v != "" && v != *have.version {
		body.NodeVersion = v
		fields.differ(true, "version")
	}
	if want.config == nil {
		return unchanged, errNil
	}
	if image := strings.ToLower(want.config.ImageType); image != "" {
		if have.config == nil {
			return unchanged, errNil
		}
		if image != strings.ToLower(have.config.ImageType) {
			body.ImageType = image
			fields.differ(true, "config.imageType")
		}
	}
	if len(fields) == 0 {
		return unchanged, nil
	}
	name := *want.name
	return r.sendToPool(opPoolUpdate, name, body, operator.Call{Fields: fields.under(name)},
		func() { r.google.applyPoolUpdate(name, body) })
}

func (r *run) updatePoolSize(want, have *pool) (outcome, error) {
	if want.count == nil || *want.count == *have.count {
		return unchanged, nil
	}
	name, count := *want.name, *want.count
	return r.sendToPool(opPoolSize, name, sizeBody{count}, operator.Call{Fields: leaves{"initialNodeCount"}.under(name)},
		func() { r.google.changePool(name, func(p *nodePool) { p.InitialNodeCount = count }) })
}

// updatePoolAutoscaling sends the switch and those bounds that differ. Bounds
// are not looked at while autoscaling is to be off.
func (r *run) updatePoolAutoscaling(want, have *pool) (outcome, error) {
	w, h := want.autoscaling, schema.OrZero(have.autoscaling)
	if w == nil {
		return unchanged, nil
	}
	sent := autoscaling{Enabled: w.Enabled}
	var fields leaves
	fields.differ(w.Enabled != h.Enabled, "autoscaling.enabled")
	if w.Enabled && w.MaxNodeCount != h.MaxNodeCount {
		sent.MaxNodeCount = w.MaxNodeCount
		fields.differ(true, "autoscaling.maxNodeCount")
	}
	if w.Enabled && w.MinNodeCount != h.MinNodeCount {
		sent.MinNodeCount = w.MinNodeCount
		fields.differ(true, "autoscaling.minNodeCount")
	}
	if len(fields) == 0 {
		return unchanged, nil
	}
	name := *want.name
	cause := operator.Call{Fields: fields.under(name)}
	if r.google.cloud.Omitted == OmittedZero {
		var carried leaves
		carried.differ(w.MaxNodeCount == h.MaxNodeCount && h.MaxNodeCount != 0, "autoscaling.maxNodeCount")
		carried.differ(w.MinNodeCount == h.MinNodeCount && h.MinNodeCount != 0, "autoscaling.minNodeCount")
		cause.Carried = carried.under(name)
	}
	return r.sendToPool(opPoolAutoscale, name, autoscalingBody{&sent}, cause, func() { r.google.applyAutoscaling(name, sent) })
}

// updatePoolManagement sends those of the two switches that differ, and only if
// they are to be on: the client leaves out what is false.
func (r *run) updatePoolManagement(want, have *pool) (outcome, error) {
	w, h := want.management, have.management
	if w == nil {
		return unchanged, nil
	}
	if h == nil {
		return unchanged, errNil
	}
	var sent management
	var fields, carried leaves
	if w.AutoRepair != h.AutoRepair {
		sent.AutoRepair = w.AutoRepair
		fields.differ(true, "management.autoRepair")
	}
	if w.AutoUpgrade != h.AutoUpgrade {
		sent.AutoUpgrade = w.AutoUpgrade
		fields.differ(true, "management.autoUpgrade")
	}
	if len(fields) == 0 {
		return unchanged, nil
	}
	name := *want.name
	cause := operator.Call{Fields: fields.under(name)}
	if r.google.cloud.Omitted == OmittedZero {
		carried.differ(w.AutoRepair && h.AutoRepair, "management.autoRepair")
		carried.differ(w.AutoUpgrade && h.AutoUpgrade, "management.autoUpgrade")
		cause.Carried = carried.under(name)
	}
	return r.sendToPool(opPoolManagement, name, managementBody{&sent}, cause, func() { r.google.applyManagement(name, sent) })
}

// updatePoolLabels replaces the node labels.
func (r *run) updatePoolLabels(want, have *pool) (outcome, error) {
	if want.config == nil {
		return unchanged, errNil
	}
	if want.config.Labels == nil {
		return unchanged, nil
	}
	if have.config == nil {
		return unchanged, errNil
	}
	if maps.Equal(want.config.Labels, have.config.Labels) {
		return unchanged, nil
	}
	name := *want.name
	body := poolUpdateBody{Labels: &nodeLabels{want.config.Labels}}
	fields := keyFields(poolPath(name).Key("config").Key("labels"), want.config.Labels, have.config.Labels)
	return r.sendToPool(opPoolUpdate, name, body, operator.Call{Fields: fields}, func() { r.google.applyPoolUpdate(name, body) })
}

func (r *run) createPool(want *pool) (outcome, error) {
	if err := r.validatePool(want); err != nil {
		return unchanged, err
	}
	object := poolField(*want.name)
	parent, np := r.google.place.cluster(), r.newPool(want)
	return poolOutcome(r.google.write(request{op: opPoolCreate, target: parent, body: poolCreateBody{parent, np},
		cause: operator.Call{Effect: operator.Create, Object: object, Fields: []string{object}},
		apply: func() { r.google.applyPoolCreate(np) }}))
}

// deletePool deletes a pool; one that is gone already counts as nothing done.
func (r *run) deletePool(name string) (outcome, error) {
	o, err := r.sendToPool(opPoolDelete, name, nil,
		operator.Call{Effect: operator.Delete, Fields: []string{poolField(name)}}, func() { r.google.applyPoolDelete(name) })
	if says(err, textNotFound) {
		return unchanged, nil
	}
	return o, err
}
