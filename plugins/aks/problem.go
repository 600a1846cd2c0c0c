package aks

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// What can be done about problems.
const (
	fixGarbled     = "look for a proxy between here and Azure, and try again"
	fixUnreachable = "check the network, the proxy settings (HTTPS_PROXY) and the time limit, and try again"
	fixThrottled   = "try again later, or read fewer clusters at once"
)

func fixLogin(c *live.Credential) string {
	if c == nil {
		return "log in with \"az login\""
	}
	return "correct the cloud credential in Rancher"
}

// problemOf words the SDK's error of a call.
func problemOf(ctx context.Context, call string, err error) *live.Problem {
	p := &live.Problem{Call: call, Err: err}
	var own *live.Problem
	var login *loginError
	var answered *azcore.ResponseError
	var untrusted x509.UnknownAuthorityError
	var network net.Error
	switch {
	case errors.As(err, &own):
		return own
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		p.Kind, p.Text, p.Fix = live.Unreachable, "no answer in the time that was allowed", fixUnreachable
		if errors.Is(ctx.Err(), context.Canceled) {
			p.Text, p.Fix = "the reading was given up before the answer came", "try again"
		}
		p.Err = plain(err)
	case errors.As(err, &login):
		wordLogin(p, login)
	case errors.As(err, &answered):
		wordAnswer(p, answered)
	case errors.As(err, &untrusted):
		p.Kind, p.Text = live.Unreachable, "the certificate of the answering host is not trusted"
		p.Fix = "a proxy may be ending TLS: make its certificate known (SSL_CERT_FILE)"
	case errors.Is(err, io.ErrUnexpectedEOF):
		p.Kind, p.Text, p.Fix = live.Garbled, "the answer was cut off", fixGarbled
	case errors.As(err, &network) || errors.Is(err, io.EOF):
		p.Kind, p.Text, p.Fix = live.Unreachable, "no answer: "+live.OneLine(err.Error()), fixUnreachable
	case strings.Contains(err.Error(), "unmarshalling type") && strings.Contains(err.Error(), "invalid character '<'"):
		p.Kind, p.Text, p.Fix = live.Garbled, "a web page came instead of Azure's answer", fixGarbled
	case strings.Contains(err.Error(), "unmarshalling type"):
		p.Kind, p.Text, p.Fix = live.Garbled, "the answer is not what the API promises: "+live.OneLine(err.Error()), fixGarbled
	default:
		p.Kind, p.Text, p.Fix = live.Other, live.OneLine(err.Error()), "try again"
	}
	return p
}

// plain keeps of an error what it says and what tells a time limit. The SDK's own may
// hold the request with its token.
func plain(err error) error {
	for _, known := range []error{context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, known) {
			return fmt.Errorf("%s: %w", live.OneLine(err.Error()), known)
		}
	}
	return errors.New(err.Error())
}

// entraCode is how Entra numbers its refusals.
var entraCode = regexp.MustCompile(`AADSTS\d+`)

// entraTexts are the refusals that people meet most, and what can be done about them.
var entraTexts = map[string][2]string{
	"AADSTS7000222": {"the client secret has expired", "make a new client secret in Azure and put it into the cloud credential in Rancher"},
	"AADSTS7000215": {"the client secret is wrong", "put the right client secret into the cloud credential in Rancher"},
	"AADSTS700016":  {"the tenant has no such application", "check the client id and the tenant of the login"},
	"AADSTS90002":   {"there is no such tenant", "check the tenant of the login"},
	"AADSTS700082":  {"the login has expired", "log in anew with \"az login\""},
	"AADSTS70043":   {"the login has expired", "log in anew with \"az login\""},
	"AADSTS50173":   {"the login was revoked", "log in anew with \"az login\""},
	"AADSTS50076":   {"a second factor is asked for", "log in anew with \"az login\""},
}

// wordLogin words a token that was not to be had. Nothing of the SDK's error is kept
// but text, for it may hold the request with the client secret.
func wordLogin(p *live.Problem, e *loginError) {
	text := e.Error()
	p.Kind, p.Fix, p.Err = live.Login, "log in with \"az login\", or correct the cloud credential in Rancher", errors.New(text)
	var refused *azidentity.AuthenticationFailedError
	if !errors.As(e.err, &refused) {
		p.Text = "there is no Azure login here: " + live.OneLine(text)
		if e.net != nil {
			p.Kind, p.Text, p.Fix = live.Unreachable, "the login got no answer: "+live.OneLine(e.net.Error()), fixUnreachable
		}
		return
	}
	code := entraCode.FindString(text)
	switch known, ok := entraTexts[code]; {
	case ok:
		p.Text, p.Fix = "the login was refused: "+known[0]+" ("+code+")", known[1]
	case code != "":
		p.Text = "the login was refused (" + code + ")"
	case e.net != nil:
		p.Kind, p.Text, p.Fix = live.Unreachable, "the login got no answer: "+live.OneLine(e.net.Error()), fixUnreachable
	case refused.RawResponse != nil && refused.RawResponse.StatusCode == http.StatusTooManyRequests:
		p.Kind, p.Text, p.Fix = live.Throttled, "the login was asked for too often", fixThrottled
	case refused.RawResponse != nil && refused.RawResponse.StatusCode >= http.StatusInternalServerError:
		p.Kind, p.Text, p.Fix = live.Unreachable, fmt.Sprintf("the login is out of order (%d)", refused.RawResponse.StatusCode), "try again later"
	case refused.RawResponse != nil && isPage(refused.RawResponse):
		p.Kind, p.Text, p.Fix = live.Garbled, "a web page came instead of an answer to the login", fixGarbled
	default:
		p.Text = "the login failed: " + live.OneLine(text)
	}
}

// wordAnswer words an error that the cloud answered.
func wordAnswer(p *live.Problem, e *azcore.ResponseError) {
	if e.RawResponse != nil && e.RawResponse.Request != nil {
		e.RawResponse.Request.Header.Del("Authorization") // the error is handed on, the token is not
	}
	what := fmt.Sprintf("%d", e.StatusCode)
	if e.ErrorCode != "" {
		what += " " + e.ErrorCode
	}
	said := messageOf(e.RawResponse)
	if said != "" {
		said = ": " + said
	}
	p.Kind, p.Text, p.Fix = live.Other, "Azure answered "+what+said, "try again later"
	switch {
	case e.RawResponse != nil && isPage(e.RawResponse):
		p.Kind, p.Text, p.Fix = live.Garbled, fmt.Sprintf("a web page came instead of Azure's answer (%d)", e.StatusCode), fixGarbled
	case e.StatusCode == http.StatusUnauthorized:
		p.Kind, p.Text = live.Login, "the login was not accepted or has expired ("+what+")"
		p.Fix = "log in anew with \"az login\", or correct the cloud credential in Rancher"
	case e.StatusCode == http.StatusForbidden:
		p.Kind, p.Text = live.Denied, "not allowed ("+what+")"+said
		p.Fix = "grant " + rightOf(p.Call) + ", which the role Reader has"
	case e.StatusCode == http.StatusNotFound:
		wordMissing(p, e.ErrorCode)
	case e.StatusCode == http.StatusTooManyRequests:
		p.Kind, p.Text, p.Fix = live.Throttled, "asked too often ("+what+")", fixThrottled
	case e.StatusCode == http.StatusRequestTimeout || e.StatusCode > http.StatusInternalServerError:
		p.Kind, p.Text = live.Unreachable, "Azure is out of order ("+what+")"+said
	}
}

func wordMissing(p *live.Problem, code string) {
	switch code {
	case "ResourceNotFound", "NotFound":
		p.Kind, p.Text, p.Fix = live.Gone, "there is no such cluster ("+code+")", "remove the cluster from Rancher if it was deleted on purpose"
	case "ResourceGroupNotFound":
		p.Kind, p.Text, p.Fix = live.Gone, "there is no such resource group ("+code+")", "remove the cluster from Rancher if it was deleted on purpose"
	case "SubscriptionNotFound":
		p.Kind, p.Text = live.Denied, "there is no such subscription, or this login may not see it ("+code+")"
		p.Fix = fixSubscription
	}
}

// messageOf is the message in the body of an error, "" if there is none.
func messageOf(resp *http.Response) string {
	if resp == nil {
		return ""
	}
	body, err := runtime.Payload(resp)
	var m struct {
		Error struct{ Message string }
	}
	if err != nil || json.Unmarshal(body, &m) != nil {
		return ""
	}
	return live.OneLine(m.Error.Message)
}

// isPage tells whether an answer is a web page.
func isPage(resp *http.Response) bool {
	if strings.Contains(resp.Header.Get("Content-Type"), "html") {
		return true
	}
	body, err := runtime.Payload(resp)
	return err == nil && strings.HasPrefix(strings.TrimSpace(string(body)), "<")
}
