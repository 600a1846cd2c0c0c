package guard

import (
	"context"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// state is one state of the Cluster, and how often its Config had changed by then.
type state struct {
	s     hosted.Snapshot
	edits int
}

// counter counts the changes of a Config through the states that a watch shows: an
// edit that is put back again leaves no other trace.
type counter struct {
	config     map[string]any
	seen       int64
	generation int64
	edits      int
	any        bool
	// blind: there is no watch.
	blind bool
}

// saw counts a state. States that were missed show in the generation, which rises
// with every change; an edit and its undoing are two.
func (c *counter) saw(s *hosted.Snapshot) {
	if c.any {
		if !hosted.Equal(c.config, s.Config) {
			c.edits++
		}
		if s.Generation > c.generation+1 || s.Generation == 0 {
			c.edits++
		}
	}
	c.any, c.config, c.seen, c.generation = true, s.Config, version(s.ResourceVersion), s.Generation
}

// lag is how long a watch may be behind a read of the same server.
const lag = 2 * time.Second

// catchUp waits until the watch has come as far as what was read. What it then has
// seen beyond that counts as well: too much is on the safe side.
func (b *Backend) catchUp(ctx context.Context, read int64) {
	limited, stop := context.WithTimeout(ctx, lag)
	defer stop()
	for {
		b.mu.Lock()
		there, blind := b.counted.any && b.counted.seen >= read, b.counted.blind
		b.edits, b.unsure = b.counted.edits, blind || !there
		b.mu.Unlock()
		if there || blind {
			return
		}
		select {
		case <-b.news:
		case <-limited.Done():
			return
		}
	}
}

// Edits implements resync.Backend.
func (b *Backend) Edits() (n int, unknown bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.edits, b.unsure
}
