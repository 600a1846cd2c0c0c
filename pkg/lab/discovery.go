package lab

import (
	"net/http"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/version"
)

const (
	authorizationGroup = "authorization.k8s.io"
	reviews            = "selfsubjectaccessreviews"
)

// discover answers what is not about a stored object. It reports false if the
// path is none of that.
func (a *API) discover(c *call) (answer, bool) {
	path := strings.Join(c.path, "/")
	if path == strings.Join([]string{"apis", authorizationGroup, "v1", reviews}, "/") {
		return a.review(c), true
	}
	doc, ok := a.document(c, path)
	switch {
	case !ok:
		return answer{}, false
	case c.req.Method != http.MethodGet:
		return errorAnswer(apierrors.NewMethodNotSupported(schema.GroupResource{}, strings.ToLower(c.req.Method))), true
	}
	return doc, true
}

func (a *API) document(c *call, path string) (answer, bool) {
	switch path {
	case "healthz", "livez", "readyz":
		return textAnswer(http.StatusOK, "ok"), true
	case "version":
		return jsonAnswer(http.StatusOK, version.Info{
			Major: "1", Minor: "34", GitVersion: "v1.34.2", GitTreeState: "clean", Platform: "linux/amd64", Compiler: "gc",
		}), true
	case "api":
		return jsonAnswer(http.StatusOK, metav1.APIVersions{
			TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"},
		}), true
	case "api/v1":
		return jsonAnswer(http.StatusOK, resourceList("v1")), true
	case "apis":
		return jsonAnswer(http.StatusOK, metav1.APIGroupList{
			TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: a.groups(),
		}), true
	}
	if len(c.path) == 2 && c.path[0] == "apis" {
		return a.group(c.path[1])
	}
	if len(c.path) == 3 && c.path[0] == "apis" {
		return a.resourcesOf(c.path[1] + "/" + c.path[2])
	}
	return answer{}, false
}

// groups are the API groups, in the order of the resource table, with the
// authorization API before them.
func (a *API) groups() []metav1.APIGroup {
	out := []metav1.APIGroup{apiGroup(authorizationGroup, "v1")}
	for _, r := range a.store.resources {
		if !slices.ContainsFunc(out, func(g metav1.APIGroup) bool { return g.Name == r.Group }) {
			out = append(out, apiGroup(r.Group, r.Version))
		}
	}
	return out
}

func apiGroup(name, ver string) metav1.APIGroup {
	v := metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + ver, Version: ver}
	return metav1.APIGroup{Name: name, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v}
}

func (a *API) group(name string) (answer, bool) {
	for _, g := range a.groups() {
		if g.Name == name {
			g.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
			return jsonAnswer(http.StatusOK, g), true
		}
	}
	return answer{}, false
}

func resourceList(groupVersion string, resources ...metav1.APIResource) metav1.APIResourceList {
	if resources == nil {
		resources = []metav1.APIResource{}
	}
	return metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: groupVersion, APIResources: resources,
	}
}

func (a *API) resourcesOf(groupVersion string) (answer, bool) {
	if groupVersion == authorizationGroup+"/v1" {
		return jsonAnswer(http.StatusOK, resourceList(groupVersion, metav1.APIResource{
			Name: reviews, SingularName: "selfsubjectaccessreview", Kind: "SelfSubjectAccessReview", Verbs: metav1.Verbs{"create"},
		})), true
	}
	var out []metav1.APIResource
	for _, r := range a.store.resources {
		if r.apiVersion() != groupVersion {
			continue
		}
		out = append(out, metav1.APIResource{
			Name: r.Plural, SingularName: r.Singular, Namespaced: r.Namespaced, Kind: r.Kind,
			Verbs: metav1.Verbs{"get", "list", "patch", "watch"}, ShortNames: r.ShortNames,
		})
		if r.Status {
			out = append(out, metav1.APIResource{Name: r.Plural + "/status", Namespaced: r.Namespaced, Kind: r.Kind, Verbs: metav1.Verbs{"get", "patch"}})
		}
	}
	return jsonAnswer(http.StatusOK, resourceList(groupVersion, out...)), out != nil
}

// review answers whether the caller may do something: yes. The question comes in
// JSON or, as the client library likes it for built-in kinds, in protobuf.
func (a *API) review(c *call) answer {
	if c.req.Method != http.MethodPost {
		return errorAnswer(apierrors.NewMethodNotSupported(schema.GroupResource{Group: authorizationGroup, Resource: reviews}, verb(c.req.Method, "")))
	}
	if err := acceptable(c.req); err != nil {
		return errorAnswer(err)
	}
	in, _, err := a.reviews.Decode(c.body, nil, nil)
	if err != nil {
		return errorAnswer(apierrors.NewBadRequest("the access review cannot be decoded: " + err.Error()))
	}
	r, ok := in.(*authorizationv1.SelfSubjectAccessReview)
	if !ok {
		return errorAnswer(apierrors.NewBadRequest("the body is no SelfSubjectAccessReview"))
	}
	if (r.Spec.ResourceAttributes == nil) == (r.Spec.NonResourceAttributes == nil) {
		return errorAnswer(apierrors.NewBadRequest("spec: exactly one of nonResourceAttributes or resourceAttributes must be specified"))
	}
	r.TypeMeta = metav1.TypeMeta{Kind: "SelfSubjectAccessReview", APIVersion: authorizationGroup + "/v1"}
	r.Status = authorizationv1.SubjectAccessReviewStatus{Allowed: true, Reason: "the lab allows everything"}
	return jsonAnswer(http.StatusCreated, r)
}

// reviewDecoder reads access reviews, in whatever form the server does.
func reviewDecoder() runtime.Decoder {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(authorizationv1.SchemeGroupVersion, &authorizationv1.SelfSubjectAccessReview{})
	return serializer.NewCodecFactory(scheme).UniversalDeserializer()
}
