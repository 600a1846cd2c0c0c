package rancher_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// TestWatchReportsEverything: with the real server, what exists comes first, then
// each change as it is made, trimmed like a list's objects.
func TestWatchReportsEverything(t *testing.T) {
	srv := bed.Server(t)
	object := func(name string) map[string]any {
		return map[string]any{
			"apiVersion": "eks.cattle.io/v1", "kind": "EKSClusterConfig",
			"metadata": map[string]any{"name": name, "namespace": testbed.GlobalNamespace,
				"labels": map[string]any{"watch": "me"}, "annotations": map[string]any{"ballast": "x"}},
			"spec":   map[string]any{"region": "eu-central-1"},
			"status": map[string]any{"phase": "active"},
		}
	}
	first, second := object("watch-1"), object("watch-2")
	srv.Apply(t, first)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var got []string
	done := errors.New("seen enough")
	step := func(e rancher.Event) error {
		phase, _ := hosted.Dig(e.Object, "status", "phase")
		got = append(got, fmt.Sprintf("%s %s %v", e.Type, e.Name, phase))
		if _, ok := hosted.Dig(e.Object, "metadata", "annotations"); ok {
			t.Errorf("%s is not trimmed", e.Name)
		}
		switch len(got) {
		case 2:
			srv.Merge(t, "EKSClusterConfig", testbed.GlobalNamespace, "watch-1", `{"status":{"phase":"updating"}}`, true)
		case 3:
			srv.Remove(t, first)
		case 4:
			srv.Apply(t, second)
			srv.Remove(t, second)
		case 7: // created, its status stored, removed
			return done
		}
		return nil
	}
	err := client(t, srv.Config).Watch(ctx, rancher.OperatorResources(hosted.EKS), rancher.ListOptions{LabelSelector: "watch=me"}, step)
	if !errors.Is(err, done) {
		t.Fatalf("%v after %v", err, got)
	}
	want := []string{"added watch-1 active", "synced  <nil>", "changed watch-1 updating", "deleted watch-1 updating",
		"added watch-2 <nil>", "changed watch-2 active", "deleted watch-2 active"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWatchEndsWithItsContextAndWithoutRights(t *testing.T) {
	srv, _ := fleet(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := client(t, srv.Config).Watch(ctx, rancher.Clusters(), rancher.ListOptions{}, func(e rancher.Event) error {
		if e.Type == rancher.Synced {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	ignore := func(rancher.Event) error { return nil }
	nobody := client(t, srv.User(t, "watch-nobody").Config)
	check(t, nobody.Watch(t.Context(), rancher.Clusters(), rancher.ListOptions{}, ignore), rancher.Forbidden, "list clusters")
	lister := client(t, srv.User(t, "watch-lister", testbed.Grant{Verbs: "list", Resource: clustersResource}).Config)
	check(t, lister.Watch(t.Context(), rancher.Clusters(), rancher.ListOptions{}, ignore), rancher.Forbidden, "watch clusters")
}

// scripted answers each request with the next step of a script and ends the watch
// after the last.
func scripted(t *testing.T, steps []func(w http.ResponseWriter, r *http.Request), handle func(rancher.Event)) (waits []time.Duration, err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	c := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if n == len(steps) {
			cancel()
			return
		}
		n++
		steps[n-1](w, r)
	})
	c.SetPause(func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	})
	err = c.Watch(ctx, rancher.Clusters(), rancher.ListOptions{}, func(e rancher.Event) error {
		handle(e)
		return nil
	})
	return waits, err
}

func say(text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
}

func watchObject(kind, name string, version int) string {
	return fmt.Sprintf(`{"type":%q,"object":{"metadata":{"name":%q,"resourceVersion":"%d"}}}`+"\n", kind, name, version)
}

func listOf(version int, items ...string) string {
	return fmt.Sprintf(`{"metadata":{"resourceVersion":"%d"},"items":[%s]}`, version, strings.Join(items, ","))
}

func item(name string, version int) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"resourceVersion":"%d"}}`, name, version)
}

// TestWatchRecovers: a broken connection is taken up where it was left, with
// growing pauses; a compacted version leads to a new list and just the
// differences; nothing is reported twice.
func TestWatchRecovers(t *testing.T) {
	var versions, got []string
	from := func(text string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			versions = append(versions, r.URL.Query().Get("resourceVersion"))
			_, _ = w.Write([]byte(text))
		}
	}
	fail := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "starting", 503) }
	waits, err := scripted(t, []func(http.ResponseWriter, *http.Request){
		say(listOf(10, item("a", 3), item("b", 4))),
		from(watchObject("ADDED", "a", 3) + watchObject("MODIFIED", "b", 11) + watchObject("BOOKMARK", "", 15)), // ends in order
		from(`{"type":"MODIFIED","object":{"metadata":`),                                                        // breaks
		fail,
		fail,
		from(watchObject("ADDED", "c", 16)),
		from(`{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}`),
		say(listOf(30, item("a", 3), item("c", 22), item("d", 23))),
		from(watchObject("DELETED", "never-seen", 31) + watchObject("DELETED", "a", 32)),
		from(`{"type":"SURPRISE","object":{}}`),
	}, func(e rancher.Event) { got = append(got, strings.TrimSpace(string(e.Type)+" "+e.Name)) })
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	want := []string{"added a", "added b", "synced", "changed b", "lost", "lost", "lost", "resumed", "added c",
		"changed c", "added d", "deleted b", "synced", "deleted a", "lost"}
	if !slices.Equal(got[:min(len(want), len(got))], want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if want := []string{"10", "15", "15", "16", "30", "32"}; !slices.Equal(versions, want) {
		t.Errorf("watched from %v, want %v", versions, want)
	}
	half := 500 * time.Millisecond
	if want := []time.Duration{half, 2 * half, 4 * half, half}; !slices.Equal(waits[:min(len(waits), len(want))], want) {
		t.Errorf("waited %v, want %v", waits, want)
	}
}

func TestWatchStopsWithItsHandler(t *testing.T) {
	for name, when := range map[string]rancher.EventType{"list": rancher.Added, "synced": rancher.Synced, "lost": rancher.Lost} {
		c := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("watch") {
				http.Error(w, "no", 503)
				return
			}
			_, _ = w.Write([]byte(listOf(1, item("a", 1))))
		})
		stop := errors.New("stop")
		err := c.Watch(t.Context(), rancher.Clusters(), rancher.ListOptions{}, func(e rancher.Event) error {
			if e.Type == when {
				return stop
			}
			return nil
		})
		if err != stop { //nolint:errorlint // the very error
			t.Errorf("%s: %v", name, err)
		}
	}
}
