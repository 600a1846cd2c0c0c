package rawjson

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// DefaultMaxItem is the size in bytes of the largest item that a Reader accepts
// by default. An API server stores no object larger than a few megabytes.
const DefaultMaxItem = 64 << 20

// ErrSyntax is in the chain of every error about text that is not JSON.
var ErrSyntax = errors.New("not valid JSON")

// ErrTooLarge is returned for an item larger than the Reader accepts.
var ErrTooLarge = errors.New("a single object is too large")

// Reader takes a stream of JSON apart: values one after another, and the items of
// a Kubernetes list one by one. It holds one item at a time.
type Reader struct {
	r    *bufio.Reader
	max  int
	buf  []byte
	off  int64
	head []byte
}

// NewReader reads from r and accepts items of up to max bytes, by default
// (0) DefaultMaxItem.
func NewReader(r io.Reader, max int) *Reader {
	if max <= 0 {
		max = DefaultMaxItem
	}
	return &Reader{r: bufio.NewReaderSize(r, 1<<16), max: max}
}

// Rest is the stream from here on, for a caller that reads the rest otherwise.
func (r *Reader) Rest() io.Reader { return r.r }

// Offset is how many bytes have been read.
func (r *Reader) Offset() int64 { return r.off }

func (r *Reader) errorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s at offset %d", ErrSyntax, fmt.Sprintf(format, args...), r.off)
}

// Peek skips white space and returns the next byte without taking it. It returns
// io.EOF at the end of the stream.
func (r *Reader) Peek() (byte, error) {
	for {
		b, err := r.r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch b {
		case ' ', '\t', '\r', '\n':
			r.off++
			continue
		}
		return b, r.r.UnreadByte()
	}
}

func (r *Reader) take() {
	_, _ = r.r.ReadByte() // the byte that was peeked
	r.off++
}

func (r *Reader) mustPeek() (byte, error) {
	b, err := r.Peek()
	if errors.Is(err, io.EOF) {
		return 0, r.errorf("unexpected end")
	}
	return b, err
}

// expect takes one of the given bytes.
func (r *Reader) expect(any string) (byte, error) {
	b, err := r.mustPeek()
	if err != nil {
		return 0, err
	}
	for i := range len(any) {
		if any[i] == b {
			r.take()
			return b, nil
		}
	}
	return 0, r.errorf("unexpected %q", b)
}

// List reads one value. If it is an object with a list under "items", or itself a
// list, each gets every item, valid until each returns. An error of each ends the
// reading. The returned head is the object without its items, nil for a list;
// isList tells whether there were items. Any other value is returned as head.
func (r *Reader) List(each func(item []byte) error) (head []byte, isList bool, err error) {
	b, err := r.mustPeek()
	if err != nil {
		return nil, false, err
	}
	switch b {
	case '[':
		return nil, true, r.items(each)
	case '{':
	default:
		err = r.value()
		return r.buf, false, err
	}
	r.take()
	r.head = append(r.head[:0], '{')
	if b, err = r.mustPeek(); err != nil {
		return nil, false, err
	}
	if b == '}' {
		r.take()
		return append(r.head, '}'), false, nil
	}
	for {
		found, err := r.headMember(each)
		if err != nil {
			return nil, false, err
		}
		isList = isList || found
		b, err := r.expect(",}")
		if err != nil {
			return nil, false, err
		}
		if b == '}' {
			r.head = append(r.head, '}')
			return r.head, isList, nil
		}
	}
}

// headMember reads one key and its value into the head, or the items.
func (r *Reader) headMember(each func(item []byte) error) (items bool, err error) {
	if b, err := r.mustPeek(); err != nil || b != '"' {
		return false, orUnexpected(err, r, b)
	}
	if err := r.value(); err != nil {
		return false, err
	}
	key := string(r.buf)
	if _, err := r.expect(":"); err != nil {
		return false, err
	}
	b, err := r.mustPeek()
	if err != nil {
		return false, err
	}
	if key == `"items"` && b == '[' {
		return true, r.items(each)
	}
	if err := r.value(); err != nil {
		return false, err
	}
	if len(r.head)+len(key)+len(r.buf) > r.max {
		return false, fmt.Errorf("%w: more than %d bytes at offset %d", ErrTooLarge, r.max, r.off)
	}
	if len(r.head) > 1 {
		r.head = append(r.head, ',')
	}
	r.head = append(append(r.head, key...), ':')
	r.head = append(r.head, r.buf...)
	return false, nil
}

func orUnexpected(err error, r *Reader, b byte) error {
	if err != nil {
		return err
	}
	return r.errorf("unexpected %q", b)
}

func (r *Reader) items(each func(item []byte) error) error {
	r.take() // [
	b, err := r.mustPeek()
	if err != nil {
		return err
	}
	if b == ']' {
		r.take()
		return nil
	}
	for {
		if err := r.value(); err != nil {
			return err
		}
		if err := each(r.buf); err != nil {
			return err
		}
		b, err := r.expect(",]")
		if err != nil {
			return err
		}
		if b == ']' {
			return nil
		}
	}
}

// value reads the next value into the buffer, searching only for its end.
func (r *Reader) value() error {
	r.buf = r.buf[:0]
	if _, err := r.mustPeek(); err != nil {
		return err
	}
	var s ending
	for {
		chunk, err := r.chunk()
		if err != nil {
			if errors.Is(err, io.EOF) && s.scalar && len(r.buf) > 0 {
				return nil
			}
			if errors.Is(err, io.EOF) {
				return r.errorf("unexpected end")
			}
			return err
		}
		n, done := s.scan(chunk)
		if len(r.buf)+n > r.max {
			return fmt.Errorf("%w: more than %d bytes at offset %d", ErrTooLarge, r.max, r.off)
		}
		r.buf = append(r.buf, chunk[:n]...)
		_, _ = r.r.Discard(n)
		r.off += int64(n)
		if done {
			if n == 0 && len(r.buf) == 0 {
				return r.errorf("unexpected %q", chunk[0])
			}
			return nil
		}
	}
}

// chunk returns what is buffered, reading more if nothing is.
func (r *Reader) chunk() ([]byte, error) {
	if r.r.Buffered() == 0 {
		if _, err := r.r.Peek(1); err != nil {
			return nil, err
		}
	}
	return r.r.Peek(r.r.Buffered())
}

// ending finds the end of a value that arrives in chunks.
type ending struct {
	depth                          int
	started, text, escaped, scalar bool
}

// scan returns how many bytes of the chunk belong to the value and whether it
// ends there.
func (s *ending) scan(chunk []byte) (n int, done bool) {
	for i, c := range chunk {
		switch {
		case s.escaped:
			s.escaped = false
		case s.text:
			switch c {
			case '\\':
				s.escaped = true
			case '"':
				s.text = false
				if s.depth == 0 {
					return i + 1, true
				}
			}
		case s.scalar:
			if !scalarByte(c) {
				return i, true
			}
		case c == '"':
			s.text = true
		case c == '{' || c == '[':
			s.depth++
		case c == '}' || c == ']':
			s.depth--
			if s.depth < 0 {
				return i, true
			}
			if s.depth == 0 {
				return i + 1, true
			}
		case !s.started:
			s.scalar = true
			if !scalarByte(c) {
				return i, true
			}
		}
		s.started = true
	}
	return len(chunk), false
}

// scalarByte tells whether c may be part of a number or a literal.
func scalarByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'
}
