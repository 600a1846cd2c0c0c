package hosted

import "strings"

// KeptAnnotation tells whether an annotation is kept: those by which Rancher and
// this program steer a hosted cluster, and the creator. Everything else is left
// out, kubectl's last-applied-configuration above all, which may hold secrets.
func KeptAnnotation(key string) bool {
	return strings.HasPrefix(key, "clusters.management.cattle.io/") ||
		strings.HasPrefix(key, "hostedsync.io/") ||
		key == "field.cattle.io/creatorId"
}

// The keys that are kept of a Cluster object, beside the providers' own.
var (
	keptMeta   = []string{"name", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "labels"}
	keptSpec   = []string{"displayName", "internal", "imported"}
	keptStatus = []string{"driver", "provider", "apiEndpoint"}
)

// updatedCondition is the one condition that the refresher reads and writes
// (rancher/rancher, pkg/controllers/management/clusterupstreamrefresher).
const updatedCondition = "Updated"

// TrimCluster returns a Cluster object reduced to what the refresher looks at. The
// providers' Configs, readings and applied Configs are kept exactly as they are,
// by reference; everything above them is copied. Of the conditions only Updated
// is kept; Snapshot.Conditions has all.
func TrimCluster(cluster map[string]any) map[string]any {
	out := make(map[string]any, 5)
	keep(out, cluster, "apiVersion", "kind")
	if meta, ok := cluster["metadata"].(map[string]any); ok {
		out["metadata"] = trimMeta(meta)
	}
	if spec, ok := cluster["spec"].(map[string]any); ok {
		t := make(map[string]any, 4)
		keep(t, spec, keptSpec...)
		for _, p := range Providers() {
			keep(t, spec, p.ConfigKey())
		}
		out["spec"] = t
	}
	if status, ok := cluster["status"].(map[string]any); ok {
		out["status"] = trimStatus(status)
	}
	return out
}

func trimMeta(meta map[string]any) map[string]any {
	out := make(map[string]any, 8)
	keep(out, meta, keptMeta...)
	if all, ok := meta["annotations"].(map[string]any); ok {
		kept := make(map[string]any, 2)
		for k, v := range all {
			if KeptAnnotation(k) {
				kept[k] = v
			}
		}
		if len(kept) > 0 {
			out["annotations"] = kept
		}
	}
	return out
}

func trimStatus(status map[string]any) map[string]any {
	out := make(map[string]any, 8)
	keep(out, status, keptStatus...)
	for _, p := range Providers() {
		keep(out, status, p.StatusKey())
	}
	if all, ok := status["conditions"].([]any); ok {
		t := []any{}
		for _, c := range all {
			if kind, ok := Map(c)["type"].(string); !ok || kind == updatedCondition {
				t = append(t, c)
			}
		}
		out["conditions"] = t
	}
	if applied, ok := status["appliedSpec"].(map[string]any); ok {
		t := make(map[string]any, 1)
		for _, p := range Providers() {
			keep(t, applied, p.ConfigKey())
		}
		out["appliedSpec"] = t
	}
	if v, ok := status["version"].(map[string]any); ok {
		t := make(map[string]any, 1)
		keep(t, v, "gitVersion")
		out["version"] = t
	}
	return out
}

func keep(to, from map[string]any, keys ...string) {
	for _, k := range keys {
		if v, ok := from[k]; ok {
			to[k] = v
		}
	}
}
