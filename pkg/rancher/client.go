package rancher

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

const (
	// attempts bounds how often a request is made while the server says that it
	// is busy, longestWait how long it is waited in between.
	attempts    = 5
	longestWait = 30 * time.Second
	// longestStatus is how much of a refusal is read.
	longestStatus = 64 << 10
)

// Client talks to one server. It is safe for concurrent use. Close releases its
// connections.
type Client struct {
	http *http.Client
	// direct is http without following redirects, which turn a PATCH into a GET.
	direct  *http.Client
	base    *url.URL
	timeout time.Duration
	// pause waits, or returns early with the context's error.
	pause func(context.Context, time.Duration) error

	mu   sync.Mutex
	date time.Time
}

// New makes a Client. The configuration's own timeout bounds each request but not
// a watch; its rate limits are not used.
func New(cfg *rest.Config) (*Client, error) {
	cfg = rest.CopyConfig(cfg)
	timeout := cfg.Timeout
	cfg.Timeout = 0
	if cfg.UserAgent == "" {
		cfg.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	base, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, kubeconfigError("the server's address is not usable", "", err)
	}
	h, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, kubeconfigError("the connection settings are not usable", "", err)
	}
	direct := *h
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{http: h, direct: &direct, base: base, timeout: timeout, pause: pause}, nil
}

// Close releases idle connections. The Client stays usable.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Host is the server's address.
func (c *Client) Host() string { return strings.TrimSuffix(c.base.Redacted(), "/") }

// ServerTime is the server's clock at its latest answer, to the second, and
// whether there was one.
func (c *Client) ServerTime() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.date, !c.date.IsZero()
}

func (c *Client) note(h http.Header) {
	t, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.After(c.date) {
		c.date = t.UTC()
	}
}

// request is one request: a GET unless it has a method.
type request struct {
	path   []string
	query  url.Values
	access Access
	// forever lifts the time limit, for a watch.
	forever bool
	// method, mediaType and body belong to what is no GET.
	method, mediaType string
	body              []byte
	// changes: the server does something that must not be done twice unknowingly.
	changes bool
}

// answer is a body that is being read. Close must be called.
type answer struct {
	io.Reader
	close func()
}

func (a *answer) Close() { a.close() }

// ask makes a request and returns the answer's body if the server agreed.
func (c *Client) ask(ctx context.Context, r request) (*answer, error) {
	cancel := func() {}
	if c.timeout > 0 && !r.forever {
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
	}
	res, err := c.patiently(ctx, r) //nolint:bodyclose // the answer's Close closes it
	if err != nil {
		cancel()
		return nil, err
	}
	return &answer{
		Reader: &bodyReader{ctx: ctx, body: res.Body, access: r.access, host: c.Host()},
		close: func() {
			_ = res.Body.Close()
			cancel()
		},
	}, nil
}

// patiently repeats a request while the server asks for it.
func (c *Client) patiently(ctx context.Context, r request) (*http.Response, error) {
	for try := 1; ; try++ {
		res, err := c.once(ctx, r)
		if err != nil {
			return nil, err
		}
		if res.StatusCode < 300 {
			return res, nil
		}
		wait, again := retryAfter(res, r.changes)
		refused := c.refused(res, r.access)
		_ = res.Body.Close()
		if !again && r.changes && doubtful(refused) {
			return nil, c.uncertain(ctx, refused, r.access)
		}
		if !again || try == attempts {
			return nil, refused
		}
		if err := c.pause(ctx, wait); err != nil {
			return nil, transportError(ctx, err, r.access, c.Host())
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Client) once(ctx context.Context, r request) (*http.Response, error) {
	if r.method != "" {
		return c.send(ctx, r)
	}
	req, err := c.newRequest(ctx, http.MethodGet, r)
	if err != nil {
		return nil, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, transportError(ctx, err, r.access, c.Host())
	}
	c.note(res.Header)
	return res, nil
}

func (c *Client) newRequest(ctx context.Context, method string, r request) (*http.Request, error) {
	u := c.base.JoinPath(r.path...)
	u.RawQuery = r.query.Encode()
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, kubeconfigError("the server's address is not usable", "", err)
	}
	req.Header.Set("Accept", "application/json")
	if r.mediaType != "" {
		req.Header.Set("Content-Type", r.mediaType)
	}
	return req, nil
}

// retryAfter tells whether the server asks to come back, and when. A change is
// repeated only after the two answers that are given before anything is done.
func retryAfter(res *http.Response, changes bool) (time.Duration, bool) {
	switch code := res.StatusCode; {
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable:
	case code < 500, changes:
		return 0, false
	}
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0, false
	}
	return min(time.Duration(seconds)*time.Second, longestWait), true
}

// refused reads the server's explanation.
func (c *Client) refused(res *http.Response, a Access) *Error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, longestStatus))
	var status struct {
		Kind, Reason, Message string
		Metadata              struct{ Continue string }
	}
	if err := json.Unmarshal(body, &status); err != nil || status.Kind != "Status" {
		status.Kind, status.Reason, status.Message = "", "", ""
		if kind := res.Header.Get("Content-Type"); kind == "" || strings.HasPrefix(kind, "text/plain") {
			status.Message = fmt.Sprintf("%.200s", body)
		}
	}
	// A resource that does not exist is answered with plain text or, by proxies,
	// with a Status that names no object.
	if res.StatusCode == 404 && a.Name == "" {
		status.Reason = ""
	}
	e := refusal(res.StatusCode, status.Reason, oneLine(status.Message), a, c.Host())
	e.continueToken, e.explained = status.Metadata.Continue, status.Kind == "Status"
	return e
}

func oneLine(s string) string { return string(bytes.Join(bytes.Fields([]byte(s)), []byte(" "))) }

// bodyReader makes failures in the middle of an answer as clear as those at its
// start.
type bodyReader struct {
	ctx    context.Context
	body   io.Reader
	access Access
	host   string
}

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	return n, transportError(b.ctx, fmt.Errorf("the answer broke off: %w", err), b.access, b.host)
}
