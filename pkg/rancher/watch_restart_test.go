package rancher_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// TestWatchOutlivesTheServer: the API server is killed and comes back, and the
// watches of an administrator and of a user with just the right go on, without
// telling anything twice.
func TestWatchOutlivesTheServer(t *testing.T) {
	srv, err := testbed.Start(t.Context(), testbed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Stop(); err != nil {
			t.Error(err)
		}
	})
	cluster := func(name string) map[string]any {
		return map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": map[string]any{"name": name}, "spec": map[string]any{}}
	}
	srv.Apply(t, cluster("c-1"))
	user := srv.User(t, "restart-reader", readClusters())
	done := errors.New("seen enough")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	type watching struct {
		events chan rancher.Event
		ended  chan error
	}
	var all []watching
	for _, cfg := range []*rest.Config{srv.Config, user.Config} {
		w := watching{make(chan rancher.Event, 1000), make(chan error, 1)}
		c := client(t, cfg)
		go func() {
			w.ended <- c.Watch(ctx, rancher.Clusters(), rancher.ListOptions{}, func(e rancher.Event) error {
				w.events <- e
				if e.Name == "c-2" {
					return done
				}
				return nil
			})
		}()
		all = append(all, w)
	}
	// until returns the types of events up to one of the wanted.
	until := func(w watching, wanted ...rancher.EventType) (seen []rancher.EventType) {
		t.Helper()
		for {
			select {
			case e := <-w.events:
				seen = append(seen, e.Type)
				if e.Err != nil {
					t.Logf("%s, again in %s: %v", e.Type, e.Retry, e.Err)
				}
				for _, kind := range wanted {
					if e.Type == kind {
						return seen
					}
				}
			case err := <-w.ended:
				t.Fatalf("the watch ended with %v after %v", err, seen)
			}
		}
	}
	for _, w := range all {
		until(w, rancher.Synced)
	}
	srv.KillAPIServer(t)
	for _, w := range all {
		until(w, rancher.Lost)
	}
	begin := time.Now()
	served := srv.StartAPIServer(t)
	for _, w := range all {
		for _, kind := range until(w, rancher.Resumed, rancher.Synced) {
			if kind == rancher.Added || kind == rancher.Deleted {
				t.Errorf("%s was told again", kind)
			}
		}
	}
	t.Logf("served again after %s, watched again after %s", served.Round(time.Millisecond), time.Since(begin).Round(time.Millisecond))
	srv.Apply(t, cluster("c-2"))
	for _, w := range all {
		if err := <-w.ended; !errors.Is(err, done) {
			t.Errorf("after the restart: %v", err)
		}
	}
}

// TestWatchDoubtsEarlyRefusals: a server that has just come back refuses what it
// will allow; one that goes on refusing is believed.
func TestWatchDoubtsEarlyRefusals(t *testing.T) {
	forbid := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "starting", 403) }
	steps := []func(http.ResponseWriter, *http.Request){say(listOf(10, item("a", 3))), say(`{"type":"MODIFIED","obj`)}
	for name, c := range map[string]struct {
		refusals int
		end      rancher.Kind
		last     string
	}{"comes back": {5, "", "resumed"}, "stays so": {6, rancher.Forbidden, "lost"}} {
		t.Run(name, func(t *testing.T) {
			script := slices.Clone(steps)
			for range c.refusals {
				script = append(script, forbid)
			}
			if c.end == "" {
				script = append(script, say(watchObject("MODIFIED", "a", 12)))
			}
			var got []string
			_, err := scripted(t, script, func(e rancher.Event) { got = append(got, string(e.Type)) })
			if rancher.KindOf(err) != c.end {
				t.Errorf("ended with %v", err)
			}
			lost := 0
			for _, kind := range got {
				if kind == "lost" {
					lost++
				}
			}
			if want := min(c.refusals, 5) + 1; lost < want || !slices.Contains(got, c.last) {
				t.Errorf("lost %d times, want %d: %v", lost, want, got)
			}
		})
	}
}
