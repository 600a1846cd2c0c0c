package live

import "errors"

// Kind is why a reading failed.
type Kind string

// The kinds.
const (
	// Denied: logged in, and not allowed to.
	Denied Kind = "denied"
	// Login: there is no login, or it was not accepted, or it has expired.
	Login Kind = "login"
	// Gone: the cloud has no such cluster.
	Gone Kind = "gone"
	// Throttled: the cloud wanted to be asked less often, longer than it was tried.
	Throttled Kind = "throttled"
	// Unreachable: no answer, in time or at all.
	Unreachable Kind = "unreachable"
	// Garbled: an answer that is not what the API promises: cut off, or a proxy's.
	Garbled Kind = "garbled"
	// Unsupported: this program, or the Config, cannot be used to read this cluster.
	Unsupported Kind = "unsupported"
	// Other: anything else that the cloud answered.
	Other Kind = "other"
)

// Problem is a reading that failed.
type Problem struct {
	Kind Kind
	// Call is the call that failed ("eks:DescribeCluster"), "" before any.
	Call string
	// Text is one line without any credential, Fix what can be done about it.
	Text, Fix string
	Err       error
}

// Error is the one line.
func (p *Problem) Error() string {
	if p.Call == "" {
		return p.Text
	}
	return p.Call + ": " + p.Text
}

// Unwrap is the SDK's error.
func (p *Problem) Unwrap() error { return p.Err }

// KindOf is the kind of an error, Other if it is no Problem.
func KindOf(err error) Kind {
	var p *Problem
	if errors.As(err, &p) {
		return p.Kind
	}
	return Other
}
