package lab_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

var bed testbed.Bed

func TestMain(m *testing.M) { os.Exit(testbed.Run(m, &bed, os.Stderr)) }

var (
	start    = time.Date(2026, 9, 1, 11, 3, 0, 0, time.UTC)
	clusters = schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "clusters"}
	settings = schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "settings"}
	eksccs   = schema.GroupVersionResource{Group: "eks.cattle.io", Version: "v1", Resource: "eksclusterconfigs"}
)

const armed = "c-9pd4w"

// bench is a lab with the demo's fleet in it and a client in front.
type bench struct {
	t      *testing.T
	store  *lab.Store
	api    *lab.API
	clock  *lab.Manual
	client dynamic.Interface
	config *rest.Config
}

func newBench(t *testing.T) *bench {
	t.Helper()
	clock := lab.NewManual(start)
	store, err := lab.NewStore(clock, fleet.Demo(start).Objects()...)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, store: store, api: lab.NewAPI(store), clock: clock}
	b.config = &rest.Config{Host: lab.Host, Transport: b.api, QPS: -1, UserAgent: "bench/1.0 (test)"}
	if b.client, err = dynamic.NewForConfig(b.config); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) get(name string) map[string]any {
	b.t.Helper()
	obj, err := b.client.Resource(clusters).Get(b.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	return obj.Object
}

func (b *bench) merge(name, patch string, sub ...string) (*unstructured.Unstructured, error) {
	return b.client.Resource(clusters).Patch(b.t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, sub...)
}

func (b *bench) mustMerge(name, patch string, sub ...string) map[string]any {
	b.t.Helper()
	obj, err := b.merge(name, patch, sub...)
	if err != nil {
		b.t.Fatal(err)
	}
	return obj.Object
}

// raw sends a request as it is, without a client's retries.
func (b *bench) raw(ctx context.Context, method, path, body string, header ...string) (*http.Response, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, lab.Host+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := b.api.RoundTrip(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp, string(text)
}

func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	v, err := hosted.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return hosted.Map(v)
}

func dig(obj map[string]any, path ...string) any {
	v, _ := hosted.Dig(obj, path...)
	return v
}

// TestObjectsArriveAsTheyAre: what the client reads is what the fleet holds, with
// nulls, large numbers and emoji.
func TestObjectsArriveAsTheyAre(t *testing.T) {
	b := newBench(t)
	for _, want := range fleet.Demo(start).Objects() {
		gvk := schema.FromAPIVersionAndKind(hosted.Str(want["apiVersion"]), hosted.Str(want["kind"]))
		r := b.client.Resource(gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s"))
		var from dynamic.ResourceInterface = r
		if ns := hosted.Str(dig(want, "metadata", "namespace")); ns != "" {
			from = r.Namespace(ns)
		}
		got, err := from.Get(t.Context(), hosted.ObjectName(want), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !hosted.Equal(hosted.Normalize(got.Object), want) {
			t.Errorf("%s arrived as\n%s\nwant\n%s", hosted.ObjectName(want), hosted.Canonical(got.Object), hosted.Canonical(want))
		}
	}
}

// TestSameRequestsSameBytes: a lab is reproducible down to the headers.
func TestSameRequestsSameBytes(t *testing.T) {
	run := func() string {
		b := newBench(t)
		var out strings.Builder
		for _, r := range []struct{ method, path, body string }{
			{"GET", "/apis/management.cattle.io/v3/clusters?limit=5", ""},
			{"PATCH", "/apis/management.cattle.io/v3/clusters/" + armed, `{"metadata":{"labels":{"a":"b","c":"d"}},"spec":{"eksConfig":{"tags":{"x":"y"}}}}`},
			{"GET", "/apis/management.cattle.io/v3/clusters", ""},
		} {
			resp, text := b.raw(t.Context(), r.method, r.path, r.body, "Content-Type", string(types.MergePatchType))
			for _, h := range []string{"Date", "Content-Type", "Content-Length"} {
				out.WriteString(resp.Header.Get(h) + "\n")
			}
			out.WriteString(resp.Status + text)
			b.clock.Advance(time.Minute)
		}
		return out.String()
	}
	if a, b := run(), run(); a != b {
		t.Errorf("two runs differ:\n%s\n%s", a, b)
	}
}

// TestDateIsTheLabsClock: a client takes the server's time from there.
func TestDateIsTheLabsClock(t *testing.T) {
	b := newBench(t)
	b.clock.Advance(90 * time.Second)
	resp, _ := b.raw(t.Context(), "GET", "/apis/management.cattle.io/v3/settings/eks-refresh", "")
	if got := resp.Header.Get("Date"); got != "Tue, 01 Sep 2026 11:04:30 GMT" {
		t.Errorf("Date: %s", got)
	}
	if resp.Header.Get("Content-Type") != "application/json" || resp.ContentLength <= 0 {
		t.Errorf("header %v, length %d", resp.Header, resp.ContentLength)
	}
}

// TestEndedContext: a request that is over gets no answer.
func TestEndedContext(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, lab.Host+"/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.api.RoundTrip(req); err != context.Canceled { //nolint:errorlint // the bare error is the point
		t.Errorf("error %v, want context canceled", err)
	}
}
