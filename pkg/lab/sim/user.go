package sim

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

// Method is a way to make a change.
type Method int

// The methods that are compared.
const (
	// Guarded is this program's.
	Guarded Method = iota
	// Patch is a merge patch of the field alone, as "kubectl patch" sends it.
	Patch
	// Put replaces the whole Config with what was read some time before, changed
	// in the one field: a form in a browser, an export that is applied again.
	Put
)

var methodNames = [...]string{"guarded", "kubectl patch", "full-object PUT"}

// String is the method's name.
func (m Method) String() string { return methodNames[m] }

// intent is what is wanted: a field's new value, or one of the verbs that need
// none.
type intent struct {
	verb resync.Verb
	leaf int
}

func (w *World) drawIntent() intent {
	in := intent{leaf: w.choose.Below(len(w.base.leaves))}
	switch w.choose.Below(10) {
	case 8:
		in.verb = resync.Unmanage
	case 9:
		in.verb = resync.Refresh
	default:
		in.verb = resync.Set
	}
	return in
}

// wanted is the Config that the intent makes of one.
func (w *World) wanted(in intent, before map[string]any) (map[string]any, bool) {
	l := &w.base.leaves[in.leaf]
	unit := l.Path.MergeUnit()
	if in.verb == resync.Unmanage {
		return put(before, nil, unit), before[unit] != nil
	}
	if before[unit] == nil { // as a form does: it starts from what Rancher has read
		up := hosted.Map(at(w.cluster(), "status", w.base.provider.StatusKey(), "upstreamSpec"))
		before = put(before, up[unit], unit)
	}
	value := l.value(len(w.ledger.changes)+1, l.get(w.table, before))
	return l.set(w.table, before, value)
}

// plain makes the change without any guard: at once, or with a form that was
// opened before.
type plain struct {
	when   time.Time
	method Method
	intent intent
	opened map[string]any
	from   origins
	done   bool
}

func (p *plain) due() time.Time               { return p.when }
func (p *plain) ended() bool                  { return p.done }
func (p *plain) changed(Kind, map[string]any) {}

// open keeps what the form shows.
func (p *plain) open(w *World) { p.opened, p.from = w.config(), w.ledger.config }

func (p *plain) act(w *World) {
	p.done = true
	w.ledger.lastLook, w.ledger.lastTrigger = w.now, w.now
	if p.intent.verb == resync.Refresh {
		w.ledger.refreshCause = causeUs
		_, _ = w.api.Update(Cluster, drop(w.cluster(), "metadata", "annotations", hosted.RefreshAnnotation), false)
		w.logf("us: annotation removed")
		return
	}
	before := w.config()
	base, from := before, w.ledger.config
	if p.method == Put {
		base, from = p.opened, p.from
	}
	after, ok := w.wanted(p.intent, base)
	if !ok {
		return
	}
	if p.method == Patch {
		w.claims.predictPush(w, after, p.intent.leaf)
	}
	w.writeConfig(Us, before, after, p.intent.leaf, from)
}

// state is one state of the Cluster, and how often the Config had changed by then.
type state struct {
	obj   map[string]any
	edits int
}

// guarded makes the change with the machine of pkg/resync, as the command line
// does, over the lab's API. It can be cut off at any point, as by a crash.
type guarded struct {
	machine *resync.Machine
	intent  intent
	when    time.Time
	next    resync.Action
	seen    resync.Observation
	// states are those of the Cluster that were not looked at yet, stirred that
	// the custom resource changed.
	states  []state
	stirred bool
	// config is the Config that was seen last, edits how often it has changed.
	config map[string]any
	edits  int
	// updating: the operator was seen at work since the last write.
	updating bool
	waiting  bool
	until    time.Time
	started  bool
	done     bool
	crashAt  int
	actions  int
	live     bool
	result   *resync.Result
	entries  []resync.Entry
	// from is where the Config that was read comes from, wrote the number of our own
	// change, untrue what the machine claimed against the facts.
	from   origins
	wrote  int32
	untrue string
	// missing: when the machine last read, the cloud had neither the change nor
	// anything newer.
	missing bool
}

func (g *guarded) ended() bool { return g.done }

func (g *guarded) due() time.Time {
	if g.waiting && len(g.states) == 0 && !g.stirred {
		return g.until
	}
	return g.when
}

func (g *guarded) changed(k Kind, obj map[string]any) {
	if !g.started {
		return
	}
	if k == Cluster {
		g.count(obj)
		g.states = append(g.states, state{obj, g.edits})
	} else {
		g.stirred = true
		g.updating = g.updating || at(obj, "status", "phase") == "updating"
	}
}

// count counts the changes of the Config.
func (g *guarded) count(obj map[string]any) {
	config := hosted.Map(at(obj, "spec", hosted.ProviderOf(obj).ConfigKey()))
	if g.config != nil && !hosted.Same(config, g.config) && !hosted.Equal(config, g.config) {
		g.edits++
	}
	g.config = config
}

// act carries out what the machine asked for, or asks it.
func (g *guarded) act(w *World) {
	if g.actions++; g.actions == g.crashAt {
		w.logf("us: crash")
		g.done = true
		return
	}
	if g.started {
		g.perform(w)
	}
	if g.waiting {
		return
	}
	if !g.started {
		g.started = true
		g.count(w.cluster())
	}
	g.seen.Now, g.seen.Updating = w.now, g.updating
	g.next = g.machine.Next(g.seen)
	g.seen = resync.Observation{}
	if g.next.Say != "" {
		w.logf("us: %s", g.next.Say)
	}
	if g.next.Do == resync.DoEnd {
		g.result, g.done = g.next.Result, true
		if g.result.Outcome == resync.Verified && g.missing {
			g.untrue = "said to be verified, and the cloud never had it"
		}
		w.logf("us: %s %v %v %s", g.result.Outcome, g.result.Refusals, g.result.Unknown, g.result.Error)
		return
	}
	if g.next.Do == resync.DoWait {
		g.waiting, g.until = true, g.next.Until
	}
	g.when = w.now.Add(w.moment())
}

// there tells whether the cloud has what the change wrote, from whomever.
func (g *guarded) there(w *World) bool {
	live := w.live()
	l := &w.base.leaves[g.intent.leaf]
	return live != nil && hosted.Equal(l.get(w.table, live), w.ledger.changes[g.wrote-1].Value)
}

func (g *guarded) perform(w *World) {
	switch g.next.Do {
	case resync.DoRead:
		s := w.snapshot(g.live)
		g.seen.Snapshot = &s
		g.seen.Operator = hosted.OperatorState{Found: true, Ready: 1, Wanted: 1}
		if w.operatorDown {
			g.seen.Operator.Ready = 0
		}
		g.states, g.stirred = nil, false
		g.seen.Edits = g.edits
		g.from = w.ledger.config
		g.missing = g.wrote > 0 && w.ledger.cloud[g.intent.leaf] < g.wrote && !g.there(w)
	case resync.DoRecord:
		g.entries = append(g.entries, g.next.Entry)
	case resync.DoWrite:
		g.write(w)
	case resync.DoWait:
		g.wake(w)
	}
}

// wake gives the machine the next state, or nothing when the time is up.
func (g *guarded) wake(w *World) {
	g.waiting = false
	switch {
	case len(g.states) > 0:
		s, _ := hosted.FromObjects(g.states[0].obj, nil)
		g.seen.Snapshot, g.seen.Edits = &s, g.states[0].edits
		g.states = g.states[1:]
	case g.stirred:
		g.stirred = false
	case w.now.Before(g.until):
		g.waiting = true
	}
}

// write sends the patch; now and then the answer is lost on the way.
func (g *guarded) write(w *World) {
	kind := Cluster
	g.updating = false
	if g.next.Patch.Operator {
		kind = Resource
	}
	lost := w.choose.OnceIn(40)
	if lost && w.choose.OnceIn(2) {
		g.seen.Err = resync.ErrUncertain
		w.logf("us: the write was lost")
		return
	}
	before, from, looked := w.config(), w.ledger.config, w.ledger.lastLook
	body := g.next.Patch.Body
	if t, ok := w.ledger.looks[hosted.Str(at(w.cluster(), "metadata", "annotations", hosted.RefreshAnnotation))]; ok {
		looked = t
	}
	obj, err := w.patchAs(resync.DefaultManager, kind, body)
	if err != nil {
		g.seen.Err = resync.ErrConflict
		w.logf("us: conflict")
		return
	}
	if hosted.Map(body["spec"]) == nil {
		w.ledger.refreshCause |= causeUs
		w.ledger.lastTrigger = w.now
	} else {
		w.ledger.lastLook = looked
		w.edited(Us, before, w.config(), g.intent.leaf, from)
		if g.intent.verb == resync.Set {
			g.wrote = w.ledger.config[g.intent.leaf]
		}
	}
	if lost {
		g.seen.Err = resync.ErrUncertain
		w.logf("us: the answer was lost")
		return
	}
	s, _ := hosted.FromObjects(obj, nil)
	g.seen.Snapshot = &s
}

// patchAs sends a patch under another name than Rancher's.
func (w *World) patchAs(manager string, k Kind, body map[string]any) (map[string]any, error) {
	w.api.Manager = manager
	defer func() { w.api.Manager = "" }()
	return w.api.Patch(k, body)
}

// newGuarded makes the change that an intent asks for.
func (w *World) newGuarded(in intent, when time.Time) *guarded {
	l := &w.base.leaves[in.leaf]
	wish := resync.Intent{Verb: in.verb}
	switch in.verb {
	case resync.Unmanage:
		wish.Edit = predict.Edit{Unmanage: []hosted.Path{hosted.Path{}.Key(l.Path.MergeUnit())}}
	case resync.Set:
		wish.Edit = predict.Edit{Set: []predict.Assignment{w.assignment(l)}}
	}
	wish.WaitSettled = w.choose.OnceIn(2)
	g := &guarded{intent: in, when: when, live: w.choose.OnceIn(3)}
	if w.choose.OnceIn(8) {
		g.crashAt = 2 + w.choose.Below(24)
	}
	g.machine = resync.New(wish, "lab", resync.Options{})
	return g
}

// assignment is the leaf's next value as one would type it.
func (w *World) assignment(l *Leaf) predict.Assignment {
	read := hosted.Map(at(w.cluster(), "status", w.base.provider.StatusKey(), "upstreamSpec"))
	value := l.value(1000, l.get(w.table, read))
	if l.item != nil {
		value = l.item
	}
	return predict.Assignment{Path: l.Path, Text: hosted.Canonical(value)}
}
