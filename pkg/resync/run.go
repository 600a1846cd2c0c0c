package resync

import (
	"context"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Backend is a management cluster as far as a change of one cluster needs it.
// Errors wrap ErrConflict, ErrUncertain or ErrTemporary where that is what they
// mean.
type Backend interface {
	// Read reads the Cluster and everything around it from the server, not from
	// a cache.
	Read(ctx context.Context) (hosted.Snapshot, hosted.OperatorState, error)
	// Write sends a patch and returns the resourceVersion of what was stored.
	Write(ctx context.Context, p Patch) (resourceVersion string, err error)
	// Wait returns at the next state of the Cluster or its custom resource that
	// was not returned yet, or when the server's clock reaches until. Every state
	// of the Cluster is returned, in order, from the first call of Write on; if
	// that cannot be promised, gap is set. The snapshot is nil where only the
	// custom resource changed or time is up.
	Wait(ctx context.Context, until time.Time) (s *hosted.Snapshot, gap bool, err error)
	// Edits tells how often the Config has changed up to the snapshot that Read or
	// Wait returned last, since the first Read; unknown that one may have been missed.
	Edits() (n int, unknown bool)
	// Updating tells whether the custom resource was seen in the phase "updating"
	// since the last Write.
	Updating() bool
	// Now is the server's clock.
	Now() time.Time
}

// Journal makes entries durable.
type Journal interface{ Record(Entry) error }

// Run makes a change. tell, which may be nil, is given lines for people. When ctx
// ends, the change is ended as Interrupted and recorded as such.
func Run(ctx context.Context, m *Machine, b Backend, journal Journal, tell func(string)) Result {
	o := Observation{Now: b.Now()}
	for {
		a := m.Next(o)
		if a.Say != "" && tell != nil {
			tell(a.Say)
		}
		if a.Do == DoEnd {
			return *a.Result
		}
		o = Observation{}
		switch a.Do {
		case DoRead:
			var s hosted.Snapshot
			if s, o.Operator, o.Err = b.Read(ctx); o.Err == nil {
				o.Snapshot = &s
			}
		case DoRecord:
			o.Err = journal.Record(a.Entry)
		case DoWrite:
			var rv string
			if rv, o.Err = b.Write(ctx, a.Patch); o.Err == nil {
				o.Snapshot = &hosted.Snapshot{ResourceVersion: rv}
			}
		case DoWait:
			o.Snapshot, o.Gap, o.Err = b.Wait(ctx, a.Until)
		}
		o.Edits, o.EditsUnknown = b.Edits()
		o.Now, o.Updating, o.Interrupted = b.Now(), b.Updating(), ctx.Err() != nil
	}
}
