package manifest

import "errors"

// Kind says what is wrong with an input.
type Kind string

// The kinds of failure.
const (
	// Unreadable: the file cannot be opened or read.
	Unreadable Kind = "unreadable"
	// Empty: there is nothing in it.
	Empty Kind = "empty"
	// Encoding: compressed, binary or not UTF-8.
	Encoding Kind = "encoding"
	// Syntax: neither valid JSON nor valid YAML.
	Syntax Kind = "syntax"
	// TooLarge: an object, document or alias expansion beyond the limits.
	TooLarge Kind = "too large"
	// NoClusters: no Rancher Cluster in any of the inputs.
	NoClusters Kind = "no clusters"
)

// Error says what is wrong with an input, in one line.
type Error struct {
	Kind Kind
	// File is the input's name, Line where in it, 0 if unknown.
	File string
	Line int
	// What is wrong, and what the user can do.
	What, Fix string
	Cause     error
}

func (e *Error) Error() string {
	s := e.What
	if e.File != "" {
		s = e.where() + ": " + s
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
