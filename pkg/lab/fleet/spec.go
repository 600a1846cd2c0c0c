package fleet

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// managed makes a Config that holds all that the cloud has, as that of a cluster
// that Rancher created and refreshed since.
func managed(reading map[string]any) map[string]any { return hosted.CloneMap(reading) }

// only makes the Config of an imported cluster: identity, everything else null.
func only(reading map[string]any, identity ...string) map[string]any {
	out := map[string]any{"imported": true}
	for _, k := range identity {
		out[k] = hosted.Clone(reading[k])
	}
	return out
}

// but returns a copy of a spec with a key set to another value.
func but(spec map[string]any, key string, v any) map[string]any {
	out := hosted.CloneMap(spec)
	out[key] = v
	return out
}

// without returns a copy of a spec with keys set to null.
func without(spec map[string]any, keys ...string) map[string]any {
	out := hosted.CloneMap(spec)
	for _, k := range keys {
		out[k] = nil
	}
	return out
}

// resized returns a copy of a spec in which one member of a node group or pool has
// another value.
func resized(spec map[string]any, list, identity, name, member string, v any) map[string]any {
	out := hosted.CloneMap(spec)
	for _, e := range hosted.List(out[list]) {
		if m := hosted.Map(e); m[identity] == name {
			m[member] = v
		}
	}
	return out
}

// plus returns a copy of a spec with one more node group or pool.
func plus(spec map[string]any, list string, item map[string]any) map[string]any {
	out := hosted.CloneMap(spec)
	out[list] = append(hosted.List(out[list]), item)
	return out
}

func texts(in ...string) []any {
	out := make([]any, len(in))
	for i, s := range in {
		out[i] = s
	}
	return out
}

// rke2 is a cluster that Rancher provisioned itself: nothing is synced with a
// cloud.
func rke2() blueprint {
	return blueprint{
		name: "c-m-x7qv2t9k", display: "ledger-edge", state: NotHosted, distribution: "rke2", age: 75 * day,
		shows: "An RKE2 cluster. It has no hosted config, so there is nothing to be synced; it is listed and passed over.",
		try:   []string{"get ledger-edge"},
	}
}

// local is the management cluster itself.
func local() blueprint {
	return blueprint{
		name: hosted.LocalClusterName, display: "local", state: Management, distribution: "k3s", age: 201 * day,
		shows: "The management cluster itself, which is no hosted cluster either.",
		try:   []string{"get"},
	}
}

// ago names distances in time where they are used as such.
const (
	seconds = time.Second
	minutes = time.Minute
	hours   = time.Hour
)
