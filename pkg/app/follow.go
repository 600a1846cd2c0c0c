package app

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/hostedsync/kubectl-hostedsync/pkg/follow"
)

// follow reports the states of the chosen clusters of the server or the demo.
func (g *global) follow(ctx context.Context, names []string, wake func() time.Time, handle func(follow.Update) error) error {
	if _, err := labels.Parse(g.selector); err != nil {
		return fmt.Errorf("--selector %q: %w", g.selector, err)
	}
	c, err := g.client()
	if err != nil {
		return err
	}
	defer c.Close()
	began := g.env.Now()
	o := follow.Options{
		Names: names, Selector: g.selector, Wake: wake,
		Elapsed: func() time.Duration { return g.env.Now().Sub(began) },
	}
	if g.nowGiven {
		if o.Start, err = g.clock(time.Time{}); err != nil {
			return err
		}
	}
	return follow.Follow(ctx, c, o, handle)
}
