package fleet

import (
	"slices"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// The API server's bookkeeping (metadata.managedFields) has one entry for each
// manager and subresource, with the time of its latest write. Rancher's own entry
// is therefore as young as the last refresh, which writes the annotation.

// rancher is the manager's name of Rancher itself, which also writes what its own
// API and its forms are told to.
const rancher = "rancher"

// clusterWriters says who owns what in a Cluster.
func (b builder) clusterWriters(p blueprint, obj map[string]any) []any {
	main := fieldSet(map[string]any{"spec": obj["spec"]})
	main["f:metadata"] = metaSet(obj, "annotations", "labels", "finalizers")
	latest := p.refreshed
	if p.provider == hosted.None {
		latest = p.age
	}
	var entries []any
	for _, e := range p.edits {
		if e.manager == rancher {
			latest = min(latest, e.ago)
			continue
		}
		entries = append(entries, b.entry(managementAPI, e.manager, "", e.ago, takeOver(p, main, e)))
	}
	entries = append(entries, b.entry(managementAPI, rancher, "", latest, main))
	slices.SortStableFunc(entries, byTime)
	// A Cluster's status is owned by those who write it, in one piece here.
	status := map[string]any{"f:status": fieldSet(obj["status"])}
	return append(entries, b.entry(managementAPI, rancher, "status", min(latest, p.statusAge()), status))
}

// statusAge is how long ago the status was last written.
func (p blueprint) statusAge() time.Duration {
	switch {
	case p.provider == hosted.None:
		return time.Minute
	case p.updated > 0:
		return min(p.updated, p.refreshed)
	}
	return p.refreshed
}

// takeOver moves what an edit wrote from one set into a new one.
func takeOver(p blueprint, from map[string]any, e edit) map[string]any {
	out := map[string]any{}
	move := func(keys []string, path ...string) {
		src := from
		for _, step := range path {
			src = hosted.Map(src["f:"+step])
		}
		moved := map[string]any{}
		for _, k := range keys {
			if v, ok := src["f:"+k]; ok {
				moved["f:"+k] = v
				delete(src, "f:"+k)
			}
		}
		dst := out
		for _, step := range path[:len(path)-1] {
			next := map[string]any{}
			dst["f:"+step] = next
			dst = next
		}
		dst["f:"+path[len(path)-1]] = moved
	}
	if len(e.keys) > 0 {
		move(e.keys, "spec", p.provider.ConfigKey())
	}
	if len(e.annotations) > 0 {
		move(e.annotations, "metadata", "annotations")
	}
	return out
}

// resourceWriters says who owns what in an operator's resource.
func (b builder) resourceWriters(p blueprint, obj map[string]any) []any {
	api := hosted.Str(obj["apiVersion"])
	written := p.age
	for _, e := range p.edits {
		written = min(written, e.ago)
	}
	spec := fieldSet(map[string]any{"spec": obj["spec"]})
	spec["f:metadata"] = metaSet(obj, "ownerReferences")
	operator := operatorName(p.provider) + "-operator"
	status := p.updated
	if status == 0 {
		status = p.age - 10*time.Minute
	}
	return []any{
		b.entry(api, operator, "", p.age-3*time.Second, map[string]any{"f:metadata": metaSet(obj, "finalizers")}),
		b.entry(api, rancher, "", written, spec),
		b.entry(api, operator, "status", status, map[string]any{"f:status": fieldSet(obj["status"])}),
	}
}

// metaSet is the set of some metadata. In their two lists each item is owned by
// itself: a finalizer by its value, an owner by its uid.
func metaSet(obj map[string]any, keys ...string) map[string]any {
	meta := map[string]any{}
	for _, k := range keys {
		if v, ok := hosted.Map(obj["metadata"])[k]; ok {
			meta[k] = v
		}
	}
	out := fieldSet(meta)
	for _, k := range keys {
		for _, e := range hosted.List(meta[k]) {
			item := "v:" + hosted.Canonical(e)
			if owner, ok := e.(map[string]any); ok {
				item = "k:" + hosted.Canonical(map[string]any{"uid": owner["uid"]})
			}
			set := hosted.Map(out["f:"+k])
			set["."], set[item] = map[string]any{}, map[string]any{}
		}
	}
	return out
}

func (b builder) entry(api, manager, subresource string, ago time.Duration, fields map[string]any) map[string]any {
	e := map[string]any{
		"apiVersion": api, "fieldsType": "FieldsV1", "fieldsV1": fields,
		"manager": manager, "operation": "Update", "time": b.ago(ago),
	}
	if subresource != "" {
		e["subresource"] = subresource
	}
	return e
}

func byTime(a, b any) int {
	return slices.Compare([]string{hosted.Str(hosted.Map(a)["time"])}, []string{hosted.Str(hosted.Map(b)["time"])})
}

// fieldSet is the set of all fields in v: "f:" before a key, "." for the map
// itself, a list as a whole.
func fieldSet(v any) map[string]any {
	out := map[string]any{}
	m := hosted.Map(v)
	for k, e := range m {
		below := fieldSet(e)
		if len(below) > 0 {
			below["."] = map[string]any{}
		}
		out["f:"+k] = below
	}
	return out
}
