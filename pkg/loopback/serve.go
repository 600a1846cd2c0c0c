package loopback

import (
	"cmp"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// request is what the handlers look at.
type request struct {
	method string
	// host is without its port. path are the unescaped elements of the path.
	host  string
	path  []string
	query url.Values
	body  []byte
	// object is the body if it is a JSON object, else empty.
	object map[string]any
}

// answer is a response. A body that is no text is written as JSON.
type answer struct {
	status int
	header map[string]string
	body   any
}

// failure is an error that a cloud answers.
type failure struct {
	status        int
	code, message string
}

// dialect writes a cloud's answers: reply for a good one, fail for an error.
type dialect struct {
	reply func(status int, body any) answer
	fail  func(failure) answer
}

// ServeHTTP answers as the host that the request names.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "unreadable body", http.StatusBadRequest)
		return
	}
	req := request{method: r.Method, host: r.Host, query: r.URL.Query(), body: body, object: map[string]any{}}
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		req.host = host
	}
	for part := range strings.SplitSeq(strings.Trim(r.URL.EscapedPath(), "/"), "/") {
		text, err := url.PathUnescape(part)
		if err != nil {
			text = part
		}
		req.path = append(req.path, text)
	}
	if v, err := hosted.Decode(body); err == nil && hosted.Map(v) != nil {
		req.object = hosted.Map(v)
	}
	s.weather(r.Context(), req)
	if s.misbehave(w, r, req) {
		return
	}
	a := s.answer(req)
	for k, v := range a.header {
		w.Header().Set(k, v)
	}
	text, raw := a.body.(string)
	if !raw {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(a.status)
	switch {
	case a.body == nil || r.Method == http.MethodHead || a.status == http.StatusNoContent:
	case raw:
		_, _ = io.WriteString(w, text)
	default:
		_ = json.NewEncoder(w).Encode(a.body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	s.last = time.Now()
}

// answer holds the lock, so that answers are whole, also when they are encoded.
func (s *Server) answer(r request) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.open++
	s.last = time.Now()
	s.settleIfDue()
	service, _, _ := strings.Cut(r.host, ".")
	var a answer
	switch service {
	case "eks":
		a = s.serveEKS(r)
	case "ec2":
		a = s.serveEC2(r)
	case "sts":
		a = s.serveSTS(r)
	case "cloudtrail":
		a = s.serveTrail(r)
	case "login":
		a = s.serveLogin(r)
	case "management":
		a = s.serveARM(r)
	default:
		a = s.unknown(r, rest)
	}
	if m, ok := a.body.(map[string]any); ok {
		a.body = hosted.CloneMap(m)
	}
	return a
}

// unknown answers a request that nothing here serves, and remembers it.
func (s *Server) unknown(r request, d dialect) answer {
	s.unserved = append(s.unserved, r.method+" "+r.host+"/"+strings.Join(r.path, "/")+" "+r.query.Encode())
	return d.fail(failure{http.StatusNotImplemented, "NotServedByLoopback", "the loopback cloud does not serve this"})
}

// read answers a request that changes nothing.
func (s *Server) read(d dialect, op, target string, do func() (any, *failure)) answer {
	f, empty := s.strike(op, target)
	if f != nil {
		return d.fail(*f)
	}
	if empty {
		return d.reply(http.StatusOK, map[string]any{})
	}
	body, f := do()
	if f != nil {
		return d.fail(*f)
	}
	return d.reply(http.StatusOK, body)
}

// write answers and records a request that changes something.
func (s *Server) write(d dialect, c operator.Call, do func() (status int, body any, f *failure)) answer {
	c.Input = hosted.Clone(c.Input)
	if m, ok := c.Input.(map[string]any); ok && m == nil {
		c.Input = nil
	}
	f, empty := s.strike(c.Op, c.Target)
	status, body := http.StatusOK, any(map[string]any{})
	if f == nil && !empty {
		status, body, f = do()
	}
	if f != nil {
		c.Error, c.HTTPStatus = f.code, f.status
	}
	s.calls = append(s.calls, c)
	if f != nil {
		return d.fail(*f)
	}
	return d.reply(status, body)
}

// strike asks the faults about an operation; empty tells that it is answered
// without content.
func (s *Server) strike(op, target string) (f *failure, empty bool) {
	for _, list := range s.faults {
		if hit := list.Strike(op, target); hit != nil {
			if hit.Empty {
				return nil, true
			}
			return &failure{cmp.Or(hit.Answer(), http.StatusBadRequest), hit.Code, hit.Message}, false
		}
	}
	return nil, false
}
