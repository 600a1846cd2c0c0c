package hosted

import "github.com/hostedsync/kubectl-hostedsync/pkg/rawjson"

// shareDepth lets a Cluster's copies of a specification share what is equal: the
// whole copy, its fields, and the entries of lists and maps.
const shareDepth = 3

// ClusterFilter wants what FromObjects looks at in a Cluster object: decoding
// with it and decoding everything give the same Snapshot. Equal parts are shared.
func ClusterFilter() *rawjson.Filter {
	configs := func(keys ...string) *rawjson.Filter {
		f := rawjson.Only(keys...)
		for _, p := range Providers() {
			f.With(p.ConfigKey(), &rawjson.Filter{Share: shareDepth})
		}
		return f
	}
	status := rawjson.Only(keptStatus...).
		With("conditions", nil).
		With("appliedSpec", configs()).
		With("version", rawjson.Only("gitVersion"))
	for _, p := range Providers() {
		status.With(p.StatusKey(), &rawjson.Filter{Share: shareDepth + 1})
	}
	return rawjson.Only("apiVersion", "kind").
		With("metadata", metaFilter()).
		With("spec", configs(keptSpec...)).
		With("status", status)
}

func metaFilter() *rawjson.Filter {
	owned := rawjson.Only()
	for _, p := range Providers() {
		owned.With("f:"+p.ConfigKey(), &rawjson.Filter{Names: true})
	}
	entry := rawjson.Only("manager", "operation", "subresource", "time").
		With("fieldsV1", rawjson.Only().With("f:spec", owned))
	return rawjson.Only(keptMeta...).
		With("annotations", &rawjson.Filter{Match: KeptAnnotation}).
		With("managedFields", &rawjson.Filter{Each: entry})
}

// ResourceFilter wants what FromObjects looks at in an operator's resource.
func ResourceFilter() *rawjson.Filter {
	return rawjson.Only("apiVersion", "kind", "spec", "status").With("metadata",
		rawjson.Only("name", "namespace", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp"))
}

// SettingFilter wants what FromObjects looks at in a Setting.
func SettingFilter() *rawjson.Filter {
	return rawjson.Only("apiVersion", "kind", "value", "default", "source").With("metadata", rawjson.Only("name"))
}
