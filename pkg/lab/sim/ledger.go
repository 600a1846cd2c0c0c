package sim

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// maxLeaves bounds the leaves of a base.
const maxLeaves = 6

// Who writes.
type Who uint8

// The writers. Everybody but Us is foreign.
const (
	Nobody Who = iota
	Console
	Autoscaler
	RancherUser
	StaleForm
	Us
)

var whoNames = [...]string{"nobody", "console", "autoscaler", "rancher user", "stale form", "us"}

// String is the writer's name.
func (w Who) String() string { return whoNames[w] }

// Change is one acknowledged write of one leaf.
type Change struct {
	Who    Who
	Leaf   int
	Value  any
	At     time.Time
	Config bool // in Rancher's Config, else in the cloud
}

// origins says for each leaf which change, by number, the value there comes from;
// 0 is the state at the beginning. Later changes have higher numbers.
type origins [maxLeaves]int32

// cause says what led Rancher or an operator to act.
type cause uint8

const (
	causeOthers cause = 1 << iota
	// causeUs: this change's edit of the Config, or the refresh that it asked for.
	causeUs
	causeRestart
)

// Loss is an acknowledged change that was destroyed: an older value took the place
// of a newer one.
type Loss struct {
	Change Change
	// Config: it was lost in the Config, else in the cloud.
	Config bool
	At     time.Time
	// Ours: the change under test led to it.
	Ours bool
	// Before: it was acknowledged before the change under test last looked;
	// what comes later, no client can protect.
	Before bool
}

// placement says when a value came into the Config, and why.
type placement struct {
	at  time.Time
	why cause
}

type placements [maxLeaves]placement

// ledger keeps account of where every value comes from.
type ledger struct {
	changes []Change
	losses  []Loss
	// where the values in the Config, the custom resource and the cloud come from.
	config, resource, cloud, upstream origins
	// copies that are under way: the handler's Cluster, the refresher's reading,
	// the operator's custom resource.
	handler, reading, pass origins
	// when and why the values of the Config came there, and of its copies.
	placed, placedHandler, placedResource, placedPass placements
	// what led to the Config's latest state, to the custom resource's, and to the
	// operator's work.
	pending, carried, chain cause
	handlerCause            cause
	// refreshCause is why the refresh under way, or the next, happens.
	refreshCause cause
	readAt       time.Time
	// looks says for each refresh, by its annotation, when it read the cloud.
	looks map[string]time.Time
	// lastLook is when what the change under test last wrote was read in the cloud,
	// lastWrite when it wrote that, lastTrigger when it last asked for a refresh.
	lastLook, lastWrite, lastTrigger time.Time
}

// note adds a change and returns its number.
func (l *ledger) note(c Change) int32 {
	l.changes = append(l.changes, c)
	return int32(len(l.changes))
}

// lose records that a newer change gave way to an older one. What the change under
// test led to counts as its own if the other had been acknowledged before it looked.
func (l *ledger) lose(gone, by int32, config bool, why cause, now, looked time.Time) {
	if gone <= by || gone == 0 {
		return
	}
	c := l.changes[gone-1]
	if c.Who == Us {
		return // what becomes of our own change is our own affair
	}
	ours := why&causeUs != 0
	l.losses = append(l.losses, Loss{Change: c, Config: config, At: now, Ours: ours, Before: ours && c.At.Before(looked)})
}

// HandlerRead implements Watcher.
func (w *World) HandlerRead() {
	l := &w.ledger
	l.handler, l.handlerCause, l.placedHandler = l.config, l.pending, l.placed
}

// ResourceWritten implements Watcher.
func (w *World) ResourceWritten() {
	l := &w.ledger
	l.resource, l.placedResource = l.handler, l.placedHandler
	l.carried |= l.handlerCause
	l.pending &^= l.handlerCause
}

// ResourceSame implements Watcher.
func (w *World) ResourceSame() {
	l := &w.ledger
	l.resource, l.placedResource = l.handler, l.placedHandler
	l.pending &^= l.handlerCause
}

// RefreshRead implements Watcher.
func (w *World) RefreshRead() {
	l := &w.ledger
	l.reading, l.readAt = l.cloud, w.now
	w.claims.refreshRead(w)
}

// ConfigWritten implements Watcher.
func (w *World) ConfigWritten(before, after map[string]any) {
	l := &w.ledger
	w.touched++
	for i := range w.base.leaves {
		leaf := &w.base.leaves[i]
		unit := leaf.Path.MergeUnit()
		if hosted.Equal(before[unit], after[unit]) {
			continue
		}
		old, now := leaf.get(w.table, before), leaf.get(w.table, after)
		if hosted.Equal(old, now) {
			l.config[i] = max(l.config[i], l.reading[i])
			continue
		}
		l.lose(l.config[i], l.reading[i], true, l.refreshCause, w.now, l.lastTrigger)
		w.claims.lost(w, i, l.config[i], l.reading[i], true)
		l.config[i] = l.reading[i]
		l.placed[i] = placement{w.now, l.refreshCause}
	}
	l.pending |= l.refreshCause
	w.logf("refresh replaced the Config")
}

// Refreshed implements Watcher.
func (w *World) Refreshed(annotation string) {
	w.ledger.looks[annotation], w.ledger.upstream = w.ledger.readAt, w.ledger.reading
	w.ledger.refreshCause = causeOthers
	w.refreshes++
	w.claims.refreshed(w)
	w.logf("refreshed: %s", annotation)
}

// PassBegun implements OperatorWatcher.
func (w *World) PassBegun() {
	l := &w.ledger
	l.pass, l.placedPass = l.resource, l.placedResource
	l.chain |= l.carried
	l.carried = 0
	if w.restarted {
		l.chain |= causeRestart
		w.restarted = false
	}
}

// Pushed implements OperatorWatcher.
func (w *World) Pushed(before, after map[string]any, p operator.Pass) {
	l := &w.ledger
	w.moved++
	if w.tracing {
		for _, c := range p.Calls {
			w.logf("operator: %s %s %v", c.Op, hosted.Canonical(c.Input), c.Fields)
		}
	}
	if before == nil || after == nil {
		return
	}
	for i := range w.base.leaves {
		leaf := &w.base.leaves[i]
		old, now := leaf.get(w.table, before), leaf.get(w.table, after)
		if hosted.Equal(old, now) {
			if hosted.Equal(now, leaf.get(w.table, hosted.Map(w.operator.cr["spec"]))) {
				l.cloud[i] = max(l.cloud[i], l.pass[i])
			}
			continue
		}
		why := l.chain
		if p := l.placedPass[i]; p.why&causeUs == 0 && p.at.After(l.lastWrite) {
			why &^= causeUs // somebody else has put this value there since
		}
		l.lose(l.cloud[i], l.pass[i], false, why, w.now, l.lastLook)
		// A value that a person has put into the Config since looks like an edit
		// that was meant, whatever it was; nobody can tell from the objects.
		if gone := l.cloud[i]; gone > 0 && l.placedPass[i].at.Before(l.changes[gone-1].At) {
			w.claims.lost(w, i, gone, l.pass[i], false)
		}
		if l.chain == causeUs {
			w.claims.pushed(w, i) // a restart, or an edit of others, pushes something else
		}
		l.cloud[i] = l.pass[i]
	}
}

// PassEnded implements OperatorWatcher.
func (w *World) PassEnded(p operator.Pass) {
	if len(p.Calls) == 0 && !p.Failed() && p.Phase == operator.PhaseActive {
		w.ledger.chain = 0
	}
}

// edited accounts for a Config that somebody else than Rancher has written: named
// are the leaves that the writer meant, from is where the rest of what was written
// comes from.
func (w *World) edited(who Who, before, after map[string]any, named int, from origins) {
	l := &w.ledger
	why := causeOthers
	w.touched++
	if who == Us {
		why, l.lastWrite = causeUs, w.now
	}
	for i := range w.base.leaves {
		leaf := &w.base.leaves[i]
		old, now := leaf.get(w.table, before), leaf.get(w.table, after)
		if i == named {
			l.config[i] = l.note(Change{Who: who, Leaf: i, Value: now, At: w.now, Config: true})
			l.placed[i] = placement{w.now, why}
			continue
		}
		switch {
		case hosted.Equal(old, now):
			continue
		case before[leaf.Path.MergeUnit()] == nil: // managed from now on, as Rancher has read it
			l.config[i] = l.upstream[i]
		case after[leaf.Path.MergeUnit()] == nil:
			l.config[i] = 0
		default:
			l.lose(l.config[i], from[i], true, why, w.now, w.now)
			l.config[i] = from[i]
		}
		l.placed[i] = placement{w.now, why}
	}
	l.pending |= why
}
