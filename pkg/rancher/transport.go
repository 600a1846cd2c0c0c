package rancher

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// transportError turns a failure to get any answer into an *Error. Cancellation
// by the caller stays context.Canceled.
func transportError(ctx context.Context, err error, a Access, host string) error {
	if cause := ctx.Err(); errors.Is(cause, context.Canceled) {
		return cause
	}
	e := &Error{Kind: Unreachable, Where: host, Access: a, Cause: err}
	var network net.Error
	switch {
	case isTLS(err):
		e.Kind = BadTLS
		e.What = "no trusted connection to the server: " + innermost(err)
		e.Fix = "check certificate-authority and server in the kubeconfig"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		e.Kind = Timeout
		e.What = fmt.Sprintf("no answer in time to %s", a)
		e.Fix = "raise --request-timeout or check the connection"
	case strings.Contains(err.Error(), "getting credentials"):
		e.Kind = Unauthorized
		e.What = "the kubeconfig's login command failed: " + innermost(err)
		e.Fix = "run it by hand to see why, and log in again"
	default:
		e.What = "cannot reach the server: " + innermost(err)
		e.Fix = "check that it is up and that the kubeconfig names the right one"
	}
	return e
}

func isTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
		record       tls.RecordHeaderError
		alert        tls.AlertError
	)
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &hostname) ||
		errors.As(err, &invalid) || errors.As(err, &record) || errors.As(err, &alert) ||
		strings.Contains(err.Error(), http.ErrSchemeMismatch.Error())
}

// innermost is the text of err without the request's address and the layers that
// only repeat it, in one line.
func innermost(err error) string {
	for {
		inner := errors.Unwrap(err)
		var op *net.OpError
		if inner == nil || errors.As(err, &op) && err == error(op) { //nolint:errorlint // asks whether this very layer is the network's
			return strings.Join(strings.Fields(err.Error()), " ")
		}
		err = inner
	}
}
