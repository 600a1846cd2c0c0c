package rancher_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	admission "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// patched stores a cluster that a test may change, and returns its server.
func patched(t *testing.T, name string) *testbed.Server {
	t.Helper()
	srv, _ := fleet(t)
	object := map[string]any{
		"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": map[string]any{"name": name},
		"spec":   map[string]any{"eksConfig": map[string]any{"region": "eu-central-1", "tags": map[string]any{"a": "b"}}},
		"status": map[string]any{"driver": "EKS"},
	}
	srv.Apply(t, object)
	t.Cleanup(func() { srv.Remove(t, object) })
	return srv
}

func change(name, body string) rancher.Patch {
	return rancher.Patch{Resource: rancher.Clusters(), Name: name, Body: []byte(body), FieldManager: "hostedsync"}
}

func version(obj map[string]any) string {
	v, _ := hosted.Dig(obj, "metadata", "resourceVersion")
	return hosted.Str(v)
}

// TestPatch: with the real server a change is stored under its owner's name, a dry
// run is not, and each refusal has its kind.
func TestPatch(t *testing.T) {
	srv := patched(t, "c-patch")
	c := client(t, srv.Config)
	before, err := c.Get(t.Context(), rancher.Clusters(), "c-patch")
	if err != nil {
		t.Fatal(err)
	}
	try := change("c-patch", `{"metadata":{"resourceVersion":"`+version(before)+`"},"spec":{"eksConfig":{"tags":{"a":null,"c":"d"}}}}`)
	try.DryRun = true
	dry, err := c.Patch(t.Context(), try)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"region": "eu-central-1", "tags": map[string]any{"c": "d"}}
	if got, _ := hosted.Dig(dry, "spec", "eksConfig"); !hosted.Equal(got, want) {
		t.Errorf("a dry run shows %s", hosted.Canonical(got))
	}
	if now, err := c.Get(t.Context(), rancher.Clusters(), "c-patch"); err != nil || !hosted.Equal(now, before) {
		t.Errorf("a dry run stored %s, %v", hosted.Canonical(now), err)
	}
	try.DryRun = false
	after, err := c.Patch(t.Context(), try)
	if err != nil {
		t.Fatal(err)
	}
	if now, err := c.Get(t.Context(), rancher.Clusters(), "c-patch"); err != nil || !hosted.Equal(now, after) {
		t.Errorf("Patch returned\n%s\nGet\n%s\n%v", hosted.Canonical(after), hosted.Canonical(now), err)
	}
	fields, _ := hosted.Dig(after, "metadata", "managedFields")
	if !strings.Contains(hosted.Canonical(fields), `"manager":"hostedsync"`) {
		t.Errorf("the change is owned by %s", hosted.Canonical(fields))
	}
	refuse := func(p rancher.Patch, kind rancher.Kind, words ...string) {
		t.Helper()
		_, err := c.Patch(t.Context(), p)
		check(t, err, kind, words...)
	}
	refuse(try, rancher.Conflict, "c-patch", "the object has been modified", "read it again")
	refuse(change("c-none", `{}`), rancher.NotFound, "c-none")
	refuse(change("c-patch", `{`), rancher.Invalid, "error decoding patch", "nothing was changed")
	refuse(change("c-patch", `{"metadata":{"labels":{"not allowed":"x"}}}`), rancher.Invalid, "metadata.labels")
	nothing := change("c-patch", `{}`)
	nothing.Resource.Plural = "nothings"
	refuse(nothing, rancher.NotInstalled, "nothings.management.cattle.io")
	_, err = client(t, srv.User(t, "patch-reader", readClusters()).Config).Patch(t.Context(), change("c-patch", `{}`))
	check(t, err, rancher.Forbidden, "no right to patch clusters.management.cattle.io c-patch")
}

// TestPatchAgainstAnAdmissionRule: a rule's refusal is about the change and not
// about rights, also when it is a 403, and its words are kept.
func TestPatchAgainstAnAdmissionRule(t *testing.T) {
	srv := patched(t, "c-ruled")
	k, err := kubernetes.NewForConfig(srv.Config)
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range []metav1.StatusReason{metav1.StatusReasonInvalid, metav1.StatusReasonForbidden} {
		name := "no-" + strings.ToLower(string(reason))
		policy := &admission.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: admission.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admission.MatchResources{ResourceRules: []admission.NamedRuleWithOperations{{RuleWithOperations: admission.RuleWithOperations{
				Operations: []admission.OperationType{admission.Update},
				Rule:       admission.Rule{APIGroups: []string{rancher.ManagementGroup}, APIVersions: []string{"*"}, Resources: []string{"clusters"}},
			}}}},
			MatchConditions: []admission.MatchCondition{{Name: "mine", Expression: `object.metadata.name == "c-ruled" && has(object.spec.rule)`}},
			Validations:     []admission.Validation{{Expression: fmt.Sprintf(`object.spec.rule != %q`, name), Message: "not on a Friday", Reason: &reason}},
		}}
		binding := &admission.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: admission.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: name, ValidationActions: []admission.ValidationAction{admission.Deny},
		}}
		api := k.AdmissionregistrationV1()
		if _, err := api.ValidatingAdmissionPolicies().Create(t.Context(), policy, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := api.ValidatingAdmissionPolicyBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx := context.WithoutCancel(t.Context())
			err := errors.Join(api.ValidatingAdmissionPolicyBindings().Delete(ctx, name, metav1.DeleteOptions{}),
				api.ValidatingAdmissionPolicies().Delete(ctx, name, metav1.DeleteOptions{}))
			if err != nil {
				t.Error(err)
			}
		})
		c := client(t, srv.Config)
		ruled := change("c-ruled", `{"spec":{"rule":"`+name+`"}}`)
		ruled.DryRun = true
		// The rule takes effect a moment after it is stored.
		eventually(t, func() bool { _, err = c.Patch(t.Context(), ruled); return err != nil })
		check(t, err, rancher.Invalid, "not on a Friday", "clusters.management.cattle.io c-ruled")
	}
}

// TestPatchThatIsCutOff: with the real server, a change whose answer is lost is
// Uncertain, has been made, and is made once; so is one whose fate is really open.
func TestPatchThatIsCutOff(t *testing.T) {
	srv := patched(t, "c-cut")
	for _, after := range []bool{false, true} {
		w := srv.Tripwire(t, srv.Config, func(_ int, req *http.Request, sent bool) {
			if req.Method == http.MethodPatch && sent == after {
				panic(http.ErrAbortHandler)
			}
		})
		c := client(t, w.Config())
		before, err := c.Get(t.Context(), rancher.Clusters(), "c-cut") // the connection stands already
		if err != nil {
			t.Fatal(err)
		}
		p := change("c-cut", fmt.Sprintf(`{"spec":{"displayName":"%t"}}`, after))
		_, err = c.Patch(t.Context(), p)
		check(t, err, rancher.Uncertain, "may or may not have been applied", "read the object again", "patch clusters.management.cattle.io c-cut")
		now, err := c.Get(t.Context(), rancher.Clusters(), "c-cut")
		if err != nil || (version(now) != version(before)) != after {
			t.Errorf("after=%t: %v, version %s, before %s", after, err, version(now), version(before))
		}
		if w.Requests() != 3 {
			t.Errorf("after=%t: %d requests, want one patch between two reads", after, w.Requests())
		}
		p.DryRun = true
		_, err = c.Patch(t.Context(), p)
		check(t, err, rancher.Unreachable)
	}
}

// TestPatchKinds: what answers mean for a change, and how often it is sent. A GET
// with the same answers may be repeated; a change is not.
func TestPatchKinds(t *testing.T) {
	status := func(code int, message string) string {
		return fmt.Sprintf(`{"kind":"Status","code":%d,"reason":"x","message":%q}`, code, message)
	}
	cases := map[string]struct {
		code       int
		retryAfter string
		body       string
		kind       rancher.Kind
		calls      int32
	}{
		"busy":                    {429, "0", status(429, "later"), rancher.ServerFailure, 5},
		"starting":                {503, "0", status(503, "later"), rancher.ServerFailure, 5},
		"not available":           {503, "", status(503, "no"), rancher.ServerFailure, 1},
		"a proxy's 503":           {503, "", "upstream connect error or disconnect/reset before headers", rancher.Uncertain, 1},
		"the database is slow":    {500, "2", status(500, "etcdserver: request timed out"), rancher.Uncertain, 1},
		"the server is slow":      {504, "", status(504, "Timeout: request did not complete"), rancher.Uncertain, 1},
		"a bad gateway":           {502, "", "<html>Bad Gateway</html>", rancher.Uncertain, 1},
		"a webhook is down":       {500, "", status(500, `Internal error occurred: failed calling webhook "rancher.cattle.io": no endpoints`), rancher.ServerFailure, 1},
		"a webhook refuses":       {403, "", status(403, `admission webhook "rancher.cattle.io" denied the request: no`), rancher.Invalid, 1},
		"a right is missing":      {403, "", status(403, `clusters "c" is forbidden: User "u" cannot patch resource "clusters": denied the request`), rancher.Forbidden, 1},
		"a webhook's 400":         {400, "", status(400, "no such role"), rancher.Invalid, 1},
		"expired":                 {401, "", status(401, "Unauthorized"), rancher.Unauthorized, 1},
		"a login page":            {200, "", "<html>log in</html>", rancher.Uncertain, 1},
		"half an answer":          {200, "", `{"kind":"Cluster","metadata":{"na`, rancher.Uncertain, 1},
		"a list":                  {200, "", `{"items":[]}`, rancher.Uncertain, 1},
		"moved, as http to a GET": {301, "", "", rancher.ServerFailure, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var calls, others atomic.Int32
			c := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPatch {
					others.Add(1)
					_, _ = w.Write([]byte(`{"metadata":{"name":"c"}}`))
					return
				}
				calls.Add(1)
				if tc.retryAfter != "" {
					w.Header().Set("Retry-After", tc.retryAfter)
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(tc.code)
				_, _ = w.Write([]byte(tc.body))
			})
			c.SetPause(func(context.Context, time.Duration) error { return nil })
			_, err := c.Patch(t.Context(), change("c", `{"spec":{}}`))
			check(t, err, tc.kind)
			if calls.Load() != tc.calls || others.Load() != 0 {
				t.Errorf("sent %d times, want %d; other requests: %d", calls.Load(), tc.calls, others.Load())
			}
			dry := change("c", `{"spec":{}}`)
			dry.DryRun = true
			if _, err := c.Patch(t.Context(), dry); err == nil || rancher.KindOf(err) == rancher.Uncertain {
				t.Errorf("a dry run: %v", err)
			}
		})
	}
}

// TestPatchIsSentWhole: body, type and options arrive, also at the second attempt,
// and the server's time is noted.
func TestPatchIsSentWhole(t *testing.T) {
	calls := 0
	c := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, 100)
		n, _ := r.Body.Read(body)
		if string(body[:n]) != `{"spec":{"a":null}}` || r.Header.Get("Content-Type") != "application/merge-patch+json" ||
			r.URL.Query().Encode() != "dryRun=All&fieldManager=hostedsync" || r.URL.Path != "/apis/management.cattle.io/v3/clusters/c" || r.Header.Get("Idempotency-Key") != "" {
			t.Errorf("%s %s %v %q", r.Method, r.URL, r.Header, body[:n])
		}
		w.Header().Set("Date", "Tue, 01 Sep 2026 11:04:30 GMT")
		if calls++; calls == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = w.Write([]byte(`{"metadata":{"name":"c","resourceVersion":"7"}}`))
	})
	p := change("c", `{"spec":{"a":null}}`)
	p.DryRun = true
	obj, err := c.Patch(t.Context(), p)
	if err != nil || version(obj) != "7" || obj["kind"] != "Cluster" || calls != 2 {
		t.Errorf("%v %v after %d calls", obj, err, calls)
	}
	if now, ok := c.ServerTime(); !ok || now.Format(time.TimeOnly) != "11:04:30" {
		t.Errorf("server time %v", now)
	}
}

// TestPatchThatNeverLeft: what is certain not to have been sent keeps its kind.
func TestPatchThatNeverLeft(t *testing.T) {
	nobody := httptest.NewServer(http.NotFoundHandler())
	nobody.Close()
	_, err := client(t, &rest.Config{Host: nobody.URL}).Patch(t.Context(), change("c", `{}`))
	check(t, err, rancher.Unreachable, "refused")

	// The connection of the first request is dead when the second wants it.
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"metadata":{"name":"c"}}`)) }))
	c := client(t, &rest.Config{Host: srv.URL})
	if _, err := c.Get(t.Context(), rancher.Clusters(), "c"); err != nil {
		t.Fatal(err)
	}
	srv.Close()
	// Until the client has noticed, the request may have left on that connection.
	eventually(t, func() bool {
		_, err = c.Patch(t.Context(), change("c", `{}`))
		return rancher.KindOf(err) != rancher.Uncertain
	})
	check(t, err, rancher.Unreachable, "refused")

	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = quiet()
	secure.StartTLS()
	defer secure.Close()
	_, err = client(t, &rest.Config{Host: secure.URL}).Patch(t.Context(), change("c", `{}`))
	check(t, err, rancher.BadTLS)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client(t, &rest.Config{Host: secure.URL}).Patch(ctx, change("c", `{}`)); !errors.Is(err, context.Canceled) || rancher.KindOf(err) != "" {
		t.Errorf("cancelled before: %v", err)
	}
}

// TestPatchThatIsGivenUp: a change that is no longer waited for has been sent.
func TestPatchThatIsGivenUp(t *testing.T) {
	for name, timeout := range map[string]time.Duration{"cancelled": 0, "out of time": 100 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			release := make(chan struct{})
			c := serve(t, timeout, func(http.ResponseWriter, *http.Request) {
				if timeout == 0 {
					cancel()
				}
				<-release
			})
			_, err := c.Patch(ctx, change("c", `{}`))
			close(release)
			check(t, err, rancher.Uncertain, "may or may not have been applied")
			if want := map[bool]error{true: context.Canceled, false: context.DeadlineExceeded}[timeout == 0]; !errors.Is(err, want) {
				t.Errorf("%v is not %v", err, want)
			}
		})
	}
}
