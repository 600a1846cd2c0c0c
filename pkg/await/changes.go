package await

import (
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// ChangeKind says what changed.
type ChangeKind string

// The kinds of change.
const (
	// ConfigChanged, UpstreamChanged and AppliedChanged: a copy of the
	// specification is another one; Fields names the places.
	ConfigChanged   ChangeKind = "config"
	UpstreamChanged ChangeKind = "upstream"
	AppliedChanged  ChangeKind = "applied"
	// RefreshEnded: the refresh annotation has a new value; From and To are times,
	// Message is the refresher's error.
	RefreshEnded ChangeKind = "refreshed"
	// PhaseChanged: the operator's phase went From To; Message is its failure.
	PhaseChanged ChangeKind = "phase"
	// Found and Cleared concern one finding.
	Found   ChangeKind = "finding"
	Cleared ChangeKind = "cleared"
)

// Change is one difference between two states of a cluster.
type Change struct {
	Kind ChangeKind
	// Fields are places in the specification, Managers who last wrote the changed
	// fields of the Config, as far as the API server recorded it.
	Fields   []string
	Managers []string
	From, To string
	Message  string
	// Finding belongs to Found and Cleared.
	Finding *race.Finding
}

// Changes lists what is different in the later of two states of a cluster, in the
// order in which Rancher brings it about: the Config first, then the operator,
// the applied spec, and the next reading. Order alone counts, for Rancher
// compares lists in order.
func Changes(before, after *hosted.Snapshot) []Change {
	var out []Change
	if !after.Hosted() {
		return nil
	}
	table := schema.For(after.Provider)
	if fields := different(table, before.Config, after.Config); len(fields) > 0 {
		out = append(out, Change{Kind: ConfigChanged, Fields: fields, Managers: managers(after, fields)})
	}
	if c, ok := phaseChange(before.CR, after.CR); ok {
		out = append(out, c)
	}
	if fields := different(table, before.Applied, after.Applied); len(fields) > 0 {
		out = append(out, Change{Kind: AppliedChanged, Fields: fields})
	}
	if fields := different(table, before.Upstream, after.Upstream); len(fields) > 0 {
		out = append(out, Change{Kind: UpstreamChanged, Fields: fields})
	}
	if was, is := before.Refresh.Annotation, after.Refresh.Annotation; was != is && is != "" {
		c := Change{Kind: RefreshEnded, From: moment(was), To: moment(is)}
		if u, ok := after.Condition("Updated"); ok && strings.Contains(u.Message, syncingError) {
			c.Message = oneLine(u.Message)
		}
		out = append(out, c)
	}
	return out
}

// Findings lists which findings came and went. Two findings are the same if rule
// and fields are; a finding that got worse is found again.
func Findings(before, after []race.Finding) []Change {
	was, is := index(before), index(after)
	var out []Change
	for i := range after {
		f := &after[i]
		old, ok := was[key(f)]
		if !ok || old.Severity != f.Severity || old.Status != f.Status {
			out = append(out, Change{Kind: Found, Fields: f.Fields, Finding: f})
		}
	}
	for i := range before {
		if f := &before[i]; is[key(f)] == nil {
			out = append(out, Change{Kind: Cleared, Fields: f.Fields, Finding: f})
		}
	}
	return out
}

func key(f *race.Finding) string { return f.Code + " " + strings.Join(f.Fields, " ") }

func index(fs []race.Finding) map[string]*race.Finding {
	out := make(map[string]*race.Finding, len(fs))
	for i := range fs {
		out[key(&fs[i])] = &fs[i]
	}
	return out
}

// different names the places in which two copies of one kind differ.
func different(table schema.Spec, a, b map[string]any) []string {
	if hosted.Equal(a, b) {
		return nil
	}
	// As two readings: what a Config manages plays no part.
	sides := fielddiff.Sides{}.With(fielddiff.Upstream, a).With(fielddiff.Live, b)
	var out []string
	for _, e := range fielddiff.Differences(table, sides) {
		if (e.Differs|e.OrderOnly)&fielddiff.UpstreamLive != 0 {
			out = append(out, e.Path.String())
		}
	}
	return out
}

// managers names who last wrote the merge units of some places.
func managers(s *hosted.Snapshot, fields []string) []string {
	var out []string
	for _, f := range fields {
		path, err := hosted.ParsePath(f)
		if err != nil || len(path) == 0 {
			continue
		}
		if w, ok := s.Writer(path[0].Key); ok && w.Manager != "" {
			out = append(out, w.Manager)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func phaseChange(before, after *hosted.OperatorResource) (Change, bool) {
	was, is := phaseOf(before), phaseOf(after)
	var failedBefore, failedAfter string
	if before != nil {
		failedBefore = oneLine(before.FailureMessage)
	}
	if after != nil {
		failedAfter = oneLine(after.FailureMessage)
	}
	return Change{Kind: PhaseChanged, From: was, To: is, Message: failedAfter}, was != is || failedBefore != failedAfter
}

// phaseOf is the operator's phase in words; a resource without one is new.
func phaseOf(r *hosted.OperatorResource) string {
	switch {
	case r == nil:
		return "absent"
	case r.Phase == "":
		return "new"
	}
	return r.Phase
}

// moment is an annotation as a time, or as it stands if it is none.
func moment(annotation string) string {
	if t, ok := unix(annotation); ok {
		return stamp(t)
	}
	return annotation
}
