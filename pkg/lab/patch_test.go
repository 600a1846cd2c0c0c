package lab_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab"
)

func jsonInto(text string, v any) error { return json.Unmarshal([]byte(text), v) }

// TestConflict: a patch with a resourceVersion is made only if nobody was faster.
func TestConflict(t *testing.T) {
	b := newBench(t)
	seen := hosted.Str(dig(b.get(armed), "metadata", "resourceVersion"))
	patch := func(rv string) error {
		_, err := b.merge(armed, fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"spec":{"eksConfig":{"tags":{"by":%q}}}}`, rv, rv))
		return err
	}
	if err := patch(seen); err != nil {
		t.Fatalf("with the current revision: %v", err)
	}
	err := patch(seen)
	want := `Operation cannot be fulfilled on clusters.management.cattle.io "c-9pd4w": the object has been modified; please apply your changes to the latest version and try again`
	if !apierrors.IsConflict(err) || err.Error() != want {
		t.Errorf("with an older revision: %v", err)
	}
	if got := dig(b.get(armed), "spec", "eksConfig", "tags", "by"); got != seen {
		t.Errorf("after the conflict the tag is %v, want that of the first patch", got)
	}
	if err := patch(hosted.Str(dig(b.get(armed), "metadata", "resourceVersion"))); err != nil {
		t.Errorf("after reading again: %v", err)
	}
}

// TestConcurrentWriters: with preconditions no increment is lost.
func TestConcurrentWriters(t *testing.T) {
	b := newBench(t)
	const writers, each = 8, 25
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for done := 0; done < each; {
				obj, err := b.client.Resource(clusters).Get(t.Context(), armed, metav1.GetOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				n, _ := dig(obj.Object, "spec", "count").(int64)
				_, err = b.merge(armed, fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"spec":{"count":%d}}`, obj.GetResourceVersion(), n+1))
				switch {
				case err == nil:
					done++
				case !apierrors.IsConflict(err):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := dig(b.get(armed), "spec", "count"); got != int64(writers*each) {
		t.Errorf("count is %v, want %d", got, writers*each)
	}
}

// TestMergePatch: null removes, what is not named stays, a list is replaced whole.
func TestMergePatch(t *testing.T) {
	for _, tc := range []struct{ name, before, patch, after string }{
		{"null removes the key", `{"tags":{"a":"1"},"x":1}`, `{"tags":null}`, `{"x":1}`},
		{"null below", `{"tags":{"a":"1","b":"2"}}`, `{"tags":{"a":null}}`, `{"tags":{"b":"2"}}`},
		{"null of what is not there", `{"x":1}`, `{"tags":null}`, `{"x":1}`},
		{"nulls that lie there stay", `{"kmsKey":null,"x":1}`, `{"x":2}`, `{"kmsKey":null,"x":2}`},
		{"a map over null", `{"tags":null}`, `{"tags":{"a":"1","b":null}}`, `{"tags":{"a":"1"}}`},
		{"a list is replaced", `{"l":["a","b"]}`, `{"l":["c"]}`, `{"l":["c"]}`},
		{"an empty list stays one", `{"l":["a"]}`, `{"l":[]}`, `{"l":[]}`},
		{"unknown keys are kept", `{}`, `{"unheardOf":{"deep":[1,2.5,"x"]}}`, `{"unheardOf":{"deep":[1,2.5,"x"]}}`},
		{"a scalar over a map", `{"tags":{"a":"1"}}`, `{"tags":"none"}`, `{"tags":"none"}`},
		{"large numbers are exact", `{}`, `{"n":9007199254740993}`, `{"n":9007199254740993}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t)
			ref := b.put("c-merge", tc.before)
			got := b.mustMerge(ref, `{"spec":{"eksConfig":`+tc.patch+`}}`)
			want := decode(t, tc.after)
			if !hosted.Equal(dig(got, "spec", "eksConfig"), want) || !hosted.Equal(dig(b.get(ref), "spec", "eksConfig"), want) {
				t.Errorf("became %s, want %s", hosted.Canonical(dig(got, "spec", "eksConfig")), tc.after)
			}
		})
	}
}

// put stores a new cluster with an EKS config.
func (b *bench) put(name, config string) string {
	b.t.Helper()
	obj := map[string]any{
		"apiVersion": "management.cattle.io/v3", "kind": "Cluster",
		"metadata": map[string]any{"name": name}, "spec": map[string]any{"eksConfig": decode(b.t, config)},
	}
	if _, err := b.store.Create(obj, lab.Write{Manager: "creator"}); err != nil {
		b.t.Fatal(err)
	}
	return name
}

// TestStatusIsSeparate: a patch of the object leaves the status alone, one of the
// status everything else.
func TestStatusIsSeparate(t *testing.T) {
	b := newBench(t)
	both := `{"metadata":{"labels":{"x":"y"}},"spec":{"description":"d"},"status":{"driver":"other"}}`
	generation := dig(b.get(armed), "metadata", "generation").(int64)
	obj := b.mustMerge(armed, both)
	if dig(obj, "status", "driver") != "EKS" || dig(obj, "spec", "description") != "d" || dig(obj, "metadata", "labels", "x") != "y" {
		t.Errorf("a patch of the object gave status %v, spec %v", dig(obj, "status", "driver"), dig(obj, "spec", "description"))
	}
	if got := dig(obj, "metadata", "generation"); got != generation+1 {
		t.Errorf("generation %v after a change of the spec, was %d", got, generation)
	}
	obj = b.mustMerge(armed, strings.ReplaceAll(both, `"d"`, `"e"`), "status")
	if dig(obj, "status", "driver") != "other" || dig(obj, "spec", "description") != "d" {
		t.Errorf("a patch of the status gave status %v, spec %v", dig(obj, "status", "driver"), dig(obj, "spec", "description"))
	}
	obj = b.mustMerge(armed, `{"metadata":{"labels":{"x":"z"}}}`)
	if got := dig(obj, "metadata", "generation"); got != generation+1 {
		t.Errorf("generation %v after changes of status and labels, want %d", got, generation+1)
	}
}

// TestNothingChanged: such a patch makes no revision and no event.
func TestNothingChanged(t *testing.T) {
	b := newBench(t)
	before, revision := b.get(armed), b.store.Revision()
	after := b.mustMerge(armed, `{"spec":{"eksConfig":{"privateAccess":false}},"metadata":{"annotations":{"nobody":null}}}`)
	if !hosted.Equal(before, after) || b.store.Revision() != revision {
		t.Errorf("revision %d became %d", revision, b.store.Revision())
	}
}

func TestDryRun(t *testing.T) {
	b := newBench(t)
	before, revision := b.get(armed), b.store.Revision()
	obj, err := b.client.Resource(clusters).Patch(t.Context(), armed, types.MergePatchType, []byte(`{"spec":{"eksConfig":{"tags":null}}}`),
		metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := hosted.Dig(obj.Object, "spec", "eksConfig", "tags"); ok {
		t.Error("the answer still has the tags")
	}
	if !hosted.Equal(b.get(armed), before) || b.store.Revision() != revision {
		t.Error("a dry run was stored")
	}
	_, err = b.client.Resource(clusters).Patch(t.Context(), armed, types.MergePatchType,
		[]byte(`{"metadata":{"resourceVersion":"1"}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	if !apierrors.IsConflict(err) {
		t.Errorf("a dry run with an older revision: %v", err)
	}
}

// TestJSONPatch: a test operation is a precondition too.
func TestJSONPatch(t *testing.T) {
	b := newBench(t)
	patch := func(body string) error {
		_, err := b.client.Resource(clusters).Patch(t.Context(), armed, types.JSONPatchType, []byte(body), metav1.PatchOptions{})
		return err
	}
	if err := patch(`[{"op":"test","path":"/spec/eksConfig/privateAccess","value":true},{"op":"remove","path":"/spec/eksConfig/tags"}]`); !apierrors.IsInvalid(err) {
		t.Errorf("a test that fails: %v", err)
	}
	if err := patch(`[{"op":"test","path":"/spec/eksConfig/privateAccess","value":false},{"op":"replace","path":"/spec/eksConfig/tags","value":null}]`); err != nil {
		t.Fatal(err)
	}
	if v, ok := hosted.Dig(b.get(armed), "spec", "eksConfig", "tags"); !ok || v != nil {
		t.Errorf("tags are %v (%v), want an explicit null", v, ok)
	}
}

// TestManagedFields: the writer of a change is booked with the lab's time, and
// what it took over is no longer another's.
func TestManagedFields(t *testing.T) {
	b := newBench(t)
	b.clock.Advance(time.Minute)
	_, err := b.client.Resource(clusters).Patch(t.Context(), armed, types.MergePatchType,
		[]byte(`{"spec":{"eksConfig":{"privateAccess":true,"tags":{"team":null,"new":"x"}}}}`), metav1.PatchOptions{FieldManager: "somebody"})
	if err != nil {
		t.Fatal(err)
	}
	b.mustMerge(armed, `{"metadata":{"labels":{"x":"y"}}}`) // by the User-Agent
	s, problems := hosted.FromObjects(b.get(armed), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	at := start.Add(time.Minute)
	for field, want := range map[string]string{"privateAccess": "somebody", "tags": "somebody", "nodeGroups": "rancher"} {
		if w, _ := s.Writer(field); w.Manager != want || want == "somebody" && !w.Time.Equal(at) {
			t.Errorf("%s was written by %s at %s, want %s", field, w.Manager, w.Time, want)
		}
	}
	entries := map[string]map[string]any{}
	for _, e := range hosted.List(dig(b.get(armed), "metadata", "managedFields")) {
		m := hosted.Map(e)
		entries[hosted.Str(m["manager"])+"/"+hosted.Str(m["subresource"])] = hosted.Map(m["fieldsV1"])
	}
	if got := hosted.Canonical(entries["somebody/"]); got != `{"f:spec":{"f:eksConfig":{"f:privateAccess":{},"f:tags":{"f:new":{}}}}}` {
		t.Errorf("somebody owns %s", got)
	}
	if got := hosted.Canonical(entries["bench/"]); got != `{"f:metadata":{"f:labels":{"f:x":{}}}}` {
		t.Errorf("the client without a name owns %s", got)
	}
	if got := hosted.Canonical(dig(entries["rancher/"], "f:spec", "f:eksConfig", "f:tags")); got != `{".":{},"f:cost-center":{}}` {
		t.Errorf("rancher still owns of the tags %s", got)
	}
	if _, ok := hosted.Dig(entries["rancher/"], "f:spec", "f:eksConfig", "f:privateAccess"); ok {
		t.Error("rancher still owns privateAccess")
	}
}

// TestLastFinalizer: an object that is being deleted goes with its last finalizer.
func TestLastFinalizer(t *testing.T) {
	b := newBench(t)
	obj := map[string]any{
		"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": map[string]any{
			"name": "c-going", "deletionTimestamp": "2026-09-01T11:00:00Z", "finalizers": []any{"a", "b"},
		},
	}
	if _, err := b.store.Create(obj, lab.Write{Manager: "creator"}); err != nil {
		t.Fatal(err)
	}
	b.mustMerge("c-going", `{"metadata":{"finalizers":["b"]}}`)
	b.get("c-going")
	b.mustMerge("c-going", `{"metadata":{"finalizers":null}}`)
	if _, err := b.client.Resource(clusters).Get(t.Context(), "c-going", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the last finalizer: %v", err)
	}
}
