package sim

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// kinds of things that happen around a change.
const (
	byConsole = iota
	byAutoscaler
	byRancherUser
	byStaleForm
	bystander
	operatorRestart
	operatorDown
	rancherRestart
	readsFail
	callsFail
	kinds
)

// happenings draws what others do, and when.
func (w *World) happenings() {
	for range 1 + w.choose.Below(5) {
		kind := w.choose.Below(kinds)
		when := start.Add(time.Duration(w.choose.Below(420*4)) * 250 * time.Millisecond)
		leaf := w.choose.Below(len(w.base.leaves))
		length := time.Duration(5+w.choose.Below(90)) * time.Second
		w.at(when, func() { w.happen(kind, leaf, length) })
	}
}

// claimings draws when the rules are asked.
func (w *World) claimings() {
	for range 1 + w.choose.Below(2) {
		live := !w.choose.OnceIn(4)
		w.at(start.Add(time.Duration(w.choose.Below(420*4))*250*time.Millisecond), func() { w.claim(live) })
	}
}

func (w *World) happen(kind, leaf int, length time.Duration) {
	switch kind {
	case byConsole:
		w.console(leaf, Console)
	case byAutoscaler:
		for i := range w.base.leaves {
			if w.base.leaves[i].size {
				w.console(i, Autoscaler)
			}
		}
	case byRancherUser:
		w.userEdits(leaf)
	case byStaleForm:
		opened, from := w.config(), w.ledger.config
		w.at(w.now.Add(length), func() { w.formSaved(leaf, opened, from) })
	case bystander:
		obj := w.cluster()
		_, _ = w.api.Update(Cluster, put(obj, revisionOf(obj), "metadata", "labels", "touched"), false)
	case operatorRestart:
		w.restartOperator()
	case operatorDown:
		w.logf("operator down for %s", length)
		w.operatorDown = true
		w.at(w.now.Add(length), func() { w.operatorDown = false; w.restartOperator() })
	case rancherRestart:
		w.logf("Rancher restarts")
		w.rancher.Restart()
		w.rancherDue, w.rancherIdle = w.now.Add(5*time.Second), false
	case readsFail:
		w.logf("reads fail for %s", length)
		w.readsFail = w.now.Add(length)
	case callsFail:
		w.logf("calls fail for %s", length)
		w.callsFail = w.now.Add(length)
	}
}

func (w *World) restartOperator() {
	w.logf("operator restarts")
	w.operator.Restart()
	w.restarted = true
	w.operatorDue, w.operatorIdle = w.now.Add(time.Second), false
}

// console is a change in the cloud; it counts if the cloud acknowledged it.
func (w *World) console(leaf int, who Who) {
	l := &w.base.leaves[leaf]
	read := w.live()
	if read == nil {
		return
	}
	value := l.value(len(w.ledger.changes)+1, l.get(w.table, read))
	if !console(w.cloud, w.base, w.table, w.visit(), l, value) {
		w.logf("%s: the cloud refuses a change of %s", who, l.Path)
		return
	}
	w.touched++
	w.ledger.cloud[leaf] = w.ledger.note(Change{Who: who, Leaf: leaf, Value: value, At: w.now})
	w.logf("%s: %s=%v", who, l.Path, value)
	if !l.size {
		w.settleLater()
	}
}

// userEdits is an edit of the Config in Rancher, on what it is now.
func (w *World) userEdits(leaf int) {
	l := &w.base.leaves[leaf]
	before := w.config()
	value := l.value(len(w.ledger.changes)+1, l.get(w.table, before))
	after, ok := l.set(w.table, before, value)
	if !ok || hosted.Equal(before, after) {
		return
	}
	w.writeConfig(RancherUser, before, after, leaf, w.ledger.config)
}

// formSaved is the whole Config as a form had it when it was opened, with one
// field changed: Rancher's own API takes it whatever has changed since.
func (w *World) formSaved(leaf int, opened map[string]any, from origins) {
	l := &w.base.leaves[leaf]
	value := l.value(len(w.ledger.changes)+1, l.get(w.table, opened))
	after, ok := l.set(w.table, opened, value)
	if !ok {
		return
	}
	w.writeConfig(StaleForm, w.config(), after, leaf, from)
}

// writeConfig stores a Config for somebody and accounts for it.
func (w *World) writeConfig(who Who, before, after map[string]any, leaf int, from origins) {
	obj := w.cluster()
	stored, err := w.api.Update(Cluster, put(obj, after, "spec", w.base.provider.ConfigKey()), false)
	if err != nil || hosted.Same(stored, obj) {
		return // what changes nothing is no change: the API server stores nothing
	}
	w.edited(who, before, after, leaf, from)
	w.logf("%s: Config %s=%v", who, w.base.leaves[leaf].Path, w.base.leaves[leaf].get(w.table, after))
}
