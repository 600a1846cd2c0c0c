package eks

import (
	"context"
	"errors"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// harmless is an error of which only the text is left, without the secrets, and
// whether the time was over. AWS repeats parts of a request whose signature it does not
// accept, a session's token among them.
func harmless(hide *live.Secrets, err error) error {
	out := &harmlessError{text: hide.Line(err.Error())}
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, end) {
			out.end = end
		}
	}
	return out
}

type harmlessError struct {
	text string
	end  error
}

func (e *harmlessError) Error() string { return e.text }
func (e *harmlessError) Unwrap() error { return e.end }
