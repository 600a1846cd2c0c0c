package sim

import (
	"maps"
	"strconv"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// put returns obj with v at a place, copying only what lies on the way: objects
// are shared between the API, its history and every reader, and never changed.
func put(obj map[string]any, v any, keys ...string) map[string]any {
	out := maps.Clone(obj)
	if out == nil {
		out = map[string]any{}
	}
	if len(keys) == 1 {
		out[keys[0]] = v
		return out
	}
	out[keys[0]] = put(hosted.Map(out[keys[0]]), v, keys[1:]...)
	return out
}

// drop returns obj without a place.
func drop(obj map[string]any, keys ...string) map[string]any {
	if obj == nil {
		return nil
	}
	out := maps.Clone(obj)
	if len(keys) == 1 {
		delete(out, keys[0])
		return out
	}
	if m := hosted.Map(out[keys[0]]); m != nil {
		out[keys[0]] = drop(m, keys[1:]...)
	}
	return out
}

func at(obj map[string]any, keys ...string) any {
	v, _ := hosted.Dig(obj, keys...)
	return v
}

func revisionOf(obj map[string]any) string { return hosted.Str(at(obj, "metadata", "resourceVersion")) }

func revision(n int64) string { return strconv.FormatInt(n, 10) }

// condition returns a Cluster with a condition set, and whether that changes it.
func condition(cluster map[string]any, kind, status, message string) (map[string]any, bool) {
	list := hosted.List(at(cluster, "status", "conditions"))
	out := make([]any, 0, len(list)+1)
	found := false
	for _, c := range list {
		m := hosted.Map(c)
		if m["type"] != kind {
			out = append(out, c)
			continue
		}
		found = true
		if m["status"] == status && hosted.Str(m["message"]) == message {
			return cluster, false
		}
		out = append(out, map[string]any{"type": kind, "status": status, "message": message})
	}
	if !found {
		out = append(out, map[string]any{"type": kind, "status": status, "message": message})
	}
	return put(cluster, out, "status", "conditions"), true
}

func conditionMessage(cluster map[string]any, kind string) (status, message string) {
	for _, c := range hosted.List(at(cluster, "status", "conditions")) {
		if m := hosted.Map(c); m["type"] == kind {
			return hosted.Str(m["status"]), hosted.Str(m["message"])
		}
	}
	return "", ""
}
