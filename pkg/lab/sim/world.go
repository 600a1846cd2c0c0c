package sim

import (
	"fmt"
	"strconv"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// clusterName is the lab's one cluster.
const clusterName = "c-lab01"

// start is when every run begins.
var start = time.Date(2026, 3, 10, 11, 0, 0, 0, time.UTC)

// event is something that happens at a time.
type event struct {
	at time.Time
	do func()
}

// World is one run: a cluster, its cloud, Rancher, the operator, and people.
type World struct {
	choose *Choices
	base   base
	table  schema.Spec
	now    time.Time
	api    Memory
	cloud  Cloud

	rancher  Rancher
	operator Operator
	// due are the times at which Rancher and the operator step next, idle that a
	// change wakes them earlier.
	rancherDue, operatorDue   time.Time
	rancherIdle, operatorIdle bool
	operatorDown              bool
	restarted                 bool
	events                    []event
	busyUntil                 time.Time
	readsFail, callsFail      time.Time

	actor     actor
	ledger    ledger
	claims    claims
	refreshes int
	// touched counts changes of the Config and the cloud by anybody but operators.
	touched int
	// moved counts what operators changed in the cloud and what ended there.
	moved    int
	steps    int
	interval int
	trace    []string
	tracing  bool
}

// actor is the change under test.
type actor interface {
	// due is when it acts next; zero if it has ended.
	due() time.Time
	act(w *World)
	// changed tells it of an object's new state.
	changed(k Kind, obj map[string]any)
	ended() bool
}

func (w *World) logf(format string, args ...any) {
	if w.tracing {
		w.trace = append(w.trace, w.now.Sub(start).String()+" "+fmt.Sprintf(format, args...))
	}
}

// newWorld draws a cluster at rest.
func newWorld(c *Choices, tracing bool) (*World, error) {
	all := bases()
	w := &World{choose: c, now: start, base: all[c.Below(len(all))], tracing: tracing}
	w.table = schema.For(w.base.provider)
	w.ledger.looks = map[string]time.Time{}
	w.ledger.refreshCause = causeOthers
	w.interval = []int{300, 300, 300, 300, 300, 300, 120, 45}[c.Below(8)]
	var err error
	if w.cloud, err = NewCloud(w.base.provider, w.base.spec, w.base.spec, w.base.status); err != nil {
		return nil, err
	}
	w.api.Subresource = !c.OnceIn(4)
	w.populate()
	w.rancher = Rancher{API: &w.api, Cloud: w.cloud, Name: clusterName, Now: func() time.Time { return w.now },
		Interval: strconv.Itoa(w.interval), OneWrite: !w.api.Subresource, Unreadable: w.unreadable, Watch: w}
	w.operator = Operator{API: &w.api, Cloud: w.cloud, Name: clusterName, Watch: w, Took: w.took, Faults: w.faults}
	w.rancherDue, w.rancherIdle = w.now, true
	w.operatorDue, w.operatorIdle = farFuture, true
	w.api.Changed = w.changed
	return w, nil
}

var farFuture = start.Add(1000 * time.Hour)

// populate stores the cluster at rest: every tracked unit managed or not, as drawn.
func (w *World) populate() {
	managed := map[string]bool{}
	for i := range w.base.leaves {
		unit := w.base.leaves[i].Path.MergeUnit()
		if _, seen := managed[unit]; !seen {
			managed[unit] = !w.choose.OnceIn(4)
		}
	}
	last := w.now.Add(-time.Duration(w.choose.Below(w.interval)) * time.Second)
	w.api.Now = func() time.Time { return last } // the last refresh wrote last
	cluster, resource := w.base.objects(w.cloud, clusterName, last, func(unit string) bool { return managed[unit] })
	_, _ = w.api.Create(Resource, resource)
	_, _ = w.api.Create(Cluster, cluster)
	w.api.Now = func() time.Time { return w.now }
}

// changed wakes whoever watches the object.
func (w *World) changed(k Kind, obj map[string]any) {
	w.rancher.Notify()
	if k == Resource {
		w.operator.Notify()
	}
	if w.actor != nil {
		w.actor.changed(k, obj)
	}
}

func (w *World) unreadable() string {
	if w.now.Before(w.readsFail) {
		return "operation error: api error ThrottlingException: Rate exceeded"
	}
	return ""
}

// faults are what the operator's next pass meets.
func (w *World) faults() []operator.Fault {
	if !w.now.Before(w.callsFail) {
		return nil
	}
	switch w.base.provider {
	case hosted.EKS:
		return []operator.Fault{
			{Op: "UpdateClusterConfig", Code: "ResourceInUseException", HTTPStatus: 409, Message: "Cluster already has an update in progress"},
			{Op: "UpdateNodegroupConfig", Code: "ResourceInUseException", HTTPStatus: 409, Message: "Nodegroup already has an update in progress"},
			{Op: "TagResource", Code: "ThrottlingException", HTTPStatus: 429, Message: "Rate exceeded"},
		}
	case hosted.GKE:
		return []operator.Fault{{Op: "projects.locations.clusters.setResourceLabels", Code: "400", HTTPStatus: 400, Message: "Please wait and try again once it is done"}}
	}
	return nil
}

// took makes what the operator asked for take its time; Azure's operator polls
// until it is done.
func (w *World) took(calls []operator.Call) {
	if w.base.provider != hosted.AKS {
		w.begin(calls)
	}
}

func (w *World) begin(calls []operator.Call) {
	w.cloud.Begin(calls)
	w.settleLater()
}

func (w *World) settleLater() {
	w.busyUntil = w.now.Add(time.Duration(5+w.choose.Below(55)) * time.Second)
	until := w.busyUntil
	w.at(until, func() {
		if !w.now.Before(w.busyUntil) {
			w.cloud.Settle()
			w.moved++
			w.logf("cloud: done")
		}
	})
}

// at has something happen later.
func (w *World) at(t time.Time, do func()) { w.events = append(w.events, event{t, do}) }

// run lets time pass until stop says so, or the limit of steps.
func (w *World) run(limit int, stop func() bool) bool {
	for w.steps = 0; w.steps < limit; w.steps++ {
		if stop() {
			return true
		}
		w.step()
	}
	return false
}

// step does whatever comes next.
func (w *World) step() {
	best, at := -1, farFuture
	pick := func(i int, t time.Time) {
		if t.Before(at) {
			best, at = i, t
		}
	}
	pick(0, wake(w.rancherDue, w.rancherIdle && w.rancher.Woken(), w.now))
	if !w.operatorDown {
		pick(1, wake(w.operatorDue, w.operatorIdle && w.operator.Woken(), w.now))
	}
	if w.actor != nil && !w.actor.ended() {
		pick(2, w.actor.due())
	}
	for i := range w.events {
		pick(3+i, w.events[i].at)
	}
	if at.After(w.now) {
		w.now = at
	}
	switch {
	case best < 0:
		w.now = w.now.Add(time.Minute)
	case best == 0:
		rest := w.rancher.Step()
		w.rancherDue, w.rancherIdle = w.after(rest)
	case best == 1:
		rest := w.operator.Step()
		w.operatorDue, w.operatorIdle = w.after(rest)
	case best == 2:
		w.actor.act(w)
	default:
		e := w.events[best-3]
		w.events = append(w.events[:best-3], w.events[best-2:]...)
		e.do()
	}
}

func wake(due time.Time, woken bool, now time.Time) time.Time {
	if woken && now.Before(due) {
		return now
	}
	return due
}

// after is when an actor steps again: work takes seconds, anything else next to
// no time, but never none, so that others can fall in between.
func (w *World) after(r Rest) (due time.Time, idle bool) {
	switch {
	case r.Idle && r.For == 0:
		return farFuture, true
	case r.Idle:
		return w.now.Add(r.For), true
	case r.Work:
		return w.now.Add(time.Duration(100+w.choose.Below(40)*100) * time.Millisecond), false
	}
	return w.now.Add(w.moment()), false
}

// moment is a latency: mostly short, sometimes long.
func (w *World) moment() time.Duration {
	n := w.choose.Below(16)
	if n == 15 {
		return time.Duration(1+w.choose.Below(12)) * time.Second
	}
	return time.Duration(1+n*10) * time.Millisecond
}

func (w *World) cluster() map[string]any { return w.api.objects[Cluster] }

func (w *World) config() map[string]any {
	return hosted.Map(at(w.cluster(), "spec", w.base.provider.ConfigKey()))
}

func (w *World) visit() Visit {
	return Visit{Name: clusterName, Config: w.config(), Status: hosted.Map(at(w.api.objects[Resource], "status"))}
}

// live reads the cloud now, as somebody with an account would.
func (w *World) live() map[string]any {
	spec, problem := w.cloud.Read(w.visit())
	if problem != "" {
		return nil
	}
	return spec
}

// snapshot is a fresh reading of everything.
func (w *World) snapshot(live bool) hosted.Snapshot {
	var around hosted.Surroundings
	around.AddResource(w.base.provider, w.api.objects[Resource])
	around.AddSetting(map[string]any{"metadata": map[string]any{"name": w.base.provider.SettingName()}, "value": strconv.Itoa(w.interval)})
	around.ServerTime = w.now
	s, _ := hosted.FromObjects(w.cluster(), &around)
	if live {
		if spec := w.live(); spec != nil {
			s.Live = &hosted.Reading{Spec: spec, At: w.now, Origin: "lab"}
		}
	}
	return s
}
