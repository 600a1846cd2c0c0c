package testbed

import (
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// part adds properties to an object's schema. Rancher generates the operators'
// schemas from Go types: pointers, strings, lists and maps are nullable, plain
// booleans and integers are not, and what is not named is pruned.
type part func(props map[string]apiextv1.JSONSchemaProps)

func object(parts ...part) apiextv1.JSONSchemaProps {
	props := map[string]apiextv1.JSONSchemaProps{}
	for _, p := range parts {
		p(props)
	}
	return apiextv1.JSONSchemaProps{Type: "object", Properties: props}
}

func scalars(kind string, nullable bool, names string) part {
	return func(props map[string]apiextv1.JSONSchemaProps) {
		for _, n := range strings.Fields(names) {
			props[n] = apiextv1.JSONSchemaProps{Type: kind, Nullable: nullable}
		}
	}
}

func texts(names string) part     { return scalars("string", true, names) }
func flags(names string) part     { return scalars("boolean", true, names) }
func plainFlags(name string) part { return scalars("boolean", false, name) }
func ints(names string) part      { return scalars("integer", true, names) }
func plainInts(names string) part { return scalars("integer", false, names) }

var nullableText = apiextv1.JSONSchemaProps{Type: "string", Nullable: true}

func textLists(names string) part {
	return func(props map[string]apiextv1.JSONSchemaProps) {
		for _, n := range strings.Fields(names) {
			props[n] = apiextv1.JSONSchemaProps{Type: "array", Nullable: true,
				Items: &apiextv1.JSONSchemaPropsOrArray{Schema: &nullableText}}
		}
	}
}

func textMaps(names string) part {
	return func(props map[string]apiextv1.JSONSchemaProps) {
		for _, n := range strings.Fields(names) {
			props[n] = apiextv1.JSONSchemaProps{Type: "object", Nullable: true,
				AdditionalProperties: &apiextv1.JSONSchemaPropsOrBool{Allows: true, Schema: &nullableText}}
		}
	}
}

func nested(name string, parts ...part) part {
	return func(props map[string]apiextv1.JSONSchemaProps) {
		o := object(parts...)
		o.Nullable = true
		props[name] = o
	}
}

func items(name string, parts ...part) part { return requiredItems(name, nil, parts...) }

func requiredItems(name string, required []string, parts ...part) part {
	return func(props map[string]apiextv1.JSONSchemaProps) {
		o := object(parts...)
		o.Required = required
		props[name] = apiextv1.JSONSchemaProps{Type: "array", Nullable: true,
			Items: &apiextv1.JSONSchemaPropsOrArray{Schema: &o}}
	}
}
