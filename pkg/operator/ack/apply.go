package ack

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// Ids that stand for those that Alibaba Cloud makes up.
const (
	newClusterID = "new-cluster"
	newTaskID    = "new-task"
	newPoolID    = "new-pool-"
)

// applyCreate makes the cluster as the Config has it, at once and without node
// pools. Zones are not sent with the request, but a cluster has one.
func (a *alibaba) applyCreate(s *spec) {
	own := *s
	own.clusterID, own.pools = newClusterID, nil
	a.cloud = quietAnswers(&own)
}

func (a *alibaba) applyUpgrade(version string) {
	c := *a.cloud.Cluster
	c.CurrentVersion = &version
	a.cloud.Cluster = &c
	done := taskSuccess
	a.cloud.Task = &task{State: &done}
}

// changePools stores a changed copy of the list of node pools.
func (a *alibaba) changePools(edit func([]*nodePool) []*nodePool) {
	var list []*nodePool
	if a.cloud.NodePools != nil {
		list = a.cloud.NodePools.Nodepools
	}
	a.cloud.NodePools = &poolList{edit(slices.Clone(list))}
}

func (p *nodePool) id() string {
	if p == nil || p.NodepoolInfo == nil {
		return ""
	}
	return schema.OrZero(p.NodepoolInfo.ID)
}

// is tells whether a request addressed to id reaches the pool. Nothing reaches a
// pool that reports no id.
func (p *nodePool) is(id string) bool { return id != "" && p.id() == id }

// applyPoolCreate adds a pool under a new id.
func (a *alibaba) applyPoolCreate(body *nodePool) {
	a.changePools(func(list []*nodePool) []*nodePool {
		last := 0
		for _, p := range list {
			if n, ok := strings.CutPrefix(p.id(), newPoolID); ok {
				i, _ := strconv.Atoi(n)
				last = max(last, i)
			}
		}
		p, info := *body, *body.NodepoolInfo
		id, state := newPoolID+strconv.Itoa(last+1), poolActive
		info.ID = &id
		p.NodepoolInfo, p.Status = &info, &poolStatus{&state}
		return append(list, &p)
	})
}

// applyModify changes what the request has and keeps the rest. At size 0, and
// with an autoscaler that may have no node, the nodes are gone.
func (a *alibaba) applyModify(id string, body *nodePool) {
	a.changePools(func(list []*nodePool) []*nodePool {
		for i, p := range list {
			if p.is(id) {
				list[i] = modified(*p, body)
			}
		}
		return list
	})
	g, s := body.ScalingGroup, body.AutoScaling
	sizeGone := g != nil && g.DesiredSize != nil && *g.DesiredSize == 0
	boundsGone := s != nil && s.MaxInstances != nil && *s.MaxInstances == 0
	if sizeGone || boundsGone {
		a.applyRemoveNodes(id)
	}
}

func modified(p nodePool, body *nodePool) *nodePool {
	if sent := body.AutoScaling; sent != nil {
		s := schema.OrZero(p.AutoScaling)
		s.Enable = orElse(sent.Enable, s.Enable)
		s.MaxInstances = orElse(sent.MaxInstances, s.MaxInstances)
		s.MinInstances = orElse(sent.MinInstances, s.MinInstances)
		p.AutoScaling = &s
	}
	if sent := body.ScalingGroup; sent != nil {
		g := schema.OrZero(p.ScalingGroup)
		g.DesiredSize = orElse(sent.DesiredSize, g.DesiredSize)
		p.ScalingGroup = &g
	}
	return &p
}

func orElse[T any](p, or *T) *T {
	if p == nil {
		return or
	}
	return p
}

func (a *alibaba) applyRemoveNodes(id string) {
	a.cloud.Nodes = maps.Clone(a.cloud.Nodes)
	delete(a.cloud.Nodes, id)
}

func (a *alibaba) applyPoolDelete(id string) {
	a.changePools(func(list []*nodePool) []*nodePool {
		return slices.DeleteFunc(list, func(p *nodePool) bool { return p.is(id) })
	})
}

// movingCluster are the states of a cluster that end by themselves.
var movingCluster = []string{"initial", "updating", "scaling", "removing", "waiting"}

// settle lets the cloud finish what it was doing: busy states end, pools that
// were being deleted are gone, an upgrade has succeeded.
func (a *alibaba) settle() {
	if c := a.cloud.Cluster; c != nil && slices.Contains(movingCluster, schema.OrZero(c.State)) {
		quiet, state := *c, stateRunning
		quiet.State = &state
		a.cloud.Cluster = &quiet
	}
	if t := a.cloud.Task; t != nil && schema.OrZero(t.State) == taskRunning {
		done := taskSuccess
		a.cloud.Task = &task{State: &done}
	}
	if a.cloud.NodePools == nil {
		return
	}
	a.changePools(func(list []*nodePool) []*nodePool {
		list = slices.DeleteFunc(list, func(p *nodePool) bool { return p.state() == poolDeleting })
		for i, p := range list {
			if slices.Contains(busyPool, p.state()) {
				quiet, state := *p, poolActive
				quiet.Status = &poolStatus{&state}
				list[i] = &quiet
			}
		}
		return list
	})
}

func (p *nodePool) state() string {
	if p == nil || p.Status == nil {
		return ""
	}
	return schema.OrZero(p.Status.State)
}
