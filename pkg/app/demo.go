package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// demo is the built-in fleet, served by an in-memory API to the same client that
// talks to a real server.
type demo struct {
	world fleet.World
	blind bool
	// life is nil while nothing moves.
	life *life
}

func newDemo(g *global) *cobra.Command {
	d := &demo{}
	cmd := &cobra.Command{
		Use:   "demo [VERB] …",
		Short: "Everything above on a built-in fleet, no cluster needed",
		Long: `Runs a verb on an invented fleet of a dozen clusters over the four providers, each
in a state worth seeing: armed, firing, frozen, never refreshed, a node pool about
to be deleted … An in-memory API serves it to the same client that talks to a real
server. The clouds are read too, unless --blind is given: then only what Rancher
knows is known.

For get, diff, predict and risk the fleet stands still. For the verbs that change
something, and for wait and watch, it lives: time passes, Rancher refreshes, and the
operators push to clouds that change. They do what the real ones do, only sooner:
Rancher waits two seconds for an operator instead of ten, and a busy operator looks
again after two instead of thirty. An operator that waits for its cloud at the
beginning (granite-stage) goes on after half a minute, one that fails (juniper-prod)
when something changes.

Each command begins with a new fleet. The journal is kept apart from the real one, in
kubectl-hostedsync-demo-UID in the folder for temporary files, so that journal lists
the changes of earlier commands. restore finds the fleet as the change left it.

Without a verb it shows the fleet and what to try.`,
		Example: `  kubectl hostedsync demo
  kubectl hostedsync demo risk
  kubectl hostedsync demo predict atlas-prod --set tags.team=blue
  kubectl hostedsync demo set atlas-prod tags.team=blue --yes
  kubectl hostedsync demo restore atlas-prod --yes
  kubectl hostedsync demo watch granite-stage --for 1m`,
		Args: unknownVerb,
	}
	cmd.PersistentFlags().BoolVar(&d.blind, "blind", false, "do not read the demo's clouds")
	use := func(*cobra.Command, []string) error {
		start, err := g.clock(time.Time{})
		if err != nil {
			return err
		}
		d.world = fleet.Demo(start)
		g.demo = d
		return nil
	}
	cmd.PersistentPreRunE = use
	changes := func(sub *cobra.Command) *cobra.Command { return recorded(d.lively(g, sub)) }
	cmd.AddCommand(newGet(g), newDiff(g), newPredict(g), newRisk(g),
		changes(newSync(g)), changes(newSet(g)), changes(newManage(g)), changes(newUnmanage(g)),
		recorded(d.remembering(d.lively(g, newRestore(g)))), recorded(newJournal(g)),
		d.lively(g, newWait(g)), d.lively(g, newWatch(g)), newExplain(g))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return d.show(cmd, g) }
	return cmd
}

// client is one of the in-memory API.
func (d *demo) client() (*rancher.Client, error) {
	var store *lab.Store
	if d.life != nil {
		store = d.life.store
	} else {
		var err error
		if store, err = lab.NewStore(lab.NewManual(d.world.Now), d.world.Objects()...); err != nil {
			return nil, fmt.Errorf("the demo's fleet is broken: %w", err)
		}
	}
	return rancher.New(&rest.Config{Host: lab.Host, Transport: lab.NewAPI(store)})
}

func (d *demo) addLive(snapshots []hosted.Snapshot) {
	if d.blind {
		return
	}
	read := d.world.Reading
	if d.life != nil {
		read = d.life.reading
	}
	for i := range snapshots {
		snapshots[i].Live = read(snapshots[i].Name)
	}
}

// show prints the fleet and the tour.
func (d *demo) show(cmd *cobra.Command, g *global) error {
	p, err := g.printer(cmd)
	if err != nil {
		return err
	}
	l, err := g.load(cmd.Context(), nil)
	if err != nil {
		return err
	}
	if err := p.Write(g.env.Out, report.NewClusterList(l.views, l.unread, true, l.now)); err != nil {
		return err
	}
	pal := g.color.Palette(g.env.Terminal, g.env.LookupEnv)
	fmt.Fprintf(g.env.Out, "\n%s\n", pal.Bold("Try"))
	for _, stop := range d.world.Tour() {
		if len(stop.Try) == 0 || !urgent(stop.State) {
			continue
		}
		fmt.Fprintf(g.env.Out, "  %s\n", pal.Change("kubectl hostedsync demo "+strings.TrimPrefix(termsafe.Line(stop.Try[0]).String(), "demo ")))
		fmt.Fprintf(g.env.Out, "      %s\n", termsafe.Line(stop.Shows))
	}
	for _, try := range [][2]string{
		{"set atlas-prod tags.team=blue --yes", "A guarded change, in a few seconds: Rancher reads the cloud first, so that private access stays on; the tag is written, pushed and verified."},
		{"set granite-stage tags.team=blue --yes", "The same is refused here: the operator is at work, and enforces the whole Config when it is done."},
		{"journal", "What was changed so far; restore undoes it."},
	} {
		fmt.Fprintf(g.env.Out, "  %s\n", pal.Change("kubectl hostedsync demo "+try[0]))
		fmt.Fprintf(g.env.Out, "      %s\n", try[1])
	}
	return g.finish(l.unread, report.ExitClean)
}

// urgent picks the stops that the short tour shows.
func urgent(s fleet.State) bool {
	switch s {
	case fleet.Armed, fleet.Frozen, fleet.PoolAtRisk:
		return true
	}
	return false
}
