package follow

import (
	"context"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
)

// followSettings reads the few Settings that matter, by name, now and then: the
// right to list or watch all of them is not needed.
func (f *follower) followSettings(ctx context.Context) {
	names := []string{hosted.VersionSetting}
	for _, p := range hosted.Providers() {
		names = append(names, p.SettingName())
	}
	known := map[string]map[string]any{}
	for {
		s := &settings{found: map[string]map[string]any{}}
		for _, name := range names {
			obj, err := f.client.Get(ctx, rancher.Settings(), name)
			switch kind := rancher.KindOf(err); {
			case err == nil:
				known[name] = obj
			case kind == rancher.NotFound:
				delete(known, name)
			case ctx.Err() != nil:
				return
			case kind == rancher.Forbidden || known[name] == nil:
				delete(known, name)
				s.unread = append(s.unread, unreadSetting(name, err))
			}
			if known[name] != nil {
				s.found[name] = known[name]
			}
		}
		if f.send(ctx, message{settings: s}) != nil || sleep(ctx, f.o.SettingsEvery) != nil {
			return
		}
	}
}

func unreadSetting(name string, err error) hosted.Unread {
	u := hosted.Unread{What: hosted.SettingLabel(name), Why: err.Error()}
	if e := asError(err); e != nil {
		u.Why, u.Fix = e.What, e.Fix
	}
	return u
}

// longestRetry bounds the pause after a failed read.
const longestRetry = 30 * time.Second

// poll reads everything again and again, for those who may read and not watch.
func (f *follower) poll(ctx context.Context) error {
	q := rancher.Query{Names: f.o.Names, LabelSelector: f.o.Selector}
	retry := f.o.PollEvery
	for {
		fleet, err := f.client.Read(ctx, q)
		f.sample()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			retry = f.o.PollEvery
			err = f.read(fleet, &q)
		case rancher.KindOf(err) == rancher.Unreachable || rancher.KindOf(err) == rancher.ServerFailure || rancher.KindOf(err) == rancher.Timeout:
			retry = min(2*retry, longestRetry)
			err = f.broke("polling", rancher.Event{Err: err, Retry: retry})
		case f.ready && len(q.Names) > 0:
			err = f.missing(ctx, &q, err)
		}
		if err != nil {
			return err
		}
		if err := f.rest(ctx, retry); err != nil {
			return err
		}
	}
}

// rest waits for the next round, and ticks meanwhile.
func (f *follower) rest(ctx context.Context, d time.Duration) error {
	over, done := after(d)
	defer done()
	for {
		timer, stop := f.timer()
		select {
		case <-over:
			stop()
			return nil
		case <-ctx.Done():
			stop()
			return ctx.Err()
		case <-timer:
			stop()
			if err := f.tell(Update{Kind: Tick}); err != nil {
				return err
			}
		}
	}
}

// read reports what differs from the last round.
func (f *follower) read(fleet rancher.Fleet, q *rancher.Query) error {
	if err := f.back("polling"); err != nil {
		return err
	}
	seen := map[string]bool{}
	var news []hosted.Snapshot
	for i := range fleet.Snapshots {
		s := &fleet.Snapshots[i]
		seen[s.Name] = true
		if f.told[s.Name] != markOf(s) {
			news = append(news, *s)
		}
	}
	if !f.ready {
		f.ready = true
		if len(q.Names) > 0 {
			q.Names = hosted.SortedKeys(seen)
		}
		return f.tell(Update{Kind: Synced, Snapshots: fleet.Snapshots, Problems: fleet.Problems, Unread: fleet.Unread})
	}
	for _, name := range hosted.SortedKeys(f.told) {
		if !seen[name] {
			if err := f.gone(hosted.None, name); err != nil {
				return err
			}
		}
	}
	if len(news) == 0 {
		return nil
	}
	return f.tell(Update{Kind: Changed, Snapshots: news})
}

// missing finds out which of the named clusters are gone.
func (f *follower) missing(ctx context.Context, q *rancher.Query, cause error) error {
	var left []string
	for _, name := range q.Names {
		_, err := f.client.Get(ctx, rancher.Clusters(), name)
		if rancher.KindOf(err) != rancher.NotFound {
			left = append(left, name)
			continue
		}
		if err := f.gone(hosted.None, name); err != nil {
			return err
		}
	}
	if len(left) == len(q.Names) || len(left) == 0 {
		return cause
	}
	q.Names = left
	return nil
}
