package manifest

import (
	"bytes"
	"strings"
)

// glance reads apiVersion and kind of an object off its lines, without parsing.
// It is sure of itself only in the plain block style that kubectl writes: both
// keys once, in the column of the object's first key, with plain values. Lists are
// left to the parser.
func (p piece) glance() (apiVersion, kind string, ok bool) {
	column, versions, kinds := -1, 0, 0
	for l := range bytes.Lines(p.text) {
		body := bytes.TrimLeft(l, " ")
		at := len(l) - len(body)
		if len(bytes.TrimSpace(body)) == 0 || body[0] == '#' {
			continue
		}
		if column < 0 {
			if p.item {
				if body[0] != '-' {
					return "", "", false
				}
				rest := bytes.TrimLeft(body[1:], " ")
				at += len(body) - len(rest)
				body = rest
			}
			column = at
		}
		if at != column {
			continue
		}
		if v, found := plainValue(body, "apiVersion"); found {
			apiVersion, versions = v, versions+1
		}
		if v, found := plainValue(body, "kind"); found {
			kind, kinds = v, kinds+1
		}
	}
	sure := versions == 1 && kinds == 1 && apiVersion != "" && kind != "" && !strings.HasSuffix(kind, "List")
	return apiVersion, kind, sure
}

// plainValue returns the value after a key, "" if it is not plain, and whether the
// line has that key.
func plainValue(line []byte, key string) (value string, found bool) {
	rest, found := bytes.CutPrefix(line, []byte(key+":"))
	if !found {
		return "", false
	}
	v := string(bytes.TrimSpace(rest))
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("./-", r)
	}
	if strings.IndexFunc(v, func(r rune) bool { return !plain(r) }) >= 0 {
		return "", true
	}
	return v, true
}
