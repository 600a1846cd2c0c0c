package alibaba

import (
	"net/http"
)

// Kind is how a call fails.
type Kind int

// The kinds.
const (
	// Error answers with HTTP, Code and Message.
	Error Kind = iota
	// Empty answers without a body.
	Empty
	// Hold does not answer before the caller gives up or the API is closed.
	Hold
	// Page answers with the HTML page of a proxy, with the status HTTP.
	Page
	// Truncated announces an answer and sends only its beginning.
	Truncated
	// Broken breaks the connection off.
	Broken
)

// Fault makes calls fail.
type Fault struct {
	// Action is the action that fails, "" any of them.
	Action        string
	Kind          Kind
	HTTP          int
	Code, Message string
	// Times limits how often the fault strikes; 0 means always.
	Times int

	struck int
}

// trouble is all that makes calls fail. rate is the part of the calls that come too
// often, owed the calls that are due by it.
type trouble struct {
	faults     []*Fault
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

// Throttle lets a part of all calls, between 0 and 1, come too often: evenly, so
// that a run can be repeated.
func (c *Cloud) Throttle(rate float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trouble.rate, c.trouble.owed = rate, 0
}

// strike returns the fault that hits a call, nil if none does.
func (t *trouble) strike(action string) *Fault {
	for _, f := range t.faults {
		if f.Action != "" && f.Action != action || f.Times > 0 && f.struck == f.Times {
			continue
		}
		f.struck++
		return f
	}
	t.owed += t.rate
	if t.owed >= 1 {
		t.owed--
		return &Fault{HTTP: http.StatusBadRequest, Code: "Throttling.User", Message: "Request was denied due to user flow control."}
	}
	return nil
}

func (c *Cloud) fail(w http.ResponseWriter, r *http.Request, f *Fault) {
	switch f.Kind {
	case Empty:
	case Hold:
		select {
		case <-r.Context().Done():
		case <-c.released:
		}
	case Page:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(f.HTTP)
		_, _ = w.Write([]byte("<html><body><h1>The proxy refused this</h1></body></html>"))
	case Truncated:
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"cluster_id": "c`))
	case Broken:
		panic(http.ErrAbortHandler)
	default:
		write(w, f.HTTP, map[string]any{"code": f.Code, "message": f.Message, "requestId": "-"})
	}
}
