package report

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
)

// Palette colours words, or does not. Colour repeats what a word says already.
type Palette struct{ On bool }

func (p Palette) paint(code, s string) string {
	if !p.On || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Bold is for titles.
func (p Palette) Bold(s string) string { return p.paint("1", s) }

// Dim is for what stands behind.
func (p Palette) Dim(s string) string { return p.paint("2", s) }

// Good is for what needs no care.
func (p Palette) Good(s string) string { return p.paint("32", s) }

// Change is for values that differ and for commands.
func (p Palette) Change(s string) string { return p.paint("36", s) }

// Warn is for what deserves a look.
func (p Palette) Warn(s string) string { return p.paint("33", s) }

// Bad is for what destroys something.
func (p Palette) Bad(s string) string { return p.paint("1;31", s) }

// Severity colours a severity's name.
func (p Palette) Severity(s race.Severity) string {
	switch s {
	case race.Info:
		return p.Dim(s.String())
	case race.Warning:
		return p.Warn(s.String())
	default:
		return p.Bad(s.String())
	}
}

// ColorMode is when to colour: auto, always or never.
type ColorMode string

// Set reads a mode; with String and Type it makes ColorMode a flag.
func (m *ColorMode) Set(s string) error {
	switch s {
	case "auto", "always", "never":
		*m = ColorMode(s)
		return nil
	}
	return fmt.Errorf("use auto, always or never")
}

func (m *ColorMode) String() string { return string(*m) }

// Type names the flag's kind in help.
func (*ColorMode) Type() string { return "when" }

// Palette decides once, by kubectl's rule: colour on a terminal unless NO_COLOR
// is set to anything or TERM is dumb.
func (m ColorMode) Palette(terminal bool, lookup func(string) (string, bool)) Palette {
	switch m {
	case "always":
		return Palette{On: true}
	case "never":
		return Palette{}
	}
	_, noColor := lookup("NO_COLOR")
	term, _ := lookup("TERM")
	return Palette{On: terminal && !noColor && term != "dumb"}
}
