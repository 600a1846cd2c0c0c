package fleet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

var now = time.Date(2026, 9, 1, 11, 3, 0, 0, time.UTC)

// snapshots are the fleet's clusters as the program would see them.
func snapshots(t *testing.T, w fleet.World) map[string]hosted.Snapshot {
	t.Helper()
	around := &hosted.Surroundings{ServerTime: w.Now}
	for _, s := range w.Settings {
		around.AddSetting(s)
	}
	for _, c := range w.Clusters {
		if c.Resource != nil {
			around.AddResource(c.Provider, c.Resource)
		}
	}
	out := map[string]hosted.Snapshot{}
	for _, c := range w.Clusters {
		s, problems := hosted.FromObjects(c.Object, around)
		for _, p := range problems {
			t.Errorf("%s: %s", c.DisplayName, p)
		}
		s.Live = w.Reading(c.Name)
		out[c.Name] = s
	}
	return out
}

// TestObjectsAreWhole: whatever the blueprints say, each object reads without a
// complaint, every spec is a fixed point of the provider's type, and the three
// places that name the cluster agree.
func TestObjectsAreWhole(t *testing.T) {
	w := fleet.Demo(now)
	seen := map[string]bool{}
	for name, s := range snapshots(t, w) {
		c, _ := w.Find(name)
		if seen[c.Name] || s.Name != c.Name || s.DisplayName != c.DisplayName || s.Provider != c.Provider {
			t.Errorf("%s: the object says %s %q %s", c.Name, s.Name, s.DisplayName, s.Provider)
		}
		seen[c.Name] = true
		if !s.Hosted() {
			if c.Resource != nil || c.Live != nil || s.Upstream != nil {
				t.Errorf("%s is not hosted and has a cloud", name)
			}
			continue
		}
		if s.Driver != string(c.Provider) || s.CR == nil || s.CR.Namespace != "cattle-global-data" || !s.Setting.Found {
			t.Errorf("%s: driver %q, resource %v, setting %v", name, s.Driver, s.CR, s.Setting)
		}
		table := schema.For(c.Provider)
		for what, spec := range map[string]map[string]any{
			"config": s.Config, "applied": s.Applied, "upstream": s.Upstream, "live": c.Live, "resource": s.CR.Spec,
		} {
			typed, err := table.Decode(spec)
			if err != nil || typed == nil {
				t.Errorf("%s %s: %v", name, what, err)
			} else if again := table.Encode(typed); !hosted.Equal(again, spec) {
				t.Errorf("%s %s is not as its type writes it:\n%s\n%s", name, what, hosted.Canonical(spec), hosted.Canonical(again))
			}
			for key := range spec {
				if _, ok := table.Unit(key); !ok {
					t.Errorf("%s %s: unknown field %s", name, what, key)
				}
			}
		}
	}
}

// TestCopiedFieldsAgree: a reading that differs from the Config where Rancher
// copies from it could not exist.
func TestCopiedFieldsAgree(t *testing.T) {
	for name, s := range snapshots(t, fleet.Demo(now)) {
		if !s.Hosted() {
			continue
		}
		table := schema.For(s.Provider)
		for i := range table.Root.Fields {
			f := &table.Root.Fields[i]
			if f.Source != schema.FromConfig || !f.Managed(s.Config[f.Name]) {
				continue
			}
			for what, spec := range map[string]map[string]any{"upstream": s.Upstream, "live": s.Live.Spec} {
				if !f.Equivalent(s.Config[f.Name], spec[f.Name]) {
					t.Errorf("%s: %s of the %s is %v, of the Config %v", name, f.Name, what, spec[f.Name], s.Config[f.Name])
				}
			}
		}
	}
}

func TestSameMomentSameBytes(t *testing.T) {
	a, b := fleet.Demo(now), fleet.Demo(now.Add(400*time.Millisecond).In(time.FixedZone("elsewhere", 7200)))
	if x, y := bytesOf(a), bytesOf(b); x != y {
		t.Error("the same second gives different bytes")
	}
	if bytesOf(a) == bytesOf(fleet.Demo(now.Add(time.Second))) {
		t.Error("a second later everything is the same")
	}
}

func bytesOf(w fleet.World) string {
	var all []any
	for _, o := range w.Objects() {
		all = append(all, o)
	}
	for _, c := range w.Clusters {
		all = append(all, c.Live, c.Shows, c.Try)
	}
	return hosted.Canonical(all)
}

// TestTimesLieBehind: nothing in the objects was written later than now, except
// the one annotation that is meant to be.
func TestTimesLieBehind(t *testing.T) {
	var walk func(where string, v any)
	walk = func(where string, v any) {
		switch e := v.(type) {
		case map[string]any:
			for k, x := range e {
				walk(where+"."+k, x)
			}
		case []any:
			for i, x := range e {
				walk(fmt.Sprintf("%s[%d]", where, i), x)
			}
		case string:
			if at, err := time.Parse(time.RFC3339, e); err == nil && at.After(now) {
				t.Errorf("%s: %s lies ahead", where, e)
			}
		}
	}
	for _, o := range fleet.Demo(now).Objects() {
		walk(hosted.ObjectName(o), o)
	}
}

// TestRevisionsAreUnique: they tell the versions of one database apart.
func TestRevisionsAreUnique(t *testing.T) {
	of := map[string]string{}
	uids := map[string]string{}
	for _, o := range fleet.Demo(now).Objects() {
		meta := hosted.Map(o["metadata"])
		label := hosted.Str(o["kind"]) + " " + hosted.ObjectName(o)
		for _, m := range []struct {
			in  map[string]string
			key string
		}{{of, "resourceVersion"}, {uids, "uid"}} {
			v := hosted.Str(meta[m.key])
			if other, ok := m.in[v]; ok || v == "" {
				t.Errorf("%s and %s have the same %s %q", label, other, m.key, v)
			}
			m.in[v] = label
		}
	}
}

// TestWriters: who the program will name as the last writer of a field.
func TestWriters(t *testing.T) {
	all := snapshots(t, fleet.Demo(now))
	for _, tc := range []struct {
		cluster, field, manager string
		ago                     time.Duration
	}{
		{"c-d5nrg", "publicAccessSources", "terraform", 2 * time.Minute},
		{"c-d5nrg", "tags", "rancher", 170 * time.Second},
		{"c-w8h2c", "nodePools", "kubectl-edit", 3*24*time.Hour + 20*time.Second},
		{"c-t6vbn", "tags", "rancher", 40 * time.Second},
		{"c-9pd4w", "privateAccess", "rancher", 3 * time.Minute},
	} {
		s := all[tc.cluster]
		w, ok := s.Writer(tc.field)
		if !ok || w.Manager != tc.manager || now.Sub(w.Time) != tc.ago {
			t.Errorf("%s %s was written by %q %s ago, want %s %s", tc.cluster, tc.field, w.Manager, now.Sub(w.Time), tc.manager, tc.ago)
		}
	}
	// Every field of every Config has a writer.
	for name, s := range all {
		for field := range s.Config {
			if _, ok := s.Writer(field); !ok {
				t.Errorf("%s: nobody wrote %s", name, field)
			}
		}
	}
}

// TestTour: each state is shown once, every command line begins with a verb that
// works offline and names a cluster that exists, and the two special names are
// there: one that is not unique, one that is not ASCII.
func TestTour(t *testing.T) {
	w := fleet.Demo(now)
	states, names := map[fleet.State]int{}, map[string]int{}
	for _, s := range w.Tour() {
		states[s.State]++
		names[s.DisplayName]++
	}
	shared, foreign := 0, 0
	for name, n := range names {
		if n > 1 {
			shared++
		}
		if strings.ContainsFunc(name, func(r rune) bool { return r > 127 }) {
			foreign++
		}
	}
	if shared != 1 || names["willow-prod"] != 2 || foreign != 1 {
		t.Errorf("display names: %v", names)
	}
	providers := map[hosted.Provider]int{}
	for _, c := range w.Clusters {
		providers[c.Provider]++
		if states[c.State] != 1 {
			t.Errorf("state %s is shown %d times", c.State, states[c.State])
		}
		if len(c.Shows) < 60 || len(c.Try) == 0 {
			t.Errorf("%s has nothing to tell: %q %q", c.Name, c.Shows, c.Try)
		}
		for _, line := range c.Try {
			verb, rest, _ := strings.Cut(line, " ")
			if !slices.Contains([]string{"get", "diff", "predict", "risk"}, verb) {
				t.Errorf("%s: %q is no verb of the demo", c.Name, verb)
			}
			known := rest == "" || slices.ContainsFunc(w.Clusters, func(o fleet.Cluster) bool {
				return strings.HasPrefix(rest, o.Name) || strings.HasPrefix(rest, o.DisplayName) || strings.HasPrefix(rest, "'"+o.DisplayName+"'")
			})
			if !known {
				t.Errorf("%s: %q names no cluster", c.Name, line)
			}
		}
	}
	for _, p := range append(hosted.Providers(), hosted.None) {
		if providers[p] < 2 {
			t.Errorf("%d clusters of provider %q", providers[p], p)
		}
	}
}
