package loopback

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Quirk is what a network, a gateway or a proxy makes of answers, of any provider.
type Quirk struct {
	// Method, Host and Path choose requests: a whole method and host, and a part of the
	// path; "" is any.
	Method, Host, Path string
	// First is the first request chosen so that is met (0 is 1), Every says that only
	// each so many from there are, and Count how many at most; 0 is all.
	First, Every, Count int

	// Status is answered instead, with Header and Body. Without a Status one of the
	// others holds: Drop closes the connection without an answer, Hang does not answer
	// before the client gives up, Cut sends the first half of the answer.
	Status          int
	Header          map[string]string
	Body            string
	Drop, Hang, Cut bool
}

type quirk struct {
	Quirk
	seen, met int
}

func (q *quirk) strikes(r request) bool {
	path := "/" + strings.Join(r.path, "/")
	if q.Method != "" && q.Method != r.method || q.Host != "" && q.Host != r.host || !strings.Contains(path, q.Path) {
		return false
	}
	q.seen++
	past := q.seen - max(q.First, 1)
	if past < 0 || q.Every > 1 && past%q.Every != 0 || q.Count > 0 && q.met >= q.Count {
		return false
	}
	q.met++
	return true
}

// Misbehave adds quirks. The first that strikes a request wins, and the later ones do
// not count it.
func (s *Server) Misbehave(quirks ...Quirk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range quirks {
		s.azure.quirks = append(s.azure.quirks, &quirk{Quirk: q})
	}
}

// Behave takes all quirks away.
func (s *Server) Behave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.azure.quirks = nil
}

// Visited lists all requests so far, each as its method, host and path, those that a
// quirk struck included.
func (s *Server) Visited() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.azure.visited)
}

// misbehave notes the request and lets the quirks at it; it tells whether one has
// answered.
func (s *Server) misbehave(w http.ResponseWriter, r *http.Request, req request) bool {
	s.mu.Lock()
	s.azure.visited = append(s.azure.visited, req.method+" "+req.host+"/"+strings.Join(req.path, "/"))
	i := slices.IndexFunc(s.azure.quirks, func(q *quirk) bool { return q.strikes(req) })
	var q Quirk
	if i >= 0 {
		q = s.azure.quirks[i].Quirk
	}
	s.mu.Unlock()
	switch {
	case i < 0:
		return false
	case q.Status != 0:
		for k, v := range q.Header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(q.Status)
		_, _ = io.WriteString(w, q.Body)
	case q.Hang:
		<-r.Context().Done()
	case q.Cut:
		s.cut(w, req)
	default:
		panic(http.ErrAbortHandler)
	}
	return true
}

// cut sends half of the answer and then closes the connection.
func (s *Server) cut(w http.ResponseWriter, req request) {
	a := s.answer(req)
	s.mu.Lock()
	s.open--
	s.mu.Unlock()
	text, _ := json.Marshal(a.body)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(a.status)
	_, _ = w.Write(text[:len(text)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
