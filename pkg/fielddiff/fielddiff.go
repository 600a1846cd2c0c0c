package fielddiff

import (
	"slices"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// Side is one copy of the spec.
type Side int

// The sides, in the order of Entry.Cells.
const (
	Config Side = iota
	Upstream
	Live
	Applied
	sides
)

// State tells what a side has at a place.
type State uint8

// The states. NotRead is not the same as Absent: nobody looked.
const (
	NotRead State = iota
	Absent
	Null
	Present
)

// Cell is one side's value at a place.
type Cell struct {
	State State
	Value any
}

// Pair is a set of pairs of sides.
type Pair uint8

// The pairs that are compared.
const (
	ConfigUpstream Pair = 1 << iota
	ConfigLive
	UpstreamLive
	ConfigApplied
)

var pairs = [...]struct {
	pair Pair
	a, b Side
}{
	{ConfigUpstream, Config, Upstream}, {ConfigLive, Config, Live},
	{UpstreamLive, Upstream, Live}, {ConfigApplied, Config, Applied},
}

// Entry is one place and what the sides have there.
type Entry struct {
	Path hosted.Path
	// Field describes the place; nil where the schema does not know it.
	Field *schema.Field
	Cells [4]Cell
	// Differs are the pairs of sides whose values differ. A pair with a side
	// that was not read is never in it.
	Differs Pair
	// OrderOnly are the pairs that hold the same items in another order.
	OrderOnly Pair
	// Unmanaged: the Config does not have the merge unit, so nothing in it is
	// compared with the Config.
	Unmanaged bool
}

// Sides are the copies to compare. A side that is not in Read was not read.
type Sides struct {
	Values [4]map[string]any
	Read   [4]bool
}

// With returns s with one side set. A nil value is a side that was read and is
// not there.
func (s Sides) With(side Side, v map[string]any) Sides {
	s.Values[side], s.Read[side] = v, true
	return s
}

// Diff walks the sides and returns an entry for every place, in the schema's
// order, unknown keys last. It descends as long as every side that was read has
// the container; a container that only some sides have is one entry.
func Diff(table schema.Spec, s Sides) []Entry {
	return walk(&table, s, &walker{entries: make([]Entry, 0, 64)})
}

// Differences is Diff without the entries in which no pair differs, not even in
// order. It passes over equal parts without looking into them, which makes it
// the fast way to ask about a fleet.
func Differences(table schema.Spec, s Sides) []Entry {
	return Changed(walk(&table, s, &walker{skip: true}), ^Pair(0))
}

func walk(table *schema.Spec, s Sides, w *walker) []Entry {
	cells := [4]Cell{}
	for i, v := range s.Values {
		switch {
		case !s.Read[i]:
		case v == nil:
			cells[i] = Cell{State: Absent}
		default:
			cells[i] = Cell{Present, v}
		}
	}
	w.members(&table.Root, nil, cells)
	return w.entries
}

// Changed keeps the entries in which a pair of the mask differs, or, for the
// full mask, differs in order only.
func Changed(entries []Entry, mask Pair) []Entry {
	out := make([]Entry, 0, len(entries))
	for _, e := range entries {
		if e.Differs&mask != 0 || mask == ^Pair(0) && e.OrderOnly != 0 {
			out = append(out, e)
		}
	}
	return out
}

type walker struct {
	entries []Entry
	// unmanaged holds below a merge unit that the Config does not have.
	unmanaged bool
	// skip passes over parts that are the same on every side.
	skip bool
}

// equal tells whether there is nothing to see at a place.
func (w *walker) equal(cells *[4]Cell) bool {
	if !w.skip {
		return false
	}
	first := -1
	for i := range cells {
		switch {
		case cells[i].State == NotRead:
		case first < 0:
			first = i
		case !hosted.Equal(cells[first].Value, cells[i].Value):
			return false
		}
	}
	return true
}

// unit visits one merge unit. Without it in the Config only the readings are
// compared; that Applied still has it is a difference of its own.
func (w *walker) unit(f *schema.Field, at hosted.Path, cells [4]Cell) {
	c := cells[Config]
	w.unmanaged = c.Value == nil
	if f != nil {
		w.unmanaged = !f.Managed(c.Value)
	}
	defer func() { w.unmanaged = false }()
	a := cells[Applied]
	if !w.unmanaged || a.State == Present && !same(f, c, a) {
		w.visit(f, at, cells)
		return
	}
	cells[Config], cells[Applied] = Cell{State: NotRead}, Cell{State: NotRead}
	n := len(w.entries)
	w.visit(f, at, cells)
	for i := range w.entries[n:] {
		w.entries[n+i].Cells[Config] = Cell{State: c.State}
		if a.State != NotRead {
			w.entries[n+i].Cells[Applied] = Cell{State: Absent}
		}
	}
}

// members visits the keys of an object or map that the sides have.
func (w *walker) members(f *schema.Field, at hosted.Path, cells [4]Cell) {
	var maps [4]map[string]any
	left := 0
	for i, c := range cells {
		maps[i] = hosted.Map(c.Value)
		left += len(maps[i])
	}
	if f != nil && f.Kind == schema.Object {
		for i := range f.Fields {
			m := &f.Fields[i]
			if n := holders(&maps, m.Name); n > 0 {
				left -= n
				w.key(m, at, m.Name, &cells, &maps)
			}
		}
	}
	if left == 0 { // no keys but known ones
		return
	}
	for _, k := range union(&maps) {
		if f != nil && f.Kind == schema.Map {
			w.key(f.Elem, at, k, &cells, &maps)
		} else if f == nil || !knows(f, k) {
			w.key(nil, at, k, &cells, &maps)
		}
	}
}

func (w *walker) key(f *schema.Field, at hosted.Path, k string, cells *[4]Cell, maps *[4]map[string]any) {
	c := below(cells, maps, k)
	if !w.equal(&c) {
		w.descend(f, at.Key(k), c)
	}
}

func knows(f *schema.Field, key string) bool {
	_, ok := f.Member(key)
	return ok
}

// descend visits a key: at the top a merge unit, else a place inside one.
func (w *walker) descend(f *schema.Field, at hosted.Path, cells [4]Cell) {
	if len(at) == 1 {
		w.unit(f, at, cells)
		return
	}
	w.visit(f, at, cells)
}

func (w *walker) visit(f *schema.Field, at hosted.Path, cells [4]Cell) {
	switch {
	case all[map[string]any](cells) && (f == nil || f.Kind == schema.Object || f.Kind == schema.Map):
		n := len(w.entries)
		w.members(f, at, cells)
		if len(w.entries) > n {
			return
		}
		// Empty on every side: the container itself is the leaf.
	case f != nil && f.Kind == schema.List && f.Identity != "" && all[[]any](cells):
		if w.items(f, at, cells) {
			return
		}
	}
	w.leaf(f, at, cells)
}

func (w *walker) leaf(f *schema.Field, at hosted.Path, cells [4]Cell) {
	e := Entry{Path: at, Field: f, Cells: cells, Unmanaged: w.unmanaged}
	for _, p := range pairs {
		a, b := cells[p.a], cells[p.b]
		if w.unmanaged && (p.pair == ConfigUpstream || p.pair == ConfigLive) {
			continue
		}
		if a.State == NotRead || b.State == NotRead || same(f, a, b) {
			continue
		}
		if f != nil && f.Unordered && reordered(a.Value, b.Value) {
			e.OrderOnly |= p.pair
			continue
		}
		e.Differs |= p.pair
	}
	w.entries = append(w.entries, e)
}

// same compares two cells as the field's type would hold them.
func same(f *schema.Field, a, b Cell) bool {
	if f == nil || f.Name == "" && (a.State == Absent) != (b.State == Absent) {
		// An element of a map or list is there or it is not; its zero value
		// is a value.
		return f == nil && hosted.Equal(a.Value, b.Value)
	}
	return f.Equivalent(a.Value, b.Value)
}

func all[T any](cells [4]Cell) bool {
	n := 0
	for _, c := range cells {
		switch c.State {
		case NotRead:
		case Present:
			if _, ok := c.Value.(T); !ok {
				return false
			}
			n++
		default:
			return false
		}
	}
	return n > 0
}

// holders counts the sides that have a key.
func holders(maps *[4]map[string]any, key string) int {
	n := 0
	for _, m := range maps {
		if _, ok := m[key]; ok {
			n++
		}
	}
	return n
}

func union(maps *[4]map[string]any) []string {
	var keys []string
	for i, m := range maps {
	next:
		for k := range m {
			for _, earlier := range maps[:i] {
				if _, ok := earlier[k]; ok {
					continue next
				}
			}
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

func below(cells *[4]Cell, maps *[4]map[string]any, key string) [4]Cell {
	var out [4]Cell
	for i := range cells {
		if cells[i].State != NotRead {
			v, ok := maps[i][key]
			out[i] = cellOf(v, ok)
		}
	}
	return out
}

func cellOf(v any, ok bool) Cell {
	switch {
	case !ok:
		return Cell{State: Absent}
	case v == nil:
		return Cell{State: Null}
	}
	return Cell{Present, v}
}
