package resync_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/sim"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

// swallowed is a cluster in which an edit was put back and never pushed: the cloud
// has privateAccess, every copy in Rancher says no, as at the last refresh.
func swallowed(t *testing.T, manager string, ago time.Duration) *world {
	t.Helper()
	w := newWorld(t)
	if !sim.ByConsole(hosted.EKS, w.cloud, w.config(), "privateAccess", true) {
		t.Fatal("the cloud refuses")
	}
	w.edit(sim.Cluster, []any{map[string]any{
		"manager": manager, "operation": "Update", "fieldsType": "FieldsV1", "time": noon.Add(-ago).Format(time.RFC3339),
		"fieldsV1": map[string]any{"f:spec": map[string]any{"f:eksConfig": map[string]any{"f:privateAccess": map[string]any{}}}},
	}}, "metadata", "managedFields")
	w.edits = 0
	return w
}

// TestHiddenEdit: an edit that equals Rancher's last reading shows only in the API
// server's account of writers. Rancher's own refresh is waited for instead of asking
// for one that would take the edit back.
func TestHiddenEdit(t *testing.T) {
	for _, tc := range []struct {
		name, manager string
		ago           time.Duration
		waits         bool
	}{
		{"by somebody, since the refresh", "kubectl-edit", 30 * time.Second, true},
		{"in Rancher, since the refresh", "rancher", 30 * time.Second, true},
		{"by somebody, in the refresh's second", "kubectl-edit", time.Minute, true},
		{"by somebody, before the refresh", "kubectl-edit", 61 * time.Second, false},
		{"by the refresh itself", "rancher", time.Minute, false},
		{"by the refresh itself, a second later", "rancher", 59 * time.Second, false},
	} {
		for _, in := range []resync.Intent{{Verb: resync.Refresh}, set(t, "tags.team=blue")} {
			t.Run(tc.name+"/"+string(in.Verb), func(t *testing.T) {
				w := swallowed(t, tc.manager, tc.ago)
				own := noon.Add(-time.Minute + 300*time.Second)
				r := w.run(in, resync.Options{})
				if r.Outcome != resync.Verified {
					t.Fatalf("%s %+v %q %s", r.Outcome, r.Refusals, r.Unknown, r.Error)
				}
				if waited := !w.now.Before(own); waited != tc.waits {
					t.Errorf("done after %s; Rancher's own refresh was due after %s", w.now.Sub(noon), own.Sub(noon))
				}
			})
		}
	}
	w := swallowed(t, "kubectl-edit", 30*time.Second)
	r := w.run(resync.Intent{Verb: resync.Refresh}, resync.Options{Timeout: time.Minute})
	if r.Outcome != resync.Refused || r.Refusals[0].Code != resync.WouldOverwrite || !strings.Contains(r.Refusals[0].Text, "kubectl-edit") {
		t.Errorf("without the time to wait: %s %+v", r.Outcome, r.Refusals)
	}
	w = swallowed(t, "kubectl-edit", 30*time.Second)
	if r = w.run(resync.Intent{Verb: resync.Refresh, AllowAll: true}, resync.Options{Timeout: time.Minute}); r.Outcome != resync.Verified {
		t.Errorf("accepted: %s %+v", r.Outcome, r.Refusals)
	}
}

// TestEditDuringVerification: an edit that is made and put back while a change is
// under way is counted, so that the refresh that verifies it is Rancher's own.
func TestEditDuringVerification(t *testing.T) {
	w := newWorld(t)
	touched := false
	r := resync.Run(t.Context(), resync.New(set(t, "tags.team=blue"), "x", resync.Options{}), w, w, func(text string) {
		if touched || !strings.HasPrefix(text, "written") {
			return
		}
		touched = true
		w.edit(sim.Cluster, true, "spec", "eksConfig", "privateAccess")
		w.edit(sim.Cluster, false, "spec", "eksConfig", "privateAccess")
	})
	own := noon.Add(200 * time.Second)
	if r.Outcome != resync.Verified || !touched || w.now.Before(own) {
		t.Errorf("%s %q after %s: %s", r.Outcome, r.Unknown, w.now.Sub(noon), r.Error)
	}
}
