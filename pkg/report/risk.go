package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// RiskReport is what risk says.
type RiskReport struct {
	header
	// Clusters is how many hosted clusters were judged.
	Clusters int            `json:"clusters"`
	Findings []race.Finding `json:"findings"`
	Unread   []Missing      `json:"unread"`
	labels   map[string]string
	now      time.Time
}

// NewRiskReport collects the clusters' findings and those of the fleet, worst
// first.
func NewRiskReport(views []View, unread []hosted.Unread, now time.Time) *RiskReport {
	r := &RiskReport{header: kind("RiskReport"), Findings: []race.Finding{}, Unread: MissingOf(unread),
		labels: map[string]string{}, now: now}
	var snapshots []hosted.Snapshot
	for _, v := range views {
		if !v.Snapshot.Hosted() {
			continue
		}
		r.Clusters++
		r.labels[v.Snapshot.Name] = label(v.Snapshot)
		r.Findings = append(r.Findings, v.Findings...)
		snapshots = append(snapshots, *v.Snapshot)
	}
	r.Findings = append(r.Findings, race.CheckFleet(snapshots, now)...)
	race.Sort(r.Findings)
	for i := range r.Findings {
		maskFinding(&r.Findings[i])
	}
	return r
}

// maskFinding masks what a finding quotes. A command that would have to carry a
// secret is cut there: it is worth less than the secret.
func maskFinding(f *race.Finding) {
	var secrets []string
	mask := func(field string, values ...*any) {
		key := lastKey(field)
		for _, v := range values {
			secrets = append(secrets, secretsIn(key, *v)...)
			*v = maskAt(key, *v)
		}
	}
	for i := range f.Evidence {
		mask(f.Evidence[i].What, &f.Evidence[i].Value)
	}
	for i := range f.WouldLose.Values {
		l := &f.WouldLose.Values[i]
		mask(l.Field, &l.Value, &l.Becomes)
	}
	f.Summary = maskIn(f.Summary, secrets)
	for i, c := range f.Remedy {
		f.Remedy[i] = maskIn(c, secrets)
	}
}

// Worst is the highest severity among the findings that are present.
func (r *RiskReport) Worst() (race.Severity, bool) {
	var present []race.Finding
	for _, f := range r.Findings {
		if f.Status == race.Present {
			present = append(present, f)
		}
	}
	return race.Worst(present)
}

// Unknown tells whether a rule could not answer.
func (r *RiskReport) Unknown() bool {
	return slices.ContainsFunc(r.Findings, func(f race.Finding) bool { return f.Status == race.Unknown })
}

// Names lists the clusters with findings.
func (r *RiskReport) Names() []string {
	names, seen := []string{}, map[string]bool{}
	for _, f := range r.Findings {
		if !seen[f.Cluster] {
			seen[f.Cluster] = true
			names = append(names, f.Cluster)
		}
	}
	return names
}

// Lines are the findings.
func (r *RiskReport) Lines() []any {
	out := make([]any, 0, len(r.Findings))
	for _, f := range r.Findings {
		out = append(out, struct {
			header
			race.Finding
		}{kind("Finding"), f})
	}
	return out
}

// Text writes a block for each finding.
func (r *RiskReport) Text(w io.Writer, o TextOptions) error {
	var b strings.Builder
	if len(r.Findings) == 0 && r.Clusters > 0 {
		fmt.Fprintf(&b, "No findings in %s. That means: the evidence at hand shows none.\n", count(r.Clusters, "cluster"))
	}
	for i, f := range r.Findings {
		if i > 0 {
			b.WriteByte('\n')
		}
		r.finding(&b, f, o)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *RiskReport) finding(b *strings.Builder, f race.Finding, o TextOptions) {
	p := o.Palette
	status := ""
	if f.Status == race.Unknown {
		status = " unknown"
	}
	name := r.labels[f.Cluster]
	if name == "" {
		name = termsafe.Line(f.Cluster).String()
	}
	fmt.Fprintf(b, "%s %s%s  %s\n", p.Bold(f.Code), p.Severity(f.Severity), status, name)
	fmt.Fprintf(b, "  %s\n", termsafe.Line(f.Summary))
	if len(f.Fields) > 0 {
		fmt.Fprintf(b, "  fields    %s\n", termsafe.Line(strings.Join(f.Fields, ", ")))
	}
	fmt.Fprintf(b, "  window    %s\n", r.window(f.Window))
	for _, l := range f.WouldLose.Values {
		fmt.Fprintf(b, "  %s %s %s: %s → %s\n", p.Warn("would lose"), f.WouldLose.Side, termsafe.Line(l.Field),
			shortValue(l.Value, valueWidth(o)), shortValue(l.Becomes, valueWidth(o)))
	}
	for _, e := range f.Evidence {
		fmt.Fprintf(b, "  %s\n", p.Dim(fmt.Sprintf("evidence  %s: %s  (%s)", termsafe.Line(e.What), shortValue(e.Value, valueWidth(o)), termsafe.Line(e.Source))))
	}
	for i, c := range f.Remedy {
		fmt.Fprintf(b, "  remedy    %s\n            %s\n", termsafe.Line(f.RemedyNotes[i]), p.Change(termsafe.Line(c).String()))
	}
}

func (r *RiskReport) window(w race.Window) string {
	s := "open since " + clock(w.From)
	if w.Until != nil {
		s = clock(w.From) + " until " + clock(*w.Until) + " (" + age(r.now, *w.Until) + ")"
	}
	if w.Reason != "" {
		s += "; " + termsafe.Line(w.Reason).String()
	}
	return s
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
