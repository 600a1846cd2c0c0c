package ack

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/rancher/muchang/utils/tea"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// problem words the error of a call.
func (a *account) problem(call string, err error) *live.Problem {
	p := &live.Problem{Call: call, Err: a.harmless(err)}
	var refused *tea.SDKError
	switch {
	case errors.Is(err, context.Canceled):
		p.Kind, p.Text, p.Fix = live.Unreachable, "stopped before Alibaba Cloud answered", "try again"
	case errors.Is(err, context.DeadlineExceeded):
		p.Kind, p.Text, p.Fix = live.Unreachable, "Alibaba Cloud did not answer in time", "try again, or allow more time"
	case errors.Is(err, errGarbled):
		p.Kind, p.Text, p.Fix = live.Garbled, err.Error(), "look at the proxy between this computer and Alibaba Cloud; HTTPS_PROXY and NO_PROXY choose it"
	case errors.As(err, &refused):
		p.Kind, p.Text, p.Fix = a.answer(call, refused)
	case call == "":
		p.Kind, p.Text, p.Fix = live.Login, "the client cannot be made: "+a.hide.Line(err.Error()), "look at the login"
	default:
		p.Kind, p.Text, p.Fix = live.Unreachable, "Alibaba Cloud cannot be reached: "+a.hide.Line(err.Error()), "look at the network and the proxy, and at regionId in the Config"
	}
	return p
}

// formMessage is how the library wraps the API's message.
var formMessage = regexp.MustCompile(`(?s)^code: \d+, (.*) request id: .*$`)

// answer words an error of the API. Errors of the login have any status, hence
// codes come first.
func (a *account) answer(call string, e *tea.SDKError) (kind live.Kind, text, fix string) {
	code, status := tea.StringValue(e.Code), tea.IntValue(e.StatusCode)
	message := tea.StringValue(e.Message)
	if m := formMessage.FindStringSubmatch(message); m != nil {
		message = m[1]
	}
	message = a.hide.Line(message)
	if code != "" && !strings.HasPrefix(message, code) {
		message = a.hide.Line(code) + ": " + message
	}
	switch {
	case isLogin(code) || status == http.StatusUnauthorized:
		return live.Login, "the login is not accepted or has expired: " + message, "renew the access key, in the environment or in Rancher's cloud credential"
	case strings.HasPrefix(code, "Throttling") || status == http.StatusTooManyRequests:
		return live.Throttled, "Alibaba Cloud was asked too often: " + message, "wait a minute, or read less often"
	case status == http.StatusForbidden || strings.HasPrefix(code, "Forbidden"+".") || strings.HasPrefix(code, "NoPermission"):
		return live.Denied, message, "grant the login " + call + " on the cluster by a RAM policy"
	case status == http.StatusNotFound:
		return live.Gone, message, "look whether it was deleted in Alibaba Cloud, or the Config names another cluster or region"
	case status == http.StatusServiceUnavailable || status == http.StatusBadGateway || status == http.StatusGatewayTimeout:
		return live.Unreachable, "Alibaba Cloud does not work at the moment: " + message, "try again later"
	}
	return live.Other, message, "see Alibaba Cloud's message"
}

// isLogin tells whether a code is about the login (Alibaba Cloud's list of common
// error codes).
func isLogin(code string) bool {
	for _, prefix := range []string{"InvalidAccessKeyId", "InvalidSecurityToken", "SignatureDoesNotMatch", "IncompleteSignature", "MissingSecurityToken", "InvalidCredentials"} {
		if strings.HasPrefix(code, prefix) {
			return true
		}
	}
	return false
}

// harmless is an error whose own text may be shown, nil if it quotes a secret.
func (a *account) harmless(err error) error {
	if text := err.Error(); a.hide.Hide(text) != text {
		return nil
	}
	return err
}
