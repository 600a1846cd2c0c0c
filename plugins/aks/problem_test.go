package aks

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
)

const htmlPage = "<!DOCTYPE html><html><body>Sign in to the guest network</body></html>"

func jsonError(status int, code string) loopback.Quirk {
	return loopback.Quirk{Path: "/managedClusters/", Status: status, Header: map[string]string{"Content-Type": "application/json"},
		Body: `{"error":{"code":"` + code + `","message":"first line\nsecond line"}}`}
}

func entra(status int, body string) loopback.Quirk {
	return loopback.Quirk{Host: "login.microsoftonline.com", Path: "/token", Status: status, Header: map[string]string{"Content-Type": "application/json"}, Body: body}
}

func TestProblems(t *testing.T) {
	web := map[string]string{"Content-Type": "text/html; charset=utf-8"}
	for _, c := range []struct {
		name  string
		quirk loopback.Quirk
		kind  live.Kind
		// says is a part of the text, fix of the remedy. tries is how often Azure is asked
		// for the cluster, 0 if that is not looked at.
		says, fix string
		tries     int
	}{
		{"forbidden", jsonError(403, "AuthorizationFailed"), live.Denied, "403 AuthorizationFailed", "managedClusters/read", 1},
		{"token expired", jsonError(401, "ExpiredAuthenticationToken"), live.Login, "expired", "az login", 0},
		{"cluster gone", jsonError(404, "ResourceNotFound"), live.Gone, "no such cluster", "deleted", 1},
		{"group gone", jsonError(404, "ResourceGroupNotFound"), live.Gone, "resource group", "deleted", 1},
		{"another's subscription", jsonError(404, "SubscriptionNotFound"), live.Denied, "subscription", "subscription", 1},
		{"another 404", jsonError(404, "InvalidResourceType"), live.Other, "InvalidResourceType: first line second line", "try again", 1},
		{"throttled", jsonError(429, "TooManyRequests"), live.Throttled, "too often", "fewer", 4},
		{"out of order", jsonError(503, "ServiceUnavailable"), live.Unreachable, "out of order", "try again", 4},
		{"broken", jsonError(500, "InternalServerError"), live.Other, "500 InternalServerError", "try again", 4},
		{"bad request", jsonError(400, "InvalidParameter"), live.Other, "400 InvalidParameter", "try again", 1},
		{"no answer", loopback.Quirk{Path: "/managedClusters/", Drop: true}, live.Unreachable, "no answer", "network", 0},
		{"cut off", loopback.Quirk{Path: "/managedClusters/", Cut: true}, live.Garbled, "cut off", "proxy", 4},
		{"half a document", loopback.Quirk{Path: "/managedClusters/", Status: 200, Body: `{"id":"/subscriptions`}, live.Garbled, "not what the API promises", "proxy", 1},
		{"another type", loopback.Quirk{Path: "/managedClusters/", Status: 200, Body: `{"id":"x","properties":{"agentPoolProfiles":[{"count":"3"}]}}`}, live.Garbled, "not what", "proxy", 1},
		{"something else", loopback.Quirk{Path: "/managedClusters/", Status: 200, Body: `{"healthy":true}`}, live.Garbled, "not a cluster's", "proxy", 1},
		{"a page", loopback.Quirk{Path: "/managedClusters/", Status: 200, Header: web, Body: htmlPage}, live.Garbled, "web page", "proxy", 1},
		{"a page that refuses", loopback.Quirk{Path: "/managedClusters/", Status: 403, Header: web, Body: htmlPage}, live.Garbled, "web page", "proxy", 1},
		{"a gateway's page", loopback.Quirk{Path: "/managedClusters/", Status: 502, Body: htmlPage}, live.Garbled, "web page", "proxy", 4},
		{"secret expired", entra(401, `{"error":"invalid_client","error_description":"AADSTS7000222: expired"}`), live.Login, "has expired (AADSTS7000222)", "new client secret", 0},
		{"secret wrong", entra(401, `{"error":"invalid_client","error_description":"AADSTS7000215: wrong"}`), live.Login, "is wrong (AADSTS7000215)", "right client secret", 0},
		{"refused for another reason", entra(400, `{"error":"invalid_grant","error_description":"AADSTS53003: policy"}`), live.Login, "refused (AADSTS53003)", "credential", 0},
		{"login dead", loopback.Quirk{Host: "login.microsoftonline.com", Drop: true}, live.Unreachable, "login got no answer", "network", 0},
		{"login out of order", entra(503, `{}`), live.Unreachable, "login", "", 0},
		{"a page instead of the login", loopback.Quirk{Host: "login.microsoftonline.com", Path: "/token", Status: 403, Header: web, Body: htmlPage}, live.Garbled, "web page", "proxy", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.cloud.Misbehave(c.quirk)
			got, err := r.reader.Read(t.Context(), request(t))
			checkProblem(t, err, c.kind, c.says, c.fix)
			p := problemIn(t, err)
			if p.Call != callState || got.Spec != nil || got.Truth != nil || got.Error != p.Error() {
				t.Errorf("call %q, reading %+v", p.Call, got)
			}
			if n := tries(r.cloud); c.tries > 0 && n != c.tries {
				t.Errorf("%d tries, want %d", n, c.tries)
			}
		})
	}
}

// tries counts the requests for the cluster.
func tries(cloud *loopback.Server) int {
	n := 0
	for _, v := range cloud.Visited() {
		if strings.Contains(v, "/managedClusters/") {
			n++
		}
	}
	return n
}

func problemIn(t *testing.T, err error) *live.Problem {
	t.Helper()
	var p *live.Problem
	if !errors.As(err, &p) {
		t.Fatalf("not a problem: %v", err)
	}
	return p
}

func checkProblem(t *testing.T, err error, kind live.Kind, says, fix string) {
	t.Helper()
	p := problemIn(t, err)
	if p.Kind != kind || !strings.Contains(p.Text, says) || !strings.Contains(p.Fix, fix) || p.Fix == "" {
		t.Errorf("%s: %q, fix %q; want %s: …%s…, fix …%s…", p.Kind, p.Text, p.Fix, kind, says, fix)
	}
	if strings.ContainsAny(p.Text+p.Fix, "\n\r\t") {
		t.Errorf("more than a line: %q, %q", p.Text, p.Fix)
	}
}

// A few refusals for being too fast are waited out, as Azure asks.
func TestThrottlingIsWaitedOut(t *testing.T) {
	r := newRig(t)
	r.cloud.Misbehave(loopback.Quirk{Path: "/managedClusters/", Count: 2, Status: 429, Header: map[string]string{"Retry-After": "1"}})
	start := time.Now()
	mustRead(t, r, request(t))
	if d := time.Since(start); d < 2*time.Second || tries(r.cloud) != 3 {
		t.Errorf("%d tries in %v", tries(r.cloud), d)
	}
}

func TestDeadline(t *testing.T) {
	for name, host := range map[string]string{"state": "management.azure.com", "login": "login.microsoftonline.com"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.cloud.Misbehave(loopback.Quirk{Host: host, Hang: true})
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_, err := r.reader.Read(ctx, request(t))
			checkProblem(t, err, live.Unreachable, "time that was allowed", "time limit")
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v is no passed deadline", err)
			}
		})
	}
}

func TestGivenUp(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.reader.Read(ctx, request(t))
	checkProblem(t, err, live.Unreachable, "given up", "again")
}

func TestUntrustedCertificate(t *testing.T) {
	r := newRig(t, func(o *Options) {
		transport := o.Transport.(*http.Client).Transport.(*http.Transport).Clone()
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		o.Transport, o.Login = &http.Client{Transport: transport}, ownLogin{}
		o.Subscription = subscription
	})
	req := request(t)
	req.Credential = nil
	_, err := r.reader.Read(t.Context(), req)
	checkProblem(t, err, live.Unreachable, "not trusted", "SSL_CERT_FILE")
}

func TestUnusableIdentity(t *testing.T) {
	for _, c := range []struct{ name, key, value, says string }{
		{"no group", "resourceGroup", `null`, "no resourceGroup"},
		{"empty name", "clusterName", `""`, "no clusterName"},
		{"not a text", "clusterName", `7`, "no clusterName"},
		{"a path", "clusterName", `"a/b"`, "no name that Azure allows"},
		{"a way up", "resourceGroup", `"../../x"`, "no name that Azure allows"},
		{"a quote", "resourceGroup", `"rg' or '1"`, "no name that Azure allows"},
		{"a line", "clusterName", `"a\nb"`, "no name that Azure allows"},
		{"too long", "clusterName", `"` + strings.Repeat("a", 64) + `"`, "no name that Azure allows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, req := newRig(t), request(t)
			req.Snapshot.Config[c.key] = object(t, `{"v":`+c.value+`}`)["v"]
			_, err := r.reader.Read(t.Context(), req)
			checkProblem(t, err, live.Unsupported, c.says, "aksConfig")
			if n := len(r.cloud.Visited()); n > 0 {
				t.Errorf("%d requests were made", n)
			}
		})
	}
	r := newRig(t)
	for _, req := range []live.Request{{}, func() live.Request { q := request(t); q.Snapshot.Config = nil; return q }()} {
		_, err := r.reader.Read(t.Context(), req)
		checkProblem(t, err, live.Unsupported, "no AKS Config", "aksConfig")
	}
}

func TestIncompleteCredential(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*live.Credential)
		says   string
	}{
		{"no secret", func(c *live.Credential) { delete(c.Data, keySecret) }, "field [azurecredentialConfig-clientSecret] must be provided"},
		{"empty client", func(c *live.Credential) { c.Data[keyClient] = "" }, "empty azurecredentialConfig-clientId"},
		{"odd subscription", func(c *live.Credential) { c.Data[keySubscription] = "a/b" }, "no subscription id"},
		{"no tenant", func(c *live.Credential) { delete(c.Data, keyTenant) }, "does not tell the tenant"},
		{"no data", func(c *live.Credential) { c.Data = nil }, "subscriptionId] must be provided"},
		{"odd tenant", func(c *live.Credential) { c.Data[keyTenant] = "a b/c" }, "no login can be made"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, req := newRig(t), request(t)
			c.change(req.Credential)
			_, err := r.reader.Read(t.Context(), req)
			checkProblem(t, err, live.Login, c.says, "credential")
			if n := len(r.cloud.Visited()); n > 0 {
				t.Errorf("%d requests were made", n)
			}
		})
	}
}

func TestNoLoginOfOnesOwn(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Subscription, o.Login = subscription, ownLogin{azidentity.NewCredentialUnavailableError("nothing is set up")}
	})
	req := request(t)
	req.Credential = nil
	_, err := r.reader.Read(t.Context(), req)
	checkProblem(t, err, live.Login, "no Azure login here: nothing is set up", "az login")
	if n := len(r.cloud.Visited()); n > 0 {
		t.Errorf("%d requests were made", n)
	}
}
