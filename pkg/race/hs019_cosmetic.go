package race

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// ruleCosmetic is a refresh that rewrites what nobody changed, or absorbs what
// nothing can push.
func ruleCosmetic() Rule {
	return Rule{
		Code: "HS019", Scenario: "R19", Title: "The next refresh rewrites the Config without danger to the cloud", Severity: Info,
		Doc: Doc{
			What: "The refresh will change managed Config fields whose difference no operator pushes: fields Rancher never reads back become null (the AKS virtual network, GKE's description), [] becomes [\"0.0.0.0/0\"], a list takes the cloud's order. The cloud is in no danger. A GitOps tool or Terraform that sees the change and writes its own value back makes a stream of edits, and each of them sets off HS001 for all other fields.",
			Why:  "rancher/rancher, pkg/controllers/management/clusterupstreamrefresher: the merge replaces every top-level key that is not null and not strictly equal, order included; a key that the reader leaves null becomes null.",
			Lost: "The spelling in the Config.",
			Out:  "Write into Git what the refresh makes of it, or null.",
		},
		Check: checkCosmetic,
	}
}

func checkCosmetic(in *Input) []Finding {
	if in.Frozen || in.moving() {
		return nil
	}
	hot := map[string]bool{}
	for _, h := range in.Hot {
		hot[h.Unit()] = true
	}
	edited := in.unreachable()
	var fields []string
	var ev []Evidence
	sev, fought := Info, ""
	for _, k := range in.Outcome.OverwrittenKeys {
		if in.Snapshot.Config[k] == nil || hot[k] || slices.Contains(edited, k) || in.inMotion(k) {
			continue
		}
		if !in.Cloud.Live && !in.unread(k) {
			continue // the reading may just not have caught up with a push
		}
		fields = append(fields, k)
		ev = append(ev, in.configEvidence(k, in.Snapshot.Config[k]), Evidence{"Config " + k + " after the refresh", in.Outcome.ConfigAfter[k], "prediction of the refresh"})
		if w, ok := in.Snapshot.Writer(k); ok && !w.ByRancher() && !strings.HasPrefix(w.Manager, "kubectl") {
			sev, fought = Warning, w.Manager
			ev = append(ev, in.writerEvidence(w))
		}
	}
	if len(fields) == 0 {
		return nil
	}
	f := Finding{Severity: sev, Status: Present, Fields: fields, Evidence: append(ev, in.lastRefreshEvidence()), Window: in.untilRefresh(),
		Summary: fmt.Sprintf("the next refresh rewrites %s in the Config; nothing is pushed to the cloud for it", enumerate(fields))}
	if fought != "" {
		f.Summary += fmt.Sprintf("; %s wrote it last, and if it writes it again, each of its edits enforces every other managed field", quoted(fought))
	}
	return []Finding{f}
}

// inMotion tells whether the unit differs only because EKS hides a version.
func (in *Input) inMotion(unit string) bool {
	return unit == in.Snapshot.Provider.NodeListKey() && len(checkTransition(in)) > 0
}

// unread tells whether Rancher never reads the field back.
func (in *Input) unread(unit string) bool {
	f, ok := in.Table.Unit(unit)
	return ok && f.Source == schema.NotRead
}

// unreachable are the managed units that were edited and are never pushed: the
// Config differs from a reading of what only the cloud can change.
func (in *Input) unreachable() []string {
	s := in.Snapshot
	var out []string
	for i := range in.Table.Root.Fields {
		f := &in.Table.Root.Fields[i]
		v := s.Config[f.Name]
		if f.Push != schema.PushNever && f.Push != schema.PushCarried || f.Source != schema.FromCloud || v == nil || !f.Managed(v) {
			continue
		}
		if f.Equivalent(v, s.Upstream[f.Name]) || f.OmitEmpty && hosted.Equal(s.Upstream[f.Name], nil) {
			continue
		}
		if f.Push == schema.PushCarried && (!in.Cloud.Live || !f.Equivalent(in.Cloud.Spec[f.Name], s.Upstream[f.Name])) {
			continue // a full update may have carried it, and the reading not caught up
		}
		out = append(out, f.Name)
	}
	return out
}
