package gke

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"cloud.google.com/go/auth"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// problem words the error of a call. right is the right that the call needs.
func (a *account) problem(call, right string, err error) *live.Problem {
	p := &live.Problem{Call: call, Err: a.harmless(err)}
	s, answered := status.FromError(err)
	message := a.hide.Line(s.Message())
	switch {
	case errors.Is(err, context.Canceled) || s.Code() == codes.Canceled:
		p.Kind, p.Text, p.Fix = live.Unreachable, "stopped before Google answered", "try again"
	case errors.Is(err, context.DeadlineExceeded) || s.Code() == codes.DeadlineExceeded:
		p.Kind, p.Text, p.Fix = live.Unreachable, "Google did not answer in time", "try again, or allow more time"
	case fromProxy(err):
		p.Kind, p.Text, p.Fix = live.Garbled, "the answer is a web page or something else that Google's API does not send",
			"look at the proxy between this computer and Google; HTTPS_PROXY and NO_PROXY choose it"
	case !answered:
		p.Kind, p.Text, p.Fix = live.Other, a.hide.Line(err.Error()), "see the text"
	default:
		p.Kind, p.Text, p.Fix = answer(s.Code(), message, right)
	}
	return p
}

// answer words a status of the API.
func answer(code codes.Code, message, right string) (kind live.Kind, text, fix string) {
	switch code {
	case codes.PermissionDenied:
		if strings.Contains(message, "it is disabled") || strings.Contains(message, "has not been used") {
			return live.Denied, message, "enable the Kubernetes Engine API in the project"
		}
		return live.Denied, message, "grant the login " + right + " on the project, for example by the role roles/container.viewer"
	case codes.Unauthenticated:
		return live.Login, "the login is not accepted: " + message, "log in again: gcloud auth application-default login; a credential of Rancher must be renewed there"
	case codes.NotFound:
		return live.Gone, message, "look whether the cluster was deleted in Google Cloud, or the Config names another project or location"
	case codes.ResourceExhausted:
		return live.Throttled, "the project's quota for requests is used up: " + message, "wait a minute, or read less often"
	case codes.Unavailable:
		return live.Unreachable, "Google cannot be reached: " + message, "look at the network and the proxy, and at Google Cloud's status page"
	case codes.Internal, codes.Unknown, codes.DataLoss, codes.Unimplemented:
		return live.Garbled, "the answer cannot be understood: " + message, "try again; if it stays, look at the proxy between this computer and Google"
	case codes.InvalidArgument:
		return live.Other, "Google refuses the request: " + message, "compare projectID, region, zone and clusterName in the Config with Google Cloud"
	}
	return live.Other, message, "see Google's message"
}

// fromProxy tells whether an answer did not come from a gRPC server. gRPC gives
// such an answer the code that fits its HTTP status, and only its text tells.
func fromProxy(err error) bool {
	text := status.Convert(err).Message()
	return strings.Contains(text, "unexpected content-type") || strings.Contains(text, "malformed header")
}

// loginProblem words a failed exchange of a credential for a token.
func (a *account) loginProblem(err error) *live.Problem {
	p := &live.Problem{Call: callLogin, Err: a.harmless(err)}
	var refused *auth.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return a.problem(callLogin, "", err)
	case errors.As(err, &refused) && strings.Contains(refused.Response.Header.Get("Content-Type"), "html"):
		p.Kind, p.Text, p.Fix = live.Garbled, "the answer to the login is a web page", "look at the proxy between this computer and Google"
	case errors.As(err, &refused) && refused.Response.StatusCode == http.StatusTooManyRequests:
		p.Kind, p.Text, p.Fix = live.Throttled, "Google wants fewer logins", "wait a minute"
	case errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError:
		p.Kind = live.Login
		p.Text = "the login is not accepted or has expired: " + a.hide.Line(refused.Error())
		p.Fix = "log in again: gcloud auth application-default login; a credential of Rancher must be renewed there"
	case errors.As(err, &refused):
		p.Kind, p.Text, p.Fix = live.Unreachable, "Google's login does not work at the moment", "try again later"
	case strings.Contains(err.Error(), "private key") || strings.Contains(err.Error(), "asn1"):
		// The parser's error is about the key, hence nothing of it is shown.
		p.Kind, p.Text, p.Fix, p.Err = live.Login, "the credential's private key is not a key", "correct the cloud credential", nil
	case strings.Contains(err.Error(), "invalid character") || strings.Contains(err.Error(), "unexpected end of JSON"):
		p.Kind, p.Text, p.Fix = live.Garbled, "the answer to the login is not JSON", "look at the proxy between this computer and Google"
	default:
		p.Kind, p.Text = live.Unreachable, "Google's login cannot be reached: "+a.hide.Line(err.Error())
		p.Fix = "look at the network and the proxy"
	}
	return p
}

// harmless is an error whose own text may be shown, nil if it quotes a secret.
func (a *account) harmless(err error) error {
	if text := err.Error(); a.hide.Hide(text) != text {
		return nil
	}
	return err
}
