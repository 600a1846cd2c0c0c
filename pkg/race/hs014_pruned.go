package race

import (
	"fmt"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// settleTime is how long an edit may take to reach the operator's resource.
const settleTime = time.Minute

// rulePruned is a CRD that is older than Rancher.
func rulePruned() Rule {
	return Rule{
		Code: "HS014", Scenario: "R14", Title: "The operator's CRD drops a field that Rancher knows", Severity: Warning,
		Doc: Doc{
			What: "The installed CRD of the operator is older than Rancher and prunes a field. The handler finds its copy of the Config different at every pass, writes it again and waits ten seconds, for ever. The field never reaches the operator. On Alibaba nothing is recorded as applied any more, which freezes the sync.",
			Why:  "rancher/rancher, pkg/controllers/management/eks/eks_cluster_handler.go and its siblings, onClusterChange compares the Config with the stored resource as raw maps; the CRD's structural schema prunes unknown fields. The rule looks for fields that are applied (Rancher wrote them) and missing in the resource.",
			Lost: "The field's effect; the handler's later steps.",
			Out:  "Bring the charts rancher-<provider>-operator-crd and rancher-<provider>-operator to the version that belongs to Rancher.",
		},
		Check: checkPruned,
	}
}

func checkPruned(in *Input) []Finding {
	s := in.Snapshot
	if s.CR == nil || s.CR.Spec == nil || in.Undecodable != "" {
		return nil
	}
	stuck := s.Provider == hosted.ACK && in.Frozen && !in.FrozenSince.IsZero() && in.Now.Sub(in.FrozenSince) > settleTime
	var fields []string
	var ev []Evidence
	for _, key := range hosted.SortedKeys(s.Config) {
		v := s.Config[key]
		if f, known := in.Table.Unit(key); v == nil || known && (!f.Managed(v) || !f.Nullable() && !f.OmitEmpty) {
			continue
		}
		if _, there := s.CR.Spec[key]; there || !stuck && !hosted.Equal(v, s.Applied[key]) {
			continue
		}
		fields = append(fields, key)
		ev = append(ev, in.configEvidence(key, v), Evidence{"Applied " + key, s.Applied[key], in.appliedAt(key)},
			Evidence{"operator's resource " + key, "absent", crAt(s, "spec")})
	}
	if len(fields) == 0 {
		return nil
	}
	f := Finding{
		Severity: Warning, Status: Present, Fields: fields, Evidence: ev,
		Summary: fmt.Sprintf("%s is set in the Config and missing in the operator's resource: the installed CRD drops it, and Rancher writes it again at every pass", enumerate(fields)),
		Window:  Window{From: in.Now, Reason: "open until the operator's CRD is updated (since when is not recorded)"},
	}
	f.remedies(remedy{command("kubectl", "get", "crd", s.Provider.CRResource()+"."+s.Provider.CRGroup(), "-o", "jsonpath={.metadata.annotations}"),
		"show which chart installed the CRD"})
	return []Finding{f}
}
