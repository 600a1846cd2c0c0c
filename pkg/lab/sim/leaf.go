package sim

import (
	"fmt"
	"slices"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// Leaf is a place in a specification at which people write in the lab. No two
// writes of one run write the same value there, except where only two exist.
type Leaf struct {
	Path hosted.Path
	// size: a number of nodes, which autoscalers move too.
	size bool
	// item, for a place that is an item of a list, is what the item looks like.
	item map[string]any
	// value makes the n-th value; before is what is there.
	value func(n int, before any) any
}

func leafAt(path string, value func(int, any) any) Leaf {
	p, err := hosted.ParsePath(path)
	if err != nil {
		panic(err) // the lab's own table
	}
	return Leaf{Path: p, value: value}
}

func text(prefix string) func(int, any) any {
	return func(n int, _ any) any { return fmt.Sprintf("%s%d", prefix, n) }
}

func flip(_ int, before any) any { return before != true }

func number(from int64) func(int, any) any {
	return func(n int, _ any) any { return from + int64(n) }
}

// get is the value at the leaf, presence for an item.
func (l *Leaf) get(table schema.Spec, spec map[string]any) any {
	v := predict.Lookup(table, spec, l.Path)
	if l.item != nil {
		return v != nil
	}
	return v
}

// set returns spec with a value at the leaf, and whether there was a place for it.
func (l *Leaf) set(table schema.Spec, spec map[string]any, v any) (map[string]any, bool) {
	out, ok := setAt(table.Root, spec, l.Path, v, l.item)
	m, _ := out.(map[string]any)
	return m, ok
}

func setAt(f schema.Field, cur any, p hosted.Path, v any, item map[string]any) (any, bool) {
	if len(p) == 0 {
		return v, true
	}
	if list, ok := cur.([]any); ok {
		return setItem(f, list, p, v, item)
	}
	m, ok := cur.(map[string]any)
	if !ok {
		return cur, false
	}
	member, _ := f.Member(p[0].Key)
	if f.Kind == schema.Map {
		member = *f.Elem
	}
	if len(p) > 1 && m[p[0].Key] == nil {
		return cur, false
	}
	next, ok := setAt(member, m[p[0].Key], p[1:], v, item)
	if !ok {
		return cur, false
	}
	return put(m, next, p[0].Key), true
}

func setItem(f schema.Field, list []any, p hosted.Path, v any, item map[string]any) (any, bool) {
	i := slices.IndexFunc(list, func(e any) bool { id, ok := f.ItemIdentity(e); return ok && id == p[0].Key })
	switch {
	case len(p) > 1 && i < 0:
		return list, false
	case len(p) > 1:
		next, ok := setAt(*f.Elem, list[i], p[1:], v, item)
		out := slices.Clone(list)
		out[i] = next
		return out, ok
	case v == true && i < 0:
		return append(slices.Clone(list), any(item)), true
	case v != true && i >= 0:
		return slices.Delete(slices.Clone(list), i, i+1), true
	}
	return list, true
}
