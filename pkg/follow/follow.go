package follow

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
)

// Kind says what an Update reports.
type Kind string

// The kinds of update.
const (
	// Synced: the chosen clusters as they are, once everything has been read. It
	// comes once, before any Changed or Deleted.
	Synced Kind = "synced"
	// Changed: clusters with a new state; one that was not there before is new.
	Changed Kind = "changed"
	// Deleted: a cluster is gone.
	Deleted Kind = "deleted"
	// Lost: a connection broke, and perhaps others with it. What is known may be
	// old until Resumed.
	Lost Kind = "lost"
	// Resumed: all connections stand again, and what was missed is or will be
	// reported.
	Resumed Kind = "resumed"
	// Tick: the time that Options.Wake asked for has come.
	Tick Kind = "tick"
)

// Update is one report.
type Update struct {
	Kind Kind
	// Now is the server's time.
	Now time.Time
	// Snapshots belong to Synced and Changed, Name to Deleted.
	Snapshots []hosted.Snapshot
	Name      string
	// Unread lists what cannot be read for lack of rights or because it is not
	// installed; Problems are oddities in objects. Both come with Synced.
	Unread   []hosted.Unread
	Problems []hosted.Problem
	// Source, Err and Retry belong to Lost: which connection, why, and when it is
	// tried again.
	Source string
	Err    error
	Retry  time.Duration
}

// The default intervals of Options.
const (
	DefaultSettingsEvery = time.Minute
	DefaultPollEvery     = 5 * time.Second
)

// Options choose what is followed.
type Options struct {
	// Names are object names or display names, none for all clusters; Selector
	// restricts those by label.
	Names    []string
	Selector string
	// Elapsed is a monotonic clock: the time since any fixed moment. It must be
	// given.
	Elapsed func() time.Duration
	// Start takes the place of the server's clock at the beginning, if not zero.
	Start time.Time
	// Wake, if given, is asked after every update for the server's time at which
	// to report a Tick; zero is never.
	Wake func() time.Time
	// SettingsEvery is how often Settings are read, PollEvery how often everything
	// is where the right to watch is missing; 0 is the default.
	SettingsEvery, PollEvery time.Duration
}

// Follow reports what there is and then every change, until ctx ends, handle
// returns an error, or going on cannot help (missing rights, expired credentials,
// no such cluster). handle is called by one goroutine, the caller's.
func Follow(ctx context.Context, c *rancher.Client, o Options, handle func(Update) error) error {
	if o.SettingsEvery <= 0 {
		o.SettingsEvery = DefaultSettingsEvery
	}
	if o.PollEvery <= 0 {
		o.PollEvery = DefaultPollEvery
	}
	f := &follower{
		client: c, o: o, handle: handle, inbox: make(chan message),
		clock: newClock(o.Elapsed, o.Start), state: newState(), lost: map[string]bool{}, told: map[string]mark{},
	}
	err := f.watch(ctx)
	if errors.Is(err, errPoll) {
		err = f.poll(ctx)
	}
	return err
}

// errPoll: the rights to watch are missing, but perhaps not those to read.
var errPoll = errors.New("watching is not allowed")

// message is what a feed has to say.
type message struct {
	// source is the resource, "" for the Settings.
	source   string
	provider hosted.Provider
	event    rancher.Event
	settings *settings
	// end is set when the feed cannot go on.
	end error
}

// follower is one run of Follow. Everything but the inbox belongs to the
// goroutine that called Follow.
type follower struct {
	client *rancher.Client
	o      Options
	handle func(Update) error
	inbox  chan message
	clock  *clock
	state  *state

	feeds sync.WaitGroup
	// ready: Synced has been reported. told holds what was reported last.
	ready bool
	told  map[string]mark
	lost  map[string]bool
}

// mark tells whether a snapshot is another than the last one reported.
type mark struct{ cluster, resource, settings string }

func markOf(s *hosted.Snapshot) mark {
	m := mark{cluster: s.ResourceVersion, settings: s.Setting.Effective() + "\n" + s.Setting.Unreadable}
	if s.CR != nil {
		m.resource = s.CR.ResourceVersion
	}
	return m
}

// watch runs the feeds and takes what they say.
func (f *follower) watch(parent context.Context) error {
	ctx, cancel := context.WithCancel(parent)
	defer f.feeds.Wait()
	defer cancel()
	f.feed(ctx, hosted.None, rancher.Clusters())
	f.feeds.Go(func() { f.followSettings(ctx) })
	for {
		timer, stop := f.timer()
		var err error
		select {
		case m := <-f.inbox:
			f.sample()
			err = f.take(ctx, m)
		case <-timer:
			err = f.tell(Update{Kind: Tick})
		case <-ctx.Done():
			err = ctx.Err()
		}
		stop()
		if err != nil {
			return err
		}
	}
}

// shortestWait keeps a clock that stands still from making a busy loop.
const shortestWait = 20 * time.Millisecond

// timer fires when the caller wants to be woken.
func (f *follower) timer() (<-chan time.Time, func()) {
	if f.o.Wake == nil || !f.ready {
		return nil, func() {}
	}
	at := f.o.Wake()
	if at.IsZero() {
		return nil, func() {}
	}
	return after(max(at.Sub(f.clock.now()), shortestWait))
}

func (f *follower) sample() {
	if t, ok := f.client.ServerTime(); ok {
		f.clock.sample(t)
	}
}

// tell reports an update. An error of handle ends everything.
func (f *follower) tell(u Update) error {
	u.Now = f.clock.now()
	for i := range u.Snapshots {
		s := &u.Snapshots[i]
		s.ServerTime = u.Now
		f.told[s.Name] = markOf(s)
	}
	return f.handle(u)
}

// feed watches one resource in the background.
func (f *follower) feed(ctx context.Context, p hosted.Provider, r rancher.Resource) {
	o := rancher.ListOptions{}
	if p == hosted.None && len(f.o.Names) == 0 {
		o.LabelSelector = f.o.Selector
	}
	f.feeds.Go(func() {
		for {
			err := f.client.Watch(ctx, r, o, func(e rancher.Event) error {
				return f.send(ctx, message{source: r.String(), provider: p, event: e})
			})
			if f.send(ctx, message{source: r.String(), provider: p, end: err}) != nil || rancher.KindOf(err) != rancher.NotInstalled {
				return
			}
			// An operator is installed with its first cluster.
			if sleep(ctx, f.o.SettingsEvery) != nil {
				return
			}
		}
	})
}

func (f *follower) send(ctx context.Context, m message) error {
	select {
	case f.inbox <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// after waits for a duration, or until it is stopped.
func after(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d) //nolint:forbidigo // it waits and does not tell the time
	return t.C, func() { t.Stop() }
}

func sleep(ctx context.Context, d time.Duration) error {
	over, stop := after(d)
	defer stop()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
