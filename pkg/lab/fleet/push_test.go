package fleet_test

import (
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// TestPushOfTheAzureClusters asks the restated AKS operator for what the texts
// promise: the quiet clusters have nothing to push, the frozen one deletes the
// pool, the blank one wipes what it leaves null.
func TestPushOfTheAzureClusters(t *testing.T) {
	w := fleet.Demo(now)
	all := snapshots(t, w)
	push := func(state fleet.State) predict.Push {
		t.Helper()
		s := of(t, w, all, state)
		p, err := predict.Pushed(predict.PushInput{
			Provider: hosted.AKS, Name: s.Name, Config: s.Config, After: s.Config, Status: s.CR.Status, Cloud: s.Live.Spec,
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := push(fleet.Unmanaged); len(p.Calls) > 0 || !p.Converges {
		t.Errorf("the unmanaged cluster would be pushed to: %+v", p)
	}
	deleted := ""
	for _, c := range push(fleet.Frozen).Calls {
		if c.Effect == operator.Delete {
			deleted += c.Object + " "
		}
	}
	if deleted != "nodePools[gpu] " {
		t.Errorf("the frozen cluster's release deletes %q", deleted)
	}
	blanked := map[string]bool{}
	for _, c := range push(fleet.BlankTags).Collateral {
		if c.Carried {
			blanked[strings.SplitN(c.Field, ".", 2)[0]] = true
		}
	}
	for _, k := range []string{"tags", "authorizedIpRanges"} {
		if !blanked[k] {
			t.Errorf("the full update does not wipe %s: %v", k, blanked)
		}
	}
	// Quiet again: with the cloud's values in the Config nothing is blanked.
	s := of(t, w, all, fleet.BlankTags)
	whole, err := schema.For(hosted.AKS).Decode(s.Live.Spec)
	if err != nil {
		t.Fatal(err)
	}
	p, err := predict.Pushed(predict.PushInput{
		Provider: hosted.AKS, Name: s.Name, Config: s.Config, After: schema.For(hosted.AKS).Encode(whole), Status: s.CR.Status, Cloud: s.Live.Spec,
	})
	if err != nil || len(p.Calls) > 0 {
		t.Errorf("a Config as the cloud is pushed: %+v %v", p.Calls, err)
	}
}
