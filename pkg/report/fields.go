package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// FieldDiffList is what diff says.
type FieldDiffList struct {
	header
	Items  []FieldDiff `json:"items"`
	Unread []Missing   `json:"unread"`
}

// FieldDiff compares one cluster's copies.
type FieldDiff struct {
	Cluster     string          `json:"cluster"`
	DisplayName string          `json:"displayName"`
	Provider    hosted.Provider `json:"provider"`
	// Live tells whether the cloud was read; without it the live column is
	// "not-read" and agreement only means agreement with the last refresh.
	Live bool `json:"live"`
	// AsOfUnix is when the UpstreamSpec was last confirmed, nil if never.
	AsOfUnix *int64  `json:"asOfUnix"`
	Frozen   bool    `json:"frozen"`
	Fields   []Place `json:"fields"`
	// Differences counts the places at which sides differ. OrderOnly counts
	// lists that only Rancher's ordered comparison tells apart.
	Differences int `json:"differences"`
	OrderOnly   int `json:"orderOnly"`
	label       string
}

// Place is one place in the spec.
type Place struct {
	Path      string        `json:"path"`
	MergeUnit string        `json:"mergeUnit"`
	Owner     predict.Owner `json:"owner"`
	Verdict   string        `json:"verdict"`
	Text      string        `json:"text"`
	Known     bool          `json:"known"`
	Config    Value         `json:"config"`
	Upstream  Value         `json:"upstreamSpec"`
	Live      Value         `json:"live"`
	Applied   Value         `json:"applied"`
	Differs   []string      `json:"differs"`
	OrderOnly []string      `json:"orderOnly"`
	Writer    *Writer       `json:"lastWriter,omitempty"`
}

// Writer is who wrote the merge unit last.
type Writer struct {
	Manager string `json:"manager"`
	Time    string `json:"time"`
}

var pairNames = []struct {
	pair fielddiff.Pair
	name string
}{
	{fielddiff.ConfigUpstream, "config-upstreamSpec"}, {fielddiff.ConfigLive, "config-live"},
	{fielddiff.UpstreamLive, "upstreamSpec-live"}, {fielddiff.ConfigApplied, "config-applied"},
}

// NewFieldDiffList makes the document; all shows equal places too.
func NewFieldDiffList(views []View, unread []hosted.Unread, all bool) *FieldDiffList {
	l := &FieldDiffList{header: kind("FieldDiffList"), Items: []FieldDiff{}, Unread: MissingOf(unread)}
	for _, v := range views {
		if v.Snapshot.Hosted() {
			l.Items = append(l.Items, newFieldDiff(v, all))
		}
	}
	return l
}

func newFieldDiff(v View, all bool) FieldDiff {
	s := v.Snapshot
	d := FieldDiff{Cluster: s.Name, DisplayName: s.DisplayName, Provider: s.Provider, Live: v.Cloud.Live,
		AsOfUnix: v.Schedule.LastUnix, Frozen: v.Frozen, Fields: []Place{}, label: label(s)}
	entries := v.Diff
	if all {
		sides := fielddiff.Sides{}.With(fielddiff.Config, s.Config).With(fielddiff.Upstream, s.Upstream).With(fielddiff.Applied, s.Applied)
		if v.Cloud.Live {
			sides = sides.With(fielddiff.Live, v.Cloud.Spec)
		}
		entries = fielddiff.Diff(v.Table, sides)
	}
	verdicts := map[string]predict.Verdict{}
	for _, x := range predict.Verdicts(predict.Input(s, v.Now)) {
		verdicts[x.Unit] = x
	}
	for _, e := range entries {
		p := newPlace(s, e, verdicts[e.Path.MergeUnit()])
		if len(p.Differs) > 0 {
			d.Differences++
		}
		if len(p.OrderOnly) > 0 {
			d.OrderOnly++
		}
		d.Fields = append(d.Fields, p)
	}
	return d
}

func newPlace(s *hosted.Snapshot, e fielddiff.Entry, verdict predict.Verdict) Place {
	key := ""
	if n := len(e.Path); n > 0 {
		key = e.Path[n-1].Key
	}
	p := Place{
		Path: e.Path.String(), MergeUnit: e.Path.MergeUnit(), Owner: verdict.Owner, Verdict: verdict.Code, Text: verdict.Text,
		Known:  e.Field != nil,
		Config: valueOf(e.Cells[fielddiff.Config], key), Upstream: valueOf(e.Cells[fielddiff.Upstream], key),
		Live: valueOf(e.Cells[fielddiff.Live], key), Applied: valueOf(e.Cells[fielddiff.Applied], key),
		Differs: []string{}, OrderOnly: []string{},
	}
	for _, n := range pairNames {
		if e.Differs&n.pair != 0 {
			p.Differs = append(p.Differs, n.name)
		}
		if e.OrderOnly&n.pair != 0 {
			p.OrderOnly = append(p.OrderOnly, n.name)
		}
	}
	if w, ok := s.Writer(p.MergeUnit); ok {
		p.Writer = &Writer{w.Manager, clock(w.Time)}
	}
	return p
}

// Any tells whether any cluster has a difference.
func (l *FieldDiffList) Any() bool {
	for _, d := range l.Items {
		if d.Differences > 0 {
			return true
		}
	}
	return false
}

// Names lists the clusters that differ.
func (l *FieldDiffList) Names() []string {
	names := []string{}
	for _, d := range l.Items {
		if d.Differences > 0 {
			names = append(names, d.Cluster)
		}
	}
	return names
}

// Lines are the clusters' diffs.
func (l *FieldDiffList) Lines() []any {
	out := make([]any, 0, len(l.Items))
	for _, d := range l.Items {
		out = append(out, struct {
			header
			FieldDiff
		}{kind("FieldDiff"), d})
	}
	return out
}

// Text writes a block for each cluster: a title, then a line or two per place.
func (l *FieldDiffList) Text(w io.Writer, o TextOptions) error {
	var b strings.Builder
	for i, d := range l.Items {
		if i > 0 {
			b.WriteByte('\n')
		}
		d.text(&b, o)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (d FieldDiff) text(b *strings.Builder, o TextOptions) {
	p := o.Palette
	fmt.Fprintf(b, "%s  %s\n", p.Bold(d.label), p.Dim(d.summary()))
	unit := ""
	for _, f := range d.Fields {
		if f.MergeUnit != unit {
			unit = f.MergeUnit
			f.heading(b, p)
		}
		f.line(b, o)
	}
}

func (d FieldDiff) summary() string {
	s := d.Provider.String() + ", "
	switch d.Differences {
	case 0:
		s += "no differences"
	case 1:
		s += "1 difference"
	default:
		s += fmt.Sprintf("%d differences", d.Differences)
	}
	if d.OrderOnly > 0 {
		s += fmt.Sprintf(", %d in order only", d.OrderOnly)
	}
	if d.Frozen {
		s += ", frozen"
	}
	if !d.Live {
		s += ", cloud not read"
		if d.AsOfUnix != nil {
			s += " since " + clock(unixTime(d.AsOfUnix))
		}
	}
	return s
}

// heading introduces a merge unit: who owns it and what the next refresh does.
func (f Place) heading(b *strings.Builder, p Palette) {
	owner := string(f.Owner)
	if owner == "" {
		owner = string(predict.UnknownOwner)
	}
	text := fmt.Sprintf("  %s  [%s]", termsafe.Line(f.MergeUnit), owner)
	verdict := termsafe.Line(f.Text).String()
	switch f.Verdict {
	case predict.VerdictOverwritten, predict.VerdictReset:
		verdict = p.Warn(f.Verdict + ": " + verdict)
	case predict.VerdictFrozen, predict.VerdictNever:
		verdict = p.Bad(f.Verdict + ": " + verdict)
	default:
		verdict = p.Dim(f.Verdict + ": " + verdict)
	}
	b.WriteString(text + "  " + verdict + "\n")
}

// line shows one place: the sides that hold the same share a line.
func (f Place) line(b *strings.Builder, o TextOptions) {
	p := o.Palette
	note := ""
	if len(f.OrderOnly) > 0 && len(f.Differs) == 0 {
		note = "  " + p.Dim("same items, other order; Rancher compares in order")
	}
	if !f.Known {
		note += "  " + p.Dim("unknown to the schema")
	}
	fmt.Fprintf(b, "    %s%s\n", termsafe.Line(f.Path), note)
	width := 100
	if o.Width > 0 {
		width = max(o.Width-24, 16)
	}
	type side struct {
		name string
		v    Value
	}
	sides := []side{{"Config", f.Config}, {"UpstreamSpec", f.Upstream}, {"Live", f.Live}}
	if slices.Contains(f.Differs, "config-applied") {
		sides = append(sides, side{"Applied", f.Applied})
	}
	for _, s := range sides {
		if s.v.State == "not-read" {
			continue
		}
		text := s.v.text(width).String()
		if len(f.Differs) > 0 && s.name == "Config" {
			text = p.Change(text)
		}
		fmt.Fprintf(b, "      %-14s %s\n", s.name, text)
	}
	if f.Writer != nil && len(f.Differs) > 0 {
		fmt.Fprintf(b, "      %s\n", p.Dim(fmt.Sprintf("%-14s %s at %s", "last writer", termsafe.Line(f.Writer.Manager), f.Writer.Time)))
	}
}
