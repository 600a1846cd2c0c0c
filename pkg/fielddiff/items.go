package fielddiff

import (
	"slices"
	"strconv"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// items matches the items of a list by identity. It reports false when an item
// has none: then the list is compared as one value.
func (w *walker) items(f *schema.Field, at hosted.Path, cells [4]Cell) bool {
	var order [4][]string
	for i, c := range cells {
		if c.State != Present {
			continue
		}
		ids, ok := identities(f, hosted.List(c.Value))
		if !ok {
			return false
		}
		order[i] = ids
	}
	if ids, ok := inStep(&cells, &order); ok {
		return w.itemsInStep(f, at, &cells, ids)
	}
	var byID [4]map[string]any
	for i, ids := range order {
		byID[i] = make(map[string]any, len(ids))
		for n, e := range hosted.List(cells[i].Value) {
			byID[i][ids[n]] = e
		}
	}
	if o := orderOnly(cells, order); o != 0 {
		w.entries = append(w.entries, Entry{Path: at, Field: f, Cells: cells, OrderOnly: o, Unmanaged: w.unmanaged})
	}
	for _, id := range merged(order) {
		c := below(&cells, &byID, id)
		if !w.equal(&c) {
			w.visit(f.Elem, at.Item(id), c)
		}
	}
	return true
}

// inStep returns the identities if every side that was read has the same ones
// in the same order, which spares looking them up.
func inStep(cells *[4]Cell, order *[4][]string) ([]string, bool) {
	var first []string
	for i := range cells {
		switch {
		case cells[i].State != Present:
		case first == nil:
			first = order[i]
		case !slices.Equal(first, order[i]):
			return nil, false
		}
	}
	return first, len(first) > 0
}

func (w *walker) itemsInStep(f *schema.Field, at hosted.Path, cells *[4]Cell, ids []string) bool {
	for n, id := range ids {
		var c [4]Cell
		for i := range cells {
			if cells[i].State == Present {
				c[i] = cellOf(hosted.List(cells[i].Value)[n], true)
			}
		}
		if !w.equal(&c) {
			w.visit(f.Elem, at.Item(id), c)
		}
	}
	return true
}

// identities names the items; a repeated identity gets a running number.
func identities(f *schema.Field, list []any) ([]string, bool) {
	ids := make([]string, 0, len(list))
	seen := make(map[string]bool, len(list))
	for _, e := range list {
		id, ok := f.ItemIdentity(e)
		if !ok {
			return nil, false
		}
		for n, base := 2, id; seen[id]; n++ {
			id = base + "#" + strconv.Itoa(n)
		}
		seen[id] = true
		ids = append(ids, id)
	}
	return ids, true
}

// merged lists all identities, in the order in which the sides bring them up.
func merged(order [4][]string) []string {
	var names []string
	seen := map[string]bool{}
	for _, ids := range order {
		for _, id := range ids {
			if !seen[id] {
				seen[id] = true
				names = append(names, id)
			}
		}
	}
	return names
}

func orderOnly(cells [4]Cell, order [4][]string) Pair {
	var out Pair
	for _, p := range pairs {
		if cells[p.a].State != Present || cells[p.b].State != Present {
			continue
		}
		a, b := order[p.a], order[p.b]
		if !slices.Equal(a, b) && sameItems(a, b) {
			out |= p.pair
		}
	}
	return out
}

func sameItems(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// reordered tells whether two lists of scalars hold the same values.
func reordered(a, b any) bool {
	x, xok := a.([]any)
	y, yok := b.([]any)
	if !xok || !yok || len(x) != len(y) {
		return false
	}
	count := make(map[any]int, len(x))
	for _, v := range x {
		if !scalar(v) {
			return false
		}
		count[v]++
	}
	for _, v := range y {
		if !scalar(v) || count[v] == 0 {
			return false
		}
		count[v]--
	}
	return true
}

func scalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}
