package resync_test

import (
	"context"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/sim"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// world is a cluster in memory with Rancher and its operator at work, in steps of
// time that pass while somebody waits. It implements resync.Backend and Journal.
type world struct {
	t        *testing.T
	api      sim.Memory
	cloud    sim.Cloud
	rancher  sim.Rancher
	operator sim.Operator
	now      time.Time
	interval string
	live     bool
	down     bool

	due    [2]time.Time
	idle   [2]bool
	states []map[string]any
	// config0 is the Config that was seen last, edits how often it has changed.
	config0 map[string]any
	edits   int
	stirred bool
	updated bool

	entries []resync.Entry
	patches []resync.Patch
	// failWrite, if set, decides on the n-th write: whether it is stored, and what
	// is answered.
	failWrite func(n int) (stored bool, err error)
	// asleep: nobody reacts.
	asleep bool
}

// newWorld makes an EKS cluster at rest, of which everything is managed.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, now: noon, interval: "300", api: sim.Memory{Subresource: true}}
	cluster, resource, cloud, err := sim.AtRest(hosted.EKS, "c-abc", noon.Add(-time.Minute), func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	w.cloud = cloud
	w.store(sim.Cluster, cluster)
	w.store(sim.Resource, resource)
	clock := func() time.Time { return w.now }
	w.rancher = sim.Rancher{API: &w.api, Cloud: cloud, Name: "c-abc", Now: clock, Interval: w.interval}
	w.operator = sim.Operator{API: &w.api, Cloud: cloud, Name: "c-abc"}
	w.idle = [2]bool{true, true}
	w.due = [2]time.Time{noon, noon.Add(1000 * time.Hour)}
	w.api.Changed = func(k sim.Kind, obj map[string]any) {
		w.rancher.Notify()
		if k == sim.Cluster {
			w.states = append(w.states, obj)
			if now := w.config(); !hosted.Equal(now, w.config0) {
				w.config0, w.edits = now, w.edits+1
			}
			return
		}
		w.operator.Notify()
		w.stirred = true
		phase, _ := hosted.Dig(obj, "status", "phase")
		w.updated = w.updated || phase == "updating"
	}
	return w
}

func (w *world) store(k sim.Kind, obj map[string]any) {
	w.t.Helper()
	if _, err := w.api.Create(k, obj); err != nil {
		w.t.Fatal(err)
	}
}

// edit changes an object behind everybody's back, before anything happens.
func (w *world) edit(k sim.Kind, v any, keys ...string) {
	w.t.Helper()
	obj, err := w.api.Get(k)
	if err != nil {
		w.t.Fatal(err)
	}
	obj = hosted.CloneMap(obj)
	at := obj
	for _, key := range keys[:len(keys)-1] {
		at = hosted.Map(at[key])
	}
	if at[keys[len(keys)-1]] = v; v == nil {
		delete(at, keys[len(keys)-1])
	}
	w.store(k, obj)
}

func (w *world) config() map[string]any {
	obj, _ := w.api.Get(sim.Cluster)
	return hosted.Map(hosted.Map(obj["spec"])["eksConfig"])
}

func (w *world) reading() map[string]any {
	spec, problem := w.cloud.Read(sim.Visit{Name: "c-abc", Config: w.config(), Status: map[string]any{"phase": "active"}})
	if problem != "" {
		w.t.Fatal(problem)
	}
	return spec
}

// Read implements resync.Backend.
func (w *world) Read(context.Context) (hosted.Snapshot, hosted.OperatorState, error) {
	w.states, w.stirred = nil, false
	var around hosted.Surroundings
	if cr, err := w.api.Get(sim.Resource); err == nil {
		around.AddResource(hosted.EKS, cr)
	}
	around.AddSetting(map[string]any{"metadata": map[string]any{"name": "eks-refresh"}, "value": w.interval})
	obj, _ := w.api.Get(sim.Cluster)
	s, _ := hosted.FromObjects(obj, &around)
	if w.live {
		s.Live = &hosted.Reading{Spec: w.reading()}
	}
	state := hosted.OperatorState{Found: true, Ready: 1, Wanted: 1}
	if w.down {
		state.Ready = 0
	}
	return s, state, nil
}

// Write implements resync.Backend.
func (w *world) Write(_ context.Context, p resync.Patch) (string, error) {
	w.patches = append(w.patches, p)
	stored, answer := true, error(nil)
	if w.failWrite != nil {
		stored, answer = w.failWrite(len(w.patches))
	}
	if !stored || p.DryRun {
		return "", answer
	}
	w.updated = false
	kind := sim.Cluster
	if p.Operator {
		kind = sim.Resource
	}
	obj, err := w.api.Patch(kind, p.Body)
	if err != nil {
		return "", resync.ErrConflict
	}
	rv, _ := hosted.Dig(obj, "metadata", "resourceVersion")
	return hosted.Str(rv), answer
}

// Wait implements resync.Backend: time passes.
func (w *world) Wait(ctx context.Context, until time.Time) (*hosted.Snapshot, bool, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if len(w.states) > 0 {
			s, _ := hosted.FromObjects(w.states[0], nil)
			w.states = w.states[1:]
			return &s, false, nil
		}
		if w.stirred {
			w.stirred = false
			return nil, false, nil
		}
		if !w.step(until) {
			w.now = until
			return nil, false, nil
		}
	}
}

// step lets whoever is due first do one thing, if that is before a time.
func (w *world) step(until time.Time) bool {
	actors := [2]interface {
		Step() sim.Rest
		Woken() bool
	}{&w.rancher, &w.operator}
	best := -1
	for i, a := range actors {
		if w.idle[i] && a.Woken() && w.due[i].After(w.now) {
			w.due[i] = w.now
		}
		if best < 0 || w.due[i].Before(w.due[best]) {
			best = i
		}
	}
	if w.asleep || w.due[best].After(until) {
		return false
	}
	if w.due[best].After(w.now) {
		w.now = w.due[best]
	}
	rest := actors[best].Step()
	w.idle[best] = rest.Idle
	switch {
	case rest.Work:
		w.due[best] = w.now.Add(2 * time.Second)
	case rest.Idle && rest.For == 0:
		w.due[best] = noon.Add(1000 * time.Hour)
	default:
		w.due[best] = w.now.Add(rest.For + time.Millisecond)
	}
	return true
}

// Edits implements resync.Backend. What happens while a state waits to be looked at
// counts too early, which errs on the safe side.
func (w *world) Edits() (int, bool) { return w.edits, false }

// Updating implements resync.Backend.
func (w *world) Updating() bool { return w.updated }

// Now implements resync.Backend.
func (w *world) Now() time.Time { return w.now }

// Record implements resync.Journal.
func (w *world) Record(e resync.Entry) error {
	w.entries = append(w.entries, e)
	return nil
}

func (w *world) run(in resync.Intent, o resync.Options) resync.Result {
	w.t.Helper()
	return resync.Run(w.t.Context(), resync.New(in, "change", o), w, w, func(s string) { w.t.Log(s) })
}

func set(t *testing.T, assignments ...string) resync.Intent {
	t.Helper()
	in := resync.Intent{Verb: resync.Set}
	for _, s := range assignments {
		a, err := predict.ParseAssignment(s)
		if err != nil {
			t.Fatal(err)
		}
		in.Edit.Set = append(in.Edit.Set, a)
	}
	return in
}
