package rancher_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// expected converts what the server holds, read as whole objects by the test
// bed's own client.
func expected(t *testing.T, srv *testbed.Server, objects testbed.Objects) []hosted.Snapshot {
	t.Helper()
	around := &hosted.Surroundings{}
	for _, o := range objects.Settings {
		around.AddSetting(srv.Get(t, "Setting", "", hosted.ObjectName(o)))
	}
	for _, o := range objects.Resources {
		kind := hosted.Str(o["kind"])
		for _, p := range hosted.Providers() {
			if p.CRKind() == kind {
				around.AddResource(p, srv.Get(t, kind, testbed.GlobalNamespace, hosted.ObjectName(o)))
			}
		}
	}
	var clusters []map[string]any
	for _, o := range objects.Clusters {
		clusters = append(clusters, srv.Get(t, "Cluster", "", hosted.ObjectName(o)))
	}
	slices.SortFunc(clusters, func(a, b map[string]any) int {
		return strings.Compare(hosted.ObjectName(a), hosted.ObjectName(b))
	})
	var out []hosted.Snapshot
	for _, c := range clusters {
		s, problems := hosted.FromObjects(c, around)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		out = append(out, s)
	}
	return out
}

// TestReadGivesWhatTheServerHolds: streamed, paged, trimmed and shared, the fleet
// is the same as from whole objects.
func TestReadGivesWhatTheServerHolds(t *testing.T) {
	srv, objects := fleet(t)
	want := expected(t, srv, objects)
	before := time.Now().Add(-2 * time.Second)
	for _, size := range []int{0, 37} {
		got, err := client(t, srv.Config).Read(t.Context(), rancher.Query{PageSize: size})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Snapshots) != fleetSize || len(got.Problems) != 0 || len(got.Unread) != 0 || got.Version == "" {
			t.Fatalf("%d clusters, problems %v, unread %v, version %q", len(got.Snapshots), got.Problems, got.Unread, got.Version)
		}
		if got.ServerTime.Before(before) || got.ServerTime.After(time.Now().Add(2*time.Second)) {
			t.Errorf("server time %v", got.ServerTime)
		}
		for i, s := range got.Snapshots {
			if s.ServerTime != got.ServerTime {
				t.Fatalf("%s was read at %v", s.Name, s.ServerTime)
			}
			s.ServerTime = time.Time{}
			if !reflect.DeepEqual(s, want[i]) {
				t.Fatalf("page size %d: got\n%+v\nwant\n%+v", size, s, want[i])
			}
		}
	}
}

func TestReadKnowsTheFleetsStates(t *testing.T) {
	srv, objects := fleet(t)
	got, err := client(t, srv.Config).Read(t.Context(), rancher.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for i, raw := range objects.Clusters {
		found, err := hosted.Resolve(got.Snapshots, []string{hosted.ObjectName(raw)})
		if err != nil {
			t.Fatal(err)
		}
		s, state := found[0], objects.States[i]
		if s.RancherVersion != "v2.15.1" {
			t.Errorf("%s: Rancher %q", s.Name, s.RancherVersion)
		}
		if state == testbed.NotHosted || state == testbed.LocalCluster {
			if s.Hosted() || s.CR != nil || s.Local != (state == testbed.LocalCluster) {
				t.Errorf("%s (%s): provider %q, CR %v", s.Name, state, s.Provider, s.CR)
			}
			continue
		}
		if s.CR == nil || s.Setting.Effective() != "300" {
			t.Fatalf("%s (%s): CR %v, setting %+v", s.Name, state, s.CR, s.Setting)
		}
		applied := hosted.Equal(s.Config, s.Applied)
		frozen := state == testbed.Frozen || state == testbed.Failing || state == testbed.Creating
		if applied == frozen || (s.CR.Phase == "active") == frozen {
			t.Errorf("%s (%s): Config is Applied %t, phase %s", s.Name, state, applied, s.CR.Phase)
		}
		if (s.Upstream == nil) != (state == testbed.Creating) || s.Deleting != (state == testbed.Deleting) {
			t.Errorf("%s (%s): upstream %v, deleting %t", s.Name, state, s.Upstream, s.Deleting)
		}
		w, ok := s.Writer("kubernetesVersion")
		if state == testbed.Frozen && (!ok || w.Manager != "terraform-provider-rancher2") {
			t.Errorf("%s: kubernetesVersion was written by %+v", s.Name, w)
		}
	}
}

func TestReadByNameAndSelector(t *testing.T) {
	srv, objects := fleet(t)
	c := client(t, srv.Config)
	first, second := hosted.ObjectName(objects.Clusters[1]), hosted.ObjectName(objects.Clusters[2])
	display := hosted.Str(hosted.Map(objects.Clusters[2]["spec"])["displayName"])
	for _, names := range [][]string{{second, first}, {display, first}, {second, first, display}} {
		got, err := c.Read(t.Context(), rancher.Query{Names: names})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Snapshots) != 2 || got.Snapshots[0].Name != second || got.Snapshots[1].Name != first {
			t.Errorf("%v gave %d clusters", names, len(got.Snapshots))
		}
		for _, s := range got.Snapshots {
			if s.CR == nil {
				t.Errorf("%v: %s has no operator resource", names, s.Name)
			}
		}
	}
	var unknown *hosted.UnknownNameError
	if _, err := c.Read(t.Context(), rancher.Query{Names: []string{"no such cluster"}}); !errors.As(err, &unknown) {
		t.Errorf("unknown name: %v", err)
	}
	if _, err := c.Read(t.Context(), rancher.Query{Names: []string{first[:len(first)-1]}}); !errors.As(err, &unknown) || !slices.Contains(unknown.Closest, first) {
		t.Errorf("nearly right name: %v", err)
	}
	blue, err := c.Read(t.Context(), rancher.Query{LabelSelector: "team=blue"})
	if err != nil {
		t.Fatal(err)
	}
	if len(blue.Snapshots) != fleetSize/3 {
		t.Errorf("the selector gave %d clusters, want %d", len(blue.Snapshots), fleetSize/3)
	}
	none, err := c.Read(t.Context(), rancher.Query{LabelSelector: "team=none"})
	if err != nil || len(none.Snapshots) != 0 {
		t.Errorf("an empty selection: %d clusters, %v", len(none.Snapshots), err)
	}
}

func TestInstalledAndSchema(t *testing.T) {
	srv := bed.Server(t)
	c := client(t, srv.Config)
	got, err := c.Installed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !got.Management {
		t.Error("the management API is not seen")
	}
	for _, p := range hosted.Providers() {
		if !got.Operators[p] {
			t.Errorf("%s's operator is not seen", p)
		}
		spec, err := c.Schema(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := hosted.Dig(spec, "properties", p.NodeListKey(), "items", "properties"); !ok {
			t.Errorf("%s's schema lacks the node groups: %s", p, hosted.Canonical(spec))
		}
	}
	nobody := srv.User(t, "schema-nobody")
	if _, err := client(t, nobody.Config).Schema(t.Context(), hosted.EKS); rancher.KindOf(err) != rancher.Forbidden {
		t.Errorf("without rights the schema gives %v", err)
	}
}
