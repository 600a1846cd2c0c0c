package app

import (
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/guard"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/journal"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

// born brings the demo to life for a test.
func born(t *testing.T) (fleet.World, *life) {
	t.Helper()
	began := time.Now()
	w := fleet.Demo(began)
	l, err := begin(t.Context(), w, func() time.Duration { return time.Since(began) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.end)
	return w, l
}

// TestLifeBeginsAsTheFleet: every hosted cluster has a cloud that reads as the fleet
// says, and a fleet that nobody touches stays as it is.
func TestLifeBeginsAsTheFleet(t *testing.T) {
	w, l := born(t)
	before := l.store.Revision()
	for range 3 { // each reading waits for its turn between two steps
		for _, c := range w.Clusters {
			r := l.reading(c.Name)
			if (r != nil) != (c.Provider != hosted.None) {
				t.Errorf("%s: reading %v", c.DisplayName, r)
				continue
			}
			if r != nil && (r.Error != "" || !hosted.Equal(r.Spec, c.Live)) {
				t.Errorf("%s (%s) reads as\n%s\n%s, want\n%s", c.DisplayName, c.State, hosted.Canonical(r.Spec), r.Error, hosted.Canonical(c.Live))
			}
		}
	}
	if after := l.store.Revision(); after != before {
		t.Errorf("untouched, the fleet goes from revision %d to %d", before, after)
	}
}

// TestLifeKeepsTheConsole: what the tour promises of atlas-prod. A tag is edited, and
// what somebody did in the console a minute ago is in the cloud and in the Config
// afterwards.
func TestLifeKeepsTheConsole(t *testing.T) {
	w, l := born(t)
	const name = "c-9pd4w"
	c, err := rancher.New(&rest.Config{Host: lab.Host, Transport: lab.NewAPI(l.store)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	began := time.Now()
	b := guard.New(c, name, hosted.EKS, func() time.Duration { return time.Since(began) }, func(s *hosted.Snapshot) error {
		s.Live = l.reading(s.Name)
		return nil
	})
	defer b.Close()
	if _, _, err := b.Read(t.Context()); err != nil { // the server's clock
		t.Fatal(err)
	}
	tag, err := predict.ParseAssignment("tags.team=blue")
	if err != nil {
		t.Fatal(err)
	}
	j := journal.NewWriter(t.TempDir(), resync.Entry{})
	t.Cleanup(func() { _ = j.Close() })
	m := resync.New(resync.Intent{Verb: resync.Set, Edit: predict.Edit{Set: []predict.Assignment{tag}}}, "change-1", resync.Options{Timeout: time.Minute})
	r := resync.Run(t.Context(), m, b, j, func(text string) { t.Log(text) })
	if r.Outcome != resync.Verified {
		t.Fatalf("%s %v %v %s", r.Outcome, r.Refusals, r.Unknown, r.Error)
	}
	s, _, err := b.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for what, spec := range map[string]map[string]any{"the cloud": l.reading(name).Spec, "the Config": s.Config} {
		if spec["privateAccess"] != true || hosted.Map(spec["tags"])["team"] != "blue" {
			t.Errorf("%s has private access %v and the tags %v", what, spec["privateAccess"], spec["tags"])
		}
	}
	// Nobody else was stirred up.
	for _, other := range w.Clusters {
		if other.Provider != hosted.None && other.Name != name && !hosted.Equal(l.reading(other.Name).Spec, other.Live) {
			t.Errorf("the cloud of %s has changed too", other.DisplayName)
		}
	}
}
