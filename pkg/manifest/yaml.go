package manifest

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/rawjson"
)

// yaml reads YAML documents one after another.
func (c *collector) yaml(in io.Reader) error {
	q := &queue{take: c.converted, limit: 2 * runtime.GOMAXPROCS(0)}
	err := newSplitter(in, func(p piece) error { return c.piece(q, p) }).run()
	if err == nil {
		err = q.finish(0)
	}
	q.abandon()
	var own *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		if own.File == "" {
			own.File = c.input
		}
		return own
	}
	return c.ioError(err)
}

// piece queues a document, or the item of a list, unless its kind can be seen not
// to be wanted.
func (c *collector) piece(q *queue, p piece) error {
	if apiVersion, kind, ok := p.glance(); ok {
		if _, ok := want(apiVersion, kind); !ok {
			c.ignore(apiVersion, kind)
			return nil
		}
	}
	if len(bytes.TrimSpace(p.text)) == 0 {
		return nil
	}
	return q.add(p)
}

// converted takes a piece that has become JSON.
func (c *collector) converted(v conversion) error {
	if v.err != nil {
		return c.yamlError(v.piece, v.err)
	}
	return c.document(rawjson.NewReader(bytes.NewReader(v.json), 0), 0)
}

var lineNumber = regexp.MustCompile(`^line (\d+): `)

// yamlError puts the parser's complaint in one line with the place in the file.
func (c *collector) yamlError(p piece, err error) error {
	text := strings.TrimPrefix(oneLine(err), "error converting YAML to JSON: ")
	text = strings.TrimPrefix(text, "yaml: ")
	e := &Error{Kind: Syntax, File: c.input, Line: p.line, Cause: err, Fix: "check that the file is complete"}
	if m := lineNumber.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		e.Line, text = p.line+n-1, text[len(m[0]):]
	}
	e.What = "not valid YAML: " + text
	switch {
	case strings.Contains(text, "excessive aliasing"):
		e.Kind = TooLarge
		e.What = "its YAML aliases expand beyond measure"
		e.Fix = "give it without anchors and aliases, for example as JSON"
	case strings.Contains(text, "exceeded max depth"):
		e.Kind = TooLarge
		e.What, e.Fix = "it is nested too deeply", "no Kubernetes object is"
	case p.item && strings.Contains(text, "unknown anchor"):
		e.Fix = "a list of this size is read item by item, so anchors cannot reach across; give it as JSON"
	}
	return e
}

func (e *Error) where() string {
	if e.Line > 0 {
		return e.File + ":" + strconv.Itoa(e.Line)
	}
	return e.File
}
