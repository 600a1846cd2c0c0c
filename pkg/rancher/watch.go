package rancher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rawjson"
)

// EventType says what an Event reports.
type EventType string

// The types of events.
const (
	// Added, Changed and Deleted concern one object. Deleted has no Object when
	// the deletion was noticed by listing again.
	Added   EventType = "added"
	Changed EventType = "changed"
	Deleted EventType = "deleted"
	// Synced: everything that existed has been reported; from now on events are
	// news. It comes again after each time everything had to be listed anew.
	Synced EventType = "synced"
	// Lost: the connection is gone, Err says why; it is tried again after Retry.
	Lost EventType = "lost"
	// Resumed: the connection is back and nothing was missed.
	Resumed EventType = "resumed"
)

// Event is one thing that a watch reports.
type Event struct {
	Type EventType
	// Name is the object's, Object is trimmed as by List.
	Name   string
	Object map[string]any
	// Err and Retry belong to Lost.
	Err   error
	Retry time.Duration
}

const (
	firstRetry   = 500 * time.Millisecond
	longestRetry = 30 * time.Second
	// watchSeconds ends each watch request, so that a silently broken connection
	// is noticed at last.
	watchSeconds = "480"
	// believed is how many refusals in a row, after the connection was lost, are
	// taken for what they say.
	believed = 6
)

// Watch reports what exists and then every change, until ctx ends, handle returns
// an error, or the server refuses for good (missing rights, expired credentials,
// no such resource; for some seconds after a lost connection these are taken for
// those of a server that is still starting). It reconnects by itself: where it left off if the server
// still can, else by listing again and reporting the differences. handle is called
// by one goroutine at a time, the one that called Watch.
func (c *Client) Watch(ctx context.Context, r Resource, o ListOptions, handle func(Event) error) error {
	w := &watcher{client: c, resource: r, options: o, handle: handle, known: map[string]string{}, decoder: &rawjson.Decoder{}}
	for {
		err := w.round(ctx)
		var stop *handlerError
		switch {
		case errors.As(err, &stop):
			return stop.err
		case ctx.Err() != nil:
			return ctx.Err()
		case KindOf(err) == Expired:
			w.version = ""
			continue
		case err != nil && final(err) && !w.premature(err):
			return c.explain(ctx, err)
		case err == nil:
			continue // the server ends every watch after a while
		}
		wait := w.wait()
		if err := w.tell(Event{Type: Lost, Err: err, Retry: wait}); err != nil {
			return errors.Unwrap(err)
		}
		if err := c.pause(ctx, wait); err != nil {
			return err
		}
	}
}

// final tells whether trying again cannot help.
func final(err error) bool {
	switch KindOf(err) {
	case Unauthorized, Forbidden, NotInstalled, NotManagement, BadTLS, BadKubeconfig:
		return true
	}
	return false
}

// premature tells whether a refusal may be that of a server that has just come
// back: until it has read its roles and resource definitions it refuses what it
// will allow a moment later.
func (w *watcher) premature(err error) bool {
	switch KindOf(err) {
	case Unauthorized, Forbidden, NotInstalled:
		w.refusals++
		return w.lost && w.refusals < believed
	}
	return false
}

// handlerError marks an error of the caller's own function.
type handlerError struct{ err error }

func (e *handlerError) Error() string { return e.err.Error() }
func (e *handlerError) Unwrap() error { return e.err }

type watcher struct {
	client   *Client
	resource Resource
	options  ListOptions
	handle   func(Event) error
	decoder  *rawjson.Decoder

	// version is where to go on, "" to list first; known holds the version of
	// every object reported.
	version string
	known   map[string]string
	// failures counts rounds without any success since the last event, refusals
	// those among them that ended in a refusal; lost is set from Lost to Resumed or
	// Synced.
	failures, refusals int
	lost               bool
}

func (w *watcher) wait() time.Duration {
	d := min(firstRetry<<min(w.failures, 10), longestRetry)
	w.failures++
	return d
}

func (w *watcher) tell(e Event) error {
	if e.Type == Lost {
		w.lost = true
	}
	if err := w.handle(e); err != nil {
		return &handlerError{err}
	}
	return nil
}

// round lists if it must and then watches until the server ends the request.
func (w *watcher) round(ctx context.Context) error {
	if w.version == "" {
		if err := w.list(ctx); err != nil {
			return err
		}
	}
	return w.watch(ctx)
}

// list reports what differs from what is known.
func (w *watcher) list(ctx context.Context) error {
	seen := make(map[string]bool, len(w.known))
	version, err := w.client.List(ctx, w.resource, w.options, func(obj map[string]any) error {
		seen[hosted.ObjectName(obj)] = true
		return w.put(obj)
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(w.known)) {
		if seen[name] {
			continue
		}
		delete(w.known, name)
		if err := w.tell(Event{Type: Deleted, Name: name}); err != nil {
			return err
		}
	}
	w.version, w.lost, w.refusals = version, false, 0
	return w.tell(Event{Type: Synced})
}

func objectVersion(obj map[string]any) string {
	return hosted.Str(hosted.Map(obj["metadata"])["resourceVersion"])
}

// put reports an object unless it is known in this version.
func (w *watcher) put(obj map[string]any) error {
	name, version := hosted.ObjectName(obj), objectVersion(obj)
	before, existed := w.known[name]
	if existed && before == version {
		return nil
	}
	w.known[name] = version
	kind := Added
	if existed {
		kind = Changed
	}
	return w.tell(Event{Type: kind, Name: name, Object: obj})
}

func (w *watcher) watch(ctx context.Context) error {
	query := url.Values{
		"watch": {"true"}, "allowWatchBookmarks": {"true"},
		"resourceVersion": {w.version}, "timeoutSeconds": {watchSeconds},
	}
	if w.options.LabelSelector != "" {
		query.Set("labelSelector", w.options.LabelSelector)
	}
	if w.options.Name != "" {
		query.Set("fieldSelector", "metadata.name="+w.options.Name)
	}
	a := Access{"watch", w.resource.String(), w.resource.Namespace, ""}
	body, err := w.client.ask(ctx, request{path: w.resource.path(""), query: query, access: a, forever: true})
	if err != nil {
		return err
	}
	defer body.Close()
	w.failures, w.refusals = 0, 0
	if w.lost {
		w.lost = false
		if err := w.tell(Event{Type: Resumed}); err != nil {
			return err
		}
	}
	stream := rawjson.NewReader(body, 0)
	for {
		if _, err := stream.Peek(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		raw, _, err := stream.List(func([]byte) error { return nil })
		if err != nil {
			return w.client.unreadable(err, a)
		}
		if err := w.event(raw, a); err != nil {
			return err
		}
	}
}

// event reports one event of the API server.
func (w *watcher) event(raw []byte, a Access) error {
	v, err := w.decoder.Decode(raw, rawjson.Only("type").With("object", eventFilter(w.resource.filter)))
	if err != nil {
		return w.client.unreadable(err, a)
	}
	obj := hosted.Map(hosted.Map(v)["object"])
	switch kind := hosted.Str(hosted.Map(v)["type"]); kind {
	case "ADDED", "MODIFIED":
		err = w.put(obj)
	case "DELETED":
		name := hosted.ObjectName(obj)
		if _, existed := w.known[name]; existed {
			delete(w.known, name)
			err = w.tell(Event{Type: Deleted, Name: name, Object: obj})
		}
	case "BOOKMARK":
	case "ERROR":
		code, _ := obj["code"].(int64)
		return refusal(int(code), hosted.Str(obj["reason"]), oneLine(hosted.Str(obj["message"])), a, w.client.Host())
	default:
		return badAnswer(a, w.client.Host(), fmt.Errorf("unknown event type %q", kind))
	}
	if version := objectVersion(obj); version != "" {
		w.version = version
	}
	return err
}

// eventFilter wants, beside what is wanted of an object, what a Status says in
// its place.
func eventFilter(f *rawjson.Filter) *rawjson.Filter {
	out := rawjson.Only("code", "reason", "message")
	maps.Copy(out.Keys, f.Keys)
	return out
}
