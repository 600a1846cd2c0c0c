package gke

import (
	"slices"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

const authorizedField = "masterAuthorizedNetworks"

func poolPath(name string) hosted.Path { return hosted.Path{}.Key("nodePools").Item(name) }

func poolField(name string) string { return poolPath(name).String() }

// keyFields names each key of the map at unit that differs.
func keyFields(unit hosted.Path, want, have map[string]string) []string {
	var fields []string
	name := func(k string) { fields = append(fields, unit.Key(k).String()) }
	for k, v := range want {
		if h, ok := have[k]; !ok || h != v {
			name(k)
		}
	}
	for k := range have {
		if _, ok := want[k]; !ok {
			name(k)
		}
	}
	slices.Sort(fields)
	return fields
}

// blockFields names the blocks that come or go and the names that change; the
// whole list if only the number of times differs that a block is listed.
func blockFields(want, have []*cidrBlock) []string {
	unit := hosted.Path{}.Key(authorizedField).Key("cidrBlocks")
	var fields []string
	for _, pair := range [][2][]*cidrBlock{{want, have}, {have, want}} {
		for _, b := range pair[0] {
			if path := missingBlock(unit, b, pair[1]); path != "" && !slices.Contains(fields, path) {
				fields = append(fields, path)
			}
		}
	}
	if len(fields) == 0 {
		return []string{unit.String()}
	}
	return fields
}

// missingBlock names the place at which a list lacks a block, "" if it does not.
func missingBlock(unit hosted.Path, b *cidrBlock, list []*cidrBlock) string {
	path := unit.Item(b.CidrBlock)
	for _, o := range list {
		if *o == *b {
			return ""
		}
	}
	for _, o := range list {
		if o.CidrBlock == b.CidrBlock {
			path = unit.Item(b.CidrBlock).Key("displayName")
		}
	}
	return path.String()
}

// locationFields names the zones that come or go; the whole list if nothing is
// wanted, because nothing is what the request then says.
func locationFields(want, have []string) []string {
	unit := hosted.Path{}.Key("locations")
	var fields []string
	for _, pair := range [][2][]string{{want, have}, {have, want}} {
		for _, zone := range pair[0] {
			if path := unit.Item(zone).String(); !slices.Contains(pair[1], zone) && !slices.Contains(fields, path) {
				fields = append(fields, path)
			}
		}
	}
	if len(fields) == 0 || len(want) == 0 {
		return []string{unit.String()}
	}
	slices.Sort(fields)
	return fields
}

// leaves are members of a node pool that differ, by name.
type leaves []string

func (l *leaves) differ(yes bool, name string) {
	if yes {
		*l = append(*l, name)
	}
}

// under prefixes each leaf with its node pool and sorts.
func (l leaves) under(pool string) []string {
	var out []string
	for _, name := range l {
		out = append(out, poolField(pool)+"."+name)
	}
	slices.Sort(out)
	return out
}
