package testbed

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	rbacGroup  = "rbac.authorization.k8s.io"
	mergePatch = types.MergePatchType
)

// Grant is a right: verbs on a resource, in a namespace or, without one, in the
// whole cluster; restricted to names if there are any. Resource is written
// "clusters.management.cattle.io", or "users" for the core group.
type Grant struct {
	Namespace string
	Verbs     string // separated by commas: "get,list,watch"
	Resource  string
	Names     []string
}

// User is somebody with exactly the rights granted.
type User struct {
	Name       string
	Config     *rest.Config
	Kubeconfig string
}

// User makes a user, whose name must be new. It can be used directly or, by its
// name, through impersonation.
func (s *Server) User(t testing.TB, name string, grants ...Grant) User {
	t.Helper()
	account, err := s.env.AddUser(envtest.User{Name: name}, &rest.Config{QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	u := User{Name: name, Config: account.Config()}
	if u.Kubeconfig, err = s.writeKubeconfig(name, account); err != nil {
		t.Fatal(err)
	}
	s.Apply(t, roles(name, grants)...)
	s.awaitRights(t, name, grants)
	return u
}

// awaitRights waits until the server's authorizer has seen the new roles, which
// it learns of a moment after they are stored.
func (s *Server) awaitRights(t testing.TB, user string, grants []Grant) {
	t.Helper()
	reviews := s.dynamic.Resource(schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "subjectaccessreviews"})
	for _, g := range grants {
		err := wait.PollUntilContextTimeout(withoutCancel(t), 10*time.Millisecond, 20*time.Second, true, func(ctx context.Context) (bool, error) {
			out, err := reviews.Create(ctx, &unstructured.Unstructured{Object: g.review(user)}, metav1.CreateOptions{})
			if err != nil {
				return false, err
			}
			allowed, _, err := unstructured.NestedBool(out.Object, "status", "allowed")
			return allowed, err
		})
		if err != nil {
			t.Fatalf("the rights of %s do not take effect: %v", user, err)
		}
	}
}

// review asks whether a user has the grant's first verb.
func (g Grant) review(user string) map[string]any {
	name, group, _ := strings.Cut(g.Resource, ".")
	verb, _, _ := strings.Cut(g.Verbs, ",")
	attributes := map[string]any{"verb": verb, "group": group, "resource": name, "namespace": g.Namespace}
	if len(g.Names) > 0 {
		attributes["name"] = g.Names[0]
	}
	return map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
		"spec": map[string]any{"user": user, "resourceAttributes": attributes},
	}
}

// roles makes a role and its binding for each grant's namespace.
func roles(user string, grants []Grant) []map[string]any {
	rules := map[string][]any{}
	for _, g := range grants {
		rules[g.Namespace] = append(rules[g.Namespace], g.rule())
	}
	var out []map[string]any
	for ns, list := range rules {
		kind, meta := "ClusterRole", map[string]any{"name": "test-" + user}
		if ns != "" {
			kind, meta["namespace"] = "Role", ns
		}
		out = append(out,
			map[string]any{"apiVersion": rbacGroup + "/v1", "kind": kind, "metadata": meta, "rules": list},
			map[string]any{
				"apiVersion": rbacGroup + "/v1", "kind": kind + "Binding", "metadata": meta,
				"roleRef":  map[string]any{"apiGroup": rbacGroup, "kind": kind, "name": meta["name"]},
				"subjects": []any{map[string]any{"apiGroup": rbacGroup, "kind": "User", "name": user}},
			})
	}
	return out
}

func (g Grant) rule() map[string]any {
	name, group, _ := strings.Cut(g.Resource, ".")
	rule := map[string]any{
		"verbs":     list(strings.Split(g.Verbs, ",")),
		"apiGroups": []any{group},
		"resources": []any{name},
	}
	if len(g.Names) > 0 {
		rule["resourceNames"] = list(g.Names)
	}
	return rule
}

func list(in []string) []any {
	out := make([]any, len(in))
	for i, s := range in {
		out[i] = s
	}
	return out
}

// withoutCancel gives the test's context without its end, for work that others
// share or that must still be done while cleaning up.
func withoutCancel(t testing.TB) context.Context { return context.WithoutCancel(t.Context()) }
