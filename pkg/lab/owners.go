package lab

import (
	"cmp"
	"slices"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Field sets have the form of fieldsV1: "f:" before a key, "." for the map itself
// where it is owned as such, an empty set at a leaf. A list is a leaf.

// own books a change on its writer: what was added or changed belongs to it and to
// nobody else any more, what was removed to nobody (sigs.k8s.io/structured-merge-
// diff, merge.Updater.Update; kubernetes/apimachinery, pkg/util/managedfields).
func own(before, after map[string]any, w Write, apiVersion string, now time.Time) {
	taken, gone := changes(withoutSystem(before), withoutSystem(after))
	meta := hosted.Map(after["metadata"])
	var entries []any
	mine := map[string]any{
		"manager": w.Manager, "operation": "Update", "apiVersion": apiVersion, "fieldsType": "FieldsV1",
		"time": stamp(now), "fieldsV1": taken,
	}
	if w.Subresource != "" {
		mine["subresource"] = w.Subresource
	}
	for _, e := range hosted.List(meta["managedFields"]) {
		entry := hosted.CloneMap(hosted.Map(e))
		fields := hosted.Map(entry["fieldsV1"])
		subtract(fields, gone)
		if len(taken) > 0 && sameWriter(entry, mine) {
			mine["fieldsV1"] = union(fields, hosted.CloneMap(taken))
			continue
		}
		subtract(fields, taken)
		if len(fields) > 0 {
			entries = append(entries, entry)
		}
	}
	if len(taken) > 0 {
		entries = append(entries, mine)
	}
	slices.SortStableFunc(entries, byTime)
	set(meta, "managedFields", entries, len(entries) > 0)
}

// byTime sorts as the server writes them: by operation, then oldest first.
func byTime(a, b any) int {
	x, y := hosted.Map(a), hosted.Map(b)
	for _, k := range []string{"operation", "time", "manager", "apiVersion", "subresource"} {
		if c := cmp.Compare(hosted.Str(x[k]), hosted.Str(y[k])); c != 0 {
			return c
		}
	}
	return 0
}

func sameWriter(a, b map[string]any) bool {
	for _, k := range []string{"manager", "operation", "apiVersion", "subresource"} {
		if hosted.Str(a[k]) != hosted.Str(b[k]) {
			return false
		}
	}
	return true
}

// withoutSystem is the part of an object whose fields have owners.
func withoutSystem(obj map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range obj {
		if k != "apiVersion" && k != "kind" && k != "metadata" {
			out[k] = v
		}
	}
	meta := map[string]any{}
	for k, v := range hosted.Map(obj["metadata"]) {
		if k != "name" && k != "namespace" && !slices.Contains(systemMeta(), k) {
			meta[k] = v
		}
	}
	if len(meta) > 0 {
		out["metadata"] = meta
	}
	return out
}

// changes returns what is new or different in after, and what only before has.
func changes(before, after map[string]any) (taken, gone map[string]any) {
	taken, gone = map[string]any{}, map[string]any{}
	for k, b := range before {
		if _, ok := after[k]; !ok {
			gone["f:"+k] = everything(b)
		}
	}
	for k, a := range after {
		b, ok := before[k]
		if !ok {
			taken["f:"+k] = everything(a)
			continue
		}
		x, isMap := b.(map[string]any)
		y, stillMap := a.(map[string]any)
		switch {
		case isMap && stillMap:
			t, g := changes(x, y)
			put(taken, k, t)
			put(gone, k, g)
		case !hosted.Equal(a, b):
			taken["f:"+k] = everything(a)
			if isMap {
				put(gone, k, everything(b))
			}
		}
	}
	return taken, gone
}

func put(set map[string]any, key string, part map[string]any) {
	if len(part) > 0 {
		set["f:"+key] = part
	}
}

// everything is the set of all there is in v.
func everything(v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 {
		return map[string]any{}
	}
	out := map[string]any{".": map[string]any{}}
	for k, e := range m {
		out["f:"+k] = everything(e)
	}
	return out
}

// subtract takes the fields of b out of a, and the empty branches with them.
func subtract(a, b map[string]any) {
	for k, p := range b {
		have, ok := a[k].(map[string]any)
		if !ok {
			continue
		}
		part := hosted.Map(p)
		_, itself := part["."]
		if len(part) == 0 || len(have) == 0 {
			if len(part) == 0 || itself {
				delete(a, k)
			}
			continue
		}
		subtract(have, part)
		_, left := have["."]
		switch {
		case len(have) == 0:
			delete(a, k)
		case len(have) == 1 && left:
			delete(have, ".") // the map itself, with nothing in it
		}
	}
}

// union returns a with the fields of b.
func union(a, b map[string]any) map[string]any {
	for k, p := range b {
		part := hosted.Map(p)
		have, ok := a[k].(map[string]any)
		if !ok {
			a[k] = part
			continue
		}
		if (len(have) == 0) != (len(part) == 0) { // one side owns the map itself
			have["."] = map[string]any{}
		}
		a[k] = union(have, part)
	}
	return a
}
