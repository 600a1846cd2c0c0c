package rancher

import (
	"errors"
	"fmt"
	"strings"
)

// Kind says what went wrong, for the caller to act on.
type Kind string

// The kinds of failure.
const (
	// BadKubeconfig: missing, unreadable or incomplete.
	BadKubeconfig Kind = "kubeconfig"
	// UnknownContext: the kubeconfig has no such context.
	UnknownContext Kind = "context"
	// Unreachable: no connection to the server.
	Unreachable Kind = "unreachable"
	// BadTLS: the server's certificate is not accepted, or it speaks no TLS.
	BadTLS Kind = "tls"
	// Unauthorized: no or expired credentials (401, a failing login plugin).
	Unauthorized Kind = "unauthorized"
	// Forbidden: a right is missing (403); Access says which.
	Forbidden Kind = "forbidden"
	// NotFound: no such object.
	NotFound Kind = "not found"
	// NotInstalled: the server does not have the resource.
	NotInstalled Kind = "not installed"
	// NotManagement: the server has no management.cattle.io API.
	NotManagement Kind = "not a management cluster"
	// NoClusters: a management cluster without any Cluster object.
	NoClusters Kind = "no clusters"
	// Timeout: the time allowed for the request ran out.
	Timeout Kind = "timeout"
	// Expired: the version to continue or watch from is no longer held (410).
	Expired Kind = "expired"
	// BadAnswer: an answer that is not what the API promises.
	BadAnswer Kind = "bad answer"
	// Conflict: the object is no longer as the change supposes it (409).
	Conflict Kind = "conflict"
	// Invalid: the server or an admission rule does not accept the change (400,
	// 422, or a rule's 403).
	Invalid Kind = "invalid"
	// Uncertain: a change was sent, or may have been, and it is not known whether
	// it was carried out. Only reading the object again can tell. The context's
	// error is in the chain if its end is the reason: ask for this kind first.
	Uncertain Kind = "uncertain"
	// ServerFailure: the server says that it failed (5xx), or refuses otherwise.
	ServerFailure Kind = "server"
)

// Access is one right, in RBAC's terms.
type Access struct {
	Verb, Resource, Namespace, Name string
}

// String reads like "list eksclusterconfigs.eks.cattle.io in namespace
// cattle-global-data".
func (a Access) String() string {
	s := a.Verb + " " + a.Resource
	if a.Name != "" {
		s += " " + a.Name
	}
	if a.Namespace != "" {
		s += " in namespace " + a.Namespace
	}
	return s
}

// Error is a failed request. Its text is one line: what, where, and what to do.
type Error struct {
	Kind Kind
	// What happened, Where (a server, a file), and what the user can do.
	What, Where, Fix string
	// Access is what was asked of the server, if it was.
	Access Access
	// Status is the HTTP status, 0 without an answer.
	Status int
	// Cause is the underlying error, if any. It is not repeated in the text.
	Cause error

	// continueToken lets an expired list go on. explained: the server sent a
	// Status, so it is the API server itself that speaks.
	continueToken string
	explained     bool
}

func (e *Error) Error() string {
	s := e.What
	if e.Where != "" {
		s += " (" + e.Where + ")"
	}
	if e.Fix != "" {
		s += "; " + e.Fix
	}
	return s
}

func (e *Error) Unwrap() error { return e.Cause }

// KindOf returns the Kind of an *Error in err's chain, "" if there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// refusal is the error for an answer with a status other than 2xx. message and
// reason are the server's, "" if it sent no Status.
func refusal(status int, reason, message string, a Access, host string) *Error {
	e := &Error{Kind: ServerFailure, Where: host, Access: a, Status: status}
	said := message
	if said == "" {
		said = fmt.Sprintf("HTTP status %d", status)
	}
	switch {
	case status == 401:
		e.Kind = Unauthorized
		e.What = "the server does not accept the credentials: " + said
		e.Fix = "log in again or replace the expired token in the kubeconfig"
	case a.Verb == verbPatch && unacceptable(status, message):
		e.Kind = Invalid
		e.What = fmt.Sprintf("the server does not accept the change of %s %s: %s", a.Resource, a.Name, said)
		e.Fix = "change what it objects to; nothing was changed"
	case status == 403:
		e.Kind = Forbidden
		e.What = fmt.Sprintf("no right to %s", a)
		e.Fix = "ask for it, or check with: " + canI(a)
	case status == 404 && reason == "NotFound":
		e.Kind = NotFound
		e.What = fmt.Sprintf("%s %q does not exist", a.Resource, a.Name)
		e.Fix = "list what exists with: kubectl get " + a.Resource + inNamespace(a)
	case status == 404:
		e.Kind = NotInstalled
		e.What = fmt.Sprintf("the server has no %s", a.Resource)
		e.Fix = "check with: kubectl api-resources"
	case status == 409:
		e.Kind = Conflict
		e.What = fmt.Sprintf("%s %s has been changed meanwhile: %s", a.Resource, a.Name, said)
		e.Fix = "read it again and decide anew; nothing was changed"
	case status == 410:
		e.Kind = Expired
		e.What = "the server no longer holds the version to go on from: " + said
		e.Fix = "start again"
	case status == 429:
		e.What = "the server is busy: " + said
		e.Fix = "try again later"
	case status >= 500:
		e.What = fmt.Sprintf("the server failed to %s: %s", a, said)
		e.Fix = "try again; if it persists look at Rancher's own state"
	default:
		e.What = fmt.Sprintf("the server refused to %s: %s", a, said)
		e.Fix = "check that the server's address in the kubeconfig is right, its scheme (https) included"
	}
	return e
}

// unacceptable tells whether the server has something against a change itself: it
// is malformed or breaks a rule. Admission rules mostly answer 403, as a missing
// right does.
func unacceptable(status int, message string) bool {
	switch status {
	case 400, 422:
		return true
	case 403:
		return !strings.Contains(message, "cannot patch resource") &&
			(strings.Contains(message, "denied the request") || strings.Contains(message, "denied request"))
	}
	return false
}

func canI(a Access) string {
	s := "kubectl auth can-i " + a.Verb + " " + a.Resource
	if a.Name != "" {
		s += "/" + a.Name
	}
	return s + inNamespace(a)
}

func inNamespace(a Access) string {
	if a.Namespace == "" {
		return ""
	}
	return " -n " + a.Namespace
}

func badAnswer(a Access, host string, cause error) *Error {
	return &Error{
		Kind: BadAnswer, Where: host, Access: a, Cause: cause,
		What: fmt.Sprintf("cannot read the server's answer to %s: %v", a, cause),
		Fix:  "check that the server's address in the kubeconfig is a Kubernetes API",
	}
}

// notManagement is the error for a server without Rancher's API group.
func notManagement(host string) *Error {
	return &Error{
		Kind: NotManagement, Where: host,
		What: "this is not a Rancher management cluster: it has no " + ManagementGroup + " API",
		Fix:  "point --context at Rancher's local cluster",
	}
}
