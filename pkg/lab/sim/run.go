package sim

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

const (
	// maxSteps bounds a run; a run that needs more is counted as cut off.
	maxSteps = 6000
	// aftermath is how long a run goes on after everything was done: one more
	// refresh at least.
	aftermath = 400 * time.Second
)

// Run is what came of one interleaving.
type Run struct {
	Provider string
	Verb     resync.Verb
	// Changes counts foreign changes that were acknowledged.
	Changes int
	Losses  []Loss
	// Result is the guarded change's, nil for another method or after a crash.
	Result  *resync.Result
	Crashed bool
	// Cut: the run did not come to its end.
	Cut     bool
	Steps   int
	Trace   []string
	Entries []resync.Entry
	// Untrue is a claim of the guarded change against the facts, "" for none.
	Untrue string
	// Sound is what was predicted, beside what happened.
	Sound Soundness
}

// Play runs one interleaving: the same choices make the same surroundings for
// every method.
func Play(c *Choices, method Method, trace bool) (Run, error) {
	w, err := newWorld(c, trace)
	if err != nil {
		return Run{}, err
	}
	w.happenings()
	w.claimings()
	in := w.drawIntent()
	when := start.Add(time.Duration(w.choose.Below(360*4)) * 250 * time.Millisecond)
	opened := when.Add(-time.Duration(5+w.choose.Below(120)) * time.Second)
	var g *guarded
	switch method {
	case Guarded:
		g = w.newGuarded(in, when)
		w.actor = g
	default:
		p := &plain{when: when, method: method, intent: in}
		w.actor = p
		w.at(later(opened, start), func() { p.open(w) })
	}
	var over time.Time
	done := w.run(maxSteps, func() bool {
		if !w.actor.ended() || len(w.events) > 0 {
			over = w.now.Add(min(aftermath, time.Duration(w.interval+100)*time.Second))
			return false
		}
		return w.now.After(over)
	})
	out := Run{Provider: string(w.base.provider), Verb: in.verb, Losses: w.ledger.losses, Cut: !done, Steps: w.steps, Trace: w.trace, Sound: w.claims.settle()}
	for _, ch := range w.ledger.changes {
		if ch.Who != Us {
			out.Changes++
		}
	}
	if g != nil {
		out.Result, out.Crashed, out.Entries, out.Untrue = g.result, g.result == nil && g.done, g.entries, g.untrue
	}
	return out, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
