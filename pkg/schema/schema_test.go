package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// roundTrip asserts that a spec which the real Go type has written passes
// through the table unchanged: names, kinds, pointers and omitempty agree.
func roundTrip(table Spec, raw json.RawMessage) error {
	v, err := hosted.Decode(raw)
	if err != nil || v == nil {
		return err
	}
	typed, err := table.Decode(hosted.Map(v))
	if err != nil {
		return err
	}
	withoutNilSlices(v)
	if got := table.Encode(typed); !hosted.Equal(got, v) {
		return fmt.Errorf("wrote\n   %.300s\n  as\n   %.300s", hosted.Canonical(v), hosted.Canonical(got))
	}
	return nil
}

// withoutNilSlices drops the one thing that JSON cannot tell apart: a pointer to
// a nil slice in an AKS node pool is written as null although the field has
// omitempty, and is read back as no pointer.
func withoutNilSlices(v any) {
	for _, e := range hosted.List(hosted.Map(v)["nodePools"]) {
		for _, k := range []string{"availabilityZones", "nodeTaints"} {
			if pool := hosted.Map(e); pool[k] == nil {
				delete(pool, k)
			}
		}
	}
}

func TestConformanceTables(t *testing.T) {
	for kind, table := range map[string]Spec{"eks.read": eksSpec, "aks.read": aksSpec, "gke.read": gkeSpec} {
		t.Run(kind, func(t *testing.T) {
			vectors.Run(t, kind, func(line []byte) (string, error) {
				var c struct {
					ID     string
					Expect struct{ RancherView, OperatorView json.RawMessage }
				}
				if err := json.Unmarshal(line, &c); err != nil {
					return "?", err
				}
				return c.ID, errors.Join(roundTrip(table, orNull(c.Expect.RancherView)), roundTrip(table, orNull(c.Expect.OperatorView)))
			})
		})
	}
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

// The refresh cases hold cloud specs of all four providers as the Go types
// marshal them, ACK's among them. A case whose driver names another provider
// that is configured too carries that provider's type.
func TestConformanceCloudSpecs(t *testing.T) {
	seen := map[hosted.Provider]int{}
	vectors.Run(t, "refresh", func(line []byte) (string, error) {
		var c struct {
			ID, Provider string
			CloudSpec    json.RawMessage
			Cluster      struct {
				Spec   map[string]any
				Status struct{ Driver string }
			}
		}
		if err := json.Unmarshal(line, &c); err != nil {
			return "?", err
		}
		if strings.HasPrefix(c.ID, "mem-") {
			return c.ID, nil // spells out empties that the type does not write
		}
		p, _ := hosted.ParseProvider(c.Provider)
		driver := hosted.Provider(c.Cluster.Status.Driver)
		if slices.Contains(hosted.Providers(), driver) && c.Cluster.Spec[driver.ConfigKey()] != nil {
			p = driver
		}
		seen[p]++
		return c.ID, roundTrip(For(p), c.CloudSpec)
	})
	for _, p := range hosted.Providers() {
		if seen[p] == 0 {
			t.Errorf("no case of %s", p)
		}
	}
}

func TestTables(t *testing.T) {
	for _, tc := range []struct {
		table   Spec
		fields  int
		items   string
		members int
		managed []string // managed when zero or empty, because the type always writes it
	}{
		{eksSpec, 18, "nodeGroups", 20, []string{"amazonCredentialSecret", "displayName", "region", "imported"}},
		{aksSpec, 34, "nodePools", 17, []string{"imported", "resourceLocation", "resourceGroup", "clusterName", "azureCredentialSecret"}},
		{gkeSpec, 25, "nodePools", 7, []string{"region", "zone", "imported", "description", "projectID", "googleCredentialSecret", "clusterName"}},
		{ackSpec, 23, "nodePools", 22, []string{"imported"}},
	} {
		t.Run(tc.table.Provider.String(), func(t *testing.T) {
			if n := len(tc.table.Root.Fields); n != tc.fields {
				t.Errorf("%d fields, want %d", n, tc.fields)
			}
			list, ok := tc.table.Unit(tc.items)
			if !ok || list.Identity == "" || len(list.Elem.Fields) != tc.members {
				t.Errorf("%s: identity %q, %d members, want %d", tc.items, list.Identity, len(list.Elem.Fields), tc.members)
			}
			var managed []string
			for _, f := range tc.table.Root.Fields {
				if f.Managed(nil) {
					managed = append(managed, f.Name)
				}
			}
			if !slices.Equal(managed, tc.managed) {
				t.Errorf("never null: %v, want %v", managed, tc.managed)
			}
			documented(t, tc.table.Root, "")
		})
	}
}

func documented(t *testing.T, f Field, at string) {
	seen := map[string]bool{}
	for _, m := range f.Fields {
		if seen[m.Name] || m.Name == "" {
			t.Errorf("%s.%s: named twice or not at all", at, m.Name)
		}
		seen[m.Name] = true
		if at == "" && m.Doc == "" && m.Name != "isEnterpriseSecurityGroup" {
			t.Errorf("%s: no sentence for people", m.Name)
		}
		if (m.Kind == List || m.Kind == Map) != (m.Elem != nil) || (m.Kind == Object) != (m.Fields != nil) {
			t.Errorf("%s.%s: shape of a %s is incomplete", at, m.Name, m.Kind)
		}
		documented(t, m, at+"."+m.Name)
		if m.Elem != nil {
			documented(t, *m.Elem, at+"."+m.Name+"[]")
		}
	}
}

func TestDecodeRefusesWrongTypes(t *testing.T) {
	for _, tc := range []struct{ spec, want string }{
		{`{"tags":"x"}`, `tags: want map, found the string "x"`},
		{`{"nodeGroups":[{"nodegroupName":"a","diskSize":2.5}]}`, `nodeGroups[a].diskSize: want 32-bit integer, found 2.5`},
		{`{"nodeGroups":[{"nodegroupName":"a","diskSize":2147483648}]}`, `nodeGroups[a].diskSize: want 32-bit integer, found 2147483648`},
		{`{"nodeGroups":[7]}`, `nodeGroups[#0]: want object, found 7`},
		{`{"publicAccess":"yes"}`, `publicAccess: want boolean, found the string "yes"`},
		{`{"region":["a"]}`, `region: want string, found a list`},
	} {
		v, err := hosted.Decode([]byte(tc.spec))
		if err != nil {
			t.Fatal(err)
		}
		_, err = eksSpec.Decode(hosted.Map(v))
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: got %v, want %s", tc.spec, err, tc.want)
		}
	}
}

func TestLookup(t *testing.T) {
	p, err := hosted.ParsePath("nodeGroups[a].launchTemplate.version")
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := eksSpec.Lookup(p); !ok || f.Kind != Int64 {
		t.Errorf("%s: %v %v", p, f.Kind, ok)
	}
	if _, ok := eksSpec.Lookup(hosted.Path{}.Key("nodeGroups").Key("x")); ok {
		t.Error("a list has no keys")
	}
}
