package resync_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

// away is a world whose server is gone after a write that it did not answer.
type away struct {
	*world
	err  error
	stop func()
}

func (a *away) Read(ctx context.Context) (hosted.Snapshot, hosted.OperatorState, error) {
	if n := len(a.patches); n > 0 && hosted.Map(a.patches[n-1].Body["spec"]) != nil {
		a.stop()
		return hosted.Snapshot{}, hosted.OperatorState{}, a.err
	}
	return a.world.Read(ctx)
}

// TestUnanswered: a change that ends before it could be found out whether its write
// was stored does not claim that it was not.
func TestUnanswered(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		stop bool
		want resync.Outcome
	}{
		{"out of time", fmt.Errorf("%w: no route", resync.ErrTemporary), false, resync.Unverified},
		{"refused", fmt.Errorf("no right any more"), false, resync.Unverified},
		{"interrupted", fmt.Errorf("%w: no route", resync.ErrTemporary), true, resync.Interrupted},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w := &away{newWorld(t), tc.err, func() {}}
			if tc.stop {
				w.stop = cancel
			}
			w.failWrite = func(n int) (bool, error) {
				if hosted.Map(w.patches[n-1].Body["spec"]) == nil {
					return true, nil
				}
				return true, resync.ErrUncertain
			}
			r := resync.Run(ctx, resync.New(set(t, "tags.team=blue"), "x", resync.Options{Timeout: time.Minute}), w, w, nil)
			if r.Outcome != tc.want || !strings.Contains(strings.Join(r.Unknown, "\n"), "may have been stored") {
				t.Errorf("%s %q %s", r.Outcome, r.Unknown, r.Error)
			}
			if last := w.entries[len(w.entries)-1]; last.Outcome != tc.want || !strings.Contains(last.Text, "may have been stored") {
				t.Errorf("the journal ends with %s: %s", last.Outcome, last.Text)
			}
		})
	}
}

// late is a world in which the news of the operator's work arrives after everything
// else.
type late struct {
	*world
	arrived bool
}

// Read reads when the operator is done with what was written.
func (l *late) Read(ctx context.Context) (hosted.Snapshot, hosted.OperatorState, error) {
	if n := len(l.patches); n > 0 && hosted.Map(l.patches[n-1].Body["spec"]) != nil {
		for until := l.now.Add(time.Minute); l.step(until); {
			l.stirred = false
		}
	}
	return l.world.Read(ctx)
}

func (l *late) Updating() bool { return l.arrived && l.world.Updating() }

// TestLateNews: if the operator is seen at work only after the change was found to
// be applied, Rancher is asked to read the cloud then, instead of being waited for.
func TestLateNews(t *testing.T) {
	w := &late{world: newWorld(t)}
	tell := func(text string) {
		if strings.Contains(text, "waiting for Rancher's own refresh") {
			w.arrived, w.stirred = true, true
		}
	}
	r := resync.Run(t.Context(), resync.New(set(t, "tags.team=blue"), "x", resync.Options{}), w, w, tell)
	if took := w.now.Sub(noon); r.Outcome != resync.Verified || !w.arrived || took > 3*time.Minute {
		t.Errorf("%s %q after %s; it had to wait: %t", r.Outcome, r.Unknown, took, w.arrived)
	}
}

// TestInterruptedRefresh: an interruption while Rancher is being asked to refresh does
// not claim that a change may have been stored.
func TestInterruptedRefresh(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := newWorld(t)
	w.failWrite = func(int) (bool, error) {
		cancel()
		return true, resync.ErrUncertain
	}
	r := resync.Run(ctx, resync.New(set(t, "tags.team=blue"), "x", resync.Options{}), w, w, nil)
	said := strings.Join(r.Unknown, "\n")
	if r.Outcome != resync.Interrupted || strings.Contains(said, "stored") || !strings.Contains(said, "asked to read the cloud") {
		t.Errorf("%s %q %s", r.Outcome, r.Unknown, r.Error)
	}
}
