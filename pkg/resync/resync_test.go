package resync_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/sim"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

// TestRefusals: what is not safe is refused with its code, and nothing is written
// to the Config.
func TestRefusals(t *testing.T) {
	path := func(s string) hosted.Path { return hosted.Path{}.Key(s) }
	for name, c := range map[string]struct {
		world  func(w *world)
		intent resync.Intent
		want   resync.Code
	}{
		"no reading yet":         {func(w *world) { w.edit(sim.Cluster, nil, "status", "eksStatus", "upstreamSpec") }, set(t, "tags.team=x"), resync.NotReady},
		"a broken annotation":    {func(w *world) { w.edit(sim.Cluster, "soon", "metadata", "annotations", hosted.RefreshAnnotation) }, set(t, "tags.team=x"), resync.BrokenInput},
		"a broken setting":       {func(w *world) { w.interval = "5m" }, set(t, "tags.team=x"), resync.BrokenInput},
		"the operator at work":   {func(w *world) { w.edit(sim.Resource, "updating", "status", "phase") }, set(t, "tags.team=x"), resync.Firing},
		"an edit on its way":     {func(w *world) { w.edit(sim.Resource, false, "spec", "publicAccess") }, set(t, "tags.team=x"), resync.Firing},
		"not recorded":           {func(w *world) { w.edit(sim.Cluster, false, "status", "appliedSpec", "eksConfig", "publicAccess") }, set(t, "tags.team=x"), resync.Frozen},
		"nobody pushes":          {func(w *world) { w.down = true }, set(t, "tags.team=x"), resync.OperatorDown},
		"an unpushed edit":       {unpushed, resync.Intent{Verb: resync.Refresh}, resync.WouldOverwrite},
		"a frozen refresh":       {stuck, resync.Intent{Verb: resync.Refresh}, resync.Frozen},
		"collateral when stuck":  {stuck, set(t, "tags.team=x"), resync.WouldPush},
		"a refresh all the time": {func(w *world) { w.interval, w.rancher.Interval = "10", "10" }, set(t, "tags.team=x"), resync.RefreshDue},
		"a failing read":         {func(w *world) { w.rancher.Unreadable = func() string { return "AccessDenied" } }, set(t, "tags.team=x"), resync.RefreshFailed},
		"a blind push":           {func(*world) {}, resync.Intent{Verb: resync.Push}, resync.Blind},
		"what nobody pushes":     {func(*world) {}, set(t, "kmsKey=key"), resync.NoEffect},
		"what Rancher copies":    {func(*world) {}, set(t, `subnets=["subnet-0"]`), resync.NoEffect},
		"no such field":          {func(*world) {}, set(t, "tagz.team=x"), resync.BadEdit},
		"part of an unmanage":    {func(*world) {}, resync.Intent{Verb: resync.Unmanage, Edit: predict.Edit{Unmanage: []hosted.Path{path("tags").Key("team")}}}, resync.BadEdit},
		"manage the unknown":     {func(*world) {}, resync.Intent{Verb: resync.Manage, Fields: []string{"tagz"}}, resync.BadEdit},
		"others keep writing":    {func(w *world) { w.failWrite = func(int) (bool, error) { return false, resync.ErrConflict } }, set(t, "tags.team=x"), resync.Contended},
		"restored over others": {func(*world) {}, resync.Intent{Verb: resync.Restore, Restore: &resync.Entry{Change: "old",
			Units: []resync.UnitChange{{Unit: "tags", Before: map[string]any{}, After: map[string]any{"team": "long ago"}}}}}, resync.ChangedSince},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.world(w)
			before := w.config()
			r := w.run(c.intent, resync.Options{})
			if r.Outcome != resync.Refused || len(r.Refusals) == 0 || r.Refusals[0].Code != c.want {
				t.Fatalf("%s %+v %v %s, want refused: %s", r.Outcome, r.Refusals, r.Unknown, r.Error, c.want)
			}
			if r.Refusals[0].Text == "" {
				t.Error("a refusal without a reason")
			}
			if !hosted.Equal(before, w.config()) {
				t.Errorf("the Config has changed to %v", w.config())
			}
			for _, e := range w.entries {
				if e.Stage == resync.StageWritten {
					t.Error("the journal says that it was written")
				}
			}
		})
	}
}

// unpushed is an edit that counts as applied and is not in the reading.
func unpushed(w *world) {
	w.edit(sim.Cluster, false, "spec", "eksConfig", "publicAccess")
	w.edit(sim.Cluster, false, "status", "appliedSpec", "eksConfig", "publicAccess")
	w.edit(sim.Resource, false, "spec", "publicAccess")
}

// stuck is an edit whose push fails.
func stuck(w *world) {
	w.edit(sim.Cluster, true, "spec", "eksConfig", "privateAccess")
	w.edit(sim.Resource, true, "spec", "privateAccess")
	w.edit(sim.Resource, "updating", "status", "phase")
	w.edit(sim.Resource, "AccessDenied", "status", "failureMessage")
	w.operator.API = nowhere{} // it stays so
}

// TestVerified: a change in the cloud that Rancher has not seen survives an edit,
// the journal has everything before it happens, and the patch is as small as can be.
func TestVerified(t *testing.T) {
	w := newWorld(t)
	if !sim.ByConsole(hosted.EKS, w.cloud, w.config(), "privateAccess", true) {
		t.Fatal("the cloud refuses")
	}
	r := w.run(set(t, "tags.team=blue"), resync.Options{})
	if r.Outcome != resync.Verified || !r.Refreshed {
		t.Fatalf("%s %v %v %s", r.Outcome, r.Refusals, r.Unknown, r.Error)
	}
	if live := w.reading(); live["privateAccess"] != true || hosted.Map(live["tags"])["team"] != "blue" {
		t.Errorf("the cloud has privateAccess %v and tags %v", live["privateAccess"], live["tags"])
	}
	var stages []string
	for _, e := range w.entries {
		stages = append(stages, string(e.Stage))
	}
	if got := strings.Join(stages, " "); got != "refresh write written refresh end" && got != "refresh refresh write written refresh end" {
		t.Errorf("journalled %s", got)
	}
	for _, p := range w.patches {
		if hosted.Map(hosted.Map(p.Body["metadata"]))["resourceVersion"] == nil {
			t.Errorf("a patch without a precondition: %v", p.Body)
		}
		if spec := hosted.Map(p.Body["spec"]); spec != nil && hosted.Canonical(spec) != `{"eksConfig":{"tags":{"team":"blue"}}}` {
			t.Errorf("the patch is %s", hosted.Canonical(spec))
		}
	}
}

// TestVerbs: the other verbs end verified.
func TestVerbs(t *testing.T) {
	w := newWorld(t)
	verified := func(in resync.Intent) resync.Result {
		t.Helper()
		r := w.run(in, resync.Options{})
		if r.Outcome != resync.Verified {
			t.Fatalf("%s: %s %v %v %s", in.Verb, r.Outcome, r.Refusals, r.Unknown, r.Error)
		}
		return r
	}
	verified(set(t, "tags.team=blue"))
	entry := w.entries[len(w.entries)-1]
	for _, e := range w.entries {
		if e.Stage == resync.StageWrite {
			entry = e
		}
	}
	verified(resync.Intent{Verb: resync.Restore, Restore: &entry})
	if hosted.Map(w.config()["tags"])["team"] != "t" {
		t.Errorf("restored to %v", w.config()["tags"])
	}
	before := len(w.patches)
	verified(resync.Intent{Verb: resync.Unmanage, Edit: predict.Edit{Unmanage: []hosted.Path{hosted.Path{}.Key("tags")}}})
	if last := w.patches[len(w.patches)-1]; len(w.patches)-before < 3 || hosted.Map(last.Body["spec"]) != nil {
		t.Errorf("no refresh was asked for after the write: %v", last.Body)
	}
	sim.ByConsole(hosted.EKS, w.cloud, w.config(), "tags", map[string]any{"team": "console"})
	verified(resync.Intent{Verb: resync.Manage, Fields: []string{"tags"}})
	if hosted.Map(w.config()["tags"])["team"] != "console" {
		t.Errorf("managed as %v", w.config()["tags"])
	}
	sim.ByConsole(hosted.EKS, w.cloud, w.config(), "privateAccess", true)
	verified(resync.Intent{Verb: resync.Adopt, Fields: []string{"privateAccess"}})
	if w.config()["privateAccess"] != true {
		t.Error("not adopted")
	}
	sim.ByConsole(hosted.EKS, w.cloud, w.config(), "privateAccess", false)
	w.live = true
	verified(resync.Intent{Verb: resync.Push, Fields: []string{"privateAccess"}})
	if w.reading()["privateAccess"] != true {
		t.Error("not pushed")
	}
	if r := w.run(set(t, "privateAccess=true"), resync.Options{}); r.Outcome != resync.Unchanged {
		t.Errorf("an edit of nothing: %s", r.Outcome)
	}
}

// TestUncertain: a write that is not answered is looked up, and made once.
func TestUncertain(t *testing.T) {
	for name, stored := range map[string]bool{"stored": true, "lost": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			failed := false
			w.failWrite = func(n int) (bool, error) {
				if hosted.Map(w.patches[n-1].Body["spec"]) == nil || failed {
					return true, nil
				}
				failed = true
				return stored, resync.ErrUncertain
			}
			r := w.run(set(t, "tags.team=blue"), resync.Options{})
			if r.Outcome != resync.Verified || !failed {
				t.Fatalf("%s %v %v %s", r.Outcome, r.Refusals, r.Unknown, r.Error)
			}
		})
	}
}

// TestTime: what is not seen in time is never a success.
func TestTime(t *testing.T) {
	w := newWorld(t)
	w.asleep = true
	if r := w.run(set(t, "tags.team=blue"), resync.Options{Timeout: time.Minute}); r.Outcome != resync.TimedOut || len(r.Unknown) == 0 || hosted.Map(w.config()["tags"])["team"] != "t" {
		t.Errorf("nobody refreshes: %s %v", r.Outcome, r.Unknown)
	}
	w = newWorld(t)
	w.failWrite = func(n int) (bool, error) { w.asleep = hosted.Map(w.patches[n-1].Body["spec"]) != nil; return true, nil }
	r := w.run(set(t, "tags.team=blue"), resync.Options{Timeout: time.Minute})
	if r.Outcome != resync.Unverified || len(r.Unknown) == 0 {
		t.Errorf("nobody pushes: %s %v", r.Outcome, r.Unknown)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w = newWorld(t)
	if r := resync.Run(ctx, resync.New(set(t, "tags.team=blue"), "x", resync.Options{}), w, w, nil); r.Outcome != resync.Interrupted || len(w.entries) > 0 {
		t.Errorf("interrupted: %s %v", r.Outcome, w.entries)
	}
}

type broken struct{ *world }

func (broken) Record(resync.Entry) error { return errors.New("disk full") }

// TestNoJournalNoChange: what cannot be journalled is not done.
func TestNoJournalNoChange(t *testing.T) {
	w := newWorld(t)
	r := resync.Run(t.Context(), resync.New(set(t, "tags.team=blue"), "x", resync.Options{}), w, broken{w}, nil)
	if r.Outcome != resync.Failed || !strings.Contains(r.Error, "disk full") || len(w.patches) > 0 || r.Change != "" || len(r.Unknown) > 0 {
		t.Errorf("%s %s, %d patches", r.Outcome, r.Error, len(w.patches))
	}
}

// TestTaken: what others do to a written change is told apart.
func TestTaken(t *testing.T) {
	w := newWorld(t)
	w.failWrite = func(n int) (bool, error) {
		if hosted.Map(w.patches[n-1].Body["spec"]) != nil { // the operator will not push, and nobody notices
			w.operator.API = nowhere{}
			w.rancher.PushWait = time.Second
		}
		return true, nil
	}
	if r := w.run(set(t, "tags.team=blue"), resync.Options{}); r.Outcome != resync.Reverted {
		t.Errorf("an operator that sleeps: %s %v %s", r.Outcome, r.Unknown, r.Error)
	}
}

// nowhere is an API server that the operator does not reach.
type nowhere struct{}

func (nowhere) Get(sim.Kind) (map[string]any, error) { return nil, sim.ErrNotFound }
func (nowhere) Update(sim.Kind, map[string]any, bool) (map[string]any, error) {
	return nil, sim.ErrNotFound
}
func (nowhere) Create(sim.Kind, map[string]any) (map[string]any, error) { return nil, sim.ErrNotFound }

// TestCodesAreExplained: every reason that is given is in the table.
func TestCodesAreExplained(t *testing.T) {
	for _, c := range []resync.Code{resync.NotReady, resync.BrokenInput, resync.Firing, resync.Frozen, resync.FailedUpdate, resync.OperatorDown,
		resync.NotRead, resync.WouldPush, resync.WouldOverwrite, resync.RefreshDue, resync.RefreshFailed, resync.Blind, resync.NoEffect,
		resync.WouldFail, resync.ChangedSince, resync.Contended, resync.BadEdit, resync.NoRight, resync.Declined} {
		if text, ok := resync.ExplainCode(string(c)); !ok || !strings.Contains(text, string(c)) {
			t.Errorf("%s is not explained", c)
		}
	}
	if _, ok := resync.ExplainCode("nonsense"); ok {
		t.Error("nonsense is explained")
	}
}

// TestOthersInOurField: while a change is verified, somebody edits another part of
// the same field, and nobody pushes that yet. A refresh now would take it back, so
// none is asked for.
func TestOthersInOurField(t *testing.T) {
	w := newWorld(t)
	refreshes := 0
	w.failWrite = func(n int) (bool, error) {
		if hosted.Map(w.patches[n-1].Body["spec"]) == nil {
			refreshes++
			return true, nil
		}
		w.operator.API = nowhere{}
		return true, nil
	}
	in := set(t, "tags.team=blue")
	m := resync.New(in, "change", resync.Options{Timeout: time.Minute})
	other := &meddler{world: w}
	r := resync.Run(t.Context(), m, other, w, nil)
	if !other.done || r.Outcome != resync.Unverified && r.Outcome != resync.Reverted {
		t.Fatalf("%s %v %s, meddled %v", r.Outcome, r.Unknown, r.Error, other.done)
	}
	if refreshes != 1 {
		t.Errorf("%d refreshes were asked for, want only the one before the edit", refreshes)
	}
}

// meddler edits the field as soon as the change is written, and has the operator be
// seen at work.
type meddler struct {
	*world
	done bool
}

func (m *meddler) Write(ctx context.Context, p resync.Patch) (string, error) {
	rv, err := m.world.Write(ctx, p)
	if err == nil && hosted.Map(p.Body["spec"]) != nil {
		patch := map[string]any{"spec": map[string]any{"eksConfig": map[string]any{"tags": map[string]any{"other": "mine"}}}}
		if _, err := m.api.Patch(sim.Cluster, patch); err != nil {
			m.t.Fatal(err)
		}
		m.done = true
	}
	return rv, err
}

func (m *meddler) Updating() bool { return m.done }
