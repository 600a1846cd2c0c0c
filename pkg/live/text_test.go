package live_test

import (
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

func TestSecrets(t *testing.T) {
	var s live.Secrets
	s.Add("swordfish-value", "a b\nc d", "short")
	for in, want := range map[string]string{
		"x swordfish-value y":                "x (secret) y",
		"cut swordfish-v" + live.Ellipsis:    "cut (secret)" + live.Ellipsis,
		"cut sword" + live.Ellipsis:          "cut sword" + live.Ellipsis,
		"on a line: a b c d.":                "on a line: (secret).",
		`in JSON: a b\nc d`:                  "in JSON: (secret)",
		"in an address: a+b%0Ac+d":           "in an address: (secret)",
		"short words stay":                   "short words stay",
		"swordfish-valueswordfish-value":     "(secret)(secret)",
		"nothing to hide, swordfish is fish": "nothing to hide, swordfish is fish",
	} {
		if got := s.Hide(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	long := strings.Repeat("x", live.MaxLine-8) + "swordfish-value"
	if got := s.Line(long); strings.Contains(got, "sword") {
		t.Errorf("a cut line shows a part: %q", got)
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		" a\n\tb  c ":                       "a b c",
		"red \x1b[31m text\u202e":           "red [31m text",
		strings.Repeat("é", live.MaxLine+1): strings.Repeat("é", live.MaxLine) + live.Ellipsis,
		strings.Repeat("é", live.MaxLine):   strings.Repeat("é", live.MaxLine),
	} {
		if got := live.OneLine(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
