package race

import (
	"slices"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// aligned gives, as a merge patch of the Config, what the cloud has at every hot
// field that a change in the cloud made hot. Edits of the Config that are still
// on their way stay.
func (in *Input) aligned() map[string]any {
	units := map[string]any{}
	for _, h := range in.Hot {
		if h.Origin != CloudChange {
			continue
		}
		unit := h.Unit()
		if _, seen := units[unit]; !seen {
			units[unit] = hosted.Clone(in.Snapshot.Config[unit])
		}
		f, ok := in.Table.Unit(unit)
		if !ok {
			units[unit] = hosted.Clone(in.Cloud.Spec[unit])
			continue
		}
		units[unit] = put(f, units[unit], h, h.Path[1:])
	}
	patch := map[string]any{}
	for unit, after := range units {
		patch[unit] = diffPatch(in.Snapshot.Config[unit], after)
	}
	return patch
}

// put sets the place below cur to what the cloud has and returns cur.
func put(f schema.Field, cur any, h Hot, rest hosted.Path) any {
	if len(rest) == 0 {
		return hosted.Clone(h.Cloud)
	}
	key := rest[0].Key
	switch f.Kind {
	case schema.List:
		return putItem(f, hosted.List(cur), h, rest)
	case schema.Map, schema.Object:
		m := hosted.Map(cur)
		if m == nil {
			m = map[string]any{}
		}
		if len(rest) == 1 && h.Cloud == nil {
			delete(m, key)
			return m
		}
		below := f.Elem
		if f.Kind == schema.Object {
			member, ok := f.Member(key)
			if !ok {
				return m
			}
			below = &member
		}
		m[key] = put(*below, m[key], h, rest[1:])
		return m
	}
	return cur
}

func putItem(f schema.Field, items []any, h Hot, rest hosted.Path) any {
	at := slices.IndexFunc(items, func(e any) bool { id, ok := f.ItemIdentity(e); return ok && id == rest[0].Key })
	switch {
	case at >= 0 && len(rest) == 1 && h.Effect == operator.Create:
		return slices.Delete(items, at, at+1)
	case at < 0 && len(rest) == 1 && h.Cloud != nil:
		return append(items, hosted.Clone(h.Cloud))
	case at >= 0:
		items[at] = put(*f.Elem, items[at], h, rest[1:])
	}
	return items
}

// diffPatch is the merge patch that leads from one value to the other: maps key
// by key, everything else whole.
func diffPatch(from, to any) any {
	a, aok := from.(map[string]any)
	b, bok := to.(map[string]any)
	if !aok || !bok {
		return to
	}
	patch := map[string]any{}
	for k, v := range b {
		if old, ok := a[k]; !ok || !hosted.Equal(old, v) {
			patch[k] = diffPatch(old, v)
		}
	}
	for k := range a {
		if _, ok := b[k]; !ok {
			patch[k] = nil
		}
	}
	return patch
}
