package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// pieces cuts a text and parses each piece; items are unpacked from their list.
func pieces(text string, cutFrom int) (out []string, err error) {
	s := newSplitter(strings.NewReader(text), func(p piece) error {
		var v any
		if err := yaml.Unmarshal(p.text, &v); err != nil {
			return err
		}
		if p.item {
			l := hosted.List(v)
			if len(l) != 1 {
				return fmt.Errorf("a piece with %d items", len(l))
			}
			v = l[0]
		}
		out = append(out, fmt.Sprintf("%d %s", p.line, hosted.Canonical(v)))
		return nil
	})
	s.cutFrom = cutFrom
	return out, s.run()
}

func TestPiecesKnowTheirLines(t *testing.T) {
	text := "a: 1\n--- # second\nb: 2\n...\n---\napiVersion: v1\nitems: \n# first\n\n- x: 1\n  text: |\n    - 2\n\n    kind\n-\n  z: 3\nkind: List\nmetadata: {}\n--- {c: 3}\n"
	got, err := pieces(text, 10)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`1 {"a":1}`, `2 {"b":2}`, `10 {"text":"- 2\n\nkind\n","x":1}`, `15 {"z":3}`, `19 {"c":3}`}
	if fmt.Sprint(clean(got)) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(clean(got), "\n"), strings.Join(want, "\n"))
	}
}

// clean leaves out empty documents.
func clean(in []string) (out []string) {
	for _, s := range in {
		if !strings.HasSuffix(s, " null") {
			out = append(out, s)
		}
	}
	return out
}

// FuzzCut: a list of anything, written as kubectl writes YAML, is cut into exactly
// its items, with dashes in any column.
func FuzzCut(f *testing.F) {
	f.Add(`[{"a":"x\n- y\n---\n"},{"b":["- 1",{"c":"# no"}]}]`, 0)
	f.Add(`[{"kind":"Pod","items":[{"x":null}]},{"k":"a: b\n\n  c\n"}]`, 2)
	f.Fuzz(func(t *testing.T, text string, shift int) {
		v, err := hosted.Decode([]byte(text))
		items := hosted.List(v)
		if err != nil || len(items) == 0 || shift < 0 || shift > 9 || !json.Valid([]byte(text)) {
			return
		}
		var want []string
		for _, item := range items {
			if m := hosted.Map(item); len(m) == 0 {
				return // not an object
			}
			want = append(want, hosted.Canonical(item))
		}
		body, err := yaml.Marshal(items)
		if err != nil {
			return
		}
		indented := strings.TrimSuffix(strings.ReplaceAll("\n"+string(body), "\n", "\n"+strings.Repeat(" ", shift)), strings.Repeat(" ", shift))
		doc := "apiVersion: v1\nitems:" + indented + "kind: List\n"
		got, err := pieces(doc, len("apiVersion: v1\nitems:\n"))
		if err != nil {
			t.Fatalf("%v in\n%s", err, doc)
		}
		for i := range got {
			_, got[i], _ = strings.Cut(got[i], " ")
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("got\n%s\nwant\n%s\nfrom\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), doc)
		}
	})
}

// FuzzGlance: when the lines of an object as kubectl writes it are sure about its
// kind, they are right.
func FuzzGlance(f *testing.F) {
	f.Add(`{"apiVersion":"v1","kind":"Pod","spec":{"kind":"x"},"data":"kind: y\napiVersion: z\n"}`, true)
	f.Fuzz(func(t *testing.T, text string, item bool) {
		v, err := hosted.Decode([]byte(text))
		m := hosted.Map(v)
		if err != nil || len(m) == 0 {
			return
		}
		var body []byte
		if item {
			body, err = yaml.Marshal([]any{m})
		} else {
			body, err = yaml.Marshal(m)
		}
		if err != nil {
			return
		}
		apiVersion, kind, ok := piece{text: body, item: item}.glance()
		if ok && (m["apiVersion"] != any(apiVersion) && fmt.Sprint(m["apiVersion"]) != apiVersion || fmt.Sprint(m["kind"]) != kind) {
			t.Fatalf("glance says %s %s of\n%s", apiVersion, kind, body)
		}
	})
}

func TestGlanceAtWhatKubectlWrites(t *testing.T) {
	for text, want := range map[string]bool{
		"apiVersion: v1\nkind: Pod\n":                   true,
		"kind: Pod\nspec:\n  kind: x\napiVersion: v1\n": true,
		"apiVersion: v1\nkind: PodList\nitems: []\n":    false,
		"apiVersion: v1\n":                              false,
		"apiVersion: \"v1\"\nkind: Pod\n":               false,
		"apiVersion: v1\nkind: Pod\nkind: Cluster\n":    false,
		"{apiVersion: v1, kind: Pod}\n":                 false,
		"# note\napiVersion: v1\r\nkind: Pod\r\n":       true,
		"apiVersion: v1\nkind: &a Pod\n":                false,
	} {
		if _, kind, ok := (piece{text: []byte(text)}).glance(); ok != want || ok && kind != "Pod" {
			t.Errorf("%q: %q, %t", text, kind, ok)
		}
	}
}
