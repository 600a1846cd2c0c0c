package drive

import (
	"context"
	"fmt"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/sim"
)

// Birth says how a cluster of a lab's store lives.
type Birth struct {
	Store    *lab.Store
	Provider hosted.Provider
	Name     string
	// Cloud is what the cloud has, in UpstreamSpec form.
	Cloud map[string]any
	// Elapsed is a monotonic clock, in step with the Store's.
	Elapsed func() time.Duration
	// Interval is the refresh setting in seconds.
	Interval string
	// PushWait is the cluster handler's wait for the operator, Poll the longest
	// time after which a busy operator looks again.
	PushWait, Poll time.Duration
	// FirstLook is when the operator looks at its resource by itself for the first
	// time; before, and for ever if it is 0, only a change of the resource wakes it.
	// An operator that looks enforces the Config.
	FirstLook time.Duration
}

// Life is a cluster of a lab's store with a Rancher, an operator and a cloud of its
// own. Rancher begins at once; the operator sleeps until there is something to do
// for it, so that the state that the cluster was put into stands until then.
type Life struct {
	// Operator is the cluster's. It may be given faults before Run.
	Operator *sim.Operator

	name  string
	api   *Store
	cloud sim.Cloud
	loop  *Loop
}

// NewLife prepares the life of a cluster whose objects are in the store.
func NewLife(b Birth) (*Life, error) {
	rancher, err := NewStore(b.Store, b.Provider, b.Name, "rancher")
	if err != nil {
		return nil, err
	}
	own, err := NewStore(b.Store, b.Provider, b.Name, b.Provider.CRGroup()[:3]+"-operator")
	if err != nil {
		return nil, err
	}
	cluster, err := rancher.Get(sim.Cluster)
	if err != nil {
		return nil, err
	}
	resource, err := rancher.Get(sim.Resource)
	if err != nil {
		return nil, err
	}
	config := hosted.Map(hosted.Map(cluster["spec"])[b.Provider.ConfigKey()])
	cloud, err := sim.NewCloud(b.Provider, b.Cloud, config, hosted.Map(resource["status"]))
	if err != nil {
		return nil, fmt.Errorf("the cloud of %s cannot be brought to life: %w", b.Name, err)
	}
	l := &Life{name: b.Name, api: rancher, cloud: cloud, Operator: &sim.Operator{API: own, Cloud: cloud, Name: b.Name}}
	l.loop = New(rancher, b.Elapsed, &sim.Rancher{
		API: rancher, Cloud: cloud, Name: b.Name, Now: b.Store.Clock().Now, Interval: b.Interval, PushWait: b.PushWait,
	})
	l.loop.Poll = 50 * time.Millisecond
	l.loop.Later(hasty{l.Operator, b.Poll}, b.FirstLook)
	return l, nil
}

// Run lives until ctx ends.
func (l *Life) Run(ctx context.Context) { l.loop.Run(ctx) }

// Wanted is the spec of the operator's resource now, nil if there is none.
func (l *Life) Wanted() map[string]any {
	obj, err := l.api.Get(sim.Resource)
	if err != nil {
		return nil
	}
	return hosted.Map(obj["spec"])
}

// Read reads the cloud as Rancher's refresher would now, while Run runs. problem is
// the error's text if that fails.
func (l *Life) Read(ctx context.Context) (spec map[string]any, problem string) {
	problem = "the reading was interrupted"
	l.loop.Do(ctx, func() {
		cluster, err := l.api.Get(sim.Cluster)
		if err != nil {
			problem = err.Error()
			return
		}
		v := sim.Visit{Name: l.name, Config: hosted.Map(hosted.Map(cluster["spec"])[hosted.ProviderOf(cluster).ConfigKey()])}
		if resource, err := l.api.Get(sim.Resource); err == nil {
			v.Status = hosted.Map(resource["status"])
		}
		spec, problem = l.cloud.Read(v)
	})
	return spec, problem
}

// hasty is an operator that looks again sooner than it would.
type hasty struct {
	*sim.Operator
	most time.Duration
}

// Step implements Actor.
func (h hasty) Step() sim.Rest {
	r := h.Operator.Step()
	if h.most > 0 && r.Idle && r.For > h.most {
		r.For = h.most
	}
	return r
}
