package manifest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// cutFrom is the size in bytes from which a document is cut into the items of
	// its list, instead of being parsed as a whole.
	cutFrom = 1 << 20
	// largestPiece is the largest document or item that is parsed. Parsing takes
	// about twenty times its size in memory.
	largestPiece = 16 << 20
)

// piece is a YAML document, or an item of a list with the dash before it.
type piece struct {
	text []byte
	// line is where it starts in the file, from 1.
	line int
	item bool
}

// splitter cuts a stream of YAML into pieces, by lines and without parsing. A
// document ends at a line that starts with three dashes or dots: those may occur
// nowhere else. An item of a large list ends at the next dash in the same column:
// everything that belongs to an item, block texts included, stands further right.
type splitter struct {
	r    *bufio.Reader
	emit func(piece) error

	// cutFrom is where to start cutting, the constant but for tests.
	cutFrom int
	number  int
	long    []byte

	mode  int
	piece piece
	// dash is the column of the items' dashes.
	dash int
}

const (
	whole = iota // collecting a document
	items        // collecting an item of a large list
	tail         // passing over what follows the items
)

func newSplitter(in io.Reader, emit func(piece) error) *splitter {
	return &splitter{r: bufio.NewReaderSize(in, 1<<16), emit: emit, cutFrom: cutFrom, piece: piece{line: 1}}
}

func (s *splitter) run() error {
	for {
		line, err := s.next()
		if errors.Is(err, io.EOF) {
			return s.end()
		}
		if err != nil {
			return err
		}
		if rest, ok := separator(line); ok {
			if err := s.end(); err != nil {
				return err
			}
			s.piece.line = s.number
			line = rest
		}
		if err := s.line(line); err != nil {
			return err
		}
	}
}

// next returns the next line with its end.
func (s *splitter) next() ([]byte, error) {
	s.long = s.long[:0]
	for {
		part, err := s.r.ReadSlice('\n')
		switch {
		case err == nil || errors.Is(err, io.EOF) && len(part)+len(s.long) > 0:
			s.number++
			if len(s.long) == 0 {
				return part, nil
			}
			s.long = append(s.long, part...)
			return s.long, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
		s.long = append(s.long, part...)
		if len(s.long) > largestPiece {
			return nil, s.tooLarge("a line")
		}
	}
}

func (s *splitter) tooLarge(what string) error {
	return &Error{
		Kind: TooLarge, Line: s.piece.line,
		What: fmt.Sprintf("%s is larger than %d MB", what, largestPiece>>20),
		Fix:  "give it as JSON, which is read item by item",
	}
}

// separator tells whether a line ends a document, and returns what follows on the
// line.
func separator(line []byte) (rest []byte, ok bool) {
	if !bytes.HasPrefix(line, []byte("---")) && !bytes.HasPrefix(line, []byte("...")) {
		return nil, false
	}
	rest = line[3:]
	if len(rest) > 0 && !strings.ContainsRune(" \t\r\n", rune(rest[0])) {
		return nil, false
	}
	return bytes.TrimLeft(rest, " \t"), true
}

// end ends a document.
func (s *splitter) end() error {
	err := s.flush()
	s.mode = whole
	s.piece = piece{text: s.piece.text[:0], line: s.number + 1}
	return err
}

// flush hands out what was collected.
func (s *splitter) flush() error {
	if len(s.piece.text) == 0 {
		return nil
	}
	err := s.emit(s.piece)
	s.piece.text = s.piece.text[:0]
	return err
}

func (s *splitter) line(line []byte) error {
	if s.mode == tail {
		return nil
	}
	if s.mode == items {
		return s.itemLine(line)
	}
	s.piece.text = append(s.piece.text, line...)
	if len(s.piece.text) > largestPiece {
		return s.tooLarge("a document that is no list")
	}
	// Looked at again each time it has doubled.
	if n := len(s.piece.text); n > s.cutFrom && n-len(line) <= s.milestone(n) {
		return s.cut()
	}
	return nil
}

// milestone is the largest power of two times cutFrom below n.
func (s *splitter) milestone(n int) int {
	size := s.cutFrom
	for size*2 < n {
		size *= 2
	}
	return size
}

// cut turns to items if the document so far is the start of a list.
func (s *splitter) cut() error {
	offset, line, dash, ok := findItems(s.piece.text)
	if !ok {
		return nil
	}
	start := bytes.Clone(s.piece.text[offset:])
	s.mode, s.dash = items, dash
	s.piece = piece{text: s.piece.text[:0], line: s.piece.line + line, item: true}
	after := s.number
	s.number = s.piece.line - 1
	for l := range bytes.Lines(start) {
		s.number++
		if err := s.line(l); err != nil {
			return err
		}
	}
	s.number = after
	return nil
}

// findItems finds a top-level "items:" with a list below it: where the list starts
// and the column of its dashes.
func findItems(text []byte) (offset, line, dash int, ok bool) {
	found := false
	for l := range bytes.Lines(text) {
		body := bytes.TrimRight(l, " \t\r\n")
		switch first := bytes.TrimLeft(body, " "); {
		case !found:
			found = string(body) == "items:"
			offset += len(l)
			line++
		case len(first) == 0 || first[0] == '#':
		default:
			return offset, line, len(body) - len(first), first[0] == '-' && (len(first) == 1 || first[1] == ' ')
		}
	}
	return 0, 0, 0, false
}

// itemLine collects a line of a list of items.
func (s *splitter) itemLine(line []byte) error {
	body := bytes.TrimLeft(line, " ")
	column := len(line) - len(body)
	blank := len(bytes.TrimSpace(body)) == 0 || body[0] == '#'
	if blank && len(s.piece.text) == 0 {
		return nil
	}
	if !blank && column <= s.dash {
		if err := s.flush(); err != nil {
			return err
		}
		if column != s.dash || body[0] != '-' || len(body) > 1 && !strings.ContainsRune(" \r\n", rune(body[1])) {
			s.mode = tail
			return nil
		}
		s.piece.line = s.number
	}
	if len(s.piece.text)+len(line) > largestPiece {
		return s.tooLarge("an object")
	}
	s.piece.text = append(s.piece.text, line...)
	return nil
}
