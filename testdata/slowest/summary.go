package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

const (
	// shown is how many slow tests are named at most, slow the seconds from which
	// a test counts as one.
	shown = 10
	slow  = 1.0
)

// event is a line of go test -json (see go doc test2json).
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

func (e event) name() string { return strings.TrimSpace(e.Package + " " + e.Test) }

type timing struct {
	name    string
	seconds float64
}

// summary gathers what is said at the end.
type summary struct {
	out io.Writer
	// kept is the output of what has not ended yet, by name.
	kept    map[string]*strings.Builder
	slow    []timing
	skipped []string
	// closing are the runner's own lines about packages.
	closing []string
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, kept: map[string]*strings.Builder{}}
}

// follow reads events to their end. What is no event is passed on.
func (s *summary) follow(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case json.Unmarshal(line, &e) != nil:
			s.print(string(line))
		default:
			s.add(e)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *summary) add(e event) {
	switch e.Action {
	case "build-output":
		s.print(e.Output)
	case "output":
		s.output(e)
	case "fail":
		s.print(s.take(e.name()))
	case "skip":
		if said := reason(s.take(e.name())); e.Test != "" {
			s.skipped = append(s.skipped, e.name()+": "+said)
		}
	case "pass":
		s.take(e.name())
		if e.Test != "" && e.Elapsed >= slow {
			s.slow = append(s.slow, timing{e.name(), e.Elapsed})
		}
	}
}

// output sorts one line of output: the runner's own about a package waits for the
// end, the count of conformance cases is for everybody, the rest is shown only if
// its test fails.
func (s *summary) output(e event) {
	switch {
	case e.Test == "" && closes(e.Output):
		s.closing = append(s.closing, e.Output)
	case strings.Contains(e.Output, ": agree "):
		s.print(strings.TrimSuffix(e.Output, "\n") + "  (" + e.name() + ")\n")
	case e.Test == "" && (e.Output == "PASS\n" || e.Output == "FAIL\n"):
	default:
		if s.kept[e.name()] == nil {
			s.kept[e.name()] = &strings.Builder{}
		}
		s.kept[e.name()].WriteString(e.Output)
	}
}

// take returns what has been kept of a test and forgets it.
func (s *summary) take(name string) string {
	kept := s.kept[name]
	delete(s.kept, name)
	if kept == nil {
		return ""
	}
	return kept.String()
}

// close says what there is to say when the run is over. What is still kept then
// belongs to tests that never ended, because their process died.
func (s *summary) close(took time.Duration, passed bool) {
	if !passed {
		for _, text := range s.kept {
			s.print(strings.TrimSuffix(text.String(), "\n") + "\n")
		}
	}
	slices.Sort(s.skipped)
	for _, name := range s.skipped {
		s.print("skipped: " + name + "\n")
	}
	slices.SortStableFunc(s.slow, func(a, b timing) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range s.slow[:min(shown, len(s.slow))] {
		s.print(fmt.Sprintf("slow: %6.1f s  %s\n", t.seconds, t.name))
	}
	s.print(fmt.Sprintf("all tests: %.0f s\n", took.Seconds()))
	s.print(strings.Join(s.closing, ""))
	if !passed {
		s.print("FAIL\n")
	}
}

func (s *summary) print(text string) {
	_, _ = io.WriteString(s.out, text)
}

// closes tells whether a line is the runner's own about a package.
func closes(line string) bool {
	return slices.ContainsFunc([]string{"ok  \t", "FAIL\t", "?   \t"}, func(prefix string) bool {
		return strings.HasPrefix(line, prefix)
	})
}

// reason is what a skipped test said, without where it said so.
func reason(output string) string {
	for line := range strings.Lines(output) {
		if _, text, ok := strings.Cut(line, ".go:"); ok {
			_, text, _ = strings.Cut(text, ": ")
			return strings.TrimSpace(text)
		}
	}
	return "without a reason"
}
