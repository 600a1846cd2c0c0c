package rawjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"math"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how deep values may be nested, the limit of Go's own decoder.
const MaxDepth = 10000

const (
	// maxTexts bounds the table of texts used once, longestText the size of
	// what is put there.
	maxTexts    = 1 << 15
	longestText = 48
	// shortestShared is the size in bytes from which sharing a value is tried.
	shortestShared = 24
)

// Decoder decodes JSON into the generic form of package hosted: nil, bool, int64,
// float64, string, []any and map[string]any, with whole numbers as int64. It
// keeps a table of frequent texts between calls. It is not safe for concurrent
// use; the zero value is ready.
type Decoder struct {
	b     []byte
	i     int
	depth int

	texts  map[string]string
	seed   maphash.Seed
	shared map[uint64]shared

	keys   []string
	values []any
}

type shared struct {
	raw   []byte
	value any
}

// Decode decodes the one value in data, restricted to f. Parts that are not
// wanted are passed over with little checking: use json.Valid first where the
// data is not trusted to be JSON. The result does not refer to data.
func (d *Decoder) Decode(data []byte, f *Filter) (any, error) {
	d.b, d.i, d.depth = data, 0, 0
	d.keys, d.values = d.keys[:0], d.values[:0]
	clear(d.shared)
	defer func() {
		d.b = nil
		clear(d.shared)
	}()
	v, err := d.value(f, f.share())
	if err != nil {
		return nil, err
	}
	d.space()
	if d.i < len(d.b) {
		return nil, d.errorf("text after the value")
	}
	return v, nil
}

func (d *Decoder) errorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s at offset %d", ErrSyntax, fmt.Sprintf(format, args...), d.i)
}

func (d *Decoder) unexpected() error {
	if d.i >= len(d.b) {
		return d.errorf("unexpected end")
	}
	return d.errorf("unexpected %q", d.b[d.i])
}

func (d *Decoder) space() {
	for d.i < len(d.b) {
		switch d.b[d.i] {
		case ' ', '\t', '\r', '\n':
			d.i++
		default:
			return
		}
	}
}

// peek skips space and returns the next byte, 0 at the end.
func (d *Decoder) peek() byte {
	d.space()
	if d.i < len(d.b) {
		return d.b[d.i]
	}
	return 0
}

func (d *Decoder) value(f *Filter, share int) (any, error) {
	switch c := d.peek(); c {
	case '{', '[':
		if share > 0 && f.wantsAll() {
			return d.sharedValue(share)
		}
		return d.composite(c, f, 0)
	case '"':
		return d.text()
	case 't':
		return true, d.literal("true")
	case 'f':
		return false, d.literal("false")
	case 'n':
		return nil, d.literal("null")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return d.number()
		}
		return nil, d.unexpected()
	}
}

func (d *Decoder) composite(c byte, f *Filter, share int) (any, error) {
	if d.depth++; d.depth > MaxDepth {
		return nil, d.errorf("nested deeper than %d", MaxDepth)
	}
	defer func() { d.depth-- }()
	if c == '{' {
		return d.object(f, share)
	}
	return d.list(f, share)
}

// sharedValue returns the value of an equal text decoded before, or decodes it
// and remembers it.
func (d *Decoder) sharedValue(share int) (any, error) {
	start := d.i
	if err := d.skip(); err != nil {
		return nil, err
	}
	end := d.i
	raw := d.b[start:end]
	d.i = start
	if len(raw) < shortestShared {
		return d.composite(raw[0], nil, share-1)
	}
	if d.shared == nil {
		d.shared, d.seed = map[uint64]shared{}, maphash.MakeSeed()
	}
	key := maphash.Bytes(d.seed, raw)
	if hit, ok := d.shared[key]; ok && bytes.Equal(hit.raw, raw) {
		d.i = end
		return hit.value, nil
	}
	v, err := d.composite(raw[0], nil, share-1)
	if err == nil {
		d.shared[key] = shared{raw, v}
	}
	return v, err
}

func (d *Decoder) object(f *Filter, share int) (any, error) {
	d.i++ // {
	from := len(d.keys)
	valuesFrom := len(d.values)
	if d.peek() == '}' {
		d.i++
		return map[string]any{}, nil
	}
	for {
		if d.peek() != '"' {
			return nil, d.unexpected()
		}
		key, err := d.text()
		if err != nil {
			return nil, err
		}
		if d.peek() != ':' {
			return nil, d.unexpected()
		}
		d.i++
		if err := d.member(key, f, share); err != nil {
			return nil, err
		}
		switch d.peek() {
		case ',':
			d.i++
			continue
		case '}':
			d.i++
			m := make(map[string]any, len(d.keys)-from)
			for j, k := range d.keys[from:] {
				m[k] = d.values[valuesFrom+j]
			}
			d.keys = d.keys[:from]
			d.drop(valuesFrom)
			return m, nil
		}
		return nil, d.unexpected()
	}
}

func (d *Decoder) member(key string, f *Filter, share int) error {
	below, wanted := f.key(key)
	if !wanted {
		d.space()
		return d.skip()
	}
	if f != nil && f.Names {
		d.space()
		d.keys, d.values = append(d.keys, key), append(d.values, nil)
		return d.skip()
	}
	v, err := d.value(below, max(share, below.share()))
	if err != nil {
		return err
	}
	d.keys = append(d.keys, key)
	d.values = append(d.values, v)
	return nil
}

func (d *Decoder) list(f *Filter, share int) (any, error) {
	d.i++ // [
	from := len(d.values)
	if d.peek() == ']' {
		d.i++
		return []any{}, nil
	}
	item := f.each()
	for {
		v, err := d.value(item, max(share, item.share()))
		if err != nil {
			return nil, err
		}
		d.values = append(d.values, v)
		switch d.peek() {
		case ',':
			d.i++
			continue
		case ']':
			d.i++
			l := make([]any, len(d.values)-from)
			copy(l, d.values[from:])
			d.drop(from)
			return l, nil
		}
		return nil, d.unexpected()
	}
}

// drop takes values off the stack without keeping what they refer to.
func (d *Decoder) drop(from int) {
	clear(d.values[from:])
	d.values = d.values[:from]
}

func (d *Decoder) literal(want string) error {
	if !bytes.HasPrefix(d.b[d.i:], []byte(want)) {
		return d.unexpected()
	}
	d.i += len(want)
	return nil
}

// text decodes the string that starts here. Short texts are used once.
func (d *Decoder) text() (string, error) {
	start := d.i
	plain, err := d.skipText()
	if err != nil {
		return "", err
	}
	raw := d.b[start+1 : d.i-1]
	if !plain || !utf8.Valid(raw) {
		var s string
		if err := json.Unmarshal(d.b[start:d.i], &s); err != nil {
			return "", fmt.Errorf("%w: string at offset %d: %w", ErrSyntax, start, err)
		}
		return s, nil
	}
	if len(raw) > longestText {
		return string(raw), nil
	}
	if s, ok := d.texts[string(raw)]; ok {
		return s, nil
	}
	s := string(raw)
	if d.texts == nil {
		d.texts = map[string]string{}
	}
	if len(d.texts) >= maxTexts {
		clear(d.texts) // what is frequent comes back
	}
	d.texts[s] = s
	return s, nil
}

// number decodes as storing it in an API server does: a whole number that fits
// is an int64, everything else a float64.
func (d *Decoder) number() (any, error) {
	start := d.i
	if err := d.skipNumber(); err != nil {
		return nil, err
	}
	s := string(d.b[start:d.i])
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: number %s at offset %d is out of range", ErrSyntax, s, start)
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return int64(f), nil
	}
	return f, nil
}
