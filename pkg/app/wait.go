package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostedsync/kubectl-hostedsync/pkg/await"
	"github.com/hostedsync/kubectl-hostedsync/pkg/follow"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
)

// waitOptions are wait's own flags.
type waitOptions struct {
	condition     string
	timeout       time.Duration
	fresh, margin time.Duration
}

func newWait(g *global) *cobra.Command {
	o := &waitOptions{}
	cmd := &cobra.Command{
		Use:   "wait NAME… --for=CONDITION",
		Short: "Wait until clusters are settled, refreshed, synced or safe to edit",
		Long: `Waits until all the clusters meet a condition at the same moment:

  settled    the last edit is carried out: Config, Applied and the operator's
             resource agree, the phase is active, nothing fails
  refreshed  a refresh has ended since the wait began, and did not fail
  synced     settled, and a reading younger than the last write confirms every
             managed field
  safe       settled, the cloud was read at most --fresh ago and agrees, no finding
             is a warning or worse, and the next refresh is at least --margin away

What could not be read is never safe. Each change of what is missing is a line on
standard error, the result a document for each cluster on standard output. The
exit code is 0 if the condition is met, 5 if --timeout ran out, 4 if something
that is needed cannot be read, 130 after an interruption. --timeout=0 judges once
and exits with 1 if it is not met; so does -f, whose objects do not change.`,
		Example: `  kubectl hostedsync wait atlas-prod --for=safe --timeout=10m && terraform apply
  kubectl hostedsync wait atlas-prod --for=settled
  kubectl hostedsync wait -l env=prod --for=synced --timeout=0 -o jsonl`,
		ValidArgsFunction: g.completeNames,
	}
	f := cmd.Flags()
	f.StringVar(&o.condition, "for", "", "what to wait for: settled, refreshed, synced or safe")
	f.DurationVar(&o.timeout, "timeout", 10*time.Minute, "how long to wait; 0 judges once")
	f.DurationVar(&o.fresh, "fresh", await.DefaultFresh, "how old the reading of the cloud may be for safe")
	f.DurationVar(&o.margin, "margin", await.DefaultMargin, "how far away the next refresh must be for safe")
	g.addInput(f)
	g.addOutput(f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := g.printer(cmd)
		if err != nil {
			return err
		}
		w := &waiter{g: g, o: o, printer: p, names: args, tracks: map[string]*tracked{}}
		if w.condition, err = o.check(g, args); err != nil {
			return usage(cmd, err.Error())
		}
		if o.timeout == 0 || len(g.files) > 0 {
			return w.once(cmd.Context())
		}
		return w.wait(cmd.Context())
	}
	return cmd
}

// check checks the flags before anything is read.
func (o *waitOptions) check(g *global, names []string) (await.Condition, error) {
	switch {
	case o.condition == "":
		return "", errors.New("say what to wait for: --for=settled, refreshed, synced or safe")
	case len(names) == 0 && g.selector == "":
		return "", errors.New("name the clusters to wait for, or select them with -l")
	case o.timeout < 0 || o.fresh <= 0 || o.margin < 0:
		return "", errors.New("--timeout and --margin must not be negative, and --fresh must be more than 0")
	}
	c, err := await.ParseCondition(o.condition)
	if err != nil {
		return "", fmt.Errorf("--for: %w", err)
	}
	return c, g.checkChoice(names)
}

// waiter is one run of wait.
type waiter struct {
	g         *global
	o         *waitOptions
	condition await.Condition
	printer   *report.Printer
	names     []string

	tracks map[string]*tracked
	// since is the server's time when everything had been read once, at the time
	// of the last judgement; lost says why nothing is judged at the moment.
	since, at time.Time
	lost      string
	unread    []hosted.Unread
}

// tracked is one cluster that is waited for.
type tracked struct {
	s          hosted.Snapshot
	memory     *await.Memory
	annotation string
	live       *hosted.Reading
	verdict    await.Verdict
	// said is the last line about it.
	said string
}

// The ends of a wait that are no failure of its own.
var (
	errReached = errors.New("reached")
	errUnknown = errors.New("cannot be known")
)

// once judges what there is.
func (w *waiter) once(ctx context.Context) error {
	fleet, now, err := w.g.read(ctx, w.names)
	if err != nil {
		return err
	}
	w.unread = fleet.unread
	if err := w.begin(fleet.snapshots, now, nil); err != nil {
		return err
	}
	w.judge(now)
	if err := w.print(); err != nil {
		return err
	}
	code := report.ExitDifferences
	switch {
	case w.met():
		code = report.ExitClean
	case w.unknown():
		w.g.sayUnread(w.unread)
		code = report.ExitPartial
	}
	return ending(code)
}

// wait follows the clusters until the end.
func (w *waiter) wait(parent context.Context) error {
	ctx, cancel := context.WithTimeout(parent, w.o.timeout)
	defer cancel()
	err := w.g.follow(ctx, w.names, w.next, w.update)
	if w.since.IsZero() && (parent.Err() != nil || ctx.Err() == nil) {
		return err // nothing had been read
	}
	code := report.ExitError
	switch {
	case errors.Is(err, errReached):
		code = report.ExitClean
	case errors.Is(err, errUnknown):
		w.g.sayUnread(w.unread)
		code = report.ExitPartial
	case parent.Err() != nil:
		return errors.Join(w.print(), parent.Err())
	case ctx.Err() != nil:
		w.timedOut()
		code = report.ExitTimeout
	}
	if code == report.ExitError {
		return err
	}
	if err := w.print(); err != nil {
		return err
	}
	return ending(code)
}

// ending is the error for an exit code about which everything is said.
func ending(code int) error {
	if code == report.ExitClean {
		return nil
	}
	return &report.StatusError{Code: code}
}

// timedOut says what is still missing.
func (w *waiter) timedOut() {
	if w.since.IsZero() {
		w.g.say("timed out after %s, before the clusters had been read", w.o.timeout)
		return
	}
	for _, name := range hosted.SortedKeys(w.tracks) {
		if t := w.tracks[name]; !t.verdict.Met {
			w.g.say("timed out after %s: %s is not %s: %s", w.o.timeout, name, w.condition, strings.Join(t.verdict.Reasons, "; "))
		}
	}
}

// begin takes the clusters in as they are at the beginning.
func (w *waiter) begin(snapshots []hosted.Snapshot, now time.Time, memory func() *await.Memory) error {
	w.since, w.at = now, now
	for _, s := range snapshots {
		if !s.Hosted() {
			if len(w.names) > 0 {
				return fmt.Errorf("%s has no hosted config (EKS, AKS, GKE or ACK): there is nothing to wait for", s.Name)
			}
			continue
		}
		t := &tracked{s: s, annotation: s.Refresh.Annotation, live: s.Live}
		if memory != nil {
			t.memory = memory()
			t.memory.Note(&t.s)
		}
		w.tracks[s.Name] = t
	}
	if len(w.tracks) == 0 {
		return errors.New("no hosted cluster is selected: there is nothing to wait for; check --selector")
	}
	return nil
}

// judge judges all clusters and says what has changed.
func (w *waiter) judge(now time.Time) {
	w.at = now
	for _, name := range hosted.SortedKeys(w.tracks) {
		t := w.tracks[name]
		t.verdict = await.Verdict{Reasons: []string{w.lost}}
		if w.lost == "" {
			t.verdict = await.Judge(&t.s, w.condition, await.Options{
				Since: w.since, Annotation: t.annotation, Fresh: w.o.fresh, Margin: w.o.margin, Memory: t.memory,
			}, now)
		}
	}
}

func (w *waiter) met() bool {
	for _, t := range w.tracks {
		if !t.verdict.Met {
			return false
		}
	}
	return true
}

func (w *waiter) unknown() bool {
	for _, t := range w.tracks {
		if t.verdict.Unknown {
			return true
		}
	}
	return false
}

func (w *waiter) result(t *tracked) *report.WaitResult {
	return report.NewWaitResult(&t.s, report.Waited{
		For: string(w.condition), Met: t.verdict.Met, Unknown: t.verdict.Unknown,
		Reasons: t.verdict.Reasons, Notes: t.verdict.Notes, Since: w.since, At: w.at,
	})
}

// print writes the results.
func (w *waiter) print() error {
	for i, name := range hosted.SortedKeys(w.tracks) {
		if i > 0 && w.g.output == "yaml" {
			fmt.Fprintln(w.g.env.Out, "---")
		}
		if err := w.printer.Write(w.g.env.Out, w.result(w.tracks[name])); err != nil {
			return err
		}
	}
	return nil
}

// next is when to judge again without an event.
func (w *waiter) next() (at time.Time) {
	for _, t := range w.tracks {
		if n := t.verdict.Next; !n.IsZero() && (at.IsZero() || n.Before(at)) {
			at = n
		}
	}
	return at
}

// update takes in what the follower reports and judges.
func (w *waiter) update(u follow.Update) error {
	switch u.Kind {
	case follow.Synced:
		if err := w.synced(u); err != nil {
			return err
		}
	case follow.Changed:
		for _, s := range u.Snapshots {
			if t := w.tracks[s.Name]; t != nil {
				s.Live = w.g.current(s.Name, t.live)
				t.s = s
				t.memory.Note(&t.s)
			}
		}
	case follow.Deleted:
		if w.tracks[u.Name] != nil {
			return fmt.Errorf("%s was deleted while it was waited for", u.Name)
		}
	case follow.Lost:
		w.lost = fmt.Sprintf("the connection is lost, so nothing is known: %v", u.Err)
	case follow.Resumed:
		w.lost = ""
	}
	if w.since.IsZero() { // not everything has been read yet
		if w.lost != "" {
			w.g.say("%s", w.lost)
		}
		return nil
	}
	w.judge(u.Now)
	w.progress()
	switch {
	case w.met():
		return errReached
	case w.unknown():
		return errUnknown
	}
	return nil
}

// synced begins the wait, now that everything has been read.
func (w *waiter) synced(u follow.Update) error {
	for _, p := range u.Problems {
		w.g.say("warning: %s", p.String())
	}
	w.unread = u.Unread
	if err := w.g.addLive(u.Snapshots); err != nil {
		return err
	}
	for i := range u.Snapshots {
		// A reading of unknown age ages from now on.
		if l := u.Snapshots[i].Live; l != nil && l.At.IsZero() {
			aging := *l
			aging.At = u.Now
			u.Snapshots[i].Live = &aging
		}
	}
	return w.begin(u.Snapshots, u.Now, func() *await.Memory { return &await.Memory{} })
}

// progress says which verdicts have changed.
func (w *waiter) progress() {
	for _, name := range hosted.SortedKeys(w.tracks) {
		t := w.tracks[name]
		text := strings.Join(t.verdict.Reasons, "\n")
		if text != t.said {
			t.said = text
			w.g.say("%s", w.result(t).Progress())
		}
	}
}
