package fleet_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// TestStates holds every cluster of the demo to what its text promises, by what
// the prediction makes of its objects.
func TestStates(t *testing.T) {
	w := fleet.Demo(now)
	all := snapshots(t, w)
	for _, tc := range []struct {
		state fleet.State
		phase string
		// overwritten are the keys that the next refresh takes from the cloud.
		overwritten string
		frozen      bool
		// next is the time until the next refresh; never if it does not happen.
		next  time.Duration
		never string
		// drift are the places where Config and cloud differ.
		drift string
		// failure is a part of the operator's message.
		failure string
	}{
		{state: fleet.InSync, phase: "active", next: 200 * time.Second},
		{state: fleet.Unmanaged, phase: "active", next: 80 * time.Second},
		{state: fleet.Armed, phase: "active", next: 2 * time.Minute, overwritten: "privateAccess", drift: "privateAccess"},
		{
			state: fleet.Firing, phase: "updating", next: 100 * time.Second, frozen: true,
			drift: "loggingTypes nodeGroups[workers].maxSize tags.team",
		},
		{state: fleet.PoolAtRisk, phase: "active", next: time.Minute, overwritten: "nodePools", drift: "nodePools[gpu-inference]"},
		{
			state: fleet.Frozen, phase: "updating", next: 190 * time.Second, frozen: true, failure: "InsufficientVCPUQuota",
			drift: "nodePools[batch].count nodePools[gpu] tags.audited",
		},
		{state: fleet.Autoscaled, phase: "active", next: 50 * time.Second, overwritten: "nodeGroups", drift: "nodeGroups[workers].desiredSize"},
		{state: fleet.BlankTags, phase: "active", next: 170 * time.Second, overwritten: "kubernetesVersion", drift: "kubernetesVersion"},
		{
			state: fleet.EmptyUpdate, phase: "updating", next: 150 * time.Second, frozen: true, failure: "Must specify a field to update",
			drift: "labels.stage",
		},
		{state: fleet.Flapping, phase: "updating", next: 90 * time.Second, overwritten: "nodePools", drift: "nodePools[elastic].desiredSize"},
		{state: fleet.BrokenAnnotation, phase: "active", never: "unable to parse last KEv2 refresh time", drift: "kubernetesVersion"},
		{
			state: fleet.FutureAnnotation, phase: "active", next: 31*time.Hour + 5*time.Minute, overwritten: "nodePools",
			drift: "nodePools[workers].desiredSize",
		},
		{
			state: fleet.Cosmetic, phase: "active", next: 130 * time.Second, overwritten: "publicAccessSources",
			drift: "publicAccessSources",
		},
	} {
		t.Run(string(tc.state), func(t *testing.T) {
			s := of(t, w, all, tc.state)
			sched, out := predict.NextRefresh(predict.Input(&s, now))
			if s.CR.Phase != tc.phase || !strings.Contains(s.CR.FailureMessage, tc.failure) || (tc.failure == "") != (s.CR.FailureMessage == "") {
				t.Errorf("the operator is %q with %q", s.CR.Phase, s.CR.FailureMessage)
			}
			if got := strings.Join(out.OverwrittenKeys, " "); got != tc.overwritten || out.SkippedBecauseUpdating != tc.frozen {
				t.Errorf("the refresh overwrites %q, frozen %v; want %q, %v", got, out.SkippedBecauseUpdating, tc.overwritten, tc.frozen)
			}
			if tc.never != "" {
				if sched.Error == nil || !strings.Contains(*sched.Error, tc.never) || sched.NextUnix != nil {
					t.Errorf("schedule %+v, want no refresh because of %q", sched, tc.never)
				}
			} else if !sched.Ready || sched.NextUnix == nil || time.Unix(*sched.NextUnix, 0).Sub(now) != tc.next || sched.Due {
				t.Errorf("schedule %+v, want the next refresh in %s", sched, tc.next)
			}
			if got := drift(s); got != tc.drift {
				t.Errorf("Config and cloud differ in %q, want %q", got, tc.drift)
			}
		})
	}
}

func of(t *testing.T, w fleet.World, all map[string]hosted.Snapshot, state fleet.State) hosted.Snapshot {
	t.Helper()
	for _, c := range w.Clusters {
		if c.State == state {
			return all[c.Name]
		}
	}
	t.Fatalf("no cluster is %s", state)
	return hosted.Snapshot{}
}

// drift lists the places below managed fields where Config and cloud differ.
func drift(s hosted.Snapshot) string {
	table := schema.For(s.Provider)
	sides := fielddiff.Sides{}.With(fielddiff.Config, s.Config).With(fielddiff.Live, s.Live.Spec)
	var out []string
	for _, e := range fielddiff.Differences(table, sides) {
		if f, ok := table.Unit(e.Path.MergeUnit()); ok && f.Managed(s.Config[f.Name]) {
			out = append(out, e.Path.String())
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestFrozenDoesNotKnowThePool: the point of the frozen cluster is that its old
// Config lacks a pool which both the reading and the cloud have.
func TestFrozenDoesNotKnowThePool(t *testing.T) {
	w := fleet.Demo(now)
	s := of(t, w, snapshots(t, w), fleet.Frozen)
	gpu := hosted.Path{}.Key("nodePools").Item("gpu")
	for what, tc := range map[string]struct {
		spec map[string]any
		has  bool
	}{"Config": {s.Config, false}, "Applied": {s.Applied, false}, "resource": {s.CR.Spec, false}, "UpstreamSpec": {s.Upstream, true}, "cloud": {s.Live.Spec, true}} {
		if got := predict.Lookup(schema.For(hosted.AKS), tc.spec, gpu) != nil; got != tc.has {
			t.Errorf("%s has the pool gpu: %v", what, got)
		}
	}
	updated, _ := s.Condition("Updated")
	if updated.Status != "False" || updated.Message != s.CR.FailureMessage {
		t.Errorf("Updated is %s %q", updated.Status, updated.Message)
	}
	if at, err := time.Parse(time.RFC3339, updated.LastUpdateTime); err != nil || now.Sub(at) != 72*time.Hour {
		t.Errorf("frozen since %s, want three days", updated.LastUpdateTime)
	}
}

// TestUnmanagedHoldsIdentityOnly: nothing that an operator could push is set.
func TestUnmanagedHoldsIdentityOnly(t *testing.T) {
	w := fleet.Demo(now)
	s := of(t, w, snapshots(t, w), fleet.Unmanaged)
	for _, v := range predict.Verdicts(predict.Input(&s, now)) {
		if v.Owner == predict.Managed {
			t.Errorf("%s is managed", v.Unit)
		}
	}
	if hosted.Equal(s.Upstream, s.Live.Spec) {
		t.Error("nothing was changed in the cloud, so the cluster shows nothing")
	}
}

// TestBlanksAreNull: a full update sends these as empty.
func TestBlanksAreNull(t *testing.T) {
	w := fleet.Demo(now)
	s := of(t, w, snapshots(t, w), fleet.BlankTags)
	if s.Config["imported"] != false {
		t.Error("only created clusters are sent whole from the Config")
	}
	for _, k := range []string{"tags", "authorizedIpRanges"} {
		if s.Config[k] != nil || len(hosted.Map(s.Live.Spec[k]))+len(hosted.List(s.Live.Spec[k])) == 0 {
			t.Errorf("%s: Config %v, cloud %v", k, s.Config[k], s.Live.Spec[k])
		}
	}
	e := of(t, w, snapshots(t, w), fleet.EmptyUpdate)
	if e.Config["zone"] == "" || e.Config["locations"] != nil || len(hosted.List(e.Live.Spec["locations"])) < 2 {
		t.Errorf("zone %v, locations %v, in the cloud %v", e.Config["zone"], e.Config["locations"], e.Live.Spec["locations"])
	}
}
