package race

import (
	"fmt"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

const (
	configLive   = fielddiff.ConfigLive
	upstreamLive = fielddiff.UpstreamLive
	liveSide     = fielddiff.Live
)

// ruleAccess is about a cloud that Rancher cannot read.
func ruleAccess() Rule {
	return Rule{
		Code: "HS025", Scenario: "R25", Title: "Rancher has lost access to the cloud", Severity: Warning,
		Doc: Doc{
			What: "The refresh cannot read the cloud, or the operator is refused. A failed refresh moves the annotation all the same, so that a fresh time proves nothing; the reading and the Config grow old. On AKS, GKE and Alibaba the error is wiped from the conditions within moments. An edit made meanwhile fails and freezes the sync, and when the access returns the old Config is enforced.",
			Why:  "rancher/rancher, pkg/controllers/management/clusterupstreamrefresher: an error without a usable reading sets the Updated condition and the annotation and stops; the cluster handlers of AKS, GKE and Alibaba set the condition to True again at their next pass.",
			Lost: "Whatever is changed in the cloud until the access returns, if the Config is enforced then.",
			Out:  "Repair the credential. Look at the hot fields before: the first reconcile that gets through enforces them.",
		},
		Check: checkAccess,
	}
}

func checkAccess(in *Input) []Finding {
	s := in.Snapshot
	f := Finding{Severity: Warning, Status: Present, Window: in.window(), Evidence: []Evidence{in.lastRefreshEvidence()}}
	u, ok := s.Condition("Updated")
	switch {
	case ok && strings.Contains(u.Message, syncingError+": syncing failed]"):
		class := Classify(u.Message)
		f.Summary = fmt.Sprintf("the last refresh could not read the cloud (%s): reading and Config are older than the annotation says", class.Title)
		f.Evidence = append(f.Evidence, conditionEvidence(s, u), Evidence{"class of the error", class.Name + ": " + class.Hint, in.at("status.conditions[Updated]")})
		f.Window = Window{From: in.Now, Reason: "open until a refresh can read the cloud"}
		if since := conditionTime(u); !since.IsZero() && since.Before(in.Now) {
			f.Window.From = since
		}
	case in.Failure.Text != "" && Classify(in.Failure.Text).refused():
		class := Classify(in.Failure.Text)
		f.Summary = fmt.Sprintf("the operator is refused by the cloud (%s); refreshes use the same credential", class.Title)
		f.Evidence = append(f.Evidence, in.failureEvidence(), Evidence{"class of the error", class.Name + ": " + class.Hint, in.Failure.Source})
	default:
		return in.silentlyOld()
	}
	f.remedies(in.inspect())
	return []Finding{f}
}

// silentlyOld looks for a refresh that came after the live reading and did not
// see what the reading saw. Where errors are wiped at once, this is the only
// trace; a change that was taken back in between looks the same.
func (in *Input) silentlyOld() []Finding {
	last, ok := in.lastRefresh()
	if !ok || last.After(in.Now) || !in.Cloud.Live || in.Cloud.At.IsZero() || !last.After(in.Cloud.At) || in.Snapshot.Provider == hosted.EKS {
		return nil
	}
	var fields []string
	var ev []Evidence
	for _, e := range in.Diff {
		if e.Differs&upstreamLive == 0 || e.Unmanaged || e.Field == nil || !pushable(e.Field) {
			continue
		}
		name := e.Path.String()
		fields = append(fields, name)
		ev = append(ev, Evidence{"UpstreamSpec " + name, e.Cells[fielddiff.Upstream].Value, in.upstreamAt(name)}, in.cloudEvidence(name, e.Cells[liveSide].Value))
	}
	if len(fields) == 0 {
		return nil
	}
	return []Finding{{
		Severity: Info, Status: Unknown, Fields: fields, Evidence: append(ev, in.lastRefreshEvidence(), Evidence{"time of the live reading", stamp(in.Cloud.At), in.Cloud.Source}),
		Summary: fmt.Sprintf("unknown since %s: a refresh ended after the live reading and does not show %s; the cloud changed again, or Rancher cannot read it and the error was wiped", stamp(in.Cloud.At), enumerate(fields)),
		Window:  in.untilRefresh(),
	}}
}
