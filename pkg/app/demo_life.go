package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/drive"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

const (
	// demoPushWait and demoPoll are the cluster handler's and the operators' times
	// in the demo, in place of ten and thirty seconds.
	demoPushWait, demoPoll = 2 * time.Second, 2 * time.Second
	// demoBusy is how long the clouds stay at work that are so at the beginning.
	demoBusy = 30 * time.Second
)

// life is the demo's clusters while a command runs: time passes, and Rancher, the
// operators and the clouds are at work.
type life struct {
	ctx      context.Context //nolint:containedctx // a reading ends with the life that it is taken from
	cancel   context.CancelFunc
	running  sync.WaitGroup
	store    *lab.Store
	clusters map[string]*drive.Life
}

// begin brings a world to life, until end.
func begin(ctx context.Context, w fleet.World, elapsed func() time.Duration) (*life, error) {
	store, err := lab.NewStore(lab.NewRunning(w.Now, elapsed), w.Objects()...)
	if err != nil {
		return nil, fmt.Errorf("the demo's fleet is broken: %w", err)
	}
	// An interrupted change still has something to say about its cluster.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &life{ctx: ctx, cancel: cancel, store: store, clusters: map[string]*drive.Life{}}
	for _, c := range w.Clusters {
		if c.Provider == hosted.None {
			continue
		}
		one, err := drive.NewLife(birth(c, store, elapsed))
		if err != nil {
			l.end()
			return nil, fmt.Errorf("the demo's fleet is broken: %w", err)
		}
		if c.State == fleet.Frozen {
			one.Operator.Faults = func() []operator.Fault { return quota(one.Wanted()) }
		}
		l.clusters[c.Name] = one
		l.running.Go(func() { one.Run(ctx) })
	}
	return l, nil
}

// birth is how a cluster of the demo lives on from its state. Operators sleep until
// their resource is edited: that of a cluster at rest would only undo what is to be
// seen, one that fails has no reason to succeed until something changes, and one that
// flaps would drown everything else. Only one that waits for the cloud goes on when
// the cloud is done.
func birth(c fleet.Cluster, store *lab.Store, elapsed func() time.Duration) drive.Birth {
	b := drive.Birth{
		Store: store, Provider: c.Provider, Name: c.Name, Cloud: c.Live, Elapsed: elapsed,
		Interval: fleet.Interval, PushWait: demoPushWait, Poll: demoPoll,
	}
	if c.State == fleet.Firing {
		b.FirstLook = demoBusy
	}
	return b
}

// quota is Azure's refusal that has frozen a cluster of the demo: it stands as long
// as the Config asks for so many nodes.
func quota(spec map[string]any) []operator.Fault {
	var out []operator.Fault
	for _, e := range hosted.List(spec["nodePools"]) {
		pool := hosted.Map(e)
		if n, ok := pool["count"].(int64); ok && n > 12 {
			out = append(out, operator.Fault{
				Op: "AgentPools.BeginCreateOrUpdate", Target: hosted.Str(pool["name"]), HTTPStatus: 400, Code: "ErrCode_InsufficientVCPUQuota",
				Message: fmt.Sprintf("Insufficient vcpu quota requested %d, remaining 96 for family standardDSv5Family for region northeurope.", 8*n),
			})
		}
	}
	return out
}

// end ends everything that begin started.
func (l *life) end() {
	l.cancel()
	l.running.Wait()
}

// reading is what a cluster's cloud has at this moment, nil for a cluster without.
func (l *life) reading(name string) *hosted.Reading {
	c := l.clusters[name]
	if c == nil {
		return nil
	}
	r := &hosted.Reading{At: l.store.Clock().Now(), Origin: "the demo's cloud"}
	r.Spec, r.Error = c.Read(l.ctx)
	return r
}

// current is the reading to judge a cluster by that is followed: the first one, but
// in the demo a new one, because there the clouds change meanwhile.
func (g *global) current(name string, first *hosted.Reading) *hosted.Reading {
	if g.demo == nil || g.demo.blind || g.demo.life == nil {
		return first
	}
	return g.demo.life.reading(name)
}

// lively makes a verb run on clusters that live while it runs.
func (d *demo) lively(g *global, cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		began := g.env.Now()
		l, err := begin(cmd.Context(), d.world, func() time.Duration { return g.env.Now().Sub(began) })
		if err != nil {
			return err
		}
		defer func() {
			l.end()
			d.life = nil
		}()
		d.life = l
		return run(cmd, args)
	}
	return cmd
}

// recorded makes a verb keep its journal where the demo's belongs.
func recorded(cmd *cobra.Command) *cobra.Command {
	dir := cmd.Flags().Lookup("journal-dir")
	dir.Usage = "where the demo's changes are recorded (default: kubectl-hostedsync-demo-UID in the folder for temporary files)"
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !dir.Changed {
			folder := filepath.Join(os.TempDir(), "kubectl-hostedsync-demo-"+strconv.Itoa(os.Getuid()))
			if err := dir.Value.Set(folder); err != nil {
				return err
			}
		}
		return run(cmd, args)
	}
	return cmd
}

// remembering makes restore find the fleet as the change left it that it undoes:
// every command begins with a new fleet.
func (d *demo) remembering(cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, c := range d.world.Clusters {
			if len(args) != 1 || args[0] != c.Name && args[0] != c.DisplayName {
				continue
			}
			s := &hosted.Snapshot{Name: c.Name, UID: hosted.Str(hosted.Map(c.Object["metadata"])["uid"])}
			e, err := undoable(cmd.Flag("journal-dir").Value.String(), s, cmd.Flag("change").Value.String())
			if err != nil {
				continue // restore itself says so
			}
			units := map[string]any{}
			for _, u := range e.Units {
				units[u.Unit] = u.After
			}
			d.world.CarriedOut(c.Name, units)
		}
		return run(cmd, args)
	}
	return cmd
}
