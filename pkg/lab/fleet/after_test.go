package fleet_test

import (
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
)

// TestCarriedOut: a change that is carried out is in every copy, and the cluster
// rests; what is null is left to the cloud.
func TestCarriedOut(t *testing.T) {
	w := fleet.Demo(now)
	frozen := of(t, w, snapshots(t, w), fleet.Frozen)
	if !w.CarriedOut(frozen.Name, map[string]any{"nodePools": frozen.Upstream["nodePools"], "tags": nil}) {
		t.Fatal("there is no such cluster")
	}
	s := snapshots(t, w)[frozen.Name]
	if s.CR.Phase != "active" || s.CR.FailureMessage != "" || !hosted.Equal(s.Config, s.Applied) || !hosted.Equal(s.Config, s.CR.Spec) {
		t.Errorf("the cluster does not rest: %s %q", s.CR.Phase, s.CR.FailureMessage)
	}
	for what, spec := range map[string]map[string]any{"UpstreamSpec": s.Upstream, "cloud": s.Live.Spec} {
		if !hosted.Equal(spec["nodePools"], s.Config["nodePools"]) || s.Config["tags"] != nil || spec["tags"] == nil {
			t.Errorf("the %s has %v and %v", what, spec["nodePools"], spec["tags"])
		}
	}
	if w.CarriedOut("no-such", nil) || w.CarriedOut(hosted.LocalClusterName, nil) {
		t.Error("a cluster that has no Config was changed")
	}
}

// TestOperatorsRun: the demo's operators are found, and have been up for a while.
func TestOperatorsRun(t *testing.T) {
	w := fleet.Demo(now)
	if len(w.Operators) != len(hosted.Providers()) {
		t.Fatalf("%d operators", len(w.Operators))
	}
	for i, p := range hosted.Providers() {
		o := hosted.OperatorStateOf(w.Operators[i])
		if hosted.ObjectName(w.Operators[i]) != p.OperatorName() || o.Down() || o.Started.IsZero() || !o.Started.Before(now) || o.Image == "" {
			t.Errorf("%s: %+v", p, o)
		}
	}
}
