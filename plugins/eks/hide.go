package eks

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
)

// hidden are the values that were logged in with.
type hidden struct {
	mu     sync.Mutex
	values []string
}

// shortest is how long a value must be to be searched for: a shorter one occurs by
// chance, and AWS issues none.
const shortest = 8

func (h *hidden) add(values ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, v := range values {
		if len(v) >= shortest && !slices.Contains(h.values, v) {
			h.values = append(h.values, v)
		}
	}
}

// text is a text without the values. AWS repeats parts of a request whose signature
// it does not accept, a session's token among them.
func (h *hidden) text(s string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, v := range h.values {
		s = strings.ReplaceAll(s, v, "(hidden)")
	}
	return s
}

// harmless is an error of which only the text is left, without the values, and
// whether the time was over.
func (h *hidden) harmless(err error) error {
	out := &harmless{text: oneLine(h.text(err.Error()))}
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, end) {
			out.end = end
		}
	}
	return out
}

type harmless struct {
	text string
	end  error
}

func (e *harmless) Error() string { return e.text }
func (e *harmless) Unwrap() error { return e.end }
