package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

// Backend is one cluster of a management cluster. It implements resync.Backend.
// Close ends its watches.
type Backend struct {
	client   *rancher.Client
	name     string
	provider hosted.Provider
	elapsed  func() time.Duration
	// live, if set, adds a reading of the cloud to a snapshot.
	live func(*hosted.Snapshot) error

	cancel context.CancelFunc
	wait   sync.WaitGroup
	news   chan struct{}

	mu sync.Mutex
	// states are those of the Cluster that were not returned yet, in order.
	states  []state
	stirred bool
	// updating: the custom resource was seen in that phase since the last Write.
	updating bool
	gap      bool
	synced   bool
	// counted follows the Config through the watch; edits is what it said of the
	// snapshot that was returned last, unsure that the watch had not come so far.
	counted counter
	edits   int
	unsure  bool
	// read is the version that was read last: what is not newer is no news.
	read int64
	// base is the server's time when elapsed stood at at.
	base time.Time
	at   time.Duration
}

// New makes the Backend of a cluster, by the name of its object. elapsed is a
// monotonic clock; live may be nil.
func New(c *rancher.Client, name string, p hosted.Provider, elapsed func() time.Duration, live func(*hosted.Snapshot) error) *Backend {
	return &Backend{client: c, name: name, provider: p, elapsed: elapsed, live: live, news: make(chan struct{}, 1)}
}

// Close ends what runs in the background.
func (b *Backend) Close() {
	if b.cancel != nil {
		b.cancel()
		b.wait.Wait()
	}
}

// start watches the two objects.
func (b *Backend) start(parent context.Context) {
	if b.cancel != nil {
		return
	}
	// Watching goes on until Close: an interruption is looked into too.
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	b.cancel = cancel
	only := rancher.ListOptions{Name: b.name}
	b.wait.Go(func() {
		_ = b.client.Watch(ctx, rancher.Clusters(), only, b.cluster)
		b.poll(ctx)
	})
	b.wait.Go(func() {
		// Without the right to watch it, the Cluster's changes do.
		_ = b.client.Watch(ctx, rancher.OperatorResources(b.provider), only, b.resource)
	})
}

// poll takes the place of a watch that has ended for good, for want of rights: it
// sees that something has changed, not every state in between.
func (b *Backend) poll(ctx context.Context) {
	last := ""
	for ctx.Err() == nil {
		obj, err := b.client.Get(ctx, rancher.Clusters(), b.name)
		if rv := hosted.Str(hosted.Map(obj["metadata"])["resourceVersion"]); err == nil && rv != last {
			last = rv
			b.mu.Lock()
			b.gap, b.counted.blind = true, true
			b.mu.Unlock()
			b.tell()
		}
		pause, stop := context.WithTimeout(ctx, pollEvery)
		<-pause.Done()
		stop()
	}
}

// pollEvery is how often the Cluster is looked at without the right to watch it.
const pollEvery = time.Second

func (b *Backend) tell() {
	select {
	case b.news <- struct{}{}:
	default:
	}
}

func (b *Backend) cluster(e rancher.Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e.Type {
	case rancher.Added, rancher.Changed:
		s, _ := hosted.FromObjects(e.Object, nil)
		b.counted.saw(&s)
		b.states = append(b.states, state{s, b.counted.edits})
	case rancher.Deleted:
		b.gap = true
	case rancher.Synced:
		b.gap = b.gap || b.synced // listed again: states in between were missed
		b.synced = true
	default:
		return nil
	}
	b.tell()
	return nil
}

func (b *Backend) resource(e rancher.Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if phase, _ := hosted.Dig(e.Object, "status", "phase"); phase == "updating" {
		b.updating = true
	}
	if e.Type == rancher.Changed {
		b.stirred = true
		b.tell()
	}
	return nil
}

// Read reads the Cluster and everything around it.
func (b *Backend) Read(ctx context.Context) (hosted.Snapshot, hosted.OperatorState, error) {
	b.start(ctx)
	f, err := b.client.Read(ctx, rancher.Query{Names: []string{b.name}})
	if err != nil {
		return hosted.Snapshot{}, hosted.OperatorState{}, classify(err)
	}
	if len(f.Snapshots) != 1 {
		return hosted.Snapshot{}, hosted.OperatorState{}, fmt.Errorf("there is no cluster %s", b.name)
	}
	s := f.Snapshots[0]
	state, err := b.client.Operator(ctx, b.provider)
	if err != nil {
		return s, state, classify(err)
	}
	if b.live != nil {
		if err := b.live(&s); err != nil {
			return s, state, err
		}
	}
	b.catchUp(ctx, version(s.ResourceVersion))
	b.mu.Lock()
	b.read, b.stirred = version(s.ResourceVersion), false
	b.mu.Unlock()
	return s, state, nil
}

// version is a resourceVersion as a number, which API servers compare by since
// Kubernetes 1.35 and did before; 0 if it is none.
func version(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// Write sends a patch.
func (b *Backend) Write(ctx context.Context, p resync.Patch) (string, error) {
	body, err := json.Marshal(p.Body)
	if err != nil {
		return "", fmt.Errorf("cannot write the patch: %w", err)
	}
	r := rancher.Clusters()
	if p.Operator {
		r = rancher.OperatorResources(b.provider)
	}
	b.mu.Lock()
	b.updating = false
	b.mu.Unlock()
	obj, err := b.client.Patch(ctx, rancher.Patch{Resource: r, Name: b.name, Body: body, DryRun: p.DryRun, FieldManager: p.FieldManager})
	if err != nil {
		return "", classify(err)
	}
	return hosted.Str(hosted.Map(obj["metadata"])["resourceVersion"]), nil
}

// classify says what an error means for the change.
func classify(err error) error {
	switch rancher.KindOf(err) {
	case rancher.Conflict:
		return fmt.Errorf("%w: %w", resync.ErrConflict, err)
	case rancher.Uncertain:
		return fmt.Errorf("%w: %w", resync.ErrUncertain, err)
	case rancher.Unreachable, rancher.Timeout, rancher.ServerFailure, rancher.Expired, rancher.BadAnswer:
		return fmt.Errorf("%w: %w", resync.ErrTemporary, err)
	}
	return err
}

// Wait implements resync.Backend.
func (b *Backend) Wait(ctx context.Context, until time.Time) (*hosted.Snapshot, bool, error) {
	b.start(ctx)
	for {
		if s, gap, ok := b.take(); ok {
			return s, gap, nil
		}
		left := until.Sub(b.Now())
		if left <= 0 {
			return nil, false, nil
		}
		limited, stop := context.WithTimeout(ctx, left)
		select {
		case <-b.news:
		case <-limited.Done():
		}
		stop()
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
	}
}

// take returns what is new, if anything is.
func (b *Backend) take() (s *hosted.Snapshot, gap, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.states) > 0 && version(b.states[0].s.ResourceVersion) <= b.read && b.read > 0 {
		b.states = b.states[1:]
	}
	switch {
	case b.gap:
		b.gap, b.states = false, nil
		return nil, true, true
	case len(b.states) > 0:
		next := b.states[0]
		b.states = b.states[1:]
		b.edits, b.unsure = next.edits, b.counted.blind
		return &next.s, false, true
	case b.stirred:
		b.stirred = false
		return nil, false, true
	}
	return nil, false, false
}

// Updating implements resync.Backend.
func (b *Backend) Updating() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.updating
}

// Now is the server's clock: what it last said, and the time since.
func (b *Backend) Now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	passed := b.elapsed()
	estimate := b.base.Add(passed - b.at)
	if t, ok := b.client.ServerTime(); ok && (b.base.IsZero() || t.After(estimate)) {
		b.base, b.at = t, passed
		return t
	}
	return estimate
}
