package eks

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/processcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// The codes by which AWS's services refuse a login and a right; each service has
// its own (AWS General Reference, common errors of EC2 and of the JSON services).
var (
	loginCodes = []string{"ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "UnrecognizedClientException",
		"InvalidSignatureException", "SignatureDoesNotMatch", "AuthFailure", "MissingAuthenticationToken",
		"MissingAuthenticationTokenException", "IncompleteSignature", "IncompleteSignatureException", "RequestExpired",
		"InvalidToken", "InvalidAccessKeyId", "TokenRefreshRequired"}
	deniedCodes = []string{"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "NotAuthorized", "OptInRequired"}
)

// problem words the error of a call.
func (a *account) problem(call string, err error) *live.Problem {
	p := &live.Problem{Call: call, Err: harmless(a.hide, err)}
	var (
		login     *loginError
		send      *smithyhttp.RequestSendError
		response  *smithyhttp.ResponseError
		undecoded *smithy.DeserializationError
		answered  smithy.APIError
	)
	switch {
	case errors.Is(err, context.Canceled):
		p.Kind, p.Text, p.Fix = live.Unreachable, "stopped before AWS answered", "try again"
	case errors.Is(err, context.DeadlineExceeded):
		p.Kind, p.Text, p.Fix = live.Unreachable, "AWS did not answer in time", "try again, or allow more time"
	case errors.As(err, &login):
		own := loginProblem(login.err)
		own.Call = call
		return own
	case errors.As(err, &response) && fromProxy(response.Response):
		p.Kind, p.Text, p.Fix = live.Garbled, "the answer is a web page, which AWS's API does not send", proxyFix
	case errors.Is(err, io.ErrUnexpectedEOF):
		p.Kind, p.Text, p.Fix = live.Garbled, "the answer was cut off", "try again; if it stays so, look at the proxy between this computer and AWS"
	case errors.As(err, &undecoded):
		p.Kind, p.Text, p.Fix = live.Garbled, "the answer is not what AWS's API sends: "+a.hide.Line(undecoded.Error()), proxyFix
	case errors.As(err, &send):
		p.Kind, p.Text, p.Fix = a.unsent(send.Err)
	case errors.As(err, &answered):
		status := 0
		if response != nil {
			status = response.HTTPStatusCode()
		}
		p.Kind, p.Text, p.Fix = a.answer(call, status, answered)
	default:
		p.Kind, p.Text, p.Fix = live.Other, a.hide.Line(err.Error()), "see the text"
	}
	return p
}

const proxyFix = "look at the proxy between this computer and AWS; HTTPS_PROXY and NO_PROXY choose it"

// fromProxy tells a web page from an answer of AWS, which is JSON or, from EC2, XML.
func fromProxy(r *smithyhttp.Response) bool {
	return r != nil && r.Response != nil && strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "text/html")
}

// unsent words why no answer came.
func (a *account) unsent(err error) (kind live.Kind, text, fix string) {
	var (
		dns     *net.DNSError
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
	)
	switch {
	case errors.As(err, &dns):
		return live.Unreachable, "the host " + dns.Name + " is not known", "look whether the Config's region is right and the network is up"
	case errors.As(err, &unknown), errors.As(err, &host):
		return live.Unreachable, "the certificate of what answers for AWS is not trusted",
			"if a proxy ends TLS here, name its certificate in AWS_CA_BUNDLE"
	}
	return live.Unreachable, "AWS cannot be reached: " + a.hide.Line(err.Error()), "look whether the network is up and " + proxyFix[len("look at "):]
}

// answer words an error that AWS answered.
func (a *account) answer(call string, status int, e smithy.APIError) (kind live.Kind, text, fix string) {
	code, message := e.ErrorCode(), a.hide.Line(e.ErrorMessage())
	_, throttled := retry.DefaultThrottleErrorCodes[code]
	switch {
	case slices.Contains(loginCodes, code):
		// The message is left out: it can repeat parts of the request.
		return live.Login, "AWS does not accept the login (" + code + ")", a.loginFix()
	case slices.Contains(deniedCodes, code):
		message, _, _ = strings.Cut(message, " Encoded authorization failure message")
		return live.Denied, "this login may not do that: " + message, "grant the right " + call + " to the login"
	case throttled || status == http.StatusTooManyRequests:
		return live.Throttled, "AWS wants to be asked less often (" + code + "), repeatedly", "wait a little, or read fewer clusters at once"
	case code == "ResourceNotFoundException" && call == callCluster:
		return live.Gone, message, "look whether the cluster was deleted in AWS, or belongs to another account or region than the login and the Config say"
	case code == "ResourceNotFoundException":
		return live.Other, "it has gone since it was listed: " + message, "read again"
	case status >= http.StatusInternalServerError:
		return live.Other, "AWS has a fault (" + code + "): " + message, "try again later; AWS tells of its faults on its health dashboard"
	}
	return live.Other, code + ": " + message, "see the text"
}

func (a *account) loginFix() string {
	if a.key.secret != "" {
		return "renew the cloud credential in Rancher, or read with your own login"
	}
	return "log in again (aws sso login, or new keys), or choose another profile by AWS_PROFILE; then try aws sts get-caller-identity"
}

// configProblem words why the SDK cannot be set up; nobody has been asked for a
// login yet.
func configProblem(err error) *live.Problem {
	p := loginProblem(err)
	if p.Text == noLogin {
		p.Text, p.Fix = "AWS's configuration on this computer cannot be used: "+live.OneLine(err.Error()), "correct the setting in the environment or in AWS's shared configuration"
		p.Err = &harmlessError{text: p.Text}
	}
	return p
}

const noLogin = "there is no login for AWS"

// loginProblem words why there is no login. Foreign texts are left out: a program
// that hands out a login may print it where an error belongs.
func loginProblem(err error) *live.Problem {
	var (
		profile config.SharedConfigProfileNotExistError
		file    config.SharedConfigLoadError
		session *ssocreds.InvalidTokenError
		program *processcreds.ProviderError
	)
	p := &live.Problem{Kind: live.Login, Text: noLogin,
		Fix: "log in (aws sso login, aws configure), choose a profile by AWS_PROFILE, or read with Rancher's credential"}
	switch {
	case errors.Is(err, context.Canceled):
		p.Kind, p.Text, p.Fix = live.Unreachable, "stopped while logging in", "try again"
	case errors.Is(err, context.DeadlineExceeded):
		p.Kind, p.Text, p.Fix = live.Unreachable, "logging in took too long", "try again, or allow more time"
	case errors.As(err, &profile):
		p.Text, p.Fix = "there is no profile "+live.OneLine(profile.Profile)+" in AWS's shared configuration", "correct AWS_PROFILE, or add the profile"
	case errors.As(err, &file):
		p.Text, p.Fix = "AWS's shared configuration cannot be read", "correct the file; AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name it"
	case errors.As(err, &session):
		p.Text, p.Fix = "the single sign-on session has expired", "run aws sso login"
	case errors.As(err, &program):
		p.Text, p.Fix = "the profile's credential_process failed", "run the program that the profile names by hand"
	}
	p.Err = &harmlessError{text: p.Text}
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, end) {
			p.Err = &harmlessError{text: p.Text, end: end}
		}
	}
	return p
}
