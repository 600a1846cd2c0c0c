package testbed_test

import (
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// own starts a server that a test may do to as it likes.
func own(t *testing.T, o testbed.Options) *testbed.Server {
	t.Helper()
	srv, err := testbed.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Stop(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// TestRestart: what was stored outlives the API server, users keep their
// credentials and rights, and a killed server can be stopped.
func TestRestart(t *testing.T) {
	srv := own(t, testbed.Options{})
	cluster := map[string]any{
		"apiVersion": "management.cattle.io/v3", "kind": "Cluster",
		"metadata": map[string]any{"name": "c-lives"},
		"spec":     map[string]any{"eksConfig": map[string]any{"tags": nil}},
		"status":   map[string]any{"driver": "EKS"},
	}
	srv.Apply(t, cluster)
	before, address := srv.Get(t, "Cluster", "", "c-lives"), srv.Config.Host
	for range 2 {
		srv.KillAPIServer(t)
		if took := srv.StartAPIServer(t); took > 0 {
			t.Logf("started again in %s", took.Round(1e6))
		}
		if after := srv.Get(t, "Cluster", "", "c-lives"); !hosted.Equal(before, after) {
			t.Errorf("after a restart\n%s\nwant\n%s", hosted.Canonical(after), hosted.Canonical(before))
		}
	}
	if srv.Config.Host != address {
		t.Errorf("the address changed from %s to %s", address, srv.Config.Host)
	}
	srv.Merge(t, "Cluster", "", "c-lives", `{"spec":{"displayName":"still writable"}}`, false)
	srv.User(t, "newcomer", testbed.Grant{Verbs: "get", Resource: "clusters.management.cattle.io"})
	srv.KillAPIServer(t)
}
