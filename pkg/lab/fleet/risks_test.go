package fleet_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
)

// TestRisks: the demo's clusters set off the rules that they are there to show,
// and the two quiet ones set off none.
func TestRisks(t *testing.T) {
	w := fleet.Demo(now)
	all := snapshots(t, w)
	want := map[fleet.State]string{
		fleet.InSync: "", fleet.Unmanaged: "", fleet.NotHosted: "", fleet.Management: "",
		fleet.Armed: "HS001", fleet.Firing: "HS002", fleet.PoolAtRisk: "HS004", fleet.Frozen: "HS004 HS009",
		fleet.Autoscaled: "HS005", fleet.BlankTags: "HS026", fleet.EmptyUpdate: "HS018 HS009", fleet.Flapping: "HS030",
		fleet.BrokenAnnotation: "HS012", fleet.FutureAnnotation: "HS012", fleet.Cosmetic: "HS019",
	}
	for _, c := range w.Clusters {
		s := all[c.Name]
		var got []string
		for _, f := range race.Check(race.Gather(&s, now, nil)) {
			got = append(got, f.Code)
		}
		codes, ok := want[c.State]
		if !ok {
			t.Errorf("%s: state %s is in no table", c.Name, c.State)
		}
		if codes == "" && len(got) > 0 {
			t.Errorf("%s is quiet, but sets off %v", c.DisplayName, got)
		}
		for _, code := range strings.Fields(codes) {
			if !slices.Contains(got, code) {
				t.Errorf("%s sets off %v, not %s", c.DisplayName, got, code)
			}
		}
	}
}
