package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
)

func tableOf(rows ...[]cell) string {
	t := Table{Columns: []Column{{Name: "NAME"}, {Name: "MORE", Wide: true}, {Name: "STATE"}}}
	for _, r := range rows {
		t.Add(r...)
	}
	var b bytes.Buffer
	if err := t.Write(&b, false, true); err != nil {
		return err.Error()
	}
	return b.String()
}

func TestTableAlignsWideCharacters(t *testing.T) {
	for _, name := range []string{"データ基盤", "🚀", "👩\u200d🚀 crew", "e\u0301", "plain", "\x1b[31mred", ""} {
		out := tableOf([]cell{Plain("a-rather-long-name"), Plain("x"), Plain("S")}, []cell{Plain(name), Plain("x"), Plain("S")})
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		want := len("a-rather-long-name") + 3
		for _, l := range lines[1:] {
			if got := ansi.StringWidth(strings.TrimSuffix(l, "S")); got != want {
				t.Errorf("%q: the second column starts at %d, want %d\n%s", name, got, want, out)
			}
		}
		if strings.Contains(out, "MORE") {
			t.Error("a wide column is shown without being asked for")
		}
	}
}

// TestTableColumnsLineUp holds for any text: colour and width do not move columns,
// and a cell never adds a line.
func TestTableColumnsLineUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "rows")
		var rows [][]cell
		for range n {
			first := Plain(rapid.String().Draw(t, "text"))
			if rapid.Bool().Draw(t, "painted") {
				first.paint = Palette{On: true}.Bad
			}
			rows = append(rows, []cell{first, Plain(""), Plain("|")})
		}
		out := tableOf(rows...)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if len(lines) != n+1 {
			t.Fatalf("%d lines for %d rows: %q", len(lines), n, out)
		}
		at := -1
		for _, l := range lines[1:] {
			w := ansi.StringWidth(strings.TrimSuffix(l, "|"))
			if at >= 0 && w != at {
				t.Fatalf("columns start at %d and %d:\n%q", at, w, out)
			}
			at = w
		}
	})
}

func TestPaletteRule(t *testing.T) {
	cases := []struct {
		mode     ColorMode
		terminal bool
		env      map[string]string
		want     bool
	}{
		{"auto", true, nil, true},
		{"auto", true, map[string]string{"TERM": "xterm"}, true},
		{"auto", false, nil, false},
		{"auto", true, map[string]string{"NO_COLOR": "1"}, false},
		{"auto", true, map[string]string{"NO_COLOR": ""}, false},
		{"auto", true, map[string]string{"TERM": "dumb"}, false},
		{"always", false, map[string]string{"NO_COLOR": "1", "TERM": "dumb"}, true},
		{"never", true, nil, false},
	}
	for _, c := range cases {
		got := c.mode.Palette(c.terminal, func(k string) (string, bool) { v, ok := c.env[k]; return v, ok })
		if got.On != c.want {
			t.Errorf("%s on terminal=%v with %v: got %v", c.mode, c.terminal, c.env, got.On)
		}
	}
	var m ColorMode
	if err := m.Set("purple"); err == nil || m != "" {
		t.Errorf("purple was taken: %v", m)
	}
	if off := (Palette{}).Bad("x"); off != "x" {
		t.Errorf("colour without being on: %q", off)
	}
}

func TestValueStates(t *testing.T) {
	cases := []struct {
		cell       fielddiff.Cell
		key        string
		json, text string
	}{
		{fielddiff.Cell{State: fielddiff.Absent}, "k", `{"state":"absent"}`, "-"},
		{fielddiff.Cell{State: fielddiff.Null}, "k", `{"state":"null"}`, "null"},
		{fielddiff.Cell{}, "k", `{"state":"not-read"}`, "not read"},
		{fielddiff.Cell{State: fielddiff.Present, Value: false}, "k", `{"state":"value","value":false}`, "false"},
		{fielddiff.Cell{State: fielddiff.Present, Value: ""}, "k", `{"state":"value","value":""}`, `""`},
		{fielddiff.Cell{State: fielddiff.Present, Value: "x"}, "password", `{"state":"value","value":"***"}`, `"***"`},
		{fielddiff.Cell{State: fielddiff.Present, Value: []any{}}, "k", `{"state":"value","value":[]}`, "[]"},
	}
	for _, c := range cases {
		v := valueOf(c.cell, c.key)
		text, err := json.Marshal(v)
		if err != nil || string(text) != c.json {
			t.Errorf("got %s, want %s (%v)", text, c.json, err)
		}
		if got := v.text(0).String(); got != c.text {
			t.Errorf("%s: got %q, want %q", c.json, got, c.text)
		}
	}
}

// TestValueStatesAreDistinct: a value, null, nothing and "nobody looked" never
// look alike, and only a value carries one.
func TestValueStatesAreDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		present, err := json.Marshal(valueOf(fielddiff.Cell{State: fielddiff.Present, Value: genValue(t, 2)}, ""))
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(present, &m); err != nil || m["state"] != "value" {
			t.Fatalf("%s: %v", present, err)
		}
		if _, ok := m["value"]; !ok {
			t.Fatalf("%s lacks its value", present)
		}
	})
	seen := map[string]bool{}
	for _, c := range []fielddiff.Cell{{}, {State: fielddiff.Absent}, {State: fielddiff.Null}, {State: fielddiff.Present}} {
		seen[valueOf(c, "").State] = true
	}
	if len(seen) != 4 {
		t.Errorf("states %v, want four", seen)
	}
}

func TestLongValuesAreSummedUp(t *testing.T) {
	long := strings.Repeat("x", 100)
	for want, v := range map[string]any{"{2 keys}": map[string]any{"a": long, "b": long}, "[3 items]": []any{long, long, long}} {
		if got := shortValue(v, 40).String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := shortValue(long, 40); got.Width() > 40 {
		t.Errorf("%d cells, want 40 at most", got.Width())
	}
}

func TestWorse(t *testing.T) {
	order := []int{ExitClean, ExitDifferences, ExitPartial, ExitRefused, ExitError, ExitTimeout, ExitInterrupted}
	for i, a := range order {
		for j, b := range order {
			if got, want := Worse(a, b), order[max(i, j)]; got != want {
				t.Errorf("Worse(%d, %d) = %d, want %d", a, b, got, want)
			}
		}
	}
	if len(order) != len(Exits()) {
		t.Errorf("%d codes are ranked, the table has %d", len(order), len(Exits()))
	}
}

func TestCodeOf(t *testing.T) {
	status := &StatusError{Code: ExitPartial}
	for want, err := range map[int]error{
		ExitClean: nil, ExitError: errors.New("x"), ExitPartial: fmt.Errorf("wrapped: %w", status),
	} {
		if got := CodeOf(err); got != want {
			t.Errorf("CodeOf(%v) = %d, want %d", err, got, want)
		}
	}
	if got := status.Error(); got != "partial" {
		t.Errorf("got %q", got)
	}
	if got := (&StatusError{Code: 99}).Error(); got != "exit code 99" {
		t.Errorf("got %q", got)
	}
}

func TestExitMarkdownHasEveryCode(t *testing.T) {
	page := ExitMarkdown()
	for _, e := range Exits() {
		if !strings.Contains(page, fmt.Sprintf("| %d | %s | %s |\n", e.Code, e.Name, e.Meaning)) {
			t.Errorf("code %d is missing", e.Code)
		}
	}
}
