package app

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostedsync/kubectl-hostedsync/pkg/await"
	"github.com/hostedsync/kubectl-hostedsync/pkg/follow"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
)

// quiet is how long a cluster must not have changed before its findings are told:
// a refresh is several writes, and the states in between look worse than they are.
const quiet = 2 * time.Second

func newWatch(g *global) *cobra.Command {
	w := &watcher{g: g, tracks: map[string]*watched{}}
	cmd := &cobra.Command{
		Use:   "watch [NAME…]",
		Short: "Report what happens to hosted clusters, as it happens",
		Long: `Follows the clusters and prints one event a line:

  added, deleted      a cluster is there, or gone; all existing ones come first
  synced              all existing clusters have been reported, news follow
  config              the Config changed: which fields, and who wrote them
  phase               the operator's phase, and its failure
  applied, upstream   Rancher recorded another applied spec, or read another cloud
  refreshed           a refresh ended
  finding, cleared    a rule found something, or no longer does
  lost, resumed       the connection

Each has the cluster, the server's time and the resourceVersion. Findings are told
two seconds after the last change, for a refresh is several writes.`,
		Example: `  kubectl hostedsync watch
  kubectl hostedsync watch atlas-prod -o jsonl --for 10m
  kubectl hostedsync watch -l env=prod --events 20`,
		ValidArgsFunction: g.completeNames,
	}
	f := cmd.Flags()
	f.IntVar(&w.events, "events", 0, "end after this many events; 0 is never")
	f.DurationVar(&w.limit, "for", 0, "end after this time; 0 is never")
	f.StringVarP(&g.selector, "selector", "l", "", "only clusters whose labels match, for example team=blue,env!=test")
	g.addOutput(f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := g.printer(cmd)
		if err != nil {
			return err
		}
		if w.events < 0 || w.limit < 0 {
			return usage(cmd, "--events and --for must not be negative")
		}
		if err := g.checkChoice(args); err != nil {
			return err
		}
		w.printer, w.named = p, len(args) > 0
		return w.run(cmd.Context(), args)
	}
	return cmd
}

// watcher is one run of watch.
type watcher struct {
	g       *global
	printer *report.Printer
	events  int
	limit   time.Duration
	named   bool

	told   int
	synced bool
	tracks map[string]*watched
}

// watched is one cluster that is followed.
type watched struct {
	s        hosted.Snapshot
	live     *hosted.Reading
	findings []race.Finding
	// due is when its findings are worked out again, zero if they are current.
	due time.Time
}

// errEnough ends watch after so many events.
var errEnough = errors.New("enough events")

func (w *watcher) run(parent context.Context, names []string) error {
	ctx, cancel := parent, func() {}
	if w.limit > 0 {
		ctx, cancel = context.WithTimeout(parent, w.limit)
	}
	defer cancel()
	err := w.g.follow(ctx, names, w.next, w.update)
	switch {
	case errors.Is(err, errEnough):
		return nil
	case parent.Err() == nil && ctx.Err() != nil && w.synced:
		return nil // --for
	}
	return err
}

// say prints one event, and ends everything after the last.
func (w *watcher) say(kind string, s *hosted.Snapshot, at time.Time, d report.WatchDetails) error {
	if err := w.printer.Write(w.g.env.Out, report.NewWatchEvent(kind, s, at, d)); err != nil {
		return err
	}
	if w.told++; w.told == w.events {
		return errEnough
	}
	return nil
}

// next is when the findings of a cluster are due.
func (w *watcher) next() (at time.Time) {
	for _, t := range w.tracks {
		if !t.due.IsZero() && (at.IsZero() || t.due.Before(at)) {
			at = t.due
		}
	}
	return at
}

func (w *watcher) update(u follow.Update) error {
	switch u.Kind {
	case follow.Synced:
		return w.begin(u)
	case follow.Changed:
		for i := range u.Snapshots {
			if err := w.changed(&u.Snapshots[i], u.Now); err != nil {
				return err
			}
		}
	case follow.Deleted:
		if t := w.tracks[u.Name]; t != nil {
			delete(w.tracks, u.Name)
			return w.say("deleted", &t.s, u.Now, report.WatchDetails{})
		}
	case follow.Lost:
		return w.say("lost", nil, u.Now, report.WatchDetails{From: "", Message: u.Err.Error(), RetrySeconds: u.Retry.Seconds()})
	case follow.Resumed:
		return w.say("resumed", nil, u.Now, report.WatchDetails{})
	case follow.Tick:
		for _, name := range hosted.SortedKeys(w.tracks) {
			if t := w.tracks[name]; !t.due.IsZero() && !t.due.After(u.Now) {
				if err := w.judge(t, u.Now); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// begin reports what there is.
func (w *watcher) begin(u follow.Update) error {
	for _, p := range u.Problems {
		w.g.say("warning: %s", p.String())
	}
	w.g.sayUnread(u.Unread)
	if err := w.g.addLive(u.Snapshots); err != nil {
		return err
	}
	w.synced = true
	for i := range u.Snapshots {
		s := &u.Snapshots[i]
		if !s.Hosted() {
			if w.named {
				w.g.say("%s has no hosted config (EKS, AKS, GKE or ACK): passed over", s.Name)
			}
			continue
		}
		if err := w.add(s, u.Now); err != nil {
			return err
		}
	}
	n := len(w.tracks)
	return w.say("synced", nil, u.Now, report.WatchDetails{Clusters: &n})
}

// add reports a cluster that was not there before, and its findings.
func (w *watcher) add(s *hosted.Snapshot, at time.Time) error {
	t := &watched{s: *s, live: s.Live}
	w.tracks[s.Name] = t
	if err := w.say("added", &t.s, at, report.WatchDetails{}); err != nil {
		return err
	}
	return w.judge(t, at)
}

func (w *watcher) changed(s *hosted.Snapshot, at time.Time) error {
	t := w.tracks[s.Name]
	switch {
	case t == nil && !s.Hosted():
		return nil
	case t == nil:
		return w.add(s, at)
	}
	s.Live = t.live
	before := t.s
	t.s, t.due = *s, at.Add(quiet)
	for _, c := range await.Changes(&before, &t.s) {
		d := report.WatchDetails{Fields: c.Fields, Managers: c.Managers, From: c.From, To: c.To, Message: c.Message}
		if err := w.say(string(c.Kind), &t.s, at, d); err != nil {
			return err
		}
	}
	return nil
}

// judge reports which findings have come and gone.
func (w *watcher) judge(t *watched, at time.Time) error {
	t.due = time.Time{}
	t.s.Live = w.g.current(t.s.Name, t.live)
	now := race.Check(race.Gather(&t.s, at, predict.Pushed))
	before := t.findings
	t.findings = now
	for _, c := range await.Findings(before, now) {
		if err := w.say(string(c.Kind), &t.s, at, report.FindingDetails(c.Finding)); err != nil {
			return err
		}
	}
	return nil
}
