package lab_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
)

func names(list *unstructured.UnstructuredList) []string {
	var out []string
	for _, o := range list.Items {
		out = append(out, o.GetName())
	}
	return out
}

func (b *bench) list(o metav1.ListOptions) *unstructured.UnstructuredList {
	b.t.Helper()
	out, err := b.client.Resource(clusters).List(b.t.Context(), o)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// TestPages: pages of four make the whole list, as it stood when the first page
// was read, whatever happens in between.
func TestPages(t *testing.T) {
	b := newBench(t)
	whole := names(b.list(metav1.ListOptions{}))
	if len(whole) != len(fleet.Demo(start).Clusters) || !slices.IsSorted(whole) {
		t.Fatalf("the whole list is %v", whole)
	}
	var got []string
	o := metav1.ListOptions{Limit: 4}
	first := ""
	for {
		page := b.list(o)
		if first == "" {
			first = page.GetResourceVersion()
		}
		if page.GetResourceVersion() != first {
			t.Errorf("a page is of revision %s, the first was of %s", page.GetResourceVersion(), first)
		}
		got = append(got, names(page)...)
		left := int64(len(whole) - len(got))
		if n := page.GetRemainingItemCount(); left > 0 && (n == nil || *n != left) || left == 0 && n != nil {
			t.Errorf("after %d of %d the page says that %v remain", len(got), len(whole), n)
		}
		for _, item := range page.Items {
			if item.GetLabels()["seen"] != "" {
				t.Errorf("%s has a label that was set after the first page", item.GetName())
			}
		}
		if o.Continue = page.GetContinue(); o.Continue == "" {
			break
		}
		for _, n := range whole {
			b.mustMerge(n, fmt.Sprintf(`{"metadata":{"labels":{"seen":"%d"}}}`, len(got)))
		}
	}
	if !slices.Equal(got, whole) {
		t.Errorf("the pages hold %v, want %v", got, whole)
	}
}

// TestExpiredPage: when the history is gone, the client is told so, with a token
// by which it can go on without it.
func TestExpiredPage(t *testing.T) {
	b := newBench(t)
	page := b.list(metav1.ListOptions{Limit: 4})
	b.mustMerge("local", `{"metadata":{"labels":{"seen":"yes"}}}`)
	b.store.Compact(b.store.Revision())
	_, err := b.client.Resource(clusters).List(t.Context(), metav1.ListOptions{Limit: 4, Continue: page.GetContinue()})
	if !apierrors.IsResourceExpired(err) {
		t.Fatalf("error %v, want Expired", err)
	}
	token := err.(apierrors.APIStatus).Status().Continue
	rest := b.list(metav1.ListOptions{Continue: token})
	if got, want := len(page.Items)+len(rest.Items), len(fleet.Demo(start).Clusters); got != want {
		t.Errorf("%d clusters in all, want %d", got, want)
	}
	if last := rest.Items[len(rest.Items)-1]; last.GetName() != "local" || last.GetLabels()["seen"] != "yes" {
		t.Errorf("the rest does not show the present: %s %v", last.GetName(), last.GetLabels())
	}
}

// TestOlderRevision: a list can be had as of an earlier revision.
func TestOlderRevision(t *testing.T) {
	b := newBench(t)
	before := b.list(metav1.ListOptions{}).GetResourceVersion()
	b.mustMerge("local", `{"metadata":{"labels":{"seen":"yes"}}}`)
	for _, tc := range []struct {
		o    metav1.ListOptions
		seen string
	}{
		{metav1.ListOptions{ResourceVersion: before, ResourceVersionMatch: metav1.ResourceVersionMatchExact}, ""},
		{metav1.ListOptions{ResourceVersion: before, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}, "yes"},
		{metav1.ListOptions{ResourceVersion: before, Limit: 100}, ""},
		{metav1.ListOptions{ResourceVersion: before}, "yes"},
		{metav1.ListOptions{ResourceVersion: "0"}, "yes"},
	} {
		items := b.list(tc.o).Items
		if got := items[len(items)-1].GetLabels()["seen"]; got != tc.seen {
			t.Errorf("%+v shows %q, want %q", tc.o, got, tc.seen)
		}
	}
}

func TestSelectors(t *testing.T) {
	b := newBench(t)
	all := fleet.Demo(start)
	count := func(keep func(fleet.Cluster) bool) int {
		n := 0
		for _, c := range all.Clusters {
			if keep(c) {
				n++
			}
		}
		return n
	}
	byProvider := func(p hosted.Provider) int {
		return count(func(c fleet.Cluster) bool { return c.Provider == p })
	}
	for _, tc := range []struct {
		labels, fields string
		want           int
	}{
		{"provider.cattle.io=eks", "", byProvider(hosted.EKS)},
		{"provider.cattle.io in (aks,gke)", "", byProvider(hosted.AKS) + byProvider(hosted.GKE)},
		{"provider.cattle.io notin (aks,gke)", "", len(all.Clusters) - byProvider(hosted.AKS) - byProvider(hosted.GKE)},
		{"nobody", "", 0},
		{"!nobody", "", len(all.Clusters)},
		{"", "metadata.name=" + armed, 1},
		{"", "metadata.name!=" + armed, len(all.Clusters) - 1},
		{"provider.cattle.io=gke", "metadata.name=" + armed, 0},
	} {
		list := b.list(metav1.ListOptions{LabelSelector: tc.labels, FieldSelector: tc.fields})
		if len(list.Items) != tc.want {
			t.Errorf("%q %q selects %v, want %d", tc.labels, tc.fields, names(list), tc.want)
		}
		// The same in pages of one, which must not say how many remain.
		var paged []string
		o := metav1.ListOptions{LabelSelector: tc.labels, FieldSelector: tc.fields, Limit: 1}
		for {
			page := b.list(o)
			if page.GetRemainingItemCount() != nil {
				t.Errorf("%q %q: a selected page counts what it did not look at", tc.labels, tc.fields)
			}
			paged = append(paged, names(page)...)
			if o.Continue = page.GetContinue(); o.Continue == "" {
				break
			}
		}
		if !slices.Equal(paged, names(list)) {
			t.Errorf("%q %q in pages: %v, whole %v", tc.labels, tc.fields, paged, names(list))
		}
	}
}

// TestNamespaces: operators' resources are listed in a namespace or in all.
func TestNamespaces(t *testing.T) {
	b := newBench(t)
	for ns, want := range map[string]int{"cattle-global-data": 5, "": 5, "default": 0} {
		list, err := b.client.Resource(eksccs).Namespace(ns).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.Items) != want || list.GetKind() != "EKSClusterConfigList" {
			t.Errorf("namespace %q: %v items, kind %s, error %v; want %d", ns, len(list.Items), list.GetKind(), err, want)
		}
	}
}

// TestHistory: at every revision the list is what it was then, over any sequence
// of creations, changes and deletions.
func TestHistory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store, err := lab.NewStore(lab.NewManual(start))
		if err != nil {
			rt.Fatal(err)
		}
		api := lab.NewAPI(store)
		resource, _ := store.Resource("management.cattle.io", "v3", "settings")
		b := &bench{t: t, api: api}
		show := func(query string) string {
			resp, text := b.raw(t.Context(), "GET", "/apis/management.cattle.io/v3/settings"+query, "")
			if resp.StatusCode != 200 {
				rt.Fatalf("%s: %s", query, text)
			}
			return hosted.Canonical(decode(t, text)["items"])
		}
		then := map[int64]string{store.Revision(): show("")}
		for i := range rapid.IntRange(1, 25).Draw(rt, "steps") {
			ref := lab.Ref{Resource: resource, Name: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "name")}
			switch rapid.IntRange(0, 3).Draw(rt, "op") {
			case 0:
				_, _ = store.Create(map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Setting",
					"metadata": map[string]any{"name": ref.Name}, "value": "0"}, lab.Write{Manager: "m"})
			case 1:
				_ = store.Delete(ref)
			default:
				_, _ = store.Update(ref, lab.Write{Manager: "m"}, func(o map[string]any) (map[string]any, error) {
					o["value"] = fmt.Sprint(i)
					return o, nil
				})
			}
			then[store.Revision()] = show("")
		}
		for revision, want := range then {
			if got := show(fmt.Sprintf("?resourceVersion=%d&resourceVersionMatch=Exact", revision)); got != want {
				rt.Fatalf("at revision %d: %s\nit was %s", revision, got, want)
			}
		}
	})
}

// TestHistoryIsBounded: after very many changes the oldest are forgotten, the
// latest are not.
func TestHistoryIsBounded(t *testing.T) {
	b := newBench(t)
	first := b.store.Revision()
	resource, _ := b.store.Resource("management.cattle.io", "v3", "settings")
	ref := lab.Ref{Resource: resource, Name: "eks-refresh"}
	for i := range 9000 {
		_, err := b.store.Update(ref, lab.Write{Manager: "m"}, func(o map[string]any) (map[string]any, error) {
			o["value"] = fmt.Sprint(i)
			return o, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	last := b.store.Revision()
	if last != first+9000 {
		t.Fatalf("revision %d after 9000 changes from %d", last, first)
	}
	for _, tc := range []struct {
		revision int64
		code     int
		value    string
	}{{first, 410, ""}, {last - 1000, 200, "7999"}, {last, 200, "8999"}} {
		resp, text := b.raw(t.Context(), "GET", fmt.Sprintf("/apis/management.cattle.io/v3/settings?resourceVersion=%d&resourceVersionMatch=Exact", tc.revision), "")
		if resp.StatusCode != tc.code || tc.code == 200 && !strings.Contains(text, `"value":"`+tc.value+`"`) {
			t.Errorf("revision %d: %s %.300s", tc.revision, resp.Status, text)
		}
	}
}
