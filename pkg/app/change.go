package app

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hostedsync/kubectl-hostedsync/pkg/guard"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/journal"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

// changeOptions are the flags of all verbs that change something.
type changeOptions struct {
	yes         bool
	wait        bool
	waitSettled bool
	dryRun      string
	allow       []string
	timeout     time.Duration
	maxParallel int
	maxFailures int
	journalDir  string
}

func (o *changeOptions) addFlags(f *pflag.FlagSet) {
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask before changing something")
	f.BoolVar(&o.wait, "wait", true, "follow the change until Applied equals Config and a newer refresh agrees")
	f.BoolVar(&o.waitSettled, "wait-settled", false, "wait until nothing is under way, instead of refusing")
	f.StringVar(&o.dryRun, "dry-run", "", "client: show the plan, the patch and the kubectl command; server: have the server go through it; nothing is stored")
	f.StringSliceVar(&o.allow, "allow-collateral", nil, "accept that these fields are pushed, overwritten or lost although nobody named them ('*': any)")
	f.DurationVar(&o.timeout, "timeout", resync.DefaultTimeout, "how long a change of one cluster may take")
	f.IntVar(&o.maxParallel, "max-parallel", 4, "how many clusters are changed at a time")
	f.IntVar(&o.maxFailures, "max-failures", 1, "after so many clusters that were not changed, no further one is begun (0: never stop)")
	f.StringVar(&o.journalDir, "journal-dir", "", "where changes are recorded (default: $XDG_STATE_HOME/kubectl-hostedsync/journal)")
}

// base is the part of an intent that the flags decide.
func (o *changeOptions) base() (resync.Intent, error) {
	in := resync.Intent{WaitSettled: o.waitSettled, NoVerify: !o.wait, DryRun: resync.DryRun(o.dryRun)}
	switch in.DryRun {
	case "", resync.DryClient, resync.DryServer:
	default:
		return in, fmt.Errorf("--dry-run=%s: use client or server", o.dryRun)
	}
	if o.timeout <= 0 || o.maxParallel <= 0 || o.maxFailures < 0 {
		return in, errors.New("--timeout and --max-parallel must be more than 0, --max-failures not less")
	}
	for _, a := range o.allow {
		if a == "*" {
			in.AllowAll = true
			continue
		}
		p, err := hosted.ParsePath(a)
		if err != nil {
			return in, fmt.Errorf("--allow-collateral %w", err)
		}
		in.Allow = append(in.Allow, p)
	}
	return in, nil
}

// change is one run of a verb that changes something.
type change struct {
	g       *global
	o       *changeOptions
	verb    resync.Verb
	printer *report.Printer
	args    []string
	// intent says what is wanted with one cluster.
	intent func(s *hosted.Snapshot) (resync.Intent, error)

	client *rancher.Client
	who    resync.Entry
	dir    string
	began  time.Time
	say    sync.Mutex
}

// newChange checks everything that can be checked before anything is read.
func (g *global) newChange(cmd *cobra.Command, o *changeOptions, verb resync.Verb, args []string) (*change, error) {
	p, err := g.printer(cmd)
	if err != nil {
		return nil, err
	}
	c := &change{g: g, o: o, verb: verb, printer: p, args: append([]string{string(verb)}, args...), began: g.env.Now()}
	if c.dir = o.journalDir; c.dir == "" {
		if c.dir, err = journal.Folder(g.env.LookupEnv); err != nil {
			return nil, err
		}
	}
	if o.dryRun == "" && !o.yes && !g.env.Interactive {
		return nil, usage(cmd, "there is no terminal to ask on: add --yes to change without asking, or --dry-run=client to look first")
	}
	return c, nil
}

// run changes the named or selected clusters.
func (c *change) run(ctx context.Context, names []string) error {
	g := c.g
	if len(names) == 0 && g.selector == "" {
		return errors.New("name the clusters to change, or select them with -l")
	}
	if err := g.checkChoice(names); err != nil {
		return err
	}
	var err error
	if c.client, err = g.client(); err != nil {
		return err
	}
	defer c.client.Close()
	fleet, err := server{c.client}.read(ctx, query{names: names, selector: g.selector})
	if err != nil {
		return err
	}
	if len(fleet.snapshots) == 0 {
		return errors.New("no cluster is chosen: check the names and --selector")
	}
	c.whoAmI()
	r := report.NewChangeReport(c.verb, resync.DryRun(c.o.dryRun))
	r.Items = c.results(ctx, fleet.snapshots)
	if err := c.printer.Write(g.env.Out, r); err != nil {
		return err
	}
	if r.Exit() == report.ExitClean {
		return nil
	}
	return &report.StatusError{Code: r.Exit()}
}

// whoAmI finds out on whose behalf the journal is written.
func (c *change) whoAmI() {
	c.who.Args = c.args
	if c.g.demo != nil {
		c.who.Context = "demo"
		return
	}
	if raw, err := c.g.config.ToRawKubeConfigLoader().RawConfig(); err == nil {
		c.who.Context = raw.CurrentContext
		if given := c.g.config.Context; given != nil && *given != "" {
			c.who.Context = *given
		}
		if k := raw.Contexts[c.who.Context]; k != nil {
			c.who.User = k.AuthInfo
		}
	}
	if as := c.g.config.Impersonate; as != nil && *as != "" {
		c.who.User += " as " + *as
	}
}

// results names missing rights, plans, asks, and changes.
func (c *change) results(ctx context.Context, all []hosted.Snapshot) []report.ChangeResult {
	if refused := c.rights(ctx, all); refused != nil {
		return refused
	}
	asks := c.o.dryRun == "" && !c.o.yes
	if c.o.dryRun != "" || asks {
		dry := resync.DryRun(c.o.dryRun)
		if asks {
			dry = resync.DryClient
		}
		plans := c.each(ctx, all, dry)
		if !asks {
			return plans
		}
		if declined := c.confirm(ctx, plans); declined != nil {
			return declined
		}
	}
	return c.each(ctx, all, "")
}

// rights asks whether everything that will be done is allowed, before any of it.
func (c *change) rights(ctx context.Context, all []hosted.Snapshot) []report.ChangeResult {
	var need []rancher.Access
	for i := range all {
		s := &all[i]
		need = append(need, rancher.Access{Verb: "patch", Resource: rancher.Clusters().String(), Name: s.Name})
		if s.Hosted() {
			r := rancher.OperatorResources(s.Provider)
			need = append(need, rancher.Access{Verb: "get", Resource: r.String(), Namespace: r.Namespace, Name: s.Name})
			if c.verb == resync.Push {
				need = append(need, rancher.Access{Verb: "patch", Resource: r.String(), Namespace: r.Namespace, Name: s.Name})
			}
		}
	}
	missing, err := c.client.Can(ctx, need)
	if err != nil || len(missing) == 0 {
		return nil // the requests themselves will be refused, if they are
	}
	var texts []string
	for _, a := range missing {
		texts = append(texts, a.String())
	}
	refusal := resync.Refusal{Code: resync.NoRight, Fields: []string{}, Text: "missing rights: " + strings.Join(texts, "; "),
		Fix: "the roles hostedsync-read and hostedsync-sync grant what is needed: explain roles"}
	return c.allAs(all, resync.Result{Outcome: resync.Refused, Refusals: []resync.Refusal{refusal}, Unknown: []string{}})
}

func (c *change) allAs(all []hosted.Snapshot, r resync.Result) []report.ChangeResult {
	out := make([]report.ChangeResult, len(all))
	for i := range all {
		out[i] = report.NewChangeResult(&all[i], r, "")
	}
	return out
}

// each changes the clusters, some at a time, and stops beginning new ones after too
// many failures or an interruption.
func (c *change) each(ctx context.Context, all []hosted.Snapshot, dry resync.DryRun) []report.ChangeResult {
	out := c.allAs(all, resync.Result{Outcome: report.NotTried, Refusals: []resync.Refusal{}, Unknown: []string{}})
	slots := make(chan struct{}, c.o.maxParallel)
	var mu sync.Mutex
	failures := 0
	var wg sync.WaitGroup
	for i := range all {
		slots <- struct{}{}
		mu.Lock()
		enough := dry == "" && c.o.maxFailures > 0 && failures >= c.o.maxFailures
		mu.Unlock()
		if enough || ctx.Err() != nil {
			<-slots
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			r := c.one(ctx, &all[i], dry)
			mu.Lock()
			defer mu.Unlock()
			out[i] = r
			if report.ExitOf(r.Outcome) != report.ExitClean {
				failures++
			}
		})
	}
	wg.Wait()
	return out
}

// one changes one cluster.
func (c *change) one(ctx context.Context, s *hosted.Snapshot, dry resync.DryRun) report.ChangeResult {
	failed := func(err error) report.ChangeResult {
		return report.NewChangeResult(s, resync.Result{Outcome: resync.Failed, Error: err.Error(), Refusals: []resync.Refusal{}, Unknown: []string{}}, "")
	}
	intent, err := c.intent(s)
	if err != nil {
		return failed(err)
	}
	intent.DryRun = dry
	random, err := c.g.env.random()
	if err != nil {
		return failed(err)
	}
	b := guard.New(c.client, s.Name, s.Provider, func() time.Duration { return c.g.env.Now().Sub(c.began) }, c.addLive)
	defer b.Close()
	w := journal.NewWriter(c.dir, c.who)
	m := resync.New(intent, journal.NewID(b.Now(), random), resync.Options{Timeout: c.o.timeout})
	var tell func(string)
	if dry == "" {
		tell = func(text string) { c.tell(s, text) }
	}
	r := resync.Run(ctx, m, b, w, tell)
	if err := w.Close(); err != nil {
		r.Unknown = append(r.Unknown, "journal: "+err.Error())
	}
	command := ""
	if c.o.dryRun != "" && r.Outcome == resync.Planned && r.Plan != nil && len(r.Plan.Patch) > 0 {
		command = kubectlPatch(s, c.verb == resync.Push, r.Plan.Patch)
	}
	return report.NewChangeResult(s, r, command)
}

// addLive gives a snapshot the reading that the flags name.
func (c *change) addLive(s *hosted.Snapshot) error {
	one := []hosted.Snapshot{*s}
	if err := c.g.addLive(one); err != nil {
		return err
	}
	*s = one[0]
	return nil
}

// tell writes progress, one line at a time.
func (c *change) tell(s *hosted.Snapshot, text string) {
	c.say.Lock()
	defer c.say.Unlock()
	c.g.say("%s: %s", s.Name, text)
}

// confirm shows the plans and asks. It returns the results if the answer is no, or
// if there is nothing to ask about.
func (c *change) confirm(ctx context.Context, plans []report.ChangeResult) []report.ChangeResult {
	doable := 0
	for i := range plans {
		if plans[i].Outcome == resync.Planned {
			doable++
		}
	}
	if doable == 0 {
		return plans
	}
	r := report.NewChangeReport(c.verb, resync.DryClient)
	r.Items = plans
	if err := c.printer.Plain().Write(c.g.env.Err, r); err != nil {
		return plans
	}
	fmt.Fprintf(c.g.env.Err, "\nDo this to %s? [y/N] ", plural(doable, "cluster"))
	if c.answer(ctx) {
		return nil
	}
	for i := range plans {
		if plans[i].Outcome == resync.Planned {
			plans[i].Outcome = resync.Refused
			plans[i].Refusals = []resync.Refusal{{Code: resync.Declined, Text: "not confirmed", Fields: []string{}}}
		}
		if ctx.Err() != nil {
			plans[i].Outcome = resync.Interrupted
		}
	}
	return plans
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// answer reads a line; anything but yes is no.
func (c *change) answer(ctx context.Context) bool {
	lines := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(c.g.env.In).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			line = ""
		}
		lines <- line
	}()
	select {
	case line := <-lines:
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes"
	case <-ctx.Done():
		return false
	}
}

// random is part of a change's name.
func (e *Env) random() (string, error) {
	if e.Random != nil {
		return e.Random(), nil
	}
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("no randomness: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}
