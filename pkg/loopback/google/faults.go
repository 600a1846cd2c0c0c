package google

import (
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
)

// Kind is how a call fails.
type Kind int

// The kinds.
const (
	// Status answers with Code and Message.
	Status Kind = iota
	// Hold does not answer before the caller gives up or the API is closed.
	Hold
	// Page answers with the HTML page of a proxy.
	Page
	// Truncated announces an answer and sends only its beginning.
	Truncated
	// Broken breaks the stream off.
	Broken
)

// Fault makes calls fail.
type Fault struct {
	// Method is the method that fails, "" any of them; In a part of the resource's
	// name if set.
	Method, In string
	Kind       Kind
	// HTTP is the status of a Page.
	HTTP    int
	Code    codes.Code
	Message string
	// Times limits how often the fault strikes; 0 means always.
	Times int

	struck int
}

// trouble is all that makes calls fail.
type trouble struct {
	faults  []*Fault
	dead    map[string]bool
	missing []string
	// rate is the part of the calls over quota, owed the calls that are due by it.
	rate, owed float64
}

// Fail makes calls fail from now on.
func (c *Cloud) Fail(f Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trouble.faults = append(c.trouble.faults, &f)
}

// Heal ends all trouble.
func (c *Cloud) Heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trouble = trouble{}
}

// Down takes a location down: everything in it is unavailable.
func (c *Cloud) Down(location string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	dead := map[string]bool{"locations/" + location: true}
	maps.Copy(dead, c.trouble.dead)
	c.trouble.dead = dead
}

// Incomplete makes every list of operations name zones as missing from it.
func (c *Cloud) Incomplete(zones ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trouble.missing = slices.Clone(zones)
}

// Throttle lets a part of all calls, between 0 and 1, be over the quota: evenly,
// so that a run can be repeated.
func (c *Cloud) Throttle(rate float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trouble.rate, c.trouble.owed = rate, 0
}

// strike returns the fault that hits a call, nil if none does.
func (t *trouble) strike(method, target string) *Fault {
	for location := range t.dead {
		if strings.Contains(target+"/", "/"+location+"/") {
			return &Fault{Code: codes.Unavailable, Message: "The " + location + " is currently unavailable."}
		}
	}
	for _, f := range t.faults {
		if f.Method != "" && f.Method != method || !strings.Contains(target, f.In) || f.Times > 0 && f.struck == f.Times {
			continue
		}
		f.struck++
		return f
	}
	t.owed += t.rate
	if t.owed >= 1 {
		t.owed--
		return &Fault{Code: codes.ResourceExhausted, Message: "Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute'."}
	}
	return nil
}

// serve records a call, lets trouble strike and else hands it to gRPC.
func (c *Cloud) serve(w http.ResponseWriter, r *http.Request) {
	method, target := path.Base(r.URL.Path), targetOf(r)
	c.mu.Lock()
	c.calls = append(c.calls, Call{method, target})
	f := c.trouble.strike(method, target)
	if f == nil {
		f = c.login.check(r)
	}
	c.mu.Unlock()
	switch {
	case f != nil:
		c.fail(w, r, f)
	case method == "token":
		c.token(w)
	default:
		c.grpc.ServeHTTP(w, r)
	}
}

// targetOf reads the routing header, in which the client library repeats the
// request's resource name.
func targetOf(r *http.Request) string {
	q, err := url.ParseQuery(r.Header.Get("x-goog-request-params"))
	if err != nil {
		return ""
	}
	return q.Get("name") + q.Get("parent")
}

func (c *Cloud) fail(w http.ResponseWriter, r *http.Request, f *Fault) {
	switch f.Kind {
	case Hold:
		select {
		case <-r.Context().Done():
		case <-c.released:
		}
	case Page:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(f.HTTP)
		_, _ = w.Write([]byte("<html><body><h1>The proxy refused this</h1></body></html>"))
	case Broken:
		panic(http.ErrAbortHandler)
	case Truncated:
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		// One message of 200 bytes is announced, and half of it sent.
		_, _ = w.Write(append([]byte{0, 0, 0, 0, 200}, make([]byte, 100)...))
		w.Header().Set("Grpc-Status", "0")
	default:
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Grpc-Status", strconv.Itoa(int(f.Code)))
		w.Header().Set("Grpc-Message", url.PathEscape(f.Message))
	}
}
