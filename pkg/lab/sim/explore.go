package sim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

// Exploration says how many interleavings to run, and which.
type Exploration struct {
	// Runs is how many seeds are played, from Seed on, by Workers at a time.
	Runs, Seed uint64
	Workers    int
	// CompareEvery plays every so many seeds with the other methods too; 0 none.
	CompareEvery uint64
	// Show bounds how many violations of each kind are shrunk and kept.
	Show int
	// Found, if set, is told of every violation as soon as it is found.
	Found func(Violation)
}

// Tally is what one method's runs came to.
type Tally struct {
	Runs, Changes, Steps int
	// Lost counts runs in which the change destroyed an acknowledged foreign change
	// that stood before the change last looked; Overtaken those in which it
	// destroyed one that came later, in its own last seconds. Elsewhere counts runs
	// in which only others lost something.
	Lost, Overtaken, Elsewhere int
	Crashed, Cut               int
	Outcomes                   map[resync.Outcome]int
	Refusals                   map[resync.Code]int
	Sound                      Soundness
}

// Violation is a run that must not be, in its simplest form.
type Violation struct {
	Seed    uint64
	Method  Method
	What    string
	Choices []uint32
	Trace   []string
}

// Report is what an exploration found.
type Report struct {
	Methods    [3]Tally
	Violations []Violation
	// Kinds counts all violations.
	Kinds map[string]int
}

// Explore plays interleavings and counts. The report does not depend on the number
// of workers.
func Explore(e Exploration) (Report, error) {
	var next atomic.Uint64
	var mu sync.Mutex
	var out Report
	var failure error
	var wg sync.WaitGroup
	for range max(e.Workers, 1) {
		wg.Go(func() {
			var own Report
			for {
				n := next.Add(1) - 1
				if n >= e.Runs {
					break
				}
				if err := own.play(e, e.Seed+n); err != nil {
					mu.Lock()
					failure = err
					mu.Unlock()
					return
				}
			}
			mu.Lock()
			defer mu.Unlock()
			out.add(own)
		})
	}
	wg.Wait()
	slices.SortFunc(out.Violations, func(a, b Violation) int { return cmp.Compare(a.Seed, b.Seed) })
	out.Kinds = map[string]int{}
	out.Violations = slices.DeleteFunc(out.Violations, func(v Violation) bool {
		kind := v.kind()
		out.Kinds[kind]++
		return out.Kinds[kind] > max(e.Show, 1)
	})
	for i := range out.Violations {
		out.Violations[i].shrink()
	}
	return out, failure
}

func (r *Report) play(e Exploration, seed uint64) error {
	methods := []Method{Guarded}
	if e.CompareEvery > 0 && (seed-e.Seed)%e.CompareEvery == 0 {
		methods = []Method{Guarded, Patch, Put}
	}
	for _, m := range methods {
		run, err := Play(Seeded(seed), m, false)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		r.Methods[m].count(run)
		if what := run.violates(m); what != "" {
			v := Violation{Seed: seed, Method: m, What: what}
			r.Violations = append(r.Violations, v)
			if e.Found != nil {
				e.Found(v)
			}
		}
	}
	return nil
}

// violates says which promise a run breaks, "" if none.
func (r *Run) violates(m Method) string {
	for _, l := range r.Losses {
		if m == Guarded && l.Before {
			return "a guarded change destroyed what had been acknowledged before it looked"
		}
	}
	switch {
	case len(r.Sound.FalseSafe) > 0:
		return "false safe: " + r.Sound.FalseSafe[0]
	case len(r.Sound.Wrong) > 0:
		return "wrong prediction: " + r.Sound.Wrong[0]
	case r.Untrue != "":
		return r.Untrue
	case r.Cut:
		return "the run did not come to its end"
	}
	return r.unjournalled()
}

// unjournalled checks that the journal explains the change: what was written was
// announced, and a change that ended says how.
func (r *Run) unjournalled() string {
	written := false
	for i, e := range r.Entries {
		switch e.Stage {
		case resync.StageWrite:
			written = true
		case resync.StageWritten:
			if !written {
				return "the journal has a write that it did not announce"
			}
		case resync.StageEnd:
			if i != len(r.Entries)-1 {
				return "the journal goes on after the end"
			}
		}
	}
	if r.Result != nil && len(r.Entries) > 0 && r.Entries[len(r.Entries)-1].Stage != resync.StageEnd {
		return "the journal does not say how the change ended"
	}
	if r.Result != nil && r.Result.Outcome.Wrote() && !written && r.Verb != resync.Refresh {
		return "a change was written and not journalled"
	}
	return ""
}

func (t *Tally) count(r Run) {
	t.Runs++
	t.Changes += r.Changes
	t.Steps += r.Steps
	lost, overtaken, elsewhere := false, false, false
	for _, l := range r.Losses {
		lost = lost || l.Before
		overtaken = overtaken || l.Ours && !l.Before
		elsewhere = elsewhere || !l.Ours
	}
	switch {
	case lost:
		t.Lost++
	case overtaken:
		t.Overtaken++
	case elsewhere:
		t.Elsewhere++
	}
	if r.Crashed {
		t.Crashed++
	}
	if r.Cut {
		t.Cut++
	}
	if r.Result != nil {
		bump(&t.Outcomes, r.Result.Outcome, 1)
		for _, x := range r.Result.Refusals {
			bump(&t.Refusals, x.Code, 1)
		}
	}
	t.Sound.add(r.Sound)
}

func bump[K comparable](m *map[K]int, k K, n int) {
	if *m == nil {
		*m = map[K]int{}
	}
	(*m)[k] += n
}

func (s *Soundness) add(o Soundness) {
	s.Claims += o.Claims
	s.Refreshes += o.Refreshes
	s.Pushes += o.Pushes
	s.FalseSafe = append(s.FalseSafe, o.FalseSafe...)
	s.Wrong = append(s.Wrong, o.Wrong...)
	for k, n := range o.Alarms {
		bump(&s.Alarms, k, n)
	}
	for k, n := range o.FalseAlarms {
		bump(&s.FalseAlarms, k, n)
	}
}

func (r *Report) add(o Report) {
	for i := range r.Methods {
		t, u := &r.Methods[i], &o.Methods[i]
		t.Runs, t.Changes, t.Steps = t.Runs+u.Runs, t.Changes+u.Changes, t.Steps+u.Steps
		t.Lost, t.Overtaken, t.Elsewhere = t.Lost+u.Lost, t.Overtaken+u.Overtaken, t.Elsewhere+u.Elsewhere
		t.Crashed, t.Cut = t.Crashed+u.Crashed, t.Cut+u.Cut
		for k, n := range u.Outcomes {
			bump(&t.Outcomes, k, n)
		}
		for k, n := range u.Refusals {
			bump(&t.Refusals, k, n)
		}
		t.Sound.add(u.Sound)
	}
	r.Violations = append(r.Violations, o.Violations...)
}

func (v *Violation) kind() string {
	kind, _, _ := strings.Cut(v.What, ":")
	return kind
}

// shrink finds the simplest run with the same kind of violation.
func (v *Violation) shrink() {
	kind := v.kind()
	c := Seeded(v.Seed).Recording()
	if _, err := Play(c, v.Method, false); err != nil {
		return
	}
	v.Choices = Shrink(c.Made(), 2000, func(list []uint32) bool {
		r, err := Play(Replayed(list), v.Method, false)
		if err != nil {
			return false
		}
		k, _, _ := strings.Cut(r.violates(v.Method), ":")
		return k == kind
	})
	if r, err := Play(Replayed(v.Choices), v.Method, true); err == nil {
		v.Trace = r.Trace
	}
}

// String is the report as a table.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-16s %9s %9s %9s %9s %9s %11s\n", "method", "runs", "lost", "overtaken", "crashed", "cut off", "steps")
	for m, t := range r.Methods {
		if t.Runs > 0 {
			fmt.Fprintf(&b, "%-16s %9d %9d %9d %9d %9d %11d\n", Method(m), t.Runs, t.Lost, t.Overtaken, t.Crashed, t.Cut, t.Steps)
		}
	}
	g := r.Methods[Guarded]
	b.WriteString("\nguarded changes ended as:")
	for _, k := range slices.Sorted(maps.Keys(g.Outcomes)) {
		fmt.Fprintf(&b, " %s %d", k, g.Outcomes[k])
	}
	b.WriteString("\nrefused because of:")
	for _, k := range slices.Sorted(maps.Keys(g.Refusals)) {
		fmt.Fprintf(&b, " %s %d", k, g.Refusals[k])
	}
	var s Soundness
	for i := range r.Methods {
		s.add(r.Methods[i].Sound)
	}
	fmt.Fprintf(&b, "\n\npredictions compared: %d states judged, %d refreshes, %d pushes: false safe %d, wrong %d\n", s.Claims, s.Refreshes, s.Pushes, len(s.FalseSafe), len(s.Wrong))
	b.WriteString("alarms by rule (named, and not lost by the end of the run):\n")
	for _, k := range slices.Sorted(maps.Keys(s.Alarms)) {
		fmt.Fprintf(&b, "  %s %7d %7d\n", k, s.Alarms[k], s.FalseAlarms[k])
	}
	return b.String()
}
