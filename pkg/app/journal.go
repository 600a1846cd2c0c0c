package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/journal"
	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

func newJournal(g *global) *cobra.Command {
	dir, offline := "", false
	cmd := &cobra.Command{
		Use:   "journal [CHANGE|CLUSTER]",
		Short: "List what was changed from here, and explain a change that was cut off",
		Long: `Lists the guarded changes that were made from this machine: what each was to do and
how it ended. A change that was cut off, by a crash or a lost connection, or that
ended before the server had answered its write, is explained from the cluster as it
is now: whether its write was stored, and whether it still stands. With --offline
nothing is asked.`,
		Example: `  kubectl hostedsync journal
  kubectl hostedsync journal c-9pd4w
  kubectl hostedsync journal 20260310-110312.480-0b7c21de`,
	}
	cmd.Flags().StringVar(&dir, "journal-dir", "", "where changes are recorded (default: $XDG_STATE_HOME/kubectl-hostedsync/journal)")
	cmd.Flags().BoolVar(&offline, "offline", false, "do not look at the clusters of changes that were cut off")
	g.addOutput(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := g.printer(cmd)
		if err != nil {
			return err
		}
		if len(args) > 1 {
			return usage(cmd, "name one change or one cluster")
		}
		if dir == "" {
			if dir, err = journal.Folder(g.env.LookupEnv); err != nil {
				return err
			}
		}
		changes, broken := journal.List(dir, "")
		if len(args) == 1 {
			changes = about(changes, args[0])
			if len(changes) == 0 {
				return fmt.Errorf("the journal has nothing on %s", args[0])
			}
		}
		items := make([]report.JournalItem, 0, len(changes))
		for i := range changes {
			items = append(items, g.explained(cmd.Context(), &changes[i], offline))
		}
		if err := p.Write(g.env.Out, report.NewJournalList(items)); err != nil {
			return err
		}
		if broken != nil {
			g.say("warning: %v", broken)
			return &report.StatusError{Code: report.ExitPartial}
		}
		return nil
	}
	return cmd
}

func about(all []journal.Change, what string) []journal.Change {
	var out []journal.Change
	for _, c := range all {
		if c.ID == what || c.First().Cluster == what {
			out = append(out, c)
		}
	}
	return out
}

// explained says what a change did. One that was cut off is looked up.
func (g *global) explained(ctx context.Context, c *journal.Change, offline bool) report.JournalItem {
	first, last := c.First(), c.Last()
	item := report.JournalItem{Change: c.ID, Time: first.Time, Cluster: first.Cluster, Verb: first.Verb,
		Context: first.Context, User: first.User, Args: first.Args}
	write, wrote := c.Write()
	item.Units = write.Units
	if c.Ended() {
		item.Outcome, item.State, item.Text = last.Outcome, string(last.Outcome), last.Text
		if open := last.Outcome == resync.Unverified || last.Outcome == resync.Interrupted; open && wrote && !c.Stored() {
			g.lookUpInto(ctx, &item, write, offline)
		}
		return item
	}
	switch {
	case len(c.Entries) == 0:
		item.State, item.Text = "cut off", "cut off before anything was done"
		return item
	case !wrote && last.Stage == resync.StageRefresh:
		item.State, item.Text = "cut off", "cut off around asking Rancher to read the cloud; the Config was not written"
		return item
	case !wrote:
		item.State, item.Text = "cut off", "cut off around waking the operator; the Config was not written"
		return item
	}
	item.State, item.Text = "cut off", "cut off around the write of the Config: it may have been stored"
	if c.Stored() {
		item.Text = "cut off after the write was stored, before it was seen to arrive"
	}
	g.lookUpInto(ctx, &item, write, offline)
	return item
}

// lookUpInto adds what became of a write that may or may not have been stored.
func (g *global) lookUpInto(ctx context.Context, item *report.JournalItem, write resync.Entry, offline bool) {
	if offline {
		return
	}
	if text, err := g.lookUp(ctx, write); err == nil {
		item.Text += "; " + text
	} else {
		item.Text += "; the cluster could not be looked at: " + err.Error()
	}
}

// lookUp compares what a change was to write with what the cluster has.
func (g *global) lookUp(ctx context.Context, e resync.Entry) (string, error) {
	c, err := g.client()
	if err != nil {
		return "", err
	}
	defer c.Close()
	f, err := server{c}.read(ctx, query{names: []string{e.Cluster}})
	if err != nil {
		return "", err
	}
	s := &f.snapshots[0]
	if e.UID != "" && s.UID != e.UID {
		return "the cluster of that name is another one by now", nil
	}
	if s.ResourceVersion == e.Precondition {
		return "it was not stored: the Cluster is still as it was before", nil
	}
	var done, before, other []string
	table := schema.For(s.Provider)
	for _, u := range e.Units {
		f, known := table.Unit(u.Unit)
		same := func(v any) bool {
			return known && f.Equivalent(s.Config[u.Unit], v) || hosted.Equal(s.Config[u.Unit], v)
		}
		switch {
		case same(u.After):
			done = append(done, u.Unit)
		case same(u.Before):
			before = append(before, u.Unit)
		default:
			other = append(other, u.Unit)
		}
	}
	switch {
	case len(other) > 0:
		return strings.Join(other, ", ") + " changed since, to something else", nil
	case len(before) == 0:
		return "it was stored: the Config has " + strings.Join(done, ", ") + " as it was to become", nil
	case len(done) == 0:
		return "the Config has " + strings.Join(before, ", ") + " as before: it was not stored, or taken back since", nil
	}
	return fmt.Sprintf("the Config has %s as it was to become and %s as before", strings.Join(done, ", "), strings.Join(before, ", ")), nil
}
