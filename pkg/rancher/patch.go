package rancher

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
)

// verbPatch is RBAC's name for what Patch does.
const verbPatch = "patch"

// Patch is a change of one object.
type Patch struct {
	Resource Resource
	Name     string
	// Body is a JSON merge patch (RFC 7386). With metadata.resourceVersion in it
	// the server refuses to change a later version of the object (Conflict).
	Body []byte
	// DryRun has the server check everything and store nothing.
	DryRun bool
	// FieldManager is who the server writes down as the changed fields' owner, by
	// default ("") the beginning of the User-Agent.
	FieldManager string
}

// Access is the right that the change needs.
func (p Patch) Access() Access {
	return Access{verbPatch, p.Resource.String(), p.Resource.Namespace, p.Name}
}

// Patch changes one object and returns it as stored, or with DryRun as it would
// be, trimmed as by Get. It fails with Conflict, Invalid, Forbidden, NotFound and
// the other kinds, all of which mean that nothing was changed, or with Uncertain.
//
// A change is sent again only when the server asks for it before doing anything
// (429 or 503 with Retry-After). It is never repeated after a connection that
// broke, since the server may have carried it out: that is Uncertain, and so is
// every other answer that leaves it open, a proxy's among them. A dry run is
// never Uncertain.
func (c *Client) Patch(ctx context.Context, p Patch) (obj map[string]any, err error) {
	a := p.Access()
	query := url.Values{}
	if p.DryRun {
		query.Set("dryRun", "All")
	}
	if p.FieldManager != "" {
		query.Set("fieldManager", p.FieldManager)
	}
	body, err := c.ask(ctx, request{
		method: http.MethodPatch, mediaType: "application/merge-patch+json", body: p.Body, changes: !p.DryRun,
		path: p.Resource.path(p.Name), query: query, access: a,
	})
	if err != nil {
		return nil, err
	}
	defer body.Close()
	obj, err = readObject(body, p.Resource)
	switch {
	case err != nil && p.DryRun:
		return nil, c.unreadable(err, a)
	case err != nil:
		// The server agreed, if it was the server.
		return nil, c.uncertain(ctx, c.unreadable(err, a), a)
	}
	return obj, nil
}

// send makes a request with a body. Redirects are not followed, and a change
// whose fate is open is Uncertain.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, transportError(ctx, err, r.access, c.Host())
	}
	var way sending
	req, err := c.newRequest(httptrace.WithClientTrace(ctx, way.trace()), r.method, r)
	if err != nil {
		return nil, err
	}
	if !r.changes {
		req.Header["Idempotency-Key"] = nil // not sent: allows net/http to repeat it
	}
	res, err := c.direct.Do(req)
	switch {
	case err == nil:
		c.note(res.Header)
		return res, nil
	case r.changes && way.possiblySent(err):
		return nil, c.uncertain(ctx, err, r.access)
	}
	return nil, transportError(ctx, err, r.access, c.Host())
}

// sending follows a request on its way.
type sending struct {
	// sought: a connection is being looked for or made. had: there is one, from
	// when on any part of the request may have left.
	sought, had atomic.Bool
}

func (s *sending) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		// net/http looks for another connection only if nothing went out on the
		// one before.
		GetConn: func(string) { s.sought.Store(true); s.had.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { s.had.Store(true) },
	}
}

// possiblySent tells whether a request that failed may have reached the server.
// What is not proven to have stayed here may have.
func (s *sending) possiblySent(err error) bool {
	var op *net.OpError
	dialling := errors.As(err, &op) && op.Op == "dial"
	credentials := strings.Contains(err.Error(), "getting credentials")
	return s.had.Load() || !s.sought.Load() && !dialling && !credentials && !isTLS(err)
}

// doubtful tells whether an answer leaves open if a change was carried out: the
// database did not answer in time, or a proxy lost the server.
func doubtful(e *Error) bool {
	switch {
	case e.Status < 500:
		return false
	case e.Status == http.StatusServiceUnavailable:
		return !e.explained
	}
	// Admission comes before anything is stored.
	return !strings.Contains(e.What, "failed calling webhook")
}

// uncertain is the error for a change whose fate is not known.
func (c *Client) uncertain(ctx context.Context, cause error, a Access) error {
	why := innermost(cause)
	var e *Error
	if errors.As(cause, &e) {
		why = e.What
	}
	if ended := ctx.Err(); ended != nil && !errors.Is(cause, ended) {
		cause = fmt.Errorf("%w: %w", ended, cause)
	}
	out := &Error{
		Kind: Uncertain, Where: c.Host(), Access: a, Cause: cause,
		What: fmt.Sprintf("sent the request to %s, but got no clear answer, so it may or may not have been applied: %s", a, why),
		Fix:  "read the object again before anything else",
	}
	if e != nil {
		out.Status = e.Status
	}
	return out
}
