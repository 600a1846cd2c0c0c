package termsafe

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "atlas-1", "atlas-1"},
		{"empty", "", ""},
		{"colour", "\x1b[31mred\x1b[0m", "^[[31mred^[[0m"},
		{"clipboard", "a\x1b]52;c;aGk=\x07b", "a^[]52;c;aGk=^Gb"},
		{"unterminated OSC", "a\x1b]0;title", "a^[]0;title"},
		{"C1 as UTF-8", "a\u009b2Jb", `a\u{9b}2Jb`},
		{"C1 as a byte", "a\x9b2Jb", `a\x9b2Jb`},
		{"carriage return", "good\rbad", `good\rbad`},
		{"newline and tab", "a\nb\tc", `a\nb\tc`},
		{"bidi override", "a\u202eb", `a\u{202e}b`},
		{"isolate", "\u2066x\u2069", `\u{2066}x\u{2069}`},
		{"zero width space", "a\u200bb", `a\u{200b}b`},
		{"byte order mark", "\ufeffa", `\u{feff}a`},
		{"line separator", "a\u2028b", `a\u{2028}b`},
		{"tag characters", "a\U000e0041b", `a\u{e0041}b`},
		{"private use", "\ue000", `\u{e000}`},
		{"no-break space", "a\u00a0b", `a\u{a0}b`},
		{"invalid UTF-8", "a\xff\xfeb", `a\xff\xfeb`},
		{"delete", "a\x7fb", "a^?b"},
		{"umlaut, Hebrew, CJK", "Zürich שלום 集群", "Zürich שלום 集群"},
		{"emoji family", "👩‍👩‍👧 ok", "👩‍👩‍👧 ok"},
		{"emoji with skin tone and selector", "👩🏽‍🚀 ❤️ 🏳️‍🌈 1️⃣ ↔️", "👩🏽‍🚀 ❤️ 🏳️‍🌈 1️⃣ ↔️"},
		{"joiner between letters", "ad\u200dmin", `ad\u{200d}min`},
		{"joiner at the end", "admin\u200d", `admin\u{200d}`},
		{"joiner with nothing to join", "🚀\u200d", `🚀\u{200d}`},
		{"joiners in a row", "🚀\u200d\u200d🚀", `🚀\u{200d}\u{200d}🚀`},
		{"selector on a letter", "a\ufe0fb", `a\u{fe0f}b`},
		{"selectors in a row", "❤\ufe0f\ufe0f", "❤\ufe0f" + `\u{fe0f}`},
		{"other selectors", "❤\ufe0e 集\U000e0100", `❤\u{fe0e} 集\u{e0100}`},
		{"one combining mark", "e\u0301", "e\u0301"},
		{"too many combining marks", "e" + strings.Repeat("\u0301", 6), "e" + strings.Repeat("\u0301", 4) + `\u{301}\u{301}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Line(tc.in).String(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestBlockKeepsNewlinesOnly(t *testing.T) {
	if got := Block("a\n\tb\r\n").String(); got != "a\n    b\\r\n" {
		t.Errorf("got %q", got)
	}
}

func TestWidths(t *testing.T) {
	for _, tc := range []struct {
		in    string
		width int
		cut   string // at 4 cells
	}{
		{"abcdef", 6, "abc…"}, {"集群管理", 8, "集…"}, {"👩‍👩‍👧", 2, "👩‍👩‍👧"}, {"abc", 3, "abc"},
	} {
		text := Line(tc.in)
		if text.Width() != tc.width {
			t.Errorf("%s is %d cells wide, want %d", tc.in, text.Width(), tc.width)
		}
		if got := text.Truncate(4).String(); got != tc.cut {
			t.Errorf("%s cut to 4 cells is %q, want %q", tc.in, got, tc.cut)
		}
		if got := Line(text.Pad(10)).Width(); got != 10 {
			t.Errorf("%s padded to 10 cells has %d", tc.in, got)
		}
	}
}

func TestBoundedLength(t *testing.T) {
	got := Line(strings.Repeat("x", MaxRunes+100)).String()
	if utf8.RuneCountInString(got) != MaxRunes+1 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d characters are left", utf8.RuneCountInString(got))
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"a", "\x1b[0m", "\u202e", "\xff", "👩‍👩‍👧", "e\u0301", "❤️", "a\u200db", "🚀\u200d", "👩🏽\u200d🚀"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, text := range []Text{Line(s), Block(s), Line(s).Truncate(7)} {
			out := text.String()
			if !utf8.ValidString(out) {
				t.Fatalf("%q became invalid UTF-8 %q", s, out)
			}
			for _, r := range out {
				if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Cf, r) && r != emojiJoiner {
					t.Fatalf("%q let %U through", s, r)
				}
			}
		}
		if once := Line(s).String(); Line(once).String() != once {
			t.Fatalf("%q: cleaning twice differs from once", s)
		}
		if w := Line(s).Truncate(7).Width(); w > 7 {
			t.Fatalf("%q cut to 7 cells has %d", s, w)
		}
	})
}
