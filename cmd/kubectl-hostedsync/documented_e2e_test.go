//go:build e2e

package main

import (
	"slices"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

// The race that Rancher documents: a managed field is changed in the cloud's
// console, and before the next refresh somebody edits another field in Rancher. The
// kube-apiserver, the operators, kubectl and the plugin are real; Rancher is the
// lab's, and the cloud is on loopback.

// race is that race on one provider.
type race struct {
	provider hosted.Provider
	// field is false in the Config, and becomes true in the cloud by console.
	field   string
	console func(*loopback.Server)
	// lost tells whether a call puts it back.
	lost func(operator.Call) bool
	// retag is the call that sets the tag which is edited.
	retag string
}

func races() []race {
	return []race{
		{
			provider: hosted.EKS, field: "privateAccess", retag: "TagResource",
			console: func(s *loopback.Server) {
				s.EditEKS(func(c *eks.Cloud) {
					hosted.Map(hosted.Map(c.Cluster["cluster"])["resourcesVpcConfig"])["endpointPrivateAccess"] = true
				})
			},
			lost: func(c operator.Call) bool {
				v, _ := hosted.Dig(hosted.Map(c.Input), "resourcesVpcConfig", "endpointPrivateAccess")
				return c.Op == "UpdateClusterConfig" && v == false
			},
		},
		{
			provider: hosted.AKS, field: "httpApplicationRouting", retag: "ManagedClusters.BeginUpdateTags",
			console: func(s *loopback.Server) {
				s.EditAKS(func(c map[string]any) {
					hosted.Map(hosted.Map(c["properties"])["addonProfiles"])["httpApplicationRouting"] = map[string]any{"enabled": true}
				})
			},
			lost: func(c operator.Call) bool {
				v, _ := hosted.Dig(hosted.Map(c.Input), "properties", "addonProfiles", "httpApplicationRouting", "enabled")
				return c.Op == "ManagedClusters.BeginCreateOrUpdate" && v == false
			},
		},
	}
}

// byConsole changes the field in the cloud at 11:01, a minute after the refresh.
func (c *race) byConsole(w *world) {
	w.t.Helper()
	if w.loop != nil {
		c.console(w.loop)
	} else {
		w.rig.Console(w.t, c.field, true)
	}
	w.expect("the cloud", w.rig.Live(w.t), true, c.field)
	config, _, upstream := w.copies()
	w.expect("the Config", config, false, c.field)
	w.expect("the UpstreamSpec", upstream, false, c.field)
}

// settled waits until Rancher counts the tag as applied and the operator rests.
func (c *race) settled(w *world) {
	w.t.Helper()
	w.await("the tag is applied", func() bool {
		config, applied, _ := w.copies()
		tag, _ := hosted.Dig(applied, "tags", "team")
		if w.loop == nil && w.phase() == operator.PhaseUpdating {
			w.nudge()
		}
		return tag == "blue" && hosted.Equal(config, applied) && w.phase() == operator.PhaseActive
	})
}

// plain edits a tag as anybody does. The console's change is lost, and the next
// refresh finds nothing amiss.
func (c *race) plain(w *world) {
	c.byConsole(w)
	w.patch(`{"tags":{"team":"blue"}}`)
	c.settled(w)
	live := w.rig.Live(w.t)
	w.expect("the cloud", live, false, c.field)
	w.expect("the cloud", live, "blue", "tags", "team")
	calls := w.calls()
	if !slices.ContainsFunc(calls, c.lost) || len(w.sent(c.retag)) == 0 {
		w.t.Errorf("the operator sent\n%s", lines(calls))
	}
	w.told("plain patch: %s=true of the console is LOST, the tag is set", c.field)
	// The tag is newer than Rancher's reading, so a refresh has to be insisted on.
	w.done("sync", "--refresh", "--allow-collateral=tags")
	config, _, upstream := w.copies()
	for what, spec := range map[string]map[string]any{"the Config": config, "the UpstreamSpec": upstream} {
		w.expect(what, spec, false, c.field)
		w.expect(what, spec, "blue", "tags", "team")
	}
}

// guarded makes the same edit with the plugin. Nothing is lost.
func (c *race) guarded(w *world) {
	c.byConsole(w)
	w.done("set", "tags.team=blue")
	live := w.rig.Live(w.t)
	config, applied, upstream := w.copies()
	for what, spec := range map[string]map[string]any{"the cloud": live, "the Config": config, "Applied": applied, "the UpstreamSpec": upstream} {
		w.expect(what, spec, true, c.field)
		w.expect(what, spec, "blue", "tags", "team")
	}
	if calls := w.calls(); len(calls) != 1 || calls[0].Op != c.retag {
		w.t.Errorf("the operator sent\n%s", lines(calls))
	}
	w.told("guarded edit: %s=true of the console is kept, the tag is set", c.field)
}

// TestDocumentedRace plays it on real operators and in the lab's model, and
// compares what the operators ask of the cloud and the phases that they go through.
func TestDocumentedRace(t *testing.T) {
	tl := build(t)
	credential(t)
	for _, c := range races() {
		for _, way := range []struct {
			name string
			play func(*race, *world)
		}{{"plain", (*race).plain}, {"guarded", (*race).guarded}} {
			t.Run(string(c.provider)+" "+way.name, func(t *testing.T) {
				var got [2]*world
				for i, parts := range []string{"real", "lab"} {
					t.Run(parts, func(t *testing.T) {
						got[i] = newWorld(t, tl, c.provider, "c-"+parts, parts == "real")
						way.play(&c, got[i])
					})
				}
				if t.Failed() {
					return
				}
				if r, l := lines(got[0].calls()), lines(got[1].calls()); r != l {
					t.Errorf("the real operator sent\n%sthe lab's\n%s", r, l)
				}
				if r, l := got[0].phases(), got[1].phases(); !slices.Equal(r, l) {
					t.Errorf("the real operator wrote the phases %v, the lab's %v", r, l)
				}
			})
		}
	}
}
