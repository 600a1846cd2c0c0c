package hosted

import (
	"fmt"
	"strings"
)

// Path names one place in a provider's spec. Its text form is what flags take
// and output shows:
//
//	tags.team
//	nodeGroups[workers].desiredSize
//	tags["app.example.com/tier"]
//
// A bracket after a list holds the identity of an item (the name of a node
// group, a CIDR, the value itself in a set), never an index. A quoted bracket
// after a map holds a key that the dotted form could not.
type Path []Step

// Step is one step of a Path: into the map key Key, or, if Item is set, to the
// item with the identity Key in a list.
type Step struct {
	Key  string
	Item bool
}

// Key returns p extended by a map key.
func (p Path) Key(k string) Path { return append(p[:len(p):len(p)], Step{Key: k}) }

// Item returns p extended by a list item's identity.
func (p Path) Item(id string) Path { return append(p[:len(p):len(p)], Step{Key: id, Item: true}) }

// MergeUnit is the top-level key that Rancher replaces whole when anything
// below it differs.
func (p Path) MergeUnit() string {
	if len(p) == 0 {
		return ""
	}
	return p[0].Key
}

func plainKey(k string) bool {
	return k != "" && !strings.ContainsAny(k, ".[]\"'= \t\n\\")
}

// String writes the text form, which ParsePath reads back.
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.Item && plainKey(strings.ReplaceAll(s.Key, ".", "")):
			b.WriteString("[" + s.Key + "]")
		case s.Item:
			fmt.Fprintf(&b, "[%q]", s.Key)
		case !plainKey(s.Key):
			fmt.Fprintf(&b, "[%q]", s.Key)
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Key)
		}
	}
	return b.String()
}
