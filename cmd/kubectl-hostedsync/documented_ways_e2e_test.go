//go:build e2e

package main

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

// private sets the access in the cloud by console.
func (w *world) private(on bool) {
	w.loop.EditEKS(func(c *eks.Cloud) {
		hosted.Map(hosted.Map(c.Cluster["cluster"])["resourcesVpcConfig"])["endpointPrivateAccess"] = on
	})
}

// kept checks the cloud's value of a field, and that nothing but these operations
// was asked of the cloud.
func (w *world) kept(field string, value any, ops ...string) {
	w.t.Helper()
	w.expect("the cloud", w.rig.Live(w.t), value, field)
	var got []string
	for _, c := range w.calls() {
		got = append(got, c.Op)
	}
	if !slices.Equal(got, ops) {
		w.t.Errorf("want the calls %v, the operator sent\n%s", ops, lines(w.calls()))
	}
}

// TestDocumentedWays are other ways through the same race and its neighbours, on
// the real operator of EKS.
func TestDocumentedWays(t *testing.T) {
	tl := build(t)
	credential(t)
	c := races()[0]
	for _, way := range []struct {
		name string
		play func(*race, *world)
	}{
		{"refresh", (*race).refreshed}, {"unmanage", (*race).unmanaged},
		{"busy", (*race).busy}, {"busy-rescued", (*race).rescued}, {"late", (*race).late},
	} {
		t.Run(way.name, func(t *testing.T) { way.play(&c, newWorld(t, tl, c.provider, "c-"+way.name, true)) })
	}
}

// refreshed: after sync --refresh the Config has the console's change, and a plain
// patch does no harm.
func (c *race) refreshed(w *world) {
	c.byConsole(w)
	w.done("sync", "--refresh")
	config, _, _ := w.copies()
	w.expect("the Config", config, true, c.field)
	w.kept(c.field, true)
	w.patch(`{"tags":{"team":"blue"}}`)
	c.settled(w)
	w.kept(c.field, true, c.retag)
	w.told("sync --refresh, then a plain patch: %s=true of the console is kept, the tag is set", c.field)
}

// unmanaged: after unmanage the field is the cloud's own, whatever is patched.
func (c *race) unmanaged(w *world) {
	c.byConsole(w)
	w.done("unmanage", "--field", c.field)
	config, _, _ := w.copies()
	w.expect("the Config", config, nil, c.field)
	w.kept(c.field, true)
	w.private(false)
	w.patch(`{"tags":{"team":"blue"}}`)
	c.settled(w)
	w.kept(c.field, false, c.retag)
	w.told("unmanage, then a plain patch: %s of the console is kept before and after it, the tag is set", c.field)
}

// atWork has somebody resize a node group, and while that is under way the console
// changes the field, which EKS allows. The guarded edit is refused, and so is every
// other guarded change.
func (c *race) atWork(w *world) {
	w.t.Helper()
	w.loop.Takes(0) // until it is told to settle
	config, _, _ := w.copies()
	groups := hosted.Map(hosted.Clone(config))["nodeGroups"]
	hosted.Map(hosted.List(groups)[0])["desiredSize"] = int64(4)
	w.patch(`{"nodeGroups":` + hosted.Canonical(groups) + `}`)
	w.await("the operator is at work", func() bool {
		return w.phase() == operator.PhaseUpdating && len(w.sent("UpdateNodegroupConfig")) > 0
	})
	c.byConsole(w)
	for _, verb := range [][]string{
		{"set", "tags.team=blue"}, {"set", c.field + "=true"}, {"unmanage", "--field", c.field}, {"sync", "--adopt=" + c.field}, {"sync", "--refresh"},
	} {
		r := w.plugin(verb[0], verb[1:]...)
		if r.code != 3 || r.Outcome != "refused" || len(r.Refusals) != 1 || r.Refusals[0].Code != "firing" {
			w.t.Errorf("%v while the operator is at work: %+v", verb, r)
		}
	}
	config, _, _ = w.copies()
	w.expect("the Config", config, false, c.field)
	w.expect("the Config", config, "t", "tags", "team")
	w.kept(c.field, true, "UpdateNodegroupConfig")
}

// rest lets the cloud finish and the operator look again, until Applied has the new
// size.
func (w *world) rest() {
	w.t.Helper()
	w.await("the operator is done", func() bool {
		_, applied, _ := w.copies()
		for _, g := range hosted.List(applied["nodeGroups"]) {
			if hosted.Equal(hosted.Map(g)["desiredSize"], int64(4)) && w.phase() == operator.PhaseActive {
				return true
			}
		}
		w.loop.Settle()
		w.nudge()
		return false
	})
}

// busy: the refused edit has done no harm; the resize, which was under way before,
// reverts the console's change when it is done.
func (c *race) busy(w *world) {
	c.atWork(w)
	w.rest()
	w.expect("the cloud", w.rig.Live(w.t), false, c.field)
	if len(w.sent("TagResource")) > 0 || !slices.ContainsFunc(w.calls(), c.lost) {
		w.t.Errorf("the operator sent\n%s", lines(w.calls()))
	}
	w.told("guarded edits during a resize: refused, nothing lost by them; left alone, the resize itself LOSES %s=true", c.field)
}

// rescued: a plain patch of the very field keeps the console's change.
func (c *race) rescued(w *world) {
	c.atWork(w)
	w.patch(`{"` + c.field + `":true}`)
	w.await("the operator has the field", func() bool { return hosted.Map(w.resource()["spec"])[c.field] == true })
	w.rest()
	w.kept(c.field, true, "UpdateNodegroupConfig")
	w.done("set", "tags.team=blue", "--allow-collateral=nodeGroups,"+c.field)
	w.kept(c.field, true, "UpdateNodegroupConfig", c.retag)
	w.told("guarded edits during a resize: refused; a plain patch of %s then keeps the console's change, and the edit goes through", c.field)
}

// late: the console changes the field when Rancher has been made to read the cloud
// and the guarded edit is on its way. That is too late: a moment's window stays.
func (c *race) late(w *world) {
	w.loop.Takes(time.Nanosecond) // the plugin waits for all of it
	var once sync.Once
	wire := w.srv.Tripwire(w.t, w.srv.Config, func(_ int, req *http.Request, sent bool) {
		if sent || req.Method != http.MethodPatch {
			return
		}
		if body, err := io.ReadAll(req.Body); err == nil && strings.Contains(string(body), `"team":"blue"`) {
			once.Do(func() { w.private(true) })
		}
	})
	w.kubeconfig = wire.Kubeconfig()
	r := w.plugin("set", "tags.team=blue")
	live := w.rig.Live(w.t)
	w.expect("the cloud", live, false, c.field)
	w.expect("the cloud", live, "blue", "tags", "team")
	w.told("guarded edit, %s=true by console between its refresh and its write: LOST, outcome %s, exit code %d, unknown %v", c.field, r.Outcome, r.code, r.Unknown)
}
