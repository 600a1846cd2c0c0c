package race

import (
	"fmt"
	"strings"
	"time"
)

// ruleArmed is the documented race: a change at the cloud's console, then any
// edit in Rancher before the next refresh.
func ruleArmed() Rule {
	return Rule{
		Code: "HS001", Scenario: "R1", Title: "A change in the cloud would be reverted by any edit", Severity: Danger, NeedsLive: true,
		Doc: Doc{
			What: "Somebody changed a managed field in the cloud after Rancher's last refresh. Rancher's Config still has the old value. Any edit of the cluster in Rancher, of whatever field, and equally a restart of the operator or its periodic resync, makes the operator compare all managed fields with the cloud and push the old value back.",
			Why:  "The cluster handler copies the whole Config into the operator's custom resource (rancher/rancher, pkg/controllers/management/eks/eks_cluster_handler.go, onClusterChange, and its siblings), and every reconcile compares all non-null fields, never only the edited ones (rancher/eks-operator, controller/eks-cluster-config-handler.go, updateUpstreamClusterState, and its siblings). Only a refresh that completes while Config and Applied agree takes the cloud's value over (rancher/rancher, pkg/controllers/management/clusterupstreamrefresher/cluster_upstream_refresher.go).",
			Lost: "The cloud's value, without a trace: after the push the next refresh finds both sides equal.",
			Out:  "Let a refresh complete before anybody edits: wait for it, or remove the refresh annotation. To let the cloud decide for good, set the field to null in the Config; null every hot field in the same patch, because the patch is an edit itself.",
		},
		Check: checkArmed,
	}
}

func checkArmed(in *Input) []Finding {
	if !in.Cloud.Live {
		return in.blind()
	}
	if !in.armed() {
		return nil
	}
	hs := in.hotWhere(func(h Hot) bool { return h.Origin == CloudChange && (h.Kind == KindOther || h.Kind == KindNodeLabel) })
	if len(hs) == 0 {
		return nil
	}
	fields := fieldsOf(hs)
	f := Finding{
		Severity: severityOf(hs), Status: Present, Fields: fields,
		Summary: fmt.Sprintf("%s changed in the cloud since Rancher's last refresh: any edit of this cluster, an operator restart or a resync would set %s back",
			enumerate(fields), pronoun(len(hs))),
		Evidence:  append(in.hotEvidence(hs), in.stateEvidence()...),
		Window:    in.untilRefresh(),
		WouldLose: lostInCloud(hs),
	}
	f.remedies(in.refreshNow(), in.unmanage())
	return []Finding{f}
}

// severityOf is lower where only labels of nodes are at stake.
func severityOf(hs []Hot) Severity {
	for _, h := range hs {
		if h.Kind != KindNodeLabel {
			return Danger
		}
	}
	return Warning
}

func pronoun(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// blind is the answer without a reading of the cloud: one for the cluster, and
// only if there is something that could be pushed.
func (in *Input) blind() []Finding {
	s := in.Snapshot
	units := in.pushableUnits()
	if s.Upstream == nil || len(units) == 0 || in.Undecodable != "" {
		return nil
	}
	since, seconds := "the beginning: no refresh is recorded", ""
	if last, ok := in.lastRefresh(); ok && !last.After(in.Now) {
		since = stamp(last)
		seconds = fmt.Sprintf(": at most %d seconds blind", int64(in.Now.Sub(last)/time.Second))
	}
	f := Finding{
		Severity: Info, Status: Unknown,
		Summary: fmt.Sprintf("unknown since %s%s; whether the cloud was changed meanwhile has not been looked at, and %s would be enforced by any edit",
			since, seconds, plural(len(units), "managed field", "managed fields")),
		Evidence: []Evidence{
			in.lastRefreshEvidence(),
			{"managed fields that an operator pushes", strings.Join(units, ", "), in.at("spec." + s.Provider.ConfigKey())},
		},
		Window:    in.untilRefresh(),
		WouldLose: Loss{Side: SideCloud},
	}
	if s.Live != nil {
		f.Evidence = append(f.Evidence, Evidence{"live reading failed", s.Live.Error, "live reading"})
	}
	f.remedies(in.refreshNow())
	return []Finding{f}
}

// pushableUnits are the managed merge units that the operator can push.
func (in *Input) pushableUnits() []string {
	var out []string
	for i := range in.Table.Root.Fields {
		f := &in.Table.Root.Fields[i]
		if v, ok := in.Snapshot.Config[f.Name]; ok && v != nil && f.Managed(v) && pushable(f) {
			out = append(out, f.Name)
		}
	}
	return out
}
