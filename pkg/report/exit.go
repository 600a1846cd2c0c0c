package report

import (
	"errors"
	"fmt"
	"strings"
)

// The exit codes.
const (
	ExitClean       = 0
	ExitDifferences = 1
	ExitError       = 2
	ExitRefused     = 3
	ExitPartial     = 4
	ExitTimeout     = 5
	ExitInterrupted = 130
)

// Exit describes one exit code.
type Exit struct {
	Code    int
	Name    string
	Meaning string
}

// Exits is the table of exit codes, in order.
func Exits() []Exit {
	return []Exit{
		{ExitClean, "clean", "The command did what was asked, and a verb that gates found nothing."},
		{ExitDifferences, "differences", "Differences, risk or not yet. Only verbs that gate use it: diff, risk with --fail-on, and wait where it judges once."},
		{ExitError, "error", "The command line was wrong, or something failed. Errors in flags are here too, never under 1."},
		{ExitRefused, "refused", "A change was refused because it is not safe. Nothing was changed."},
		{ExitPartial, "partial", "The answer is incomplete: something could not be read, and standard error lists it. It outranks differences."},
		{ExitTimeout, "timeout", "The time allowed ran out before the answer was complete."},
		{ExitInterrupted, "interrupted", "The user interrupted the command."},
	}
}

// StatusError ends the program with a code. Err is nil where everything that
// there is to say has been said.
type StatusError struct {
	Code int
	Err  error
}

// Error is the text of Err, or the code's name.
func (e *StatusError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	for _, x := range Exits() {
		if x.Code == e.Code {
			return x.Name
		}
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// Unwrap returns Err.
func (e *StatusError) Unwrap() error { return e.Err }

// CodeOf is the exit code for what a command returned.
func CodeOf(err error) int {
	if err == nil {
		return ExitClean
	}
	var s *StatusError
	if errors.As(err, &s) {
		return s.Code
	}
	return ExitError
}

// Worse picks the code to end with when two apply: an error beats an incomplete
// answer, which beats a difference.
func Worse(a, b int) int {
	rank := map[int]int{
		ExitClean: 0, ExitDifferences: 1, ExitPartial: 2, ExitRefused: 3,
		ExitError: 4, ExitTimeout: 5, ExitInterrupted: 6,
	}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// ExitMarkdown is the page about exit codes in the documentation.
func ExitMarkdown() string {
	var b strings.Builder
	b.WriteString("# Exit codes\n\nGenerated from the table in the code (`make docs`). An error beats a difference.\n\n| code | name | meaning |\n|---|---|---|\n")
	for _, e := range Exits() {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", e.Code, e.Name, e.Meaning)
	}
	return b.String()
}
