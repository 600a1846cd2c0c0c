package sim

import (
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// TestBases: each base reads as itself, and every leaf can be written from both
// sides: pushed from the Config, and changed in the console.
func TestBases(t *testing.T) {
	for _, b := range bases() {
		t.Run(string(b.provider), func(t *testing.T) {
			table := schema.For(b.provider)
			cloud, err := NewCloud(b.provider, b.spec, b.spec, b.status)
			if err != nil {
				t.Fatal(err)
			}
			v := Visit{Name: "c-lab01", Config: b.spec, Status: b.status}
			read, problem := cloud.Read(v)
			if problem != "" {
				t.Fatal(problem)
			}
			for k, want := range b.spec {
				if f, _ := table.Unit(k); !f.Equivalent(read[k], want) {
					t.Errorf("%s reads as %v, want %v", k, hosted.Canonical(read[k]), hosted.Canonical(want))
				}
			}
			if p := cloud.Reconcile(v); len(p.Calls) > 0 || p.Failed() || p.Phase != operator.PhaseActive {
				t.Fatalf("not quiet: %+v", p)
			}
			for i := range b.leaves {
				l := &b.leaves[i]
				read, _ := cloud.Read(v)
				want := l.value(i+1, l.get(table, read))
				if !console(cloud, b, table, v, l, want) {
					t.Errorf("%s: the console cannot change it", l.Path)
				}
				cloud.Settle()
				read, _ = cloud.Read(v)
				if got := l.get(table, read); !hosted.Equal(got, want) {
					t.Errorf("%s reads as %v, want %v", l.Path, got, want)
				}
			}
		})
	}
}
