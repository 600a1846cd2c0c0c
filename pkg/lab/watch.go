package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// watch handles GET with watch=true. Without a revision, or with 0, the stream
// begins with what there is; with sendInitialEvents it also says where that ends.
func (a *API) watch(c *call, q *query) (answer, error) {
	if current := a.store.Revision(); q.revision > current {
		return answer{}, tooNew(q.revision, current)
	}
	s := &stream{ctx: c.req.Context(), store: a.store, q: q, revision: q.revision, closed: make(chan struct{}), stop: func() {}}
	initial := q.options.SendInitialEvents
	if initial != nil && *initial || initial == nil && q.revision == 0 {
		s.begin(initial != nil && q.options.AllowWatchBookmarks)
	}
	if initial != nil && !*initial && q.revision == 0 {
		s.revision = a.store.Revision()
	}
	if t := q.options.TimeoutSeconds; t != nil && *t > 0 {
		s.expired, s.stop = a.store.clock.After(time.Duration(*t) * time.Second)
	}
	return answer{code: http.StatusOK, contentType: typeJSON, stream: s}, nil
}

// stream is the body of a watch. Read waits for changes; nothing runs in the
// background, so that a stream nobody reads costs nothing.
type stream struct {
	ctx     context.Context
	store   *Store
	q       *query
	expired <-chan struct{}
	stop    func()

	// These belong to the reader.
	buf      bytes.Buffer
	revision int64
	over     bool

	once   sync.Once
	closed chan struct{}
}

// Read gives what has changed since, waits if nothing has, and ends with the
// watch's time, its history or its request.
func (s *stream) Read(p []byte) (int, error) {
	for s.buf.Len() == 0 {
		if s.over {
			return 0, io.EOF
		}
		if err := s.ended(); err != nil {
			return 0, err
		}
		events, upto, more, ok := s.store.after(s.q.ref.Resource.table(), s.revision)
		if !ok {
			s.fail()
			continue
		}
		s.revision = upto
		for _, e := range events {
			s.pass(e)
		}
		if s.buf.Len() > 0 {
			break
		}
		select {
		case <-more:
		case <-s.expired:
		case <-s.ctx.Done():
		case <-s.closed:
		}
	}
	return s.buf.Read(p)
}

// ended tells whether and why the stream is over.
func (s *stream) ended() error {
	select {
	case <-s.closed:
		return http.ErrBodyReadAfterClose
	case <-s.ctx.Done():
		return s.ctx.Err()
	case <-s.expired:
		return io.EOF
	default:
		return nil
	}
}

// Close ends the stream and wakes its reader.
func (s *stream) Close() error {
	s.once.Do(func() {
		close(s.closed)
		s.stop()
	})
	return nil
}

// begin sends everything there is and, if asked for, a bookmark behind it.
func (s *stream) begin(bookmark bool) {
	keys, objects, at, _ := s.store.snapshot(s.q.ref.Resource.table(), 0)
	for _, k := range keys {
		if s.q.selects(objects[k]) {
			s.send(watch.Added, objects[k])
		}
	}
	s.revision = at
	if bookmark {
		r := s.q.ref.Resource
		s.send(watch.Bookmark, map[string]any{"apiVersion": r.apiVersion(), "kind": r.Kind, "metadata": map[string]any{
			"resourceVersion": strconv.FormatInt(at, 10),
			"annotations":     map[string]any{metav1.InitialEventsAnnotationKey: "true"},
		}})
	}
}

// pass sends a change as it looks through the selector: what comes into sight is
// added, what goes out of sight deleted.
func (s *stream) pass(e event) {
	was, is := s.q.selects(e.before), !e.deleted && s.q.selects(e.after)
	switch {
	case was && is:
		s.send(watch.Modified, e.after)
	case is:
		s.send(watch.Added, e.after)
	case was && e.deleted:
		s.send(watch.Deleted, e.after)
	case was:
		s.send(watch.Deleted, withRevision(e.before, e.revision))
	}
}

// fail says that the history does not reach back to where the watch stands, and
// ends the stream.
func (s *stream) fail() {
	s.store.mu.Lock()
	oldest := s.store.history.compacted
	s.store.mu.Unlock()
	s.send(watch.Error, statusOf(apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", s.revision, oldest))))
	s.over = true
}

// send writes one event as a line.
func (s *stream) send(kind watch.EventType, obj any) {
	enc := json.NewEncoder(&s.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{"type": kind, "object": obj}); err != nil {
		s.over = true
	}
}
