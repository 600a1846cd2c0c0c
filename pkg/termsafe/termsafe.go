package termsafe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Bounds that keep one hostile value from filling a screen.
const (
	// MaxRunes is how many characters of an input are kept.
	MaxRunes = 64 << 10
	// maxMarks is how many combining marks may follow one character.
	maxMarks = 4
)

// Text is a string that is safe to print. Its zero value is empty.
type Text struct{ s string }

// Line makes a one-line Text: newlines and tabs become visible escapes.
func Line(s string) Text { return Text{clean(s, false)} }

// Block makes a Text that keeps newlines; tabs become four spaces.
func Block(s string) Text { return Text{clean(s, true)} }

// String is the safe text.
func (t Text) String() string { return t.s }

// Width is the number of terminal cells of a one-line Text.
func (t Text) Width() int { return ansi.StringWidth(t.s) }

// Truncate shortens a one-line Text to at most width cells, with an ellipsis
// where something was cut.
func (t Text) Truncate(width int) Text {
	// Cutting and measuring disagree about some clusters; measuring decides.
	for n := width; n > 0; n-- {
		if cut := (Text{ansi.Truncate(t.s, n, "…")}); cut.Width() <= width {
			return cut
		}
	}
	return Text{}
}

// Pad fills a one-line Text with spaces up to width cells.
func (t Text) Pad(width int) string {
	if n := width - t.Width(); n > 0 {
		return t.s + strings.Repeat(" ", n)
	}
	return t.s
}

func clean(s string, block bool) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	n, marks := 0, 0
	var before, base rune // the character before, and the last that is no modifier
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if n++; n > MaxRunes {
			b.WriteString("…")
			break
		}
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		next, _ := utf8.DecodeRuneInString(s[i+size:])
		shown := !hidden(r)
		switch r {
		case emojiJoiner:
			shown = pictureEnd(before, base) && picture(next)
		case emojiSelector:
			shown = picture(before) || keycap(before)
		}
		switch {
		case r == utf8.RuneError && size <= 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' && block:
			b.WriteByte('\n')
		case r == '\t' && block:
			b.WriteString("    ")
		case !shown || marks > maxMarks:
			escape(&b, r)
		default:
			b.WriteRune(r)
		}
		if before = r; r != emojiSelector && !skinTone(r) {
			base = r
		}
		i += size
	}
	return b.String()
}

// plain tells whether s is short printable ASCII, which nearly everything is.
func plain(s string) bool {
	if len(s) > MaxRunes {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func escape(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r < ' ':
		b.WriteByte('^')
		b.WriteByte(byte(r) + '@')
	case r == 0x7f:
		b.WriteString("^?")
	default:
		fmt.Fprintf(b, `\u{%x}`, r)
	}
}

// The emoji joiner and the emoji variation selector are invisible. They are let
// through where they choose between pictures, and nowhere else: between letters
// they only make two names look the same.
const emojiJoiner, emojiSelector = 0x200d, 0xfe0f

// picture tells whether a character may be shown as an emoji.
func picture(r rune) bool {
	return r >= 0xa9 && r != utf8.RuneError && unicode.Is(unicode.So, r) || arrow(r)
}

// arrow covers the emoji that count as mathematical symbols or as punctuation.
func arrow(r rune) bool {
	return r == 0x203c || r == 0x2049 || unicode.Is(unicode.Sm, r) && r >= 0x2194 && r <= 0x25fe
}

// keycap tells whether a character may stand on the picture of a key.
func keycap(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }

func skinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// pictureEnd tells whether a picture, with its modifiers, has just ended.
func pictureEnd(before, base rune) bool {
	return picture(base) && (before == base || before == emojiSelector || skinTone(before))
}

// hidden tells whether a character is a control, invisible, changes the reading
// direction, or has no agreed appearance.
func hidden(r rune) bool {
	switch {
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Cs, r):
		return true
	case unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0, r == 0x2800:
		return true // invisible letters
	case r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef:
		return true // noncharacters
	}
	return unicode.Is(unicode.Zs, r) && r != ' '
}
