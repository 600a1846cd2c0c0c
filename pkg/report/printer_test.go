package report

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// note is a small document.
type note struct {
	header
	Items []string `json:"items"`
}

func (n note) Text(w io.Writer, o TextOptions) error {
	_, err := io.WriteString(w, termsafe.Line(strings.Join(n.Items, " ")).String()+"\n")
	return err
}
func (n note) Names() []string { return n.Items }
func (n note) Lines() []any {
	var out []any
	for _, i := range n.Items {
		out = append(out, map[string]any{"item": i})
	}
	return out
}

func printed(t interface{ Fatal(...any) }, format string, width int, items ...string) string {
	p, err := NewPrinter(format, TextOptions{Width: width, Terminal: width > 0})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Write(&b, note{kind("Note"), items}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPrinterFormats(t *testing.T) {
	for format, want := range map[string]string{
		"":                                "a b\n",
		"table":                           "a b\n",
		"wide":                            "a b\n",
		"json":                            "{\n    \"apiVersion\": \"" + APIVersion + "\",\n    \"kind\": \"Note\",\n    \"items\": [\n        \"a\",\n        \"b\"\n    ]\n}\n",
		"yaml":                            "apiVersion: " + APIVersion + "\nitems:\n- a\n- b\nkind: Note\n",
		"jsonl":                           "{\"item\":\"a\"}\n{\"item\":\"b\"}\n",
		"name":                            "cluster.management.cattle.io/a\ncluster.management.cattle.io/b\n",
		"jsonpath={.items[1]}":            "b",
		"jsonpath={.nothing}":             "",
		"go-template={{len .items}}":      "2",
		"go-template={{.kind}}={{.kind}}": "Note=Note",
	} {
		if got := printed(t, format, 0, "a", "b"); got != want {
			t.Errorf("-o %s: got %q, want %q", format, got, want)
		}
	}
}

func TestPrinterRefuses(t *testing.T) {
	for format, want := range map[string]string{
		"xml": "unknown output format", "JSON": "unknown output format", "json=": "takes no template", "table=x": "takes no template",
		"jsonpath": "needs a template", "jsonpath=": "needs a template", "go-template": "needs a template",
		"jsonpath={": "jsonpath: ", "go-template={{": "go-template: ",
	} {
		if _, err := NewPrinter(format, TextOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("-o %s: got %v, want %q", format, err, want)
		}
	}
	for _, f := range Formats() {
		if strings.HasSuffix(f, "=") {
			f += "{}"
		}
		if _, err := NewPrinter(f, TextOptions{}); err != nil && f != "jsonpath={}" {
			t.Errorf("-o %s is offered and refused: %v", f, err)
		}
	}
}

func TestForPeople(t *testing.T) {
	for format, want := range map[string]bool{"": true, "table": true, "wide": true, "json": false, "name": false, "jsonpath={.a}": false} {
		p, err := NewPrinter(format, TextOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if p.ForPeople() != want {
			t.Errorf("-o %s: got %v", format, !want)
		}
	}
}

func TestTemplatesAreMadeSafeOnATerminal(t *testing.T) {
	const bad = "a\x1b[31m\u202eb"
	for _, format := range []string{"jsonpath={.items[0]}", "go-template={{index .items 0}}"} {
		if got := printed(t, format, 80, bad); strings.ContainsAny(got, "\x1b\u202e") {
			t.Errorf("-o %s on a terminal: %q", format, got)
		}
		if got := printed(t, format, 0, bad); got != bad {
			t.Errorf("-o %s into a file: %q, want the value itself", format, got)
		}
	}
}

func TestHiddenCharactersAreEscaped(t *testing.T) {
	const bad = "x\x1b]0;t\x07\u202e\u200b\u2066\u0085\ufeff\U000e0041\x7fy"
	for _, format := range []string{"json", "jsonl", "yaml", "name", "table"} {
		got := printed(t, format, 0, bad)
		if i := strings.IndexFunc(got, func(r rune) bool { return r != '\n' && (r < ' ' || hiddenRune(r)) }); i >= 0 {
			t.Errorf("-o %s holds %q", format, got[i:])
		}
	}
	// letters, emoji with their joiners and what looks odd but is visible stay
	const good = "データ基盤 🚀 👩\u200d🚀 é ß"
	for _, format := range []string{"json", "jsonl"} {
		if got := printed(t, format, 0, good); !strings.Contains(got, good) {
			t.Errorf("-o %s: %q", format, got)
		}
	}
}

// TestEscapingKeepsTheValue: whatever a string holds, machines read it back.
func TestEscapingKeepsTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.ToValidUTF8(rapid.String().Draw(t, "s"), "")
		want := note{kind("Note"), []string{s}}
		var got note
		if err := json.Unmarshal([]byte(printed(t, "json", 0, s)), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("JSON: got %q, want %q (%v)", got.Items, s, err)
		}
		got = note{}
		if err := yaml.Unmarshal([]byte(printed(t, "yaml", 0, s)), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("YAML: got %q, want %q (%v)", got.Items, s, err)
		}
	})
}
