package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// ChangeReport is what the verbs that change something say: one result for each
// cluster, those included that were not tried.
type ChangeReport struct {
	header
	Verb   resync.Verb    `json:"verb"`
	DryRun resync.DryRun  `json:"dryRun,omitempty"`
	Items  []ChangeResult `json:"items"`
}

// NotTried is the outcome of a cluster that a bulk change did not come to.
const NotTried resync.Outcome = "not-tried"

// ChangeResult is what became of one cluster.
type ChangeResult struct {
	Cluster     string          `json:"cluster"`
	DisplayName string          `json:"displayName"`
	Provider    hosted.Provider `json:"provider"`
	resync.Result
	// Command is the equivalent kubectl command, in a dry run.
	Command string `json:"command,omitempty"`
}

// NewChangeReport makes an empty report.
func NewChangeReport(verb resync.Verb, dry resync.DryRun) *ChangeReport {
	return &ChangeReport{header: kind("ChangeReport"), Verb: verb, DryRun: dry, Items: []ChangeResult{}}
}

// NewChangeResult masks a result. The command is left out where it would carry a
// secret.
func NewChangeResult(s *hosted.Snapshot, r resync.Result, command string) ChangeResult {
	out := ChangeResult{Cluster: s.Name, DisplayName: s.DisplayName, Provider: s.Provider, Result: r}
	if r.Plan == nil {
		return out
	}
	plan := *r.Plan
	var secrets []string
	plan.Units = slices.Clone(plan.Units)
	for i := range plan.Units {
		u := &plan.Units[i]
		secrets = append(append(secrets, secretsIn(u.Unit, u.Before)...), secretsIn(u.Unit, u.After)...)
		u.Before, u.After = maskAt(u.Unit, u.Before), maskAt(u.Unit, u.After)
	}
	plan.Patch = hosted.Map(Mask(plan.Patch))
	plan.Calls = slices.Clone(plan.Calls)
	for i := range plan.Calls {
		plan.Calls[i].Input = Mask(plan.Calls[i].Input)
	}
	plan.Collateral = slices.Clone(plan.Collateral)
	for i := range plan.Collateral {
		c := &plan.Collateral[i]
		c.Text = maskIn(c.Text, secrets)
		c.Cloud, c.Config = maskAt(lastKey(c.Field), c.Cloud), maskAt(lastKey(c.Field), c.Config)
	}
	out.Plan = &plan
	if len(secrets) == 0 {
		out.Command = command
	}
	for i := range out.Refusals {
		out.Refusals[i].Text = maskIn(out.Refusals[i].Text, secrets)
	}
	return out
}

// ExitOf is the exit code of an outcome.
func ExitOf(o resync.Outcome) int {
	switch o {
	case resync.Verified, resync.Unchanged, resync.Planned, resync.Written:
		return ExitClean
	case resync.Refused, NotTried:
		return ExitRefused
	case resync.Unverified, resync.TimedOut:
		return ExitTimeout
	case resync.Interrupted:
		return ExitInterrupted
	}
	return ExitError
}

// Exit is the worst of the items' exit codes.
func (r *ChangeReport) Exit() int {
	code := ExitClean
	for i := range r.Items {
		code = Worse(code, ExitOf(r.Items[i].Outcome))
	}
	return code
}

// Names implements Document.
func (r *ChangeReport) Names() []string {
	out := make([]string, len(r.Items))
	for i := range r.Items {
		out[i] = r.Items[i].Cluster
	}
	return out
}

// Lines implements Document.
func (r *ChangeReport) Lines() []any {
	out := make([]any, len(r.Items))
	for i := range r.Items {
		out[i] = struct {
			header
			Verb resync.Verb `json:"verb"`
			ChangeResult
		}{kind("ChangeResult"), r.Verb, r.Items[i]}
	}
	return out
}

// Text implements Document.
func (r *ChangeReport) Text(w io.Writer, o TextOptions) error {
	var b strings.Builder
	for i := range r.Items {
		if i > 0 {
			b.WriteByte('\n')
		}
		r.Items[i].text(&b, r.Verb, o)
	}
	if len(r.Items) > 1 {
		fmt.Fprintf(&b, "\n%s\n", r.counts())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// counts sums up a bulk change.
func (r *ChangeReport) counts() string {
	n := map[string]int{}
	for i := range r.Items {
		n[string(r.Items[i].Outcome)]++
	}
	parts := make([]string, 0, len(n))
	for _, k := range hosted.SortedKeys(n) {
		parts = append(parts, fmt.Sprintf("%d %s", n[k], k))
	}
	return fmt.Sprintf("%d clusters: %s", len(r.Items), strings.Join(parts, ", "))
}

func (c *ChangeResult) text(b *strings.Builder, verb resync.Verb, o TextOptions) {
	name := c.Cluster
	if c.DisplayName != "" && c.DisplayName != c.Cluster {
		name += " (" + c.DisplayName + ")"
	}
	outcome := string(c.Outcome)
	switch ExitOf(c.Outcome) {
	case ExitClean:
		outcome = o.Palette.Good(outcome)
	default:
		outcome = o.Palette.Bad(outcome)
	}
	fmt.Fprintf(b, "%s  %s: %s\n", termsafe.Line(name), verb, outcome)
	line := func(format string, args ...any) {
		b.WriteString(folded(MaskText(fmt.Sprintf(format, args...)), o.Width))
	}
	for _, r := range c.Refusals {
		line("%s: %s", r.Code, r.Text)
		if r.Fix != "" {
			line("  → %s", r.Fix)
		}
	}
	if c.Plan != nil {
		c.plan(line)
	}
	if c.Error != "" {
		line("%s", c.Error)
	}
	for _, u := range c.Unknown {
		line("not known: %s", u)
	}
	if c.Command != "" {
		fmt.Fprintf(b, "  the same patch, unguarded:\n%s\n", termsafe.Line(MaskText(c.Command))) // in one piece, to be copied
	}
	if c.Change != "" {
		line("journal: %s", c.Change)
	}
}

// plan says what changes, and what the operator does about it.
func (c *ChangeResult) plan(line func(string, ...any)) {
	p := c.Plan
	switch {
	case p.RefreshFirst && len(p.Overwritten) > 0:
		line("first, Rancher reads the cloud, which replaces in the Config: %s", strings.Join(p.Overwritten, ", "))
	case p.RefreshFirst:
		line("first, Rancher reads the cloud, and everything is judged again")
	case len(p.Overwritten) > 0:
		line("a refresh replaces in the Config: %s", strings.Join(p.Overwritten, ", "))
	}
	for _, u := range p.Units {
		before := hosted.Canonical(u.Before)
		if u.Absent {
			before = "(absent)"
		}
		for _, t := range differences(u.Unit, u.Before, u.After, before) {
			line("%s", t)
		}
	}
	for _, call := range p.Calls {
		line("push: %s %s", call.Op, strings.Join(call.Fields, ", "))
	}
	for _, x := range p.Collateral {
		line("along with it: %s", x.Text)
	}
	for _, n := range p.Notes {
		line("note: %s", n.Text)
	}
}

// differences lists what changes in a unit, key by key where it is a map.
func differences(unit string, before, after any, whole string) []string {
	b, okB := before.(map[string]any)
	a, okA := after.(map[string]any)
	if !okB || !okA {
		return []string{fmt.Sprintf("%s: %s → %s", unit, shorten(whole), shorten(hosted.Canonical(after)))}
	}
	keys := map[string]bool{}
	for k := range b {
		keys[k] = true
	}
	for k := range a {
		keys[k] = true
	}
	var out []string
	for _, k := range hosted.SortedKeys(keys) {
		if x, y := b[k], a[k]; !hosted.Equal(x, y) {
			out = append(out, fmt.Sprintf("%s: %s → %s", hosted.Path{}.Key(unit).Key(k), shorten(hosted.Canonical(x)), shorten(hosted.Canonical(y))))
		}
	}
	return out
}

// shorten keeps a value to a line.
func shorten(s string) string {
	const most = 160
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// folded is a line of prose, indented, with its words on as many lines as the width
// of the terminal asks for; 0 is no terminal.
func folded(text string, width int) string {
	const indent, hanging = "  ", "    "
	rest := termsafe.Line(text).String()
	if width < 40 {
		return indent + rest + "\n"
	}
	var b strings.Builder
	b.WriteString(indent)
	used := len(indent)
	for i, word := range strings.Split(rest, " ") {
		cells := termsafe.Line(word).Width()
		if i > 0 && used+1+cells > width {
			b.WriteString("\n" + hanging)
			used = len(hanging)
		} else if i > 0 {
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += cells
	}
	return b.String() + "\n"
}
