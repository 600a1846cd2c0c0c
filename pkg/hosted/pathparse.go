package hosted

import (
	"fmt"
	"strconv"
	"strings"
)

// ParsePath reads a path's text form. A bare bracket holds an item's identity
// and so does a quoted one; whether it addresses a list item or a map key is
// decided by what lies there, so that both spellings work for maps too.
func ParsePath(s string) (Path, error) {
	if strings.TrimSpace(s) == "" {
		return nil, fmt.Errorf("empty path: write it like tags.team or nodeGroups[workers].desiredSize")
	}
	var p Path
	rest := s
	for rest != "" {
		var err error
		if rest[0] == '[' {
			p, rest, err = bracket(p, rest)
		} else {
			p, rest, err = dotted(p, rest)
		}
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", s, err)
		}
	}
	return p, nil
}

func dotted(p Path, rest string) (Path, string, error) {
	if len(p) > 0 {
		if rest[0] != '.' {
			return nil, "", fmt.Errorf("expected . or [ before %q", rest)
		}
		rest = rest[1:]
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return nil, "", fmt.Errorf("a name is missing before %q", rest)
	}
	if strings.ContainsAny(rest[:end], "]\"") {
		return nil, "", fmt.Errorf("%q needs brackets and quotes: [%q]", rest[:end], rest[:end])
	}
	return p.Key(rest[:end]), rest[end:], nil
}

func bracket(p Path, rest string) (Path, string, error) {
	if strings.HasPrefix(rest, `["`) {
		quoted, err := strconv.QuotedPrefix(rest[1:])
		if err != nil || !strings.HasPrefix(rest[1+len(quoted):], "]") {
			return nil, "", fmt.Errorf(`unfinished quoted name in %q: write ["name"]`, rest)
		}
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, "", err
		}
		return p.Item(name), rest[len(quoted)+2:], nil
	}
	end := strings.IndexByte(rest, ']')
	if end < 0 {
		return nil, "", fmt.Errorf("] is missing in %q", rest)
	}
	if end == 1 {
		return nil, "", fmt.Errorf("[] needs the identity of an item, for example nodeGroups[workers]")
	}
	return p.Item(rest[1:end]), rest[end+1:], nil
}

// Contains tells whether q is p or lies below it.
func (p Path) Contains(q Path) bool {
	if len(q) < len(p) {
		return false
	}
	for i := range p {
		if p[i].Key != q[i].Key {
			return false
		}
	}
	return true
}

// Overlaps tells whether one of the paths contains the other.
func (p Path) Overlaps(q Path) bool { return p.Contains(q) || q.Contains(p) }
