package ack

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback/alibaba"
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

// TestProblemsOfCalls lets each of the two calls fail without which there is no
// reading: one about node pools must never yield fewer of them.
func TestProblemsOfCalls(t *testing.T) {
	refused := func(status int, code, message string) alibaba.Fault {
		return alibaba.Fault{HTTP: status, Code: code, Message: message}
	}
	for name, c := range map[string]struct {
		fault alibaba.Fault
		kind  live.Kind
		says  string
		calls int
	}{
		"denied":       {refused(403, "StatusForbidden", "not\nyou"), live.Denied, "StatusForbidden: not you", 1},
		"no login":     {refused(404, "InvalidAccessKeyId.NotFound", "unknown key"), live.Login, "unknown key", 1},
		"expired":      {refused(400, "InvalidSecurityToken.Expired", "expired"), live.Login, "expired", 1},
		"unauthorized": {refused(401, "Odd", "who"), live.Login, "who", 1},
		"gone":         {refused(404, "ErrorClusterNotFound", "no such cluster"), live.Gone, "no such cluster", 1},
		"too often":    {refused(400, "Throttling.User", "slow down"), live.Throttled, "slow down", 3},
		"outage":       {refused(503, "ServiceUnavailable", "later"), live.Unreachable, "later", 3},
		"bug":          {refused(500, "InternalError", "bug"), live.Other, "bug", 1},
		"slow":         {alibaba.Fault{Kind: alibaba.Hold}, live.Unreachable, "did not answer in time", 1},
		"truncated":    {alibaba.Fault{Kind: alibaba.Truncated}, live.Garbled, "cut off", 1},
		"broken":       {alibaba.Fault{Kind: alibaba.Broken}, live.Unreachable, "cannot be reached", 0},
		"proxy's 502":  {alibaba.Fault{Kind: alibaba.Page, HTTP: 502}, live.Garbled, "web page", 1},
		"proxy's 200":  {alibaba.Fault{Kind: alibaba.Page, HTTP: 200}, live.Garbled, "web page", 1},
	} {
		for action, call := range map[string]string{"DescribeClusterDetail": callDetail, "DescribeClusterNodePools": callPools} {
			t.Run(name+" "+action, func(t *testing.T) {
				r := newRig(t, func(o *Options) {
					if name == "slow" {
						o.Timeout = 300 * time.Millisecond
					}
				})
				r.put(demoDetail, demoPools)
				c.fault.Action = action
				r.cloud.Fail(c.fault)
				got, err := r.read()
				check(t, got, err, c.kind, call, c.says)
				calls := 0
				for _, call := range r.cloud.Calls() {
					if call.Action == action {
						calls++
					}
				}
				// net/http repeats a call by itself whose connection breaks.
				if calls != c.calls && c.calls != 0 {
					t.Errorf("%d calls, want %d", calls, c.calls)
				}
			})
		}
	}
}

// TestOddAnswers: the API's status with another's content. A redirection is not
// followed: a signed request belongs to the host that it was signed for.
func TestOddAnswers(t *testing.T) {
	for says, handler := range map[string]http.HandlerFunc{
		"not JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("welcome")) },
		"leads elsewhere": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/login" {
				t.Error("the redirection was followed")
			}
			w.Header().Set("Location", "/login")
			w.WriteHeader(http.StatusFound)
		},
	} {
		server := httptest.NewServer(handler)
		defer server.Close()
		r := newRig(t, func(o *Options) { o.Endpoint = strings.TrimPrefix(server.URL, "http://") })
		got, err := r.read()
		check(t, got, err, live.Garbled, callDetail, says)
	}
}

func TestTroubleThatPasses(t *testing.T) {
	r := newRig(t)
	r.put(demoDetail, demoPools)
	r.cloud.Fail(alibaba.Fault{HTTP: 400, Code: "Throttling.Api", Message: "once", Times: 2, Action: "DescribeClusterNodePools"})
	if got := r.must(r.request()); got.Truth["clusterName"] != "demo-a" {
		t.Errorf("%v", got.Truth)
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
	check(t, got, err, live.Unreachable, callDetail, "cannot be reached")
}

// TestDeadline: the caller's deadline holds even while the library sleeps.
func TestDeadline(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Pause = time.Second })
	r.put(demoDetail, demoPools)
	r.cloud.Fail(alibaba.Fault{HTTP: 400, Code: "Throttling", Message: "slow down"})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	got, err := r.reader.Read(ctx, r.request())
	check(t, got, err, live.Unreachable, callDetail, "did not answer in time")
	if took := time.Since(began); took > 900*time.Millisecond {
		t.Errorf("took %s", took)
	}
	gone, leave := context.WithCancel(context.Background())
	leave()
	got, err = r.reader.Read(gone, r.request())
	check(t, got, err, live.Unreachable, callDetail, "stopped")
}

// TestIdentity: what does not name a cluster is found out before any call.
func TestIdentity(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		change func(*hosted.Snapshot)
		says   string
	}{
		"no region":    {func(s *hosted.Snapshot) { s.Config["regionId"] = "" }, "does not say regionId"},
		"no id":        {func(s *hosted.Snapshot) { delete(s.Config, "clusterId") }, "does not say clusterId"},
		"another host": {func(s *hosted.Snapshot) { s.Config["regionId"] = "cn-x.example.com/" }, "example.com"},
		"another path": {func(s *hosted.Snapshot) { s.Config["clusterId"] = "c/nodepools" }, "c/nodepools"},
		"a number":     {func(s *hosted.Snapshot) { s.Config["clusterId"] = int64(7) }, `"7"`},
		"the operator's": {func(s *hosted.Snapshot) {
			s.CR = &hosted.OperatorResource{Spec: map[string]any{"clusterId": "a b"}}
		}, `"a b"`},
	} {
		t.Run(name, func(t *testing.T) {
			q := r.request()
			c.change(q.Snapshot)
			got, err := r.reader.Read(context.Background(), q)
			check(t, got, err, live.Unsupported, "", c.says)
		})
	}
	for _, s := range []*hosted.Snapshot{nil, {}} {
		got, err := r.reader.Read(context.Background(), live.Request{Snapshot: s})
		check(t, got, err, live.Unsupported, "", "no aliConfig")
	}
	if calls := r.cloud.Calls(); len(calls) != 0 {
		t.Errorf("called %v", calls)
	}
	q := r.request()
	q.Snapshot.CR = &hosted.OperatorResource{Spec: map[string]any{"clusterId": "c-of-operator"}}
	_, err := r.reader.Read(context.Background(), q)
	if live.KindOf(err) != live.Gone || r.cloud.Calls()[0].Path[:23] != "/clusters/c-of-operator" {
		t.Errorf("%v, %v", err, r.cloud.Calls())
	}
}

// TestLogins: the user's own comes from the environment, Rancher's from its secret,
// and neither is a guess.
func TestLogins(t *testing.T) {
	r := newRig(t)
	r.put(demoDetail, demoPools)
	r.login = nil
	got, err := r.read()
	check(t, got, err, live.Login, "", "no access key in the environment")
	r.cloud.Accept("TEMPORARY", "planted-session-token")
	r.env = map[string]string{envID: "TEMPORARY", envKey: "planted-key-2"}
	got, err = r.read()
	check(t, got, err, live.Login, callDetail, "InvalidSecurityToken.Expired")
	r.env[envToken] = "planted-session-token"
	if got := r.must(r.request()); got.Origin != "ACK cn-hangzhou, with the access key of the environment" {
		t.Errorf("origin %q", got.Origin)
	}
	for _, key := range []string{secretID, secretKey} {
		r := newRig(t)
		delete(r.login.Data, key)
		got, err := r.read()
		check(t, got, err, live.Login, "", "cattle-global-data:cc-demo1 cannot be used: the secret has no "+key)
	}
}

// TestClientsAreShared: one for a login in a region, and another for a secret that
// was changed.
func TestClientsAreShared(t *testing.T) {
	r := newRig(t)
	made := map[*account]bool{}
	for _, key := range []string{plantedKey, plantedKey, "changed"} {
		r.login.Data[secretKey] = key
		for _, region := range []string{"cn-hangzhou", "cn-beijing"} {
			a, problem := r.reader.account(region, r.login)
			if problem != nil {
				t.Fatal(problem)
			}
			made[a] = true
		}
	}
	if len(made) != 4 || len(r.reader.accounts) != 4 {
		t.Errorf("%d clients, %d kept, want 4", len(made), len(r.reader.accounts))
	}
}
