package rancher_test

import (
	"bytes"
	"os/exec"
	"reflect"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/manifest"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// TestDumpGivesTheSameFleet: what the real kubectl writes, in YAML and in JSON,
// reads as the server itself does, but for the clock.
func TestDumpGivesTheSameFleet(t *testing.T) {
	srv, _ := fleet(t)
	kubectl, err := testbed.Kubectl(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	live, err := client(t, srv.Config).Read(t.Context(), rancher.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range live.Snapshots {
		live.Snapshots[i].ServerTime = time.Time{}
	}
	resources := "clusters.management.cattle.io,settings.management.cattle.io"
	for _, p := range hosted.Providers() {
		resources += "," + p.CRResource() + "." + p.CRGroup()
	}
	for _, format := range []string{"yaml", "json"} {
		cmd := exec.CommandContext(t.Context(), kubectl, "--kubeconfig", srv.Kubeconfig, "get", resources,
			"-n", testbed.GlobalNamespace, "-o", format, "--show-managed-fields")
		dump, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		got, err := manifest.Read([]string{manifest.Stdin}, bytes.NewReader(dump))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Problems) != 0 || len(got.Unread) != 0 || len(got.Ignored) != 0 {
			t.Errorf("%s: problems %v, unread %v, ignored %v", format, got.Problems, got.Unread, got.Ignored)
		}
		if len(got.Snapshots) != len(live.Snapshots) {
			t.Fatalf("%s: %d clusters, the server has %d", format, len(got.Snapshots), len(live.Snapshots))
		}
		for i := range live.Snapshots {
			if !reflect.DeepEqual(got.Snapshots[i], live.Snapshots[i]) {
				t.Fatalf("%s: got\n%+v\nwant\n%+v", format, got.Snapshots[i], live.Snapshots[i])
			}
		}
	}
}
