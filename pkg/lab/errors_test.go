package lab_test

import (
	"net/http"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
)

const merge = "application/merge-patch+json"

// TestErrors: what is refused, and how it is said.
func TestErrors(t *testing.T) {
	const base = "/apis/management.cattle.io/v3/clusters"
	for _, tc := range []struct {
		name, method, path, body, contentType string
		code                                  int
		reason                                metav1.StatusReason
		message                               string
	}{
		{"no such object", "GET", base + "/c-none", "", "", 404, "NotFound", `clusters.management.cattle.io "c-none" not found`},
		{"no such subresource", "GET", base + "/" + armed + "/scale", "", "", 404, "NotFound", `clusters.management.cattle.io "c-9pd4w" not found`},
		{"a status that is not separate", "GET", "/apis/management.cattle.io/v3/settings/eks-refresh/status", "", "", 404, "NotFound", `settings.management.cattle.io "eks-refresh" not found`},
		{"patch of no such object", "PATCH", base + "/c-none", "{}", merge, 404, "NotFound", `clusters.management.cattle.io "c-none" not found`},
		{"create", "POST", base, "{}", "application/json", 405, "MethodNotAllowed", "create is not supported on resources of kind \"clusters.management.cattle.io\""},
		{"update", "PUT", base + "/" + armed, "{}", "application/json", 405, "MethodNotAllowed", "update is not supported on resources of kind \"clusters.management.cattle.io\""},
		{"delete", "DELETE", base + "/" + armed, "", "", 405, "MethodNotAllowed", "delete is not supported on resources of kind \"clusters.management.cattle.io\""},
		{"delete all", "DELETE", base, "", "", 405, "MethodNotAllowed", "deletecollection is not supported on resources of kind \"clusters.management.cattle.io\""},
		{"apply", "PATCH", base + "/" + armed, "{}", "application/apply-patch+yaml", 415, "UnsupportedMediaType", "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json"},
		{"a patch that is no JSON", "PATCH", base + "/" + armed, "{", merge, 400, "BadRequest", "error decoding patch: unexpected end of JSON input"},
		{"another name", "PATCH", base + "/" + armed, `{"metadata":{"name":"c-other"}}`, merge, 400, "BadRequest", "the name of the object (c-other) does not match the name on the URL (c-9pd4w)"},
		{"another kind", "PATCH", base + "/" + armed, `{"kind":"Other"}`, merge, 422, "Invalid", `Other.management.cattle.io "c-9pd4w" is invalid: kind: Invalid value: "Other": must be Cluster`},
		{"a label that is no text", "PATCH", base + "/" + armed, `{"metadata":{"labels":{"x":1}}}`, merge, 422, "Invalid", "json: cannot unmarshal number"},
		{"an empty revision", "PATCH", base + "/" + armed, `{"metadata":{"resourceVersion":""}}`, merge, 422, "Invalid", `clusters.management.cattle.io "c-9pd4w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`},
		{"another uid", "PATCH", base + "/" + armed, `{"metadata":{"uid":"x"}}`, merge, 422, "Invalid", `Cluster.management.cattle.io "c-9pd4w" is invalid: metadata.uid: Invalid value: "x": field is immutable`},
		{"a dry run of a kind", "PATCH", base + "/" + armed + "?dryRun=Some", `{}`, merge, 422, "Invalid", "PatchOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value"},
		{"a limit that is no number", "GET", base + "?limit=x", "", "", 400, "BadRequest", "strconv.ParseInt"},
		{"a selector that is none", "GET", base + "?labelSelector=a%20b", "", "", 400, "BadRequest", "unable to parse requirement"},
		{"a field that cannot be selected", "GET", base + "?fieldSelector=spec.x%3D1", "", "", 400, "BadRequest", "field label not supported: spec.x"},
		{"a revision that is none", "GET", base + "?resourceVersion=x", "", "", 422, "Invalid", "resourceVersion: Invalid value: \"x\""},
		{"match without a revision", "GET", base + "?resourceVersionMatch=Exact", "", "", 422, "Invalid", "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden"},
		{"a token that is none", "GET", base + "?continue=x", "", "", 400, "BadRequest", "continue key is not valid"},
		{"a token that climbs", "GET", base + "?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi94In0", "", "", 400, "BadRequest", "continue key is not valid"},
		{"a token and a revision", "GET", base + "?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0&resourceVersion=5", "", "", 400, "BadRequest", "specifying resource version is not allowed when using continue"},
		{"an expired revision", "GET", base + "?resourceVersion=5&resourceVersionMatch=Exact", "", "", 410, "Expired", "The resourceVersion for the provided list is too old."},
		{"reviews are not read", "GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "", "", 405, "MethodNotAllowed", "get is not supported on resources of kind \"selfsubjectaccessreviews.authorization.k8s.io\""},
		{"a review of nothing", "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{}}`, "application/json", 400, "BadRequest", "exactly one of"},
		{"a review that is none", "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", `{`, "application/json", 400, "BadRequest", "cannot be decoded"},
		{"the version is not written", "POST", "/version", "", "", 405, "MethodNotAllowed", "post is not supported"},
		{"a patch that is too large", "PATCH", base + "/" + armed, strings.Repeat(" ", 3<<20+1), merge, 413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t)
			revision := b.store.Revision()
			resp, text := b.raw(t.Context(), tc.method, tc.path, tc.body, "Content-Type", tc.contentType)
			var s metav1.Status
			if err := jsonInto(text, &s); err != nil {
				t.Fatalf("%v in %q", err, text)
			}
			if resp.StatusCode != tc.code || int(s.Code) != tc.code || s.Reason != tc.reason || s.Status != "Failure" || s.Kind != "Status" || s.APIVersion != "v1" {
				t.Errorf("%s %+v, want %d %s", resp.Status, s, tc.code, tc.reason)
			}
			if !strings.Contains(s.Message, tc.message) {
				t.Errorf("message %q, want %q", s.Message, tc.message)
			}
			if b.store.Revision() != revision {
				t.Error("something was written")
			}
		})
	}
}

// TestNoSuchPath: what belongs to no resource is a plain 404, as from a real
// server.
func TestNoSuchPath(t *testing.T) {
	b := newBench(t)
	for _, path := range []string{
		"/", "/nothing", "/apis/none", "/apis/management.cattle.io/v2", "/apis/management.cattle.io/v3/nodes",
		"/apis/management.cattle.io/v3/namespaces/x/clusters", "/apis/eks.cattle.io/v1/eksclusterconfigs/" + armed,
		"/apis/management.cattle.io/v3/clusters/a/status/b", "/api/v1/nodes", "/openapi/v3",
	} {
		resp, text := b.raw(t.Context(), "GET", path, "")
		if resp.StatusCode != http.StatusNotFound || text != "404 page not found\n" {
			t.Errorf("%s: %s %q", path, resp.Status, text)
		}
	}
}

// TestAccept: plain JSON is served to whoever takes it, and nothing else to the
// others.
func TestAccept(t *testing.T) {
	b := newBench(t)
	table := "application/json;as=Table;v=v1;g=meta.k8s.io"
	for accept, code := range map[string]int{
		"": 200, "*/*": 200, "application/json": 200, "application/*": 200, table + ",application/json": 200,
		"application/vnd.kubernetes.protobuf, application/json": 200,
		table: 406, "application/vnd.kubernetes.protobuf": 406, "text/html": 406,
	} {
		for _, path := range []string{"/apis/management.cattle.io/v3/clusters", "/apis/management.cattle.io/v3/clusters/" + armed} {
			if resp, _ := b.raw(t.Context(), "GET", path, "", "Accept", accept); resp.StatusCode != code {
				t.Errorf("Accept %q: %s, want %d", accept, resp.Status, code)
			}
		}
	}
}

// TestDiscovery: the client library finds what is there.
func TestDiscovery(t *testing.T) {
	b := newBench(t)
	d, err := discovery.NewDiscoveryClientForConfig(b.config)
	if err != nil {
		t.Fatal(err)
	}
	version, err := d.ServerVersion()
	if err != nil || version.GitVersion != "v1.34.2" {
		t.Errorf("version %v %v", version, err)
	}
	_, lists, err := d.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]metav1.APIResource{}
	for _, l := range lists {
		for _, r := range l.APIResources {
			kinds[l.GroupVersion+" "+r.Name] = r
		}
	}
	for _, r := range lab.Resources() {
		got := kinds[r.Group+"/"+r.Version+" "+r.Plural]
		_, status := kinds[r.Group+"/"+r.Version+" "+r.Plural+"/status"]
		if got.Kind != r.Kind || got.Namespaced != r.Namespaced || status != r.Status || strings.Join(got.Verbs, " ") != "get list patch watch" {
			t.Errorf("%s is discovered as %+v, status %v", r.Plural, got, status)
		}
	}
	if _, ok := kinds["authorization.k8s.io/v1 selfsubjectaccessreviews"]; !ok || len(kinds) != 2*len(lab.Resources()) {
		t.Errorf("discovered: %v", kinds)
	}
	var group metav1.APIGroup
	if _, text := b.raw(t.Context(), "GET", "/apis/eks.cattle.io", ""); jsonInto(text, &group) != nil || group.PreferredVersion.Version != "v1" {
		t.Errorf("the group eks.cattle.io is %s", text)
	}
	for _, path := range []string{"/healthz", "/livez", "/readyz"} {
		if resp, text := b.raw(t.Context(), "GET", path, ""); resp.StatusCode != http.StatusOK || text != "ok" {
			t.Errorf("%s: %s %s", path, resp.Status, text)
		}
	}
}

// TestAccessReview: everything is allowed, and the question comes back.
func TestAccessReview(t *testing.T) {
	b := newBench(t)
	k, err := kubernetes.NewForConfig(b.config)
	if err != nil {
		t.Fatal(err)
	}
	ask := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "patch", Group: "management.cattle.io", Resource: "clusters", Name: armed},
	}}
	got, err := k.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), ask, metav1.CreateOptions{})
	if err != nil || !got.Status.Allowed || got.Spec.ResourceAttributes.Name != armed {
		t.Errorf("%+v %v", got, err)
	}
}

// TestStoreRefuses: what does not belong there is an error at the start.
func TestStoreRefuses(t *testing.T) {
	good := fleet.Demo(start).Objects()[0]
	for name, tc := range map[string]struct {
		objects []map[string]any
		want    string
	}{
		"a kind it does not know": {[]map[string]any{{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "x"}}}, `no resource for kind "Pod"`},
		"no name":                 {[]map[string]any{{"apiVersion": "management.cattle.io/v3", "kind": "Cluster"}}, "without a name"},
		"no namespace":            {[]map[string]any{{"apiVersion": "eks.cattle.io/v1", "kind": "EKSClusterConfig", "metadata": map[string]any{"name": "x"}}}, "namespace"},
		"twice the same":          {[]map[string]any{good, good}, "already exists"},
	} {
		if _, err := lab.NewStore(lab.NewManual(start), tc.objects...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", name, err, tc.want)
		}
	}
	// The store keeps copies: who gave an object cannot change it any more.
	store, err := lab.NewStore(lab.NewManual(start), good)
	if err != nil {
		t.Fatal(err)
	}
	resource, _ := store.Resource("management.cattle.io", "v3", "settings")
	ref := lab.Ref{Resource: resource, Name: hosted.ObjectName(good)}
	good["value"] = "changed behind its back"
	if got, err := store.Get(ref); err != nil || got["value"] == good["value"] {
		t.Errorf("the stored object changed: %v %v", got["value"], err)
	}
}
