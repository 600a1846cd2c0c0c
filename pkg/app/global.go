package app

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// global holds what all verbs share.
type global struct {
	env    *Env
	config *genericclioptions.ConfigFlags

	output    string
	color     report.ColorMode
	noHeaders bool
	showAll   bool
	now       string
	// nowGiven tells an empty --now from none.
	nowGiven bool

	files    []string
	selector string
	liveFrom string

	// demo replaces the connection by the built-in fleet.
	demo *demo
}

func newGlobal(env *Env) *global {
	return &global{env: env, color: "auto", config: genericclioptions.NewConfigFlags(true)}
}

// addFlags adds what every verb takes.
func (g *global) addFlags(f *pflag.FlagSet) {
	g.config.AddFlags(f)
	f.Var(&g.color, "color", "colour the text: auto (on a terminal, unless NO_COLOR is set), always or never")
	f.StringVar(&g.now, "now", "", "take this RFC 3339 time for the server's clock")
}

// addInput adds where clusters are read from.
func (g *global) addInput(f *pflag.FlagSet) {
	f.StringArrayVarP(&g.files, "filename", "f", nil, "read objects from this file instead of a server (repeatable; - is standard input): YAML or JSON, several documents, Lists, dumps")
	f.StringVarP(&g.selector, "selector", "l", "", "only clusters whose labels match, for example team=blue,env!=test")
	f.StringVar(&g.liveFrom, "live-from", "", "take the cloud's spec from this file (JSON or YAML): one spec for one cluster, or a map from cluster name to spec")
}

// addOutput adds how a document is written.
func (g *global) addOutput(f *pflag.FlagSet) {
	f.StringVarP(&g.output, "output", "o", "", "output format: table, wide, json, yaml, jsonl, name, jsonpath=…, go-template=…")
	f.BoolVar(&g.noHeaders, "no-headers", false, "leave out the header line of tables")
	f.BoolVar(&g.showAll, "show-all", false, "show what is normally left out: equal fields (diff), clusters that are not hosted (get)")
}

// printer checks the output flags before anything is read.
func (g *global) printer(cmd *cobra.Command) (*report.Printer, error) {
	if f := cmd.Flags().Lookup("now"); f != nil {
		g.nowGiven = f.Changed
	}
	width := 0
	if g.env.Terminal {
		width = g.env.Width
	}
	p, err := report.NewPrinter(g.output, report.TextOptions{
		Palette: g.color.Palette(g.env.Terminal, g.env.LookupEnv), Headers: !g.noHeaders, Terminal: g.env.Terminal, Width: width, All: g.showAll,
	})
	if err != nil {
		return nil, usage(cmd, err.Error())
	}
	return p, nil
}

// clock is the time to judge by: the one asked for, the server's, or the local
// one.
func (g *global) clock(server time.Time) (time.Time, error) {
	switch {
	case g.nowGiven || g.now != "":
		t, err := time.Parse(time.RFC3339Nano, g.now)
		if err != nil {
			return t, fmt.Errorf("--now %q is not an RFC 3339 time like 2026-03-10T11:03:00Z", g.now)
		}
		return t, nil
	case !server.IsZero():
		return server, nil
	}
	return g.env.Now(), nil
}

// loaded is a fleet that is ready to be reported on.
type loaded struct {
	views  []report.View
	unread []hosted.Unread
	now    time.Time
}

// load reads clusters, adds the live readings and works everything out.
func (g *global) load(ctx context.Context, names []string) (*loaded, error) {
	fleet, now, err := g.read(ctx, names)
	if err != nil {
		return nil, err
	}
	return &loaded{unread: fleet.unread, now: now, views: views(fleet.snapshots, now)}, nil
}

// read reads clusters, adds the live readings and tells the time to judge by.
func (g *global) read(ctx context.Context, names []string) (fleet found, now time.Time, err error) {
	if err = g.checkChoice(names); err != nil {
		return fleet, now, err
	}
	src, err := g.source()
	if err != nil {
		return fleet, now, err
	}
	if fleet, err = src.read(ctx, query{names: names, selector: g.selector}); err != nil {
		return fleet, now, err
	}
	if err = g.addLive(fleet.snapshots); err != nil {
		return fleet, now, err
	}
	for _, p := range fleet.problems {
		g.say("warning: %s", p.String())
	}
	if g.liveFrom != "" {
		fleet.unread = append(fleet.unread, failedReadings(fleet.snapshots)...)
	}
	now, err = g.clock(fleet.serverTime)
	return fleet, now, err
}

// checkChoice checks the flags that choose clusters and time, before anything is
// read.
func (g *global) checkChoice(names []string) error {
	if _, err := g.clock(time.Time{}); err != nil {
		return err
	}
	if len(names) > 0 && g.selector != "" {
		return fmt.Errorf("name clusters or select them with -l, not both")
	}
	return nil
}

// views works the snapshots out on all processors.
func views(snapshots []hosted.Snapshot, now time.Time) []report.View {
	out := make([]report.View, len(snapshots))
	inParallel(len(snapshots), func(i int) {
		out[i] = report.NewView(&snapshots[i], now, predict.Pushed)
	})
	return out
}

// passedOver says which of the clusters that were asked for have nothing to show.
func (g *global) passedOver(l *loaded, names []string) {
	hostedOnes := 0
	for _, v := range l.views {
		switch s := v.Snapshot; {
		case s.Hosted():
			hostedOnes++
		case len(names) > 0:
			g.say("%s has no hosted config (EKS, AKS, GKE or ACK): passed over", s.Name)
		}
	}
	if hostedOnes == 0 && len(names) == 0 {
		g.say("no hosted clusters found")
	}
}

// say writes one line to people.
func (g *global) say(format string, args ...any) {
	fmt.Fprintln(g.env.Err, termsafe.Line(report.MaskText(fmt.Sprintf(format, args...))))
}

// sayUnread lists what could not be read.
func (g *global) sayUnread(unread []hosted.Unread) {
	for _, u := range unread {
		text := fmt.Sprintf("not read: %s: %s", u.What, u.Why)
		if u.Fix != "" {
			text += "; " + u.Fix
		}
		g.say("%s", text)
	}
}

// finish lists what could not be read and picks the exit code.
func (g *global) finish(unread []hosted.Unread, code int) error {
	g.sayUnread(unread)
	if len(unread) > 0 {
		code = report.Worse(code, report.ExitPartial)
	}
	if code == report.ExitClean {
		return nil
	}
	return &report.StatusError{Code: code}
}
