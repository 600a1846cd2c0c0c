package live

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// MaxLine bounds what is shown of a text that others wrote, in characters; Ellipsis
// ends one that was cut.
const (
	MaxLine  = 300
	Ellipsis = "…"
)

// OneLine makes one line of a text that others wrote.
func OneLine(s string) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)), " ")
	if r := []rune(s); len(r) > MaxLine {
		return string(r[:MaxLine]) + Ellipsis
	}
	return s
}

// Hidden takes the place of a secret.
const Hidden = "(secret)"

// shortest is the shortest value that is searched for, in bytes: a shorter one occurs
// by chance, and taking it out would make texts unreadable.
const shortest = 6

// Secrets are values that no text may show. The zero value has none; it is safe for
// concurrent use.
type Secrets struct {
	mu sync.Mutex
	// forms are the values in every way in which one is written.
	forms []string
}

// Add adds values.
func (s *Secrets) Add(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range values {
		for _, form := range written(v) {
			if !slices.Contains(s.forms, form) {
				s.forms = append(s.forms, form)
			}
		}
	}
}

// Hide is a text without the secrets, however they are written in it. A text that was
// cut may end in the beginning of one.
func (s *Secrets) Hide(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, form := range s.forms {
		text = strings.ReplaceAll(text, form, Hidden)
		body, cut := strings.CutSuffix(text, Ellipsis)
		for n := len(form) - 1; cut && n >= shortest; n-- {
			if head, ok := strings.CutSuffix(body, form[:n]); ok {
				text = head + Hidden + Ellipsis
				break
			}
		}
	}
	return text
}

// Line is a text that others wrote on one line, without the secrets. They are taken
// out first: of one that is cut too little might be left to be found.
func (s *Secrets) Line(text string) string { return OneLine(s.Hide(text)) }

// written are the ways in which a value gets into texts: as it is, on one line, in
// JSON and in an address.
func written(v string) []string {
	if len(v) < shortest {
		return nil
	}
	escaped, _ := json.Marshal(v) // a text always encodes; < > & become numbers
	plain := hosted.Canonical(v)
	out := []string{v}
	for _, w := range []string{strings.Join(strings.Fields(v), " "), string(escaped[1 : len(escaped)-1]), plain[1 : len(plain)-1],
		url.QueryEscape(v), url.PathEscape(v)} {
		if w != v && len(w) >= shortest {
			out = append(out, w)
		}
	}
	return out
}
