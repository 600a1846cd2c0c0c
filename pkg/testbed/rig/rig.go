package rig

import (
	"context"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/dynamic"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/drive"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/sim"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// Options make a Rig. The zero value is a cluster of EKS of which everything is
// managed.
type Options struct {
	Provider hosted.Provider
	// Name is the Cluster's, by default "c-rig01".
	Name string
	// Managed chooses the managed merge units, by default all.
	Managed func(unit string) bool
	// Cloud takes the place of the lab's cloud, for the refresher.
	Cloud sim.Cloud
	// NoOperator leaves the custom resource to a real operator.
	NoOperator bool
	// Interval is the refresh setting in seconds, by default "300".
	Interval string
	// PushWait is the handler's wait, by default 200 ms instead of ten seconds.
	PushWait time.Duration
	// Refreshed is how long ago the last refresh was, by default a minute.
	Refreshed time.Duration
}

// Rig is one living cluster.
type Rig struct {
	Name     string
	Provider hosted.Provider
	Server   *testbed.Server
	// Cloud is changed with Do only.
	Cloud    sim.Cloud
	Rancher  *sim.Rancher
	Operator *sim.Operator

	loop   *drive.Loop
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// New stores the cluster and starts its life, which ends with the test.
func New(t testing.TB, srv *testbed.Server, o Options) *Rig {
	t.Helper()
	o = o.withDefaults()
	refreshed := time.Now().Add(-o.Refreshed)
	cluster, resource, cloud, err := sim.AtRest(o.Provider, o.Name, refreshed, o.Managed)
	if err != nil {
		t.Fatal(err)
	}
	if o.Cloud != nil {
		cloud = o.Cloud
	}
	srv.Apply(t, cluster, resource)
	deploy(t, srv, o.Provider)
	client, err := dynamic.NewForConfig(srv.Config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	age(ctx, t, client, o.Name, refreshed)
	api := drive.NewServer(ctx, client, o.Provider, o.Name)
	r := &Rig{Name: o.Name, Provider: o.Provider, Server: srv, Cloud: cloud, cancel: cancel}
	r.Rancher = &sim.Rancher{API: api, Cloud: cloud, Name: o.Name, Now: time.Now, Interval: o.Interval, PushWait: o.PushWait}
	actors := []drive.Actor{r.Rancher}
	if !o.NoOperator {
		r.Operator = &sim.Operator{API: api, Cloud: cloud, Name: o.Name}
		actors = append(actors, r.Operator)
	}
	began := time.Now()
	r.loop = drive.New(api, func() time.Duration { return time.Since(began) }, actors...)
	r.done.Go(func() { r.loop.Run(ctx) })
	t.Cleanup(r.Stop)
	r.AwaitQuiet(t)
	return r
}

// deploy makes the provider's operator be seen to run; all clusters of the server
// share it.
func deploy(t testing.TB, srv *testbed.Server, p hosted.Provider) {
	t.Helper()
	labels := map[string]any{"app": p.OperatorName()}
	err := srv.ApplyAll(context.WithoutCancel(t.Context()), map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": p.OperatorName(), "namespace": testbed.SystemNamespace},
		"spec": map[string]any{"replicas": int64(1), "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{"metadata": map[string]any{"labels": labels},
				"spec": map[string]any{"containers": []any{map[string]any{"name": p.OperatorName(), "image": "example.com/operator:v1"}}}}},
		"status": map[string]any{"replicas": int64(1), "readyReplicas": int64(1)},
	})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

// AwaitQuiet waits until neither Rancher nor the lab's operator has anything to do
// now: a new operator looks at every resource, and would undo what is changed in
// the cloud meanwhile.
func (r *Rig) AwaitQuiet(t testing.TB) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for calm := 0; calm < 3; {
		quiet := false
		r.Do(t, func() { quiet = r.loop.Quiet() })
		if calm++; !quiet {
			calm = 0
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("the cluster never came to rest")
		}
	}
}

func (o Options) withDefaults() Options {
	if o.Provider == "" {
		o.Provider = hosted.EKS
	}
	if o.Name == "" {
		o.Name = "c-rig01"
	}
	if o.Managed == nil {
		o.Managed = func(string) bool { return true }
	}
	if o.Interval == "" {
		o.Interval = "300"
	}
	if o.PushWait == 0 {
		o.PushWait = 200 * time.Millisecond
	}
	if o.Refreshed == 0 {
		o.Refreshed = time.Minute
	}
	return o
}

// Stop ends the life of the cluster; its objects stay.
func (r *Rig) Stop() {
	r.cancel()
	r.done.Wait()
}

// Do runs a function between two steps of Rancher and the operator.
func (r *Rig) Do(t testing.TB, do func()) {
	t.Helper()
	r.loop.Do(t.Context(), do)
}

// Console changes a field of the cloud as a person with an account does.
func (r *Rig) Console(t testing.TB, unit string, value any) {
	t.Helper()
	ok := false
	r.Do(t, func() { ok = sim.ByConsole(r.Provider, r.Cloud, r.Config(t), unit, value) })
	if !ok {
		t.Fatalf("the cloud does not take %s=%v", unit, value)
	}
}

// Config is the Cluster's Config now.
func (r *Rig) Config(t testing.TB) map[string]any {
	t.Helper()
	obj := r.Server.Get(t, "Cluster", "", r.Name)
	return hosted.Map(hosted.Map(obj["spec"])[r.Provider.ConfigKey()])
}

// Live is what Rancher would read in the cloud now.
func (r *Rig) Live(t testing.TB) map[string]any {
	t.Helper()
	var spec map[string]any
	problem := ""
	config := r.Config(t)
	status := hosted.Map(r.Server.Get(t, r.Provider.CRKind(), testbed.GlobalNamespace, r.Name)["status"])
	r.Do(t, func() { spec, problem = r.Cloud.Read(sim.Visit{Name: r.Name, Config: config, Status: status}) })
	if problem != "" {
		t.Fatal(problem)
	}
	return spec
}
