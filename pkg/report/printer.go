package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf16"

	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// APIVersion is the version of every document.
const APIVersion = "hostedsync.io/v1alpha1"

// Document is what a verb has to say.
type Document interface {
	// Text writes it for people.
	Text(w io.Writer, o TextOptions) error
	// Names lists the names of what it is about, for -o name.
	Names() []string
	// Lines are the parts that stand alone in JSON lines.
	Lines() []any
}

// TextOptions say how text is written.
type TextOptions struct {
	Palette Palette
	Wide    bool
	Headers bool
	// Terminal tells whether a terminal reads it; Width is its width in cells, 0 if
	// unknown.
	Terminal bool
	Width    int
	// All shows what is equal too.
	All bool
}

// Formats lists the output formats for help and completion.
func Formats() []string {
	return []string{"table", "wide", "json", "yaml", "jsonl", "name", "jsonpath=", "go-template="}
}

// Printer writes documents in one format.
type Printer struct {
	format   string
	template string
	options  TextOptions
}

// NewPrinter reads the value of -o; "" means text.
func NewPrinter(output string, o TextOptions) (*Printer, error) {
	format, tmpl, has := strings.Cut(output, "=")
	p := &Printer{format: format, template: tmpl, options: o}
	switch format {
	case "", "table", "json", "yaml", "jsonl", "name", "wide":
		if has {
			return nil, fmt.Errorf("-o %s takes no template", format)
		}
		p.options.Wide = o.Wide || format == "wide"
	case "jsonpath", "go-template":
		if !has || tmpl == "" {
			return nil, fmt.Errorf("-o %s needs a template: -o %s=…", format, format)
		}
		return p, p.check()
	default:
		return nil, fmt.Errorf("unknown output format %q: use one of %s", output, strings.Join(Formats(), ", "))
	}
	return p, nil
}

// Plain is the printer for people, whatever the format asked for.
func (p *Printer) Plain() *Printer { return &Printer{options: p.options} }

// ForPeople tells whether the format is text.
func (p *Printer) ForPeople() bool {
	return p.format == "" || p.format == "table" || p.format == "wide"
}

// check parses the template, so that a mistake is found before anything is read.
func (p *Printer) check() error {
	if p.format == "jsonpath" {
		if err := jsonpath.New("output").Parse(p.template); err != nil {
			return fmt.Errorf("jsonpath: %w", err)
		}
		return nil
	}
	if _, err := template.New("output").Parse(p.template); err != nil {
		return fmt.Errorf("go-template: %w", err)
	}
	return nil
}

// Write writes a document.
func (p *Printer) Write(w io.Writer, d Document) error {
	switch p.format {
	case "json":
		return writeJSON(w, d, "    ")
	case "yaml":
		return writeYAML(w, d)
	case "jsonl":
		for _, l := range d.Lines() {
			if err := writeJSON(w, l, ""); err != nil {
				return err
			}
		}
		return nil
	case "name":
		for _, n := range d.Names() {
			if _, err := fmt.Fprintln(w, "cluster.management.cattle.io/"+Plain(n).text.String()); err != nil {
				return err
			}
		}
		return nil
	case "jsonpath", "go-template":
		return p.execute(w, d)
	}
	return d.Text(w, p.options)
}

func (p *Printer) execute(w io.Writer, d Document) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	v, err := hosted.Decode(text)
	if err != nil {
		return err
	}
	if p.options.Terminal {
		var b bytes.Buffer
		defer func() { _, _ = io.WriteString(w, termsafe.Block(b.String()).String()) }()
		return p.expand(&b, v)
	}
	return p.expand(w, v)
}

func (p *Printer) expand(w io.Writer, v any) error {
	if p.format == "go-template" {
		t, err := template.New("output").Parse(p.template)
		if err != nil {
			return fmt.Errorf("go-template: %w", err)
		}
		return t.Execute(w, v)
	}
	j := jsonpath.New("output").AllowMissingKeys(true)
	if err := j.Parse(p.template); err != nil {
		return fmt.Errorf("jsonpath: %w", err)
	}
	return j.Execute(w, v)
}

func writeJSON(w io.Writer, v any, indent string) error {
	text, err := marshal(v, indent)
	if err != nil {
		return err
	}
	_, err = w.Write(escapeHidden(text, jsonEscape))
	return err
}

func marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// writeYAML writes YAML. A document with characters that a terminal might obey
// is written in YAML's JSON style, which can escape them.
func writeYAML(w io.Writer, v any) error {
	text, err := marshal(v, "  ")
	if err != nil {
		return err
	}
	if hasHidden(text) {
		_, err = w.Write(escapeHidden(text, yamlEscape))
		return err
	}
	out, err := yaml.JSONToYAML(text)
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

func hiddenRune(r rune) bool {
	return r > 0x7e && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) && r != 0x200d)
}

func hasHidden(text []byte) bool { return bytes.ContainsFunc(text, hiddenRune) }

// jsonEscape is a character's escape in JSON, which knows 16 bits.
func jsonEscape(r rune) string {
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// yamlEscape is a character's escape in YAML, which refuses JSON's pairs.
func yamlEscape(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// escapeHidden escapes invisible and direction-changing characters. They can only
// stand inside strings.
func escapeHidden(text []byte, escape func(rune) string) []byte {
	if !hasHidden(text) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if hiddenRune(r) {
			b.WriteString(escape(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}
