package race

import (
	"fmt"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// ruleLocations is the null that is pushed.
func ruleLocations() Rule {
	return Rule{
		Code: "HS018", Scenario: "R18", Title: "A zonal GKE cluster without locations in the Config fails at every reconcile", Severity: Danger, NamesUnmanaged: true,
		Doc: Doc{
			What: "For a zonal cluster the operator compares locations even if the Config has none. If the cloud has more than the cluster's own zone, it sends an update without content, which Google refuses with \"Must specify a field to update\". Every reconcile ends there, the phase stays updating, and the sync is frozen. Until the first reconcile nothing shows.",
			Why:  "rancher/gke-operator, pkg/gke/update.go, UpdateLocations: null and [] are fine only with a single location that begins with the zone.",
			Lost: "Nothing in the cloud; everything after this step is never pushed.",
			Out:  "Copy the cloud's locations into the Config.",
		},
		Check: checkLocations,
	}
}

func checkLocations(in *Input) []Finding {
	s := in.Snapshot
	zone := hosted.Str(s.Config["zone"])
	if s.Provider != hosted.GKE || zone == "" || len(hosted.List(s.Config["locations"])) > 0 || in.Cloud.Spec == nil {
		return nil
	}
	there := hosted.List(in.Cloud.Spec["locations"])
	if len(there) == 0 || len(there) == 1 && strings.HasPrefix(hosted.Str(there[0]), zone) {
		return nil
	}
	f := Finding{
		Severity: Danger, Status: Present, Fields: []string{"locations"},
		Summary: fmt.Sprintf("the Config has no locations and the cloud has %s: every reconcile of this zonal cluster sends an empty update, fails and freezes the sync%s",
			plural(len(there), "location", "locations"), in.asOf()),
		Evidence: []Evidence{in.configEvidence("zone", zone), in.configEvidence("locations", s.Config["locations"]), in.cloudEvidence("locations", there)},
		Window:   Window{From: in.Now, Reason: "open until the Config has the locations (since when is not recorded)"},
	}
	if in.Failure.Text != "" && Classify(in.Failure.Text).Name == "empty-update" {
		f.Evidence = append(f.Evidence, in.failureEvidence())
	}
	f.remedies(remedy{in.specPatch(map[string]any{"locations": there}), "copy the cloud's locations into the Config; the edit makes the operator enforce all managed fields"})
	return []Finding{f}
}
