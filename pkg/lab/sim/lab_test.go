package sim

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

var (
	runs    = flag.Uint64("lab.runs", 4000, "how many interleavings to play")
	seed    = flag.Uint64("lab.seed", 1, "the first seed")
	compare = flag.Uint64("lab.compare", 2, "play every so many seeds with the unguarded methods too")
)

// TestGuardedChangesLoseNothing plays interleavings of console edits, edits in
// Rancher, stale forms, autoscalers, refreshes, restarts, faults, conflicts and
// crashes around one change, guarded and not. "make lab" plays a million.
func TestGuardedChangesLoseNothing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	began := time.Now()
	r, err := Explore(Exploration{Runs: *runs, Seed: *seed, Workers: runtime.GOMAXPROCS(0), CompareEvery: *compare, Show: 2,
		Found: func(v Violation) { fmt.Fprintf(os.Stderr, "seed %d, %s: %s\n", v.Seed, v.Method, v.What) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d interleavings in %s\n%s", *runs, time.Since(began).Round(time.Second), r.String())
	for kind, n := range r.Kinds {
		t.Errorf("%d runs: %s", n, kind)
	}
	for _, v := range r.Violations {
		t.Errorf("seed %d, %s: %s; choices %v\n%s", v.Seed, v.Method, v.What, v.Choices, strings.Join(v.Trace, "\n"))
	}
	g := r.Methods[Guarded]
	if g.Lost != 0 {
		t.Errorf("guarded changes destroyed acknowledged changes in %d runs", g.Lost)
	}
	// Nothing is proven by a lab in which nothing can be lost, or in which every
	// change is refused.
	if r.Methods[Patch].Lost == 0 || r.Methods[Put].Lost == 0 {
		t.Errorf("lost with a plain patch %d, with a PUT %d: want both above 0", r.Methods[Patch].Lost, r.Methods[Put].Lost)
	}
	if done := g.Outcomes[resync.Verified]; done*2 < g.Runs {
		t.Errorf("only %d of %d guarded changes were carried out", done, g.Runs)
	}
	for i, tally := range r.Methods {
		if i == int(Guarded) && (tally.Sound.Refreshes == 0 || tally.Sound.Claims == 0) || i == int(Patch) && tally.Sound.Pushes == 0 {
			t.Errorf("%s: nothing predicted was compared: %+v", Method(i), tally.Sound)
		}
	}
}

// TestSameChoicesSameRun: a run is made by its choices alone.
func TestSameChoicesSameRun(t *testing.T) {
	for s := range uint64(40) {
		c := Seeded(s).Recording()
		a, err := Play(c, Guarded, true)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Play(Replayed(c.Made()), Guarded, true)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(a.Trace, "\n") != strings.Join(b.Trace, "\n") {
			t.Fatalf("seed %d: the recorded choices make another run", s)
		}
	}
}

// TestShrink finds the simplest list.
func TestShrink(t *testing.T) {
	got := Shrink([]uint32{9, 4, 7, 30, 2, 8}, 1000, func(l []uint32) bool {
		for _, v := range l {
			if v >= 5 {
				return true
			}
		}
		return false
	})
	if len(got) != 1 || got[0] != 5 {
		t.Errorf("got %v, want [5]", got)
	}
}
