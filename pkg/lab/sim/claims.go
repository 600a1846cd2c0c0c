package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
)

// claim is what the risk rules and the prediction of the next refresh said at one
// moment of a run.
type claim struct {
	at time.Time
	// live: the cloud was read for it; else only Rancher's objects were.
	live bool
	// where the values came from at that moment.
	config, resource, cloud origins
	// managed are the leaves that the Config held.
	managed [maxLeaves]bool
	// codes are, for each leaf, the rules that named it with severity warning or
	// worse; blind that a rule answered "unknown".
	codes [maxLeaves][]string
	blind bool
	// predicted are the leaves that a predicted push or refresh changes, settled
	// that the cluster was at rest: nothing else is called safe.
	predicted [maxLeaves]bool
	settled   bool
	// The next refresh as predicted, and what it was predicted on.
	configAfter, upstreamAfter map[string]any
	cluster                    map[string]any
	touched, moved             int
	// come is set for what was named and then lost.
	come [maxLeaves]bool
	// same: nothing had changed when the refresh read the cloud.
	same bool
}

// claims are what was said during a run, and how it compared with what happened.
type claims struct {
	made []claim
	// push is what an edit was predicted to push, touched that of the cloud then.
	push        []hosted.Path
	pushTouched int
	pushSet     bool

	Report Soundness
}

// Soundness counts how predictions and what happened compare.
type Soundness struct {
	// Claims counts moments at which the rules were asked, Refreshes and Pushes
	// predictions that could be compared because nothing else happened in between.
	Claims, Refreshes, Pushes int
	// FalseSafe are losses that a claim could have foreseen and did not name.
	FalseSafe []string
	// Wrong are predicted refreshes and pushes that came out differently.
	Wrong []string
	// Alarms counts what each rule named; FalseAlarms what of it was not lost by
	// the end of the run.
	Alarms, FalseAlarms map[string]int
}

// claim asks the rules now.
func (w *World) claim(live bool) {
	s := w.snapshot(live)
	in := race.Gather(&s, w.now, predict.Pushed)
	c := claim{at: w.now, live: s.Live != nil, config: w.ledger.config, resource: w.ledger.resource, cloud: w.ledger.cloud, cluster: w.cluster(), touched: w.touched, moved: w.moved}
	for i := range w.base.leaves {
		c.managed[i] = w.config()[w.base.leaves[i].Path.MergeUnit()] != nil
	}
	c.settled = !in.Frozen && !in.Pending && in.Phase.Name == operator.PhaseActive
	for i := range w.base.leaves {
		l := w.base.leaves[i].Path
		for _, h := range in.Hot {
			c.predicted[i] = c.predicted[i] || h.Path.Contains(l) || l.Contains(h.Path)
		}
		c.predicted[i] = c.predicted[i] || c.live && slices.Contains(in.Outcome.OverwrittenKeys, l.MergeUnit())
	}
	for _, f := range race.Check(in) {
		if f.Status == race.Unknown {
			c.blind = true
			continue
		}
		if f.Severity < race.Warning {
			continue
		}
		for _, field := range f.Fields {
			p, err := hosted.ParsePath(field)
			if err != nil {
				continue
			}
			for i := range w.base.leaves {
				if l := w.base.leaves[i].Path; p.Contains(l) || l.Contains(p) {
					c.codes[i] = append(c.codes[i], f.Code)
				}
			}
		}
	}
	if c.live {
		_, out := predict.NextRefresh(predict.Input(&s, w.now))
		c.configAfter, c.upstreamAfter = out.ConfigAfter, out.UpstreamSpecAfter
	}
	w.claims.made = append(w.claims.made, c)
	w.claims.Report.Claims++
	w.logf("claim: live=%v blind=%v %v", c.live, c.blind, c.codes)
}

// lost compares every claim with a loss: one that had both values before it, the
// one that was lost and the one that took its place, had to name the field, as a
// danger or as what would be pushed or overwritten. That holds for a cluster at rest:
// while an edit or a push is under way, the cluster is called that, and never safe.
func (c *claims) lost(w *World, leaf int, gone, by int32, config bool) {
	if gone <= by || gone == 0 {
		return
	}
	for i := range c.made {
		m := &c.made[i]
		if !m.managed[leaf] {
			continue
		}
		if config && (m.config[leaf] != gone || m.cloud[leaf] != by) {
			continue
		}
		if !config && (m.cloud[leaf] != gone || m.config[leaf] != by && m.resource[leaf] != by) {
			continue
		}
		m.come[leaf] = true
		said := len(m.codes[leaf]) > 0 || m.predicted[leaf] || m.blind && !m.live
		if !said && m.settled {
			c.Report.FalseSafe = append(c.Report.FalseSafe, fmt.Sprintf("at %s (live %v) nothing was said of %s, which was lost at %s",
				m.at.Sub(start), m.live, w.base.leaves[leaf].Path, w.now.Sub(start)))
		}
	}
}

// refreshRead marks the claims on whose very state the refresh works.
func (c *claims) refreshRead(w *World) {
	for i := range c.made {
		m := &c.made[i]
		m.same = m.configAfter != nil && m.touched == w.touched && m.moved == w.moved && hosted.Same(m.cluster, w.rancher.obj) && w.unreadable() == ""
	}
}

// refreshed compares the predictions of this refresh with what it did.
func (c *claims) refreshed(w *World) {
	for i := range c.made {
		m := &c.made[i]
		if !m.same || m.touched != w.touched || !hosted.Same(w.rancher.obj, w.cluster()) {
			continue
		}
		m.same = false
		c.Report.Refreshes++
		p := w.base.provider
		up := hosted.Map(at(w.cluster(), "status", p.StatusKey(), "upstreamSpec"))
		if !hosted.Equal(w.config(), m.configAfter) || !hosted.Equal(up, m.upstreamAfter) {
			c.Report.Wrong = append(c.Report.Wrong, fmt.Sprintf("the refresh predicted at %s came out differently at %s: %s %s", m.at.Sub(start), w.now.Sub(start),
				firstDifference(m.configAfter, w.config()), firstDifference(m.upstreamAfter, up)))
		}
	}
}

// predictPush keeps what an edit is predicted to push.
func (c *claims) predictPush(w *World, after map[string]any, leaf int) {
	s := w.snapshot(true)
	if s.Live == nil || w.chainBusy() {
		return
	}
	push, err := predict.Pushed(predict.PushInput{Provider: s.Provider, Name: s.Name, Config: s.Config, After: after,
		Paths: []hosted.Path{w.base.leaves[leaf].Path}, Status: s.CR.Status, Cloud: s.Live.Spec})
	if err != nil {
		return
	}
	c.push, c.pushSet, c.pushTouched = nil, true, w.touched+1 // the edit itself counts
	for _, call := range push.Calls {
		for _, f := range call.Fields {
			if p, err := hosted.ParsePath(f); err == nil {
				c.push = append(c.push, p)
			}
		}
	}
	for _, x := range push.Collateral { // values that go along
		if p, err := hosted.ParsePath(x.Field); err == nil {
			c.push = append(c.push, p)
		}
	}
}

// pushed compares a leaf that an operator has changed with the prediction.
func (c *claims) pushed(w *World, leaf int) {
	if !c.pushSet {
		return
	}
	if c.pushTouched != w.touched {
		c.pushSet = false
		return
	}
	c.Report.Pushes++
	l := w.base.leaves[leaf].Path
	for _, p := range c.push {
		if p.Contains(l) || l.Contains(p) {
			return
		}
	}
	c.Report.FalseSafe = append(c.Report.FalseSafe, fmt.Sprintf("%s was pushed at %s and not predicted", l, w.now.Sub(start)))
}

// settle counts alarms.
func (c *claims) settle() Soundness {
	c.Report.Alarms, c.Report.FalseAlarms = map[string]int{}, map[string]int{}
	for i := range c.made {
		for leaf, codes := range c.made[i].codes {
			for _, code := range codes {
				c.Report.Alarms[code]++
				if !c.made[i].come[leaf] {
					c.Report.FalseAlarms[code]++
				}
			}
		}
	}
	return c.Report
}

// chainBusy tells whether an edit of others is on its way already.
func (w *World) chainBusy() bool {
	return w.ledger.chain != 0 || w.ledger.carried != 0 || w.ledger.pending != 0
}

// firstDifference names a key in which two specs differ, with both values.
func firstDifference(a, b map[string]any) string {
	for _, k := range hosted.SortedKeys(a) {
		if !hosted.Equal(a[k], b[k]) {
			return fmt.Sprintf("%s: %s, was %s", k, hosted.Canonical(a[k]), hosted.Canonical(b[k]))
		}
	}
	return ""
}
