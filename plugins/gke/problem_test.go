package gke

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback/google"
)

// check demands a complete Problem of a kind.
func check(t *testing.T, got hosted.Reading, err error, kind live.Kind, call, says string) {
	t.Helper()
	var p *live.Problem
	if !errors.As(err, &p) {
		t.Fatalf("got %v, want a Problem", err)
	}
	if p.Kind != kind || p.Call != call || !strings.Contains(p.Text, says) {
		t.Errorf("got %s %s: %s; want %s %s: …%s…", p.Kind, p.Call, p.Text, kind, call, says)
	}
	if p.Fix == "" || strings.ContainsAny(p.Text+p.Fix, "\n\r") || got.Spec != nil || got.Error != err.Error() || got.At.IsZero() {
		t.Errorf("incomplete: %+v, reading %+v", p, got)
	}
}

// TestProblemsOfCalls: what can go wrong between asking for the cluster and having
// its answer.
func TestProblemsOfCalls(t *testing.T) {
	status := func(c codes.Code, message string) google.Fault {
		return google.Fault{Method: "GetCluster", Code: c, Message: message}
	}
	page := func(code int) google.Fault {
		return google.Fault{Method: "GetCluster", Kind: google.Page, HTTP: code}
	}
	for name, c := range map[string]struct {
		fault google.Fault
		kind  live.Kind
		says  string
		calls int
	}{
		"denied":              {status(codes.PermissionDenied, "Required container.clusters.get permission."), live.Denied, "container.clusters.get", 1},
		"api disabled":        {status(codes.PermissionDenied, "The API has not been used in project 1 before or it is disabled."), live.Denied, "it is disabled", 1},
		"token expired":       {status(codes.Unauthenticated, "token expired"), live.Login, "not accepted: token expired", 1},
		"gone":                {status(codes.NotFound, "Not found."), live.Gone, "Not found.", 1},
		"bad location":        {status(codes.InvalidArgument, "Location does not exist."), live.Other, "Location does not exist.", 1},
		"failed precondition": {status(codes.FailedPrecondition, "odd\nstate"), live.Other, "odd state", 1},
		"over quota":          {status(codes.ResourceExhausted, "Quota exceeded."), live.Throttled, "Quota exceeded.", tries},
		"outage":              {status(codes.Unavailable, "try later"), live.Unreachable, "try later", tries},
		"server's bug":        {status(codes.Internal, "bug"), live.Garbled, "bug", 1},
		"slow":                {google.Fault{Method: "GetCluster", Kind: google.Hold}, live.Unreachable, "did not answer in time", 1},
		"truncated":           {google.Fault{Method: "GetCluster", Kind: google.Truncated}, live.Garbled, "cannot be understood", 1},
		"broken":              {google.Fault{Method: "GetCluster", Kind: google.Broken}, live.Garbled, "cannot be understood", 1},
		"proxy's 502":         {page(http.StatusBadGateway), live.Garbled, "web page", 1},
		"proxy's 403":         {page(http.StatusForbidden), live.Garbled, "web page", 1},
		"proxy's 200":         {page(http.StatusOK), live.Garbled, "web page", 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(o *Options) {
				if c.fault.Kind == google.Hold {
					o.Timeout = 300 * time.Millisecond
				}
			})
			r.put(demo, demoCluster)
			r.cloud.Fail(c.fault)
			got, err := r.read()
			check(t, got, err, c.kind, callGet, c.says)
			calls := 0
			for _, call := range r.cloud.Calls() {
				if call.Method == "GetCluster" {
					calls++
				}
			}
			if calls != c.calls {
				t.Errorf("%d calls, want %d", calls, c.calls)
			}
		})
	}
}

// TestTroubleThatPasses is overcome by repeating.
func TestTroubleThatPasses(t *testing.T) {
	for _, code := range []codes.Code{codes.ResourceExhausted, codes.Unavailable} {
		r := newRig(t)
		r.put(demo, demoCluster)
		r.cloud.Fail(google.Fault{Code: code, Message: "once", Times: 2, Method: "GetCluster"})
		if got := r.must(); got.Truth["description"] != "made by hand" {
			t.Errorf("%s: %v", code, got.Truth)
		}
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *Options) { o.Endpoint = nobody })
	got, err := r.read()
	check(t, got, err, live.Unreachable, callGet, "cannot be reached")
}

// TestDeadline: the caller's deadline holds at once, and a caller that goes away is
// no failure of Google's.
func TestDeadline(t *testing.T) {
	r := newRig(t)
	r.put(demo, demoCluster)
	r.must()
	r.cloud.Fail(google.Fault{Kind: google.Hold})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	got, err := r.reader.Read(ctx, r.request())
	check(t, got, err, live.Unreachable, callGet, "did not answer in time")
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
	gone, leave := context.WithCancel(context.Background())
	leave()
	got, err = r.reader.Read(gone, r.request())
	if live.KindOf(err) != live.Unreachable || !strings.Contains(err.Error(), "stopped") || got.Spec != nil {
		t.Errorf("%v, %+v", err, got)
	}
}

// TestIdentity: a Config that does not name a cluster is found out before any call.
func TestIdentity(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		change func(map[string]any)
		says   string
	}{
		"no project":        {func(m map[string]any) { delete(m, "projectID") }, "does not say projectID"},
		"no name":           {func(m map[string]any) { m["clusterName"] = nil }, "does not say clusterName"},
		"no location":       {func(m map[string]any) { m["region"] = "" }, "does not say region"},
		"all locations":     {func(m map[string]any) { m["region"] = "-" }, `"-"`},
		"a path":            {func(m map[string]any) { m["clusterName"] = "a/nodePools/b" }, "a/nodePools/b"},
		"a number":          {func(m map[string]any) { m["clusterName"] = int64(7) }, `"7"`},
		"a zone of numbers": {func(m map[string]any) { m["zone"] = int64(7) }, "zone"},
		"another project":   {func(m map[string]any) { m["projectID"] = "x/locations/y" }, "projectID"},
	} {
		t.Run(name, func(t *testing.T) {
			q := r.request()
			c.change(q.Snapshot.Config)
			got, err := r.reader.Read(context.Background(), q)
			check(t, got, err, live.Unsupported, "", c.says)
		})
	}
	for _, s := range []*hosted.Snapshot{nil, {}} {
		got, err := r.reader.Read(context.Background(), live.Request{Snapshot: s})
		check(t, got, err, live.Unsupported, "", "no gkeConfig")
	}
	q := r.request()
	q.Snapshot.Config["nodePools"] = "none"
	r.put(demo, demoCluster)
	r.cloud.Forget()
	got, err := r.reader.Read(context.Background(), q)
	check(t, got, err, live.Unsupported, callGet, "Rancher itself cannot read this cluster")
	for _, call := range r.cloud.Calls() {
		if call.Target != demo && call.Target != "projects/example-project-1/locations/europe-west1" && call.Method != "token" {
			t.Errorf("called %v", call)
		}
	}
}

// TestStoredLogin: Rancher's secret is checked before it is used.
func TestStoredLogin(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		kind live.Kind
		says string
	}{
		"no key":            {"", live.Login, "has no googlecredentialConfig-authEncodedJson"},
		"no JSON":           {"planted{", live.Login, "is not JSON"},
		"a user's":          {keyFile(t, map[string]string{"type": "authorized_user"}), live.Unsupported, "not the key of a service account"},
		"a command":         {keyFile(t, map[string]string{"type": "external_account"}), live.Unsupported, "not the key of a service account"},
		"no private key":    {keyFile(t, map[string]string{"private_key": ""}), live.Login, "no private_key"},
		"another universe":  {keyFile(t, map[string]string{"universe_domain": "example.com"}), live.Unsupported, "universe_domain"},
		"token by http":     {keyFile(t, map[string]string{"token_uri": "http://oauth2.googleapis.com/token"}), live.Unsupported, "token_uri"},
		"token elsewhere":   {keyFile(t, map[string]string{"token_uri": "https://oauth2.googleapis.com.example.com/token"}), live.Unsupported, "token_uri"},
		"token at a port":   {keyFile(t, map[string]string{"token_uri": "https://oauth2.googleapis.com:8443/token"}), live.Unsupported, "token_uri"},
		"token with a user": {keyFile(t, map[string]string{"token_uri": "https://oauth2.googleapis.com@example.com/token"}), live.Unsupported, "token_uri"},
		"token at nothing":  {keyFile(t, map[string]string{"token_uri": "%zz"}), live.Unsupported, "token_uri"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.login = secret(c.file)
			got, err := r.read()
			check(t, got, err, c.kind, "", c.says)
			if !strings.Contains(err.Error(), "cattle-global-data:cc-demo1") || len(r.cloud.Calls()) != 0 {
				t.Errorf("%v; calls %v", err, r.cloud.Calls())
			}
		})
	}
	r := newRig(t)
	r.login = secret(keyFile(t, map[string]string{"private_key": "planted, and no key"}))
	got, err := r.read()
	check(t, got, err, live.Login, callLogin, "private key is not a key")
}

// TestLogins: the exchange of a key for a token, and what the API makes of it.
func TestLogins(t *testing.T) {
	token := func(f google.Fault) func(*google.Cloud) {
		f.Method = "token"
		return func(c *google.Cloud) { c.Fail(f) }
	}
	for name, c := range map[string]struct {
		trouble func(*google.Cloud)
		kind    live.Kind
		call    string
		says    string
	}{
		"expired":     {func(c *google.Cloud) { c.RefuseLogin("invalid_grant", "Invalid JWT Signature.") }, live.Login, callLogin, "Invalid JWT Signature"},
		"web page":    {token(google.Fault{Kind: google.Page, HTTP: 403}), live.Garbled, callLogin, "web page"},
		"page as 200": {token(google.Fault{Kind: google.Page, HTTP: 200}), live.Garbled, callLogin, "not JSON"},
		"broken":      {token(google.Fault{Kind: google.Broken}), live.Unreachable, callLogin, "cannot be reached"},
		"slow":        {token(google.Fault{Kind: google.Hold}), live.Unreachable, callLogin, "did not answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(o *Options) {
				if name == "slow" {
					o.Timeout = 200 * time.Millisecond
				}
			})
			r.put(demo, demoCluster)
			c.trouble(r.cloud)
			got, err := r.read()
			check(t, got, err, c.kind, c.call, c.says)
			// What failed is not remembered.
			r.cloud.Heal()
			r.cloud.RefuseLogin("", "")
			if _, err := r.read(); err != nil && name != "slow" {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// TestOwnLogin: without a credential of Rancher's the user's own is used, by the
// library's rules.
func TestOwnLogin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "adc.json")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
	r := newRig(t)
	r.put(demo, demoCluster)
	r.login = nil
	got, err := r.read()
	check(t, got, err, live.Login, "", "no Application Default Credentials")
	if err := os.WriteFile(file, []byte(keyFile(t, nil)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := r.must(); got.Origin != "GKE europe-west1, project example-project-1, with Application Default Credentials" {
		t.Errorf("origin %q", got.Origin)
	}
}

// TestClientsAreShared: one for a login, and another for a secret that was changed.
func TestClientsAreShared(t *testing.T) {
	r := newRig(t)
	r.put(demo, demoCluster)
	for _, id := range []string{"planted-key-id-1", "planted-key-id-1", "planted-key-id-2"} {
		r.login = secret(keyFile(t, map[string]string{"private_key_id": id}))
		r.must()
	}
	logins := 0
	for _, c := range r.cloud.Calls() {
		if c.Method == "token" {
			logins++
		}
	}
	if logins != 2 || len(r.reader.accounts) != 2 {
		t.Errorf("%d logins, %d clients, want 2", logins, len(r.reader.accounts))
	}
}
