package guard_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/guard"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/journal"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed/rig"
)

func intent(t *testing.T, verb resync.Verb, sets ...string) resync.Intent {
	t.Helper()
	in := resync.Intent{Verb: verb}
	for _, s := range sets {
		a, err := predict.ParseAssignment(s)
		if err != nil {
			t.Fatal(err)
		}
		in.Edit.Set = append(in.Edit.Set, a)
	}
	return in
}

// run makes one guarded change, as the command line does.
func run(t *testing.T, r *rig.Rig, in resync.Intent, id string, o resync.Options) (resync.Result, string) {
	t.Helper()
	c, err := rancher.New(r.Server.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	began := time.Now()
	b := guard.New(c, r.Name, r.Provider, func() time.Duration { return time.Since(began) }, nil)
	defer b.Close()
	if _, _, err := b.Read(t.Context()); err != nil { // the server's clock
		t.Fatal(err)
	}
	dir := t.TempDir()
	w := journal.NewWriter(dir, resync.Entry{})
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	var said []string
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	res := resync.Run(ctx, resync.New(in, id, o), b, w, func(s string) { said = append(said, s) })
	t.Logf("%s: %s %v %v %s\n%s", id, res.Outcome, res.Refusals, res.Unknown, res.Error, strings.Join(said, "\n"))
	if res.Change != "" {
		c, err := journal.Read(dir, id)
		if err != nil || !c.Ended() || c.Last().Outcome != res.Outcome {
			t.Errorf("the journal does not end with %s: %+v, %v", res.Outcome, c, err)
		}
	}
	return res, dir
}

// TestGuarded: on a real API server, a change in the console that Rancher has not
// seen survives a guarded edit of another field.
func TestGuarded(t *testing.T) {
	srv := bed.Server(t)
	r := rig.New(t, srv, rig.Options{Name: "c-guard1"})
	r.Console(t, "privateAccess", true)
	res, _ := run(t, r, intent(t, resync.Set, "tags.team=blue"), "change-1", resync.Options{})
	if res.Outcome != resync.Verified {
		t.Fatalf("the edit ended as %s", res.Outcome)
	}
	live := r.Live(t)
	if live["privateAccess"] != true {
		t.Error("the change in the console is lost")
	}
	if got := hosted.Map(live["tags"])["team"]; got != "blue" {
		t.Errorf("the cloud has the tag as %v", got)
	}
}

// TestWriters: sixteen writers on one cluster lose nothing, and each refusal says
// why.
func TestWriters(t *testing.T) {
	srv := bed.Server(t)
	r := rig.New(t, srv, rig.Options{Name: "c-guard2"})
	const writers = 16
	results := make([]resync.Result, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			in := intent(t, resync.Set, fmt.Sprintf("tags.w%d=v%d", i, i))
			in.WaitSettled = i%2 == 0
			results[i], _ = run(t, r, in, fmt.Sprintf("writer-%d", i), resync.Options{Timeout: 45 * time.Second})
		})
	}
	wg.Wait()
	tags := hosted.Map(r.Config(t)["tags"])
	cloud := hosted.Map(r.Live(t)["tags"])
	done := 0
	for i, res := range results {
		key, want := fmt.Sprintf("w%d", i), fmt.Sprintf("v%d", i)
		switch {
		case res.Outcome == resync.Verified:
			done++
			if tags[key] != want || cloud[key] != want {
				t.Errorf("writer %d is told verified, and its tag is %v in the Config and %v in the cloud", i, tags[key], cloud[key])
			}
		case res.Outcome == resync.Unverified && len(res.Unknown) > 0:
			if tags[key] != want {
				t.Errorf("writer %d has written, and its tag is %v", i, tags[key])
			}
		case res.Outcome == resync.TimedOut && len(res.Unknown) > 0 && tags[key] == nil:
		case res.Outcome != resync.Refused:
			t.Errorf("writer %d: %s %v %s, and its tag is %v", i, res.Outcome, res.Unknown, res.Error, tags[key])
		case len(res.Refusals) == 0 || res.Refusals[0].Code == "" || res.Refusals[0].Text == "":
			t.Errorf("writer %d is refused without a reason", i)
		case tags[key] != nil:
			t.Errorf("writer %d is refused, and its tag is there", i)
		}
	}
	if done == 0 {
		t.Error("no writer came through")
	}
	t.Logf("%d of %d writers were carried out", done, writers)
}
