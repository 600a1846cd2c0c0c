package aks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// update pushes the differences between the Config and the view (rancher/
// aks-operator, controller/aks-cluster-config-handler.go,
// updateUpstreamClusterState): tags, then the whole cluster, else one agent
// pool. A pass that starts in phase active only goes to updating.
func (r *run) update(upstream *spec) error {
	if done, err := r.updateTags(upstream); done || err != nil {
		return err
	}
	if done, err := r.updateCluster(upstream); done || err != nil {
		return err
	}
	if done, err := r.updatePools(upstream); done || err != nil {
		return err
	}
	r.settled = true
	if r.status.phase != operator.PhaseActive {
		r.setPhase(operator.PhaseActive)
	}
	return nil
}

// updateTags replaces the tags. It does not end the pass: the operator compares
// the answer with its request in a way that never matches, and goes on.
func (r *run) updateTags(upstream *spec) (done bool, err error) {
	if r.config.tags == nil || maps.Equal(r.config.tags, upstream.tags) {
		return false, nil
	}
	if r.status.phase != operator.PhaseUpdating {
		r.again()
		return true, nil
	}
	tags, _ := jsonTags(r.config.tags).(map[string]any)
	return false, r.azure.putTags(tags, operator.Call{Fields: tagFields(r.config.tags, upstream.tags)})
}

// updateCluster writes the whole cluster if one of four settings differs.
func (r *run) updateCluster(upstream *spec) (done bool, err error) {
	fields := clusterFields(r.config, upstream)
	if len(fields) == 0 {
		return false, nil
	}
	cause := operator.Call{Fields: fields}
	if !r.azure.groupExists() {
		if err := r.azure.createGroup(r.config.resourceLocation, cause); err != nil {
			return false, fmt.Errorf("error during updating resource group %w", err)
		}
	}
	if r.status.phase != operator.PhaseUpdating {
		r.again()
		return true, nil
	}
	s, err := r.clusterToSend(upstream)
	if err != nil {
		return false, err
	}
	if err := r.putCluster(s, cause); err != nil {
		if isPanic(err) {
			return false, err
		}
		return false, fmt.Errorf("failed to update cluster: %w", err)
	}
	r.again()
	return true, nil
}

// clusterToSend is the spec from which the body is built: the Config of a
// created cluster, the view of an imported one with the four settings replaced.
// Only pools that exist are kept; the others come by their own requests.
func (r *run) clusterToSend(upstream *spec) (*spec, error) {
	s := *r.config
	if s.imported {
		s = r.importedToSend(upstream)
	}
	existing, _ := r.poolMap(upstream.pools)
	s.pools = nil
	for _, p := range r.config.pools {
		if p.name == nil {
			return nil, errNil
		}
		if existing[*p.name] != nil {
			s.pools = append(s.pools, p)
		}
	}
	return &s, nil
}

func (r *run) importedToSend(upstream *spec) spec {
	s, c := *upstream, r.config
	s.resourceGroup, s.resourceLocation, s.clusterName = c.resourceGroup, c.resourceLocation, c.clusterName
	if c.version != nil {
		s.version = c.version
	}
	if c.ranges != nil {
		s.ranges = c.ranges
	}
	if c.httpRouting != nil && *c.httpRouting != truth(upstream.httpRouting) {
		s.httpRouting = c.httpRouting
	}
	if c.monitoring != nil && *c.monitoring != truth(upstream.monitoring) {
		s.monitoring, s.workspaceGroup, s.workspaceName = c.monitoring, nil, nil
		if *c.monitoring {
			s.workspaceGroup, s.workspaceName = c.workspaceGroup, c.workspaceName
		}
	}
	return s
}

func (r *run) putCluster(s *spec, cause operator.Call) error {
	desired, err := r.desiredCluster(s, cause)
	if err != nil {
		return err
	}
	actual, err := r.azure.get()
	if err != nil {
		return err
	}
	body := merged(desired, actual)
	cause.Carried = carriedByCluster(r.config, actual, body, cause.Fields)
	return r.azure.put(body, cause)
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
			return nil, fmt.Errorf("cluster [%s] cannot have multiple nodepools with name %s", r.config.clusterName, *name)
		}
		out[*name] = &pools[i]
	}
	return out, nil
}

func sameTexts(a, b *[]string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return (*a == nil) == (*b == nil) && slices.Equal(*a, *b)
}

func sameLabels(a, b map[string]*string) bool {
	return hosted.Equal(jsonTextMap(a), jsonTextMap(b))
}
