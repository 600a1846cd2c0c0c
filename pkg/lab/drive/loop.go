package drive

import (
	"context"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/sim"
)

// Actor is one of the lab's processes.
type Actor interface {
	Step() sim.Rest
	Notify()
	Woken() bool
}

// Loop runs actors one step at a time, so that they and whatever Do is given share
// a cloud without locks.
type Loop struct {
	// API is what the actors work on; a change of its objects wakes them.
	API sim.API
	// Elapsed is a monotonic clock.
	Elapsed func() time.Duration
	// Poll is how often the objects are looked at, Work how long a call to the
	// cloud takes.
	Poll, Work time.Duration

	actors []*running
	calls  chan call
	// seen are the objects' versions, at the revision looked.
	seen   [2]string
	looked int64
}

type running struct {
	Actor
	due  time.Duration
	idle bool
	// deaf: changes of the Cluster do not wake it, as is so with operators.
	deaf bool
}

// never is a time that does not come.
const never time.Duration = 1 << 62

type call struct {
	do   func()
	done chan struct{}
}

// New makes a loop of actors.
func New(api sim.API, elapsed func() time.Duration, actors ...Actor) *Loop {
	l := &Loop{API: api, Elapsed: elapsed, Poll: 20 * time.Millisecond, Work: 10 * time.Millisecond, calls: make(chan call)}
	for _, a := range actors {
		_, operator := a.(*sim.Operator)
		l.actors = append(l.actors, &running{Actor: a, idle: true, deaf: operator})
		a.Notify()
	}
	return l
}

// Later adds an operator, before Run, that sleeps until the custom resource changes
// or, if first is not 0, until that much time has passed.
func (l *Loop) Later(operator Actor, first time.Duration) {
	r := &running{Actor: operator, idle: true, deaf: true, due: never}
	if first > 0 {
		r.due = l.Elapsed() + first
	}
	l.actors = append(l.actors, r)
	// What is there now is no change.
	if obj, err := l.API.Get(sim.Resource); err == nil {
		l.seen[sim.Resource] = versionOf(obj)
	}
}

func versionOf(obj map[string]any) string {
	meta, _ := obj["metadata"].(map[string]any)
	version, _ := meta["resourceVersion"].(string)
	return version
}

// Do runs a function between two steps, and returns when it is done or ctx ends.
func (l *Loop) Do(ctx context.Context, do func()) {
	c := call{do, make(chan struct{})}
	select {
	case l.calls <- c:
	case <-ctx.Done():
		return
	}
	select {
	case <-c.done:
	case <-ctx.Done():
	}
}

// Run steps until ctx ends.
func (l *Loop) Run(ctx context.Context) {
	tick := time.NewTicker(l.Poll)
	defer tick.Stop()
	for {
		l.look()
		for l.step() {
			if ctx.Err() != nil {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case c := <-l.calls:
			c.do()
			close(c.done)
		case <-tick.C:
		}
	}
}

// look wakes the actors if an object has changed.
func (l *Loop) look() {
	if r, ok := l.API.(interface{ Revision() int64 }); ok {
		now := r.Revision()
		if now == l.looked {
			return
		}
		l.looked = now
	}
	for k := range l.seen {
		obj, err := l.API.Get(sim.Kind(k))
		if err != nil {
			continue
		}
		version := versionOf(obj)
		if version == l.seen[k] {
			continue
		}
		l.seen[k] = version
		for _, a := range l.actors {
			if !a.deaf || sim.Kind(k) == sim.Resource {
				a.Notify()
			}
		}
	}
}

// step lets one actor that is due do one thing.
func (l *Loop) step() bool {
	now := l.Elapsed()
	for _, a := range l.actors {
		if now < a.due && !(a.idle && a.Woken()) {
			continue
		}
		rest := a.Step()
		a.idle = rest.Idle
		switch {
		case rest.Work:
			a.due = now + l.Work
		case rest.Idle && rest.For == 0:
			a.due = never
		default:
			a.due = now + rest.For
		}
		return true
	}
	return false
}

// Quiet tells whether every actor waits for something to change. It is called
// through Do.
func (l *Loop) Quiet() bool {
	for _, a := range l.actors {
		if !a.idle || a.Woken() {
			return false
		}
	}
	return true
}
