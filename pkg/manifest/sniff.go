package manifest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// signatures are the first bytes of what people hand in by mistake.
var signatures = []struct{ start, what, fix string }{
	{"\x1f\x8b", "is compressed with gzip", "unpack it first, for example with gunzip"},
	{"PK\x03\x04", "is a zip archive", "unpack it and name the files in it"},
	{"\xfd7zXZ\x00", "is compressed with xz", "unpack it first, for example with unxz"},
	{"\x28\xb5\x2f\xfd", "is compressed with zstd", "unpack it first, for example with unzstd"},
	{"BZh", "is compressed with bzip2", "unpack it first, for example with bunzip2"},
	{"\xff\xfe", "is UTF-16, as PowerShell's > writes it", "save it as UTF-8, for example with: … | Out-File -Encoding utf8"},
	{"\xfe\xff", "is UTF-16", "save it as UTF-8"},
}

const utf8Mark = "\xef\xbb\xbf"

// sniffed is how much of an input is looked at to recognise it.
const sniffed = 512

// stream reads one input, whatever its format.
func (c *collector) stream(in io.Reader) error {
	r := bufio.NewReaderSize(in, 1<<16)
	start, err := r.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) && len(start) == 0 {
		return c.ioError(err)
	}
	if bytes.HasPrefix(start, []byte(utf8Mark)) {
		_, _ = r.Discard(len(utf8Mark))
		start = start[len(utf8Mark):]
	}
	if err := c.recognise(start); err != nil {
		return err
	}
	first, err := firstByte(r)
	switch {
	case errors.Is(err, io.EOF):
		return &Error{Kind: Empty, File: c.input, What: "is empty", Fix: "check how it was written"}
	case err != nil:
		return c.ioError(err)
	case first == '{' || first == '[':
		return c.json(r)
	}
	return c.yaml(r)
}

func (c *collector) recognise(start []byte) error {
	for _, s := range signatures {
		if bytes.HasPrefix(start, []byte(s.start)) {
			return &Error{Kind: Encoding, File: c.input, What: s.what, Fix: s.fix}
		}
	}
	if i := bytes.IndexByte(start, 0); i >= 0 {
		return &Error{Kind: Encoding, File: c.input, What: fmt.Sprintf("is not text (a zero byte at %d)", i),
			Fix: "give it as UTF-8 text in YAML or JSON"}
	}
	return nil
}

// firstByte skips white space and returns the first other byte without taking it.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch b {
		case ' ', '\t', '\r', '\n':
		default:
			return b, r.UnreadByte()
		}
	}
}
