package follow

import (
	"context"
	"errors"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
)

// take works in what a feed says.
func (f *follower) take(ctx context.Context, m message) error {
	switch {
	case m.settings != nil:
		f.state.settings = m.settings
		return f.refresh()
	case m.end != nil:
		return f.ended(m)
	}
	switch e := m.event; e.Type {
	case rancher.Added, rancher.Changed:
		if f.state.put(m.provider, e.Name, e.Object) {
			f.need(ctx, m.provider, e.Object)
			return f.changed(e.Name)
		}
	case rancher.Deleted:
		if f.state.remove(m.provider, e.Name) {
			return f.gone(m.provider, e.Name)
		}
	case rancher.Synced:
		return f.listed(ctx, m)
	case rancher.Lost:
		return f.broke(m.source, e)
	case rancher.Resumed:
		return f.back(m.source)
	}
	return nil
}

// need starts to follow the operator's resources of a cluster's provider.
func (f *follower) need(ctx context.Context, from hosted.Provider, cluster map[string]any) {
	if from != hosted.None || !f.state.listed {
		return
	}
	p := hosted.ProviderOf(cluster)
	if p == hosted.None || f.state.resources[p] != nil {
		return
	}
	f.state.resources[p] = &resources{byName: map[string]map[string]any{}}
	f.feed(ctx, p, rancher.OperatorResources(p))
}

// listed notes that a feed has reported all there is.
func (f *follower) listed(ctx context.Context, m message) error {
	if m.provider != hosted.None {
		r := f.state.resources[m.provider]
		r.settled, r.unread = true, nil
	} else if !f.state.listed {
		if err := f.state.choose(f.o.Names); err != nil {
			return err
		}
		for _, obj := range f.state.clusters {
			f.need(ctx, hosted.None, obj)
		}
	}
	if err := f.back(m.source); err != nil {
		return err
	}
	return f.refresh()
}

// refresh reports the first complete state, or whatever differs since.
func (f *follower) refresh() error {
	if !f.state.complete() {
		return nil
	}
	if !f.ready {
		f.ready = true
		all, problems, unread := f.state.all(func(hosted.Snapshot) bool { return true })
		return f.tell(Update{Kind: Synced, Snapshots: all, Problems: problems, Unread: unread})
	}
	some, _, _ := f.state.all(func(s hosted.Snapshot) bool { return f.told[s.Name] != markOf(&s) })
	if len(some) == 0 {
		return nil
	}
	return f.tell(Update{Kind: Changed, Snapshots: some})
}

// changed reports one cluster.
func (f *follower) changed(name string) error {
	if !f.ready || !f.state.complete() {
		return nil // it comes with refresh
	}
	s, _, ok := f.state.snapshot(name)
	if !ok || f.told[name] == markOf(&s) {
		return nil
	}
	return f.tell(Update{Kind: Changed, Snapshots: []hosted.Snapshot{s}})
}

// gone reports that an object is no more: for a Cluster that is the end, for an
// operator's resource a change.
func (f *follower) gone(p hosted.Provider, name string) error {
	if p != hosted.None {
		return f.changed(name)
	}
	delete(f.told, name)
	if !f.ready {
		return nil
	}
	return f.tell(Update{Kind: Deleted, Name: name})
}

// ended decides what becomes of a feed that cannot go on.
func (f *follower) ended(m message) error {
	err := m.end
	if rancher.KindOf(err) == rancher.Forbidden {
		watching := false
		if e := asError(err); e != nil {
			watching = e.Access.Verb == "watch"
		}
		// With names, single objects may be readable where lists are not.
		if watching || len(f.o.Names) > 0 {
			return errPoll
		}
	}
	if m.provider == hosted.None || errors.Is(err, context.Canceled) {
		return err
	}
	r := f.state.resources[m.provider]
	r.settled, r.unread = true, refusal(m.provider, err)
	return f.refresh()
}

// broke notes a lost connection; the first of several is told. The very first
// connection must succeed: a server that never
// answered is an address or a network to be mended.
func (f *follower) broke(source string, e rancher.Event) error {
	if f.clock.base.IsZero() {
		return e.Err
	}
	before := len(f.lost)
	f.lost[source] = true
	if before > 0 {
		return nil
	}
	return f.tell(Update{Kind: Lost, Source: source, Err: e.Err, Retry: e.Retry})
}

// back notes that a connection stands again; when the last one does, that is told.
func (f *follower) back(source string) error {
	if !f.lost[source] {
		return nil
	}
	delete(f.lost, source)
	if len(f.lost) > 0 {
		return nil
	}
	return f.tell(Update{Kind: Resumed, Source: source})
}

func asError(err error) *rancher.Error {
	var e *rancher.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
