package aks

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azlog "github.com/Azure/azure-sdk-for-go/sdk/azcore/log"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
)

const (
	plantedSecret = `PLANTED-secret "quoted" /+&% end`
	plantedToken  = "PLANTED-token-value"
	plantedOther  = "PLANTED-unknown-key"
)

// leaks are the ways in which something planted could be written.
var leaks = []string{"PLANTED"}

// TestNoSecretIsShown plants secrets, lets the cloud echo them in every answer that is
// quoted anywhere, and looks for them in all that comes out, the SDK's log included.
func TestNoSecretIsShown(t *testing.T) {
	var mu sync.Mutex
	var logged strings.Builder
	azlog.SetListener(func(e azlog.Event, text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(&logged, e, text)
	})
	defer azlog.SetListener(nil)
	echo := plantedSecret + " and " + plantedToken + " and " + plantedOther
	quoted := func(s string) string { return hosted.Canonical(s) }
	long := strings.Repeat("x", live.MaxLine-20) + plantedToken + plantedSecret
	jsonHeader := map[string]string{"Content-Type": "application/json"}
	cases := map[string][]loopback.Quirk{
		"a good answer":      nil,
		"a plain refusal":    {jsonError(403, "AuthorizationFailed")},
		"a refusal":          {{Path: "/managedClusters/", Status: 403, Header: jsonHeader, Body: `{"error":{"code":"AuthorizationFailed","message":` + quoted(echo) + `}}`}},
		"a long refusal":     {{Path: "/managedClusters/", Status: 400, Header: jsonHeader, Body: `{"error":{"code":"Bad","message":` + quoted(long) + `}}`}},
		"a page":             {{Path: "/managedClusters/", Status: 502, Body: "<html>" + echo}},
		"a page for a reply": {{Path: "/managedClusters/", Status: 200, Body: "<html>" + echo}},
		"a wrong type":       {{Path: "/managedClusters/", Status: 200, Body: `{"id":` + quoted(echo) + `,"properties":{"provisioningState":{"` + plantedToken + `":1}}}`}},
		"a lost connection":  {{Path: "/managedClusters/", Drop: true}},
		"a refused login":    {{Path: "/token", Status: 401, Header: jsonHeader, Body: `{"error":"invalid_client","error_description":` + quoted("AADSTS7000215: "+plantedSecret) + `}`}},
		"an odd login":       {{Path: "/token", Status: 400, Header: jsonHeader, Body: quoted(plantedSecret)}},
		"a login's page":     {{Path: "/token", Status: 403, Body: "<html>" + plantedSecret}},
		"a lost login":       {{Host: "login.microsoftonline.com", Drop: true}},
		"a refused history":  {{Path: "eventtypes", Status: 403, Header: jsonHeader, Body: `{"error":{"code":"AuthorizationFailed","message":` + quoted(echo) + `}}`}},
	}
	shown := 0
	for name, quirks := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.cloud.Misbehave(quirks...)
			r.cloud.Misbehave(loopback.Quirk{Method: http.MethodPost, Path: "/token", Status: 200, Header: jsonHeader,
				Body: `{"token_type":"Bearer","expires_in":3599,"access_token":"` + plantedToken + `"}`})
			r.cloud.SetActivityLog(event("c1", 1, clusterWrite, "", "Failed", map[string]any{"caller": echo,
				"properties": map[string]any{"statusMessage": echo}, "subStatus": map[string]any{"value": echo}}))
			row := change("c9", 2, echo, "tags.team", echo)
			r.cloud.SetAzureChanges(row)
			req := request(t)
			req.Credential.Data[keySecret], req.Credential.Data["azurecredentialConfig-more"] = plantedSecret, plantedOther
			req.Since, req.Who = clock.Add(-3600e9), true
			got, err := r.reader.Read(t.Context(), req)
			if (err != nil) != (quirks != nil && name != "a refused history") {
				t.Errorf("error %v", err)
			}
			out := everything(t, got, err, r.reader, req)
			for _, l := range leaks {
				if i := strings.Index(out, l); i >= 0 {
					t.Errorf("shown: …%s…", out[max(0, i-80):min(len(out), i+60)])
				}
			}
			shown += strings.Count(out, live.Hidden)
		})
	}
	mu.Lock()
	defer mu.Unlock()
	// The SDK logs error answers as they came; what was sent it does not log.
	for _, l := range []string{"client_secret=", "Bearer " + plantedToken} {
		if strings.Contains(logged.String(), l) {
			i := strings.Index(logged.String(), l)
			t.Errorf("the log has %s", logged.String()[max(0, i-300):i+100])
		}
	}
	if shown < 10 || logged.Len() == 0 {
		t.Errorf("the secrets were met %d times only, or nothing was logged", shown)
	}
}

// everything is all that can be printed of a reading.
func everything(t *testing.T, got hosted.Reading, err error, more ...any) string {
	t.Helper()
	var b strings.Builder
	print := func(v any) { fmt.Fprintf(&b, "%v %+v %#v %s %q\n", v, v, v, v, v) }
	print(got)
	text, jsonErr := json.Marshal(got)
	if jsonErr != nil {
		t.Fatal(jsonErr)
	}
	b.Write(text)
	var refused *azidentity.AuthenticationFailedError
	if errors.As(err, &refused) {
		t.Error("the error holds the request with the secret")
	}
	var answered *azcore.ResponseError
	if errors.As(err, &answered) && answered.RawResponse.Request.Header.Get("Authorization") != "" {
		t.Error("the error holds the request with the token")
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		print(e)
		text, _ := json.Marshal(e)
		b.Write(text)
		var p *live.Problem
		if errors.As(e, &p) {
			fmt.Fprintf(&b, "%+v %#v", *p, *p)
		}
	}
	for _, v := range more {
		if req, ok := v.(live.Request); ok {
			v = []any{req.Credential, fmt.Sprintf("%+v", req)}
		}
		print(v)
	}
	return b.String()
}

// The token of one's own login is kept out as well, from the first answer on.
func TestOwnTokenIsNotShown(t *testing.T) {
	for _, path := range []string{"ResourceGraph", "/managedClusters/"} {
		r := newRig(t, func(o *Options) { o.Login = ownLogin{} })
		r.cloud.Misbehave(loopback.Quirk{Path: path, Status: 400, Header: map[string]string{"Content-Type": "application/json"},
			Body: `{"error":{"code":"Bad","message":"you sent own-token-value"}}`})
		req := request(t)
		req.Credential = nil
		got, err := r.reader.Read(t.Context(), req)
		if out := everything(t, got, err, r.reader); strings.Contains(out, "own-token-value") || !strings.Contains(out, "you sent "+live.Hidden) {
			t.Errorf("%s: %s", path, out)
		}
	}
}
