package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rawjson"
)

// deepestList is how deep lists may lie in lists.
const deepestList = 8

// json reads JSON documents one after another. What is no JSON any more, such as
// a line of dashes, leads over to YAML, which has JSON in it.
func (c *collector) json(in io.Reader) error {
	r := rawjson.NewReader(in, 0)
	for {
		b, err := r.Peek()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return c.ioError(err)
		case b == '-' || b == '#':
			return c.yaml(r.Rest())
		}
		if err := c.document(r, 0); err != nil {
			return err
		}
	}
}

// document reads one JSON value: an object, or a list of them.
func (c *collector) document(r *rawjson.Reader, depth int) error {
	head, isList, err := r.List(func(item []byte) error { return c.jsonObject(item, depth) })
	if err != nil {
		return c.jsonError(err)
	}
	if isList {
		return nil
	}
	return c.jsonObject(head, depth)
}

// jsonObject takes or counts one object, or takes apart a list inside a list.
func (c *collector) jsonObject(raw []byte, depth int) error {
	if !json.Valid(raw) {
		return c.syntax(fmt.Errorf("%w: %w", rawjson.ErrSyntax, json.Unmarshal(raw, new(any))))
	}
	v, err := c.decoder.Decode(raw, rawjson.Only("apiVersion", "kind").With("items", &rawjson.Filter{Names: true, Each: &rawjson.Filter{Names: true}}))
	if err != nil {
		return c.syntax(err)
	}
	obj, ok := v.(map[string]any)
	switch {
	case v == nil:
		return nil // an empty YAML document
	case !ok:
		c.ignore("", "(not an object)")
		return nil
	}
	if _, nested := obj["items"].([]any); nested {
		if depth >= deepestList {
			return &Error{Kind: TooLarge, File: c.input, What: fmt.Sprintf("lists lie more than %d deep in lists", deepestList)}
		}
		return c.document(rawjson.NewReader(bytes.NewReader(bytes.Clone(raw)), 0), depth+1)
	}
	apiVersion, kind := hosted.Str(obj["apiVersion"]), hosted.Str(obj["kind"])
	w, ok := want(apiVersion, kind)
	if !ok {
		c.ignore(apiVersion, kind)
		return nil
	}
	v, err = c.decoder.Decode(raw, w.filter)
	if err != nil {
		return c.syntax(err)
	}
	c.add(w, hosted.Map(v))
	return nil
}

func (c *collector) syntax(err error) error {
	return &Error{Kind: Syntax, File: c.input, What: oneLine(err), Cause: err, Fix: "check that the file is complete"}
}

func (c *collector) jsonError(err error) error {
	var own *Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, rawjson.ErrTooLarge):
		return &Error{Kind: TooLarge, File: c.input, What: oneLine(err), Cause: err}
	case errors.Is(err, rawjson.ErrSyntax):
		return c.syntax(err)
	}
	return c.ioError(err)
}
