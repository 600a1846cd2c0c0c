package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// Prediction is what predict says.
type Prediction struct {
	header
	Cluster     string           `json:"cluster"`
	DisplayName string           `json:"displayName"`
	Provider    hosted.Provider  `json:"provider"`
	Refresh     predict.Schedule `json:"refresh"`
	Outcome     predict.Outcome  `json:"outcome"`
	// Push is what the considered edit would push; without an edit it is empty.
	Push PushView `json:"push"`
	// Armed is what any reconcile would push now, without an edit: an operator
	// restart or an edit of something else is enough.
	Armed PushView          `json:"armed"`
	Units []predict.Verdict `json:"units"`
	// Basis says which reading of the cloud the prediction rests on.
	Basis Basis `json:"basis"`

	view   View
	edited bool
	// settled are edited places of which no call is to be expected.
	settled []string
	table   schema.Spec
}

// Basis is the reading of the cloud behind a prediction.
type Basis struct {
	Live   bool   `json:"live"`
	AtUnix *int64 `json:"atUnix"`
	Source string `json:"source"`
}

// PushView is a predicted push with what the editor should know.
type PushView struct {
	Edited []string       `json:"edited"`
	Notes  []predict.Note `json:"notes"`
	predict.Push
}

func emptyPush() PushView {
	return PushView{Edited: []string{}, Notes: []predict.Note{},
		Push: predict.Push{Calls: []predict.PushedCall{}, Collateral: []predict.Collateral{}, Converges: true}}
}

// NewPrediction predicts a cluster's next refresh, and what the edit would push
// if there is one.
func NewPrediction(v View, edit predict.Edit, push func(predict.PushInput) (predict.Push, error)) (*Prediction, error) {
	s := v.Snapshot
	if !s.Hosted() && !edit.Empty() {
		return nil, fmt.Errorf("%s has no hosted config (EKS, AKS, GKE or ACK): there is nothing to edit", label(s))
	}
	if !s.Hosted() {
		return notHosted(v), nil
	}
	p := &Prediction{header: kind("Prediction"), Cluster: s.Name, DisplayName: s.DisplayName, Provider: s.Provider,
		Refresh: v.Schedule, Outcome: v.Outcome, Push: emptyPush(), Armed: emptyPush(), view: v, edited: !edit.Empty(), table: v.Table}
	p.Basis = Basis{Live: v.Cloud.Live, Source: v.Cloud.Source}
	if !v.Cloud.At.IsZero() {
		at := v.Cloud.At.Unix()
		p.Basis.AtUnix = &at
	}
	p.Units = predict.Verdicts(predict.Input(s, v.Now))
	in := predict.PushInput{Provider: s.Provider, Name: s.Name, Config: s.Config, After: s.Config, Status: status(s), Cloud: v.Cloud.Spec}
	if armed, err := push(in); err == nil {
		p.Armed.Push = armed
	} else {
		p.Armed.Error = err.Error()
	}
	if !p.edited {
		return p.mask(), nil
	}
	edited, err := edit.Apply(v.Table, s.Config, v.Cloud.Spec)
	if err != nil {
		return nil, err
	}
	in.After, in.Paths = edited.Config, edited.Paths
	if p.Push.Push, err = push(in); err != nil {
		return nil, err
	}
	for _, path := range edited.Paths {
		p.Push.Edited = append(p.Push.Edited, path.String())
	}
	p.Push.Notes = append(p.Push.Notes, edited.Notes...)
	p.settled = settled(v.Table, p.Push.Unsent, edited.Config, v.Cloud.Spec)
	return p.mask(), nil
}

// notHosted is the prediction for a cluster that Rancher does not refresh.
func notHosted(v View) *Prediction {
	s := v.Snapshot
	p := &Prediction{header: kind("Prediction"), Cluster: s.Name, DisplayName: s.DisplayName, Push: emptyPush(), Armed: emptyPush(),
		Units: []predict.Verdict{}, view: v}
	p.Refresh, p.Outcome = predict.NextRefresh(predict.Input(s, v.Now))
	return p.mask()
}

// status is the operator's own status where it was read, else what the Cluster
// repeats of it.
func status(s *hosted.Snapshot) map[string]any {
	if s.CR != nil && s.CR.Status != nil {
		return s.CR.Status
	}
	return s.Status
}

func (p *Prediction) mask() *Prediction {
	p.Outcome.ConfigAfter = maskSpec(p.Outcome.ConfigAfter)
	p.Outcome.UpstreamSpecAfter = maskSpec(p.Outcome.UpstreamSpecAfter)
	for _, v := range []*PushView{&p.Push, &p.Armed} {
		for i := range v.Calls {
			v.Calls[i].Input = Mask(v.Calls[i].Input)
			if v.Calls[i].Fields == nil {
				v.Calls[i].Fields = []string{}
			}
		}
		for i := range v.Collateral {
			c := &v.Collateral[i]
			key := lastKey(c.Field)
			c.Text = maskIn(c.Text, append(secretsIn(key, c.Cloud), secretsIn(key, c.Config)...))
			c.Cloud, c.Config = maskAt(key, c.Cloud), maskAt(key, c.Config)
		}
	}
	return p
}

// Names is the cluster's name.
func (p *Prediction) Names() []string { return []string{p.Cluster} }

// Lines is the document itself.
func (p *Prediction) Lines() []any { return []any{p} }

// Text tells the story in order: when, what is overwritten, what an edit pushes.
func (p *Prediction) Text(w io.Writer, o TextOptions) error {
	var b strings.Builder
	pal := o.Palette
	if !p.view.Snapshot.Hosted() {
		fmt.Fprintf(&b, "%s  %s\n\n", pal.Bold(label(p.view.Snapshot)), pal.Dim("not hosted"))
		p.textRefresh(&b, pal)
		_, err := io.WriteString(w, b.String())
		return err
	}
	fmt.Fprintf(&b, "%s  %s\n\n", pal.Bold(label(p.view.Snapshot)), pal.Dim(p.Provider.String()+", "+p.basis()))
	p.textRefresh(&b, pal)
	p.textUnits(&b, o)
	switch {
	case p.edited:
		p.textPush(&b, pal, o)
	case p.Armed.Error != "" || p.view.Cloud.Spec == nil:
		fmt.Fprintf(&b, "\n%s\n", pal.Warn("What a reconcile of the operator would push is not known: "+p.blind()))
	case len(p.Armed.Calls) > 0:
		fmt.Fprintf(&b, "\n%s\n", pal.Bad(p.armed()+" any reconcile of the operator (an edit of any field, a restart) would push"))
		textCalls(&b, p.Armed.Calls, pal)
		textCollateral(&b, p.Armed.Collateral, pal, o)
	default:
		b.WriteString("\nNothing is armed: a reconcile of the operator would push nothing.\n")
		if !p.Basis.Live {
			fmt.Fprintf(&b, "%s\n", pal.Dim("That holds as of the last refresh; what changed in the cloud since then is not known."))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// blind is why nothing can be said about a push.
// armed says how sure it is: without a live reading the cloud may have moved on,
// or Rancher's reading may be older than its own last push.
func (p *Prediction) armed() string {
	if p.Basis.Live {
		return "Armed:"
	}
	return "If the cloud is still as Rancher last read it,"
}

func (p *Prediction) blind() string {
	if p.Armed.Error != "" {
		return termsafe.Line(MaskText(p.Armed.Error)).String()
	}
	return "no reading of the cloud is at hand"
}

func (p *Prediction) basis() string {
	if p.Basis.Live {
		return "cloud read from " + termsafe.Line(p.Basis.Source).String()
	}
	if p.Refresh.LastUnix == nil {
		return "cloud not read"
	}
	return "cloud not read since " + clock(unixTime(p.Refresh.LastUnix))
}

func (p *Prediction) textRefresh(b *strings.Builder, pal Palette) {
	r, now := p.Refresh, p.view.Now
	switch {
	case r.Error != nil:
		fmt.Fprintf(b, "Next refresh  %s\n", pal.Bad("never: "+termsafe.Line(*r.Error).String()))
	case !r.Ready:
		fmt.Fprintf(b, "Next refresh  %s\n", pal.Bad("never: "+r.NotReady))
	case r.Due:
		fmt.Fprintf(b, "Next refresh  due now, at the next event of the cluster%s\n", last(r, now))
	default:
		next := unixTime(r.NextUnix)
		fmt.Fprintf(b, "Next refresh  %s, %s%s\n", clock(next), age(now, next), last(r, now))
	}
	switch {
	case p.Outcome.Error != nil && r.Error == nil:
		fmt.Fprintf(b, "Outcome       %s\n", pal.Bad("fails: "+termsafe.Line(*p.Outcome.Error).String()))
	case p.Outcome.ReadFailed:
		fmt.Fprintf(b, "Outcome       %s\n", pal.Bad("the cloud cannot be read: Config and UpstreamSpec stay, only the annotation moves"))
	case p.Outcome.SkippedBecauseUpdating:
		fmt.Fprintf(b, "Outcome       %s\n", pal.Warn("frozen: Config and Applied differ, so the Config is left alone; the UpstreamSpec still moves"))
	case len(p.Outcome.OverwrittenKeys) > 0:
		fmt.Fprintf(b, "Outcome       %s\n", pal.Warn("overwrites "+listed(p.Outcome.OverwrittenKeys)+" in the Config with the reading"))
	case r.Ready && r.Error == nil:
		fmt.Fprintf(b, "Outcome       %s\n", pal.Good("changes nothing in the Config"))
	}
	if c := p.Outcome.UpdatedCondition; c != nil && c.Status != "True" {
		fmt.Fprintf(b, "Updated       %s %s\n", c.Status, termsafe.Line(MaskText(c.Message)))
	}
}

// listed names fields in one line.
func listed(fields []string) string { return termsafe.Line(strings.Join(fields, ", ")).String() }

func last(r predict.Schedule, now time.Time) string {
	if r.LastUnix == nil {
		return ""
	}
	return "; last " + age(now, unixTime(r.LastUnix))
}

// textUnits shows, for what the refresh replaces, each place that changes.
func (p *Prediction) textUnits(b *strings.Builder, o TextOptions) {
	for _, u := range p.Units {
		if u.Code != predict.VerdictOverwritten && u.Code != predict.VerdictReset {
			continue
		}
		f, _ := p.table.Unit(u.Unit)
		fmt.Fprintf(b, "  %s  %s\n", termsafe.Line(u.Unit), o.Palette.Dim(termsafe.Line(u.Text).String()))
		before := map[string]any{u.Unit: p.view.Snapshot.Config[u.Unit]}
		after := map[string]any{u.Unit: p.view.Outcome.ConfigAfter[u.Unit]}
		sides := fielddiff.Sides{}.With(fielddiff.Config, before).With(fielddiff.Upstream, after)
		for _, e := range fielddiff.Differences(schema.Spec{Root: schema.Field{Kind: schema.Object, Fields: []schema.Field{f}}}, sides) {
			note := ""
			if e.Differs == 0 {
				note = "  (order only)"
			}
			key := e.Path[len(e.Path)-1].Key
			width := valueWidth(o)
			fmt.Fprintf(b, "    %s  %s → %s%s\n", termsafe.Line(e.Path.String()),
				valueOf(e.Cells[fielddiff.Config], key).text(width), o.Palette.Change(valueOf(e.Cells[fielddiff.Upstream], key).text(width).String()), note)
		}
	}
}

// valueWidth is how much of a value is shown: all of it where nothing folds.
func valueWidth(o TextOptions) int {
	if o.Width > 0 {
		return max(o.Width/3, 12)
	}
	return 0
}

func (p *Prediction) textPush(b *strings.Builder, pal Palette, o TextOptions) {
	fmt.Fprintf(b, "\n%s\n", pal.Dim("The refresh above is the one without the edit."))
	fmt.Fprintf(b, "The edit of %s now would push\n", listed(p.Push.Edited))
	if len(p.Push.Calls) == 0 {
		b.WriteString("  nothing\n")
	}
	textCalls(b, p.Push.Calls, pal)
	textCollateral(b, p.Push.Collateral, pal, o)
	if len(p.Push.Collateral) == 0 && len(p.Push.Calls) > 0 {
		fmt.Fprintf(b, "\n%s\n", pal.Good("No collateral: nothing is pushed that the edit does not name."))
	}
	for _, n := range p.Push.Notes {
		fmt.Fprintf(b, "%s %s\n", pal.Warn("note:"), termsafe.Line(n.Text))
	}
	for _, f := range p.withoutEffect() {
		fmt.Fprintf(b, "%s %s is sent by no call: it has no effect in the cloud, and the next refresh reverts it unless Rancher copies it\n", pal.Warn("note:"), termsafe.Line(f))
	}
	if p.Push.Error != "" {
		fmt.Fprintf(b, "%s %s\n", pal.Bad("the operator would fail:"), termsafe.Line(MaskText(p.Push.Error)))
	} else if !p.Push.Converges {
		fmt.Fprintf(b, "%s the push does not come to rest within %d passes\n", pal.Bad("warning:"), p.Push.Passes)
	}
}

// withoutEffect lists the edited places that no call sends and of which nothing
// else is said: a note explains its field better, what becomes unmanaged is not
// meant to be sent, and what the cloud has already need not be.
func (p *Prediction) withoutEffect() []string {
	said := map[string]bool{}
	for _, n := range p.Push.Notes {
		said[n.Field] = true
	}
	for _, f := range p.settled {
		said[f] = true
	}
	return slices.DeleteFunc(slices.Clone(p.Push.Unsent), func(f string) bool { return said[f] })
}

// settled lists those of the unsent places that the edit leaves to the cloud, or
// sets to what the cloud has.
func settled(table schema.Spec, unsent []string, config, cloud map[string]any) []string {
	sides := fielddiff.Sides{}.With(fielddiff.Config, config).With(fielddiff.Upstream, cloud)
	differing := fielddiff.Differences(table, sides)
	var out []string
	for _, text := range unsent {
		path, err := hosted.ParsePath(text)
		if err != nil {
			continue
		}
		unit := path.MergeUnit()
		f, known := table.Unit(unit)
		differs := slices.ContainsFunc(differing, func(e fielddiff.Entry) bool { return e.Differs != 0 && e.Path.Overlaps(path) })
		if known && !f.Managed(config[unit]) || !differs {
			out = append(out, text)
		}
	}
	return out
}

func textCalls(b *strings.Builder, calls []predict.PushedCall, pal Palette) {
	for i, c := range calls {
		name := c.Op
		if c.Service != "" && c.Service != "eks" {
			name = c.Service + " " + name
		}
		for _, part := range []string{c.Target, c.Object} {
			if part != "" {
				name += " " + part
			}
		}
		text := fmt.Sprintf("  %d. %s", i+1, termsafe.Line(name))
		if len(c.Fields) > 0 {
			text += "  for " + termsafe.Line(strings.Join(c.Fields, ", ")).String()
		}
		if c.Effect == operator.Delete || c.Effect == operator.Create {
			text += "  " + strings.ToUpper(string(c.Effect))
		}
		if c.Error != "" {
			text += "  fails: " + termsafe.Line(c.Error).String()
		}
		switch {
		case c.Effect == operator.Delete, c.Collateral:
			text = pal.Bad(text)
		}
		b.WriteString(text + "\n")
	}
}

func textCollateral(b *strings.Builder, cs []predict.Collateral, pal Palette, o TextOptions) {
	if len(cs) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", pal.Bad("Collateral: fields that nobody edited"))
	for _, c := range cs {
		text := termsafe.Line(c.Text)
		if o.Width > 0 {
			text = text.Truncate(max(o.Width-6, 20))
		}
		fmt.Fprintf(b, "  %s %s\n", pal.Bad("!"), text)
	}
}
