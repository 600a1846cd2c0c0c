package lab_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
)

func (b *bench) watch(o metav1.ListOptions) watch.Interface {
	b.t.Helper()
	w, err := b.client.Resource(clusters).Watch(b.t.Context(), o)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(w.Stop)
	return w
}

// next is the next event, in short: type, name, revision.
func next(t *testing.T, w watch.Interface) string {
	t.Helper()
	select {
	case e, ok := <-w.ResultChan():
		if !ok {
			return "end"
		}
		if s, isStatus := e.Object.(*metav1.Status); isStatus {
			return fmt.Sprintf("%s %d %s", e.Type, s.Code, s.Reason)
		}
		o := e.Object.(*unstructured.Unstructured)
		return fmt.Sprintf("%s %s %s", e.Type, o.GetName(), o.GetResourceVersion())
	case <-time.After(20 * time.Second):
		t.Fatal("no event came")
		return ""
	}
}

// TestWatchDeliversAPatch: the event carries the object as the patch left it.
func TestWatchDeliversAPatch(t *testing.T) {
	b := newBench(t)
	w := b.watch(metav1.ListOptions{ResourceVersion: b.list(metav1.ListOptions{}).GetResourceVersion()})
	got := b.mustMerge(armed, `{"metadata":{"annotations":{"clusters.management.cattle.io/ke-last-refresh":null}}}`)
	e := <-w.ResultChan()
	o, ok := e.Object.(*unstructured.Unstructured)
	if e.Type != watch.Modified || !ok || !hosted.Equal(o.Object, got) {
		t.Errorf("event %s %s\nthe patch gave %s", e.Type, hosted.Canonical(e.Object), hosted.Canonical(got))
	}
	if _, ok := o.GetAnnotations()[hosted.RefreshAnnotation]; ok {
		t.Error("the annotation is still there")
	}
	// Changes of other resources do not show; the next of this one does.
	if _, err := b.client.Resource(settings).Patch(t.Context(), "eks-refresh", types.MergePatchType, []byte(`{"value":"60"}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	again := b.mustMerge("local", `{"metadata":{"labels":{"x":"y"}}}`)
	if got, want := next(t, w), "MODIFIED local "+hosted.Str(dig(again, "metadata", "resourceVersion")); got != want {
		t.Errorf("then came %s, want %s", got, want)
	}
}

// TestWatchFromTheBeginning: without a revision a watch begins with what there
// is, in order.
func TestWatchFromTheBeginning(t *testing.T) {
	for _, revision := range []string{"", "0"} {
		b := newBench(t)
		w := b.watch(metav1.ListOptions{ResourceVersion: revision})
		for _, o := range b.list(metav1.ListOptions{}).Items {
			if got, want := next(t, w), fmt.Sprintf("ADDED %s %s", o.GetName(), o.GetResourceVersion()); got != want {
				t.Errorf("revision %q: %s, want %s", revision, got, want)
			}
		}
	}
}

// TestWatchThroughASelector: what comes into sight is added, what leaves it
// deleted, the rest does not show.
func TestWatchThroughASelector(t *testing.T) {
	b := newBench(t)
	w := b.watch(metav1.ListOptions{LabelSelector: "watched=yes", ResourceVersion: fmt.Sprint(b.store.Revision())})
	at := func(obj map[string]any) string { return hosted.Str(dig(obj, "metadata", "resourceVersion")) }
	b.mustMerge("local", `{"metadata":{"labels":{"watched":"no"}}}`)
	want := []string{
		"ADDED " + armed + " " + at(b.mustMerge(armed, `{"metadata":{"labels":{"watched":"yes"}}}`)),
		"MODIFIED " + armed + " " + at(b.mustMerge(armed, `{"spec":{"description":"x"}}`)),
		"DELETED " + armed + " " + at(b.mustMerge(armed, `{"metadata":{"labels":{"watched":null}}}`)),
	}
	b.mustMerge(armed, `{"spec":{"description":"unseen"}}`)
	back := b.mustMerge(armed, `{"metadata":{"labels":{"watched":"yes"}}}`)
	want = append(want, "ADDED "+armed+" "+at(back))
	resource, _ := b.store.Resource("management.cattle.io", "v3", "clusters")
	if err := b.store.Delete(lab.Ref{Resource: resource, Name: armed}); err != nil {
		t.Fatal(err)
	}
	want = append(want, fmt.Sprintf("DELETED %s %d", armed, b.store.Revision()))
	for _, line := range want {
		if got := next(t, w); got != line {
			t.Errorf("event %s, want %s", got, line)
		}
	}
}

// TestWatchTooOld: a watch from before the history gets one error event and ends.
func TestWatchTooOld(t *testing.T) {
	b := newBench(t)
	old := b.store.Revision()
	b.mustMerge("local", `{"metadata":{"labels":{"x":"y"}}}`)
	b.store.Compact(b.store.Revision())
	w := b.watch(metav1.ListOptions{ResourceVersion: fmt.Sprint(old)})
	if got := next(t, w); got != "ERROR 410 Expired" {
		t.Errorf("first event: %s", got)
	}
	if got := next(t, w); got != "end" {
		t.Errorf("then %s", got)
	}
}

// TestWatchEnds: by its own time on the lab's clock, by its request, and when the
// client closes it.
func TestWatchEnds(t *testing.T) {
	open := func(ctx context.Context, b *bench, query string) io.ReadCloser {
		t.Helper()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet,
			lab.Host+"/apis/management.cattle.io/v3/clusters?watch=true&resourceVersion="+fmt.Sprint(b.store.Revision())+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := b.api.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusOK || resp.ContentLength != -1 {
			t.Fatalf("%v %v", resp, err)
		}
		return resp.Body
	}
	for name, tc := range map[string]struct {
		end  func(b *bench, body io.Closer, cancel func())
		want error
	}{
		"timeout": {func(b *bench, _ io.Closer, _ func()) { b.clock.Advance(30 * time.Second) }, nil},
		"cancel":  {func(_ *bench, _ io.Closer, cancel func()) { cancel() }, context.Canceled},
		"close":   {func(_ *bench, body io.Closer, _ func()) { _ = body.Close() }, http.ErrBodyReadAfterClose},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			body := open(ctx, b, "&timeoutSeconds=30")
			defer body.Close()
			b.clock.Advance(29 * time.Second)
			b.mustMerge("local", `{"metadata":{"labels":{"x":"y"}}}`)
			line := make([]byte, 1<<20)
			n, err := body.Read(line)
			if err != nil || !strings.HasPrefix(string(line[:n]), `{"object":{`) || line[n-1] != '\n' {
				t.Fatalf("%v %.80s", err, line[:n])
			}
			done := make(chan error)
			go func() {
				_, err := io.ReadAll(body)
				done <- err
			}()
			tc.end(b, body, cancel)
			if err := <-done; err != tc.want { //nolint:errorlint // a body's errors are bare
				t.Errorf("the reader got %v, want %v", err, tc.want)
			}
		})
	}
}

// TestWatchList: with sendInitialEvents a bookmark says where the beginning ends,
// which the client library's informers wait for.
func TestWatchList(t *testing.T) {
	b := newBench(t)
	yes := true
	w := b.watch(metav1.ListOptions{
		SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
	})
	for range fleet.Demo(start).Clusters {
		if got := next(t, w); !strings.HasPrefix(got, "ADDED ") {
			t.Errorf("event %s", got)
		}
	}
	e := <-w.ResultChan()
	o, _ := e.Object.(*unstructured.Unstructured)
	if e.Type != watch.Bookmark || o.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "true" || o.GetResourceVersion() != fmt.Sprint(b.store.Revision()) {
		t.Errorf("the beginning ends with %s %v", e.Type, e.Object)
	}
}

// TestInformer: the client library's own informer works on the lab, and sees a
// change.
func TestInformer(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	factory := dynamicinformer.NewDynamicSharedInformerFactory(b.client, 0)
	informer := factory.ForResource(clusters).Informer()
	changed := make(chan string, 10)
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, o any) { changed <- o.(*unstructured.Unstructured).GetName() },
	}); err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	defer cancel()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		t.Fatal("the informer did not sync")
	}
	if got, want := len(informer.GetStore().List()), len(fleet.Demo(start).Clusters); got != want {
		t.Errorf("the informer holds %d clusters, want %d", got, want)
	}
	b.mustMerge(armed, `{"spec":{"eksConfig":{"tags":{"team":"payments"}}}}`)
	if got := <-changed; got != armed {
		t.Errorf("%s changed, want %s", got, armed)
	}
}

// TestWatchTooNew: a revision that has not been reached yet is refused.
func TestWatchTooNew(t *testing.T) {
	b := newBench(t)
	for _, query := range []string{"?watch=true&resourceVersion=99999999", "?resourceVersion=99999999"} {
		resp, text := b.raw(t.Context(), "GET", "/apis/management.cattle.io/v3/clusters"+query, "")
		status := &metav1.Status{}
		if err := jsonInto(text, status); err != nil {
			t.Fatal(err)
		}
		err := &apierrors.StatusError{ErrStatus: *status}
		if resp.StatusCode != http.StatusGatewayTimeout || resp.Header.Get("Retry-After") != "1" || !apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
			t.Errorf("%s: %s %s", query, resp.Status, text)
		}
	}
}
