package race

import (
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// syncingError marks the message that the refresher leaves in Updated
// (rancher/rancher, pkg/controllers/management/clusterupstreamrefresher).
const syncingError = "[Syncing error"

// Phase is the operator's phase and where it was read.
type Phase struct {
	// Name is "" for a cluster that is not created yet, or if Known is false.
	Name   string
	Known  bool
	Source string
}

// Failure is what the operator failed with.
type Failure struct {
	Text   string
	Source string
	// Since is zero if it is not recorded.
	Since time.Time
}

// phaseOf reads the phase from the custom resource or, where that could not be
// read, infers it from the Updated condition, which the cluster handler derives
// from it.
func phaseOf(s *hosted.Snapshot) Phase {
	if s.CR != nil {
		return Phase{s.CR.Phase, true, crAt(s, "status.phase")}
	}
	u, ok := s.Condition("Updated")
	if !ok || strings.Contains(u.Message, syncingError) {
		return Phase{}
	}
	p := Phase{Known: true, Source: clusterAt(s, "status.conditions[Updated], as "+s.Provider.CRKind()+" was not read")}
	switch u.Status {
	case "True":
		p.Name = operator.PhaseActive
	case "Unknown", "False":
		p.Name = operator.PhaseUpdating
	default:
		return Phase{}
	}
	return p
}

func failureOf(s *hosted.Snapshot) Failure {
	u, ok := s.Condition("Updated")
	fromOperator := ok && u.Status == "False" && !strings.Contains(u.Message, syncingError)
	if s.CR != nil {
		f := Failure{Text: s.CR.FailureMessage, Source: crAt(s, "status.failureMessage")}
		if f.Text != "" && fromOperator {
			f.Since = conditionTime(u)
		}
		return f
	}
	if fromOperator && u.Message != "" {
		return Failure{u.Message, clusterAt(s, "status.conditions[Updated].message"), conditionTime(u)}
	}
	return Failure{}
}

// conditionTime is when a condition last changed, zero if it does not say.
func conditionTime(c hosted.Condition) time.Time {
	var latest time.Time
	for _, text := range []string{c.LastTransitionTime, c.LastUpdateTime} {
		if t, err := time.Parse(time.RFC3339, text); err == nil && t.After(latest) {
			latest = t.UTC()
		}
	}
	return latest
}

func clusterAt(s *hosted.Snapshot, place string) string {
	return strings.TrimSpace("Cluster " + s.Name + " " + place)
}

func crAt(s *hosted.Snapshot, place string) string {
	return s.Provider.CRKind() + " " + s.CR.Namespace + "/" + s.CR.Name + " " + place
}

// cause is a reason why Config and Applied stay different.
type cause struct {
	text     string
	evidence Evidence
}

// whyFrozen lists the reasons that the objects show, in the order in which the
// cluster handler would meet them (rancher/rancher,
// pkg/controllers/management/{eks,aks,gke,alibaba}, onClusterChange). An empty
// list means that none is visible.
func (in *Input) whyFrozen() []cause {
	s := in.Snapshot
	if in.Failure.Text != "" {
		return []cause{{"the operator fails (" + Classify(in.Failure.Text).Title + "), and the applied spec is recorded only after it succeeds", in.failureEvidence()}}
	}
	var out []cause
	add := func(text string, e Evidence) { out = append(out, cause{text, e}) }
	if c, ok := s.Condition("Provisioned"); ok && c.Status == "Unknown" && strings.HasPrefix(c.Message, "Waiting on ") {
		add("the operator's CRD is not ready", conditionEvidence(s, c))
	}
	if in.Pending {
		add("the Config has not reached the operator's custom resource yet", Evidence{"spec differs from the Config", true, crAt(s, "spec")})
	}
	switch {
	case !in.Phase.Known:
	case in.Phase.Name == operator.PhaseUpdating:
		add("the operator is still updating, or waits for the cloud to finish", in.phaseEvidence())
	case in.Phase.Name != operator.PhaseActive:
		add("the operator is in phase "+quoted(in.Phase.Name)+" and records nothing as applied", in.phaseEvidence())
	default:
		out = append(out, in.whyUnrecorded()...)
	}
	return out
}

// whyUnrecorded lists what keeps the handler from recording the applied spec
// although the operator is done.
func (in *Input) whyUnrecorded() []cause {
	s := in.Snapshot
	var out []cause
	add := func(text string, e Evidence) { out = append(out, cause{text, e}) }
	if c, ok := s.Condition("Updated"); ok && s.Provider == hosted.EKS && c.Status == "False" && strings.HasPrefix(c.Message, syncingError) {
		add("the EKS handler stops at the refresher's error before it records anything", conditionEvidence(s, c))
	}
	if s.APIEndpoint == "" {
		add("the cluster's API endpoint is not recorded yet", Evidence{"apiEndpoint", nil, clusterAt(s, "status.apiEndpoint")})
	}
	if c, ok := s.Condition("Waiting"); ok && c.Status != "True" && c.Message != "" {
		add("the handler waits", conditionEvidence(s, c))
	}
	if in.onlyEmpties() {
		add("Config and Applied differ only in empty lists or maps; the next write of the spec by Rancher heals that",
			Evidence{"differ only in empties", true, clusterAt(s, "spec."+s.Provider.ConfigKey()+" and status.appliedSpec")})
	}
	return out
}

// onlyEmpties tells whether Config and Applied are the same once written.
func (in *Input) onlyEmpties() bool {
	c, errC := in.Table.Decode(in.Snapshot.Config)
	a, errA := in.Table.Decode(in.Snapshot.Applied)
	return in.Frozen && errC == nil && errA == nil && a != nil && hosted.Equal(in.Table.Encode(c), in.Table.Encode(a))
}

func (in *Input) failureEvidence() Evidence {
	return Evidence{"failure message", in.Failure.Text, in.Failure.Source}
}

func (in *Input) phaseEvidence() Evidence { return Evidence{"phase", in.Phase.Name, in.Phase.Source} }

func conditionEvidence(s *hosted.Snapshot, c hosted.Condition) Evidence {
	return Evidence{"condition " + c.Type + " is " + c.Status, c.Message, clusterAt(s, "status.conditions["+c.Type+"]")}
}
