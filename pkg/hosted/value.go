package hosted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	kjson "sigs.k8s.io/json"
)

// Decode parses one JSON document into the generic form described in the
// package documentation. It reads numbers as a Kubernetes API server stores
// them: 3 and 3.0 are both the integer 3, integers are exact to 64 bits.
// Map keys are case-sensitive; of duplicate keys the last wins.
func Decode(data []byte) (any, error) {
	var v any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &v); err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	return Normalize(v), nil
}

// Normalize rewrites numbers in place the way storing them in the API server
// does: a float without fraction that fits becomes an int64. It returns v.
func Normalize(v any) any {
	switch t := v.(type) {
	case map[string]any:
		for k, e := range t {
			t[k] = Normalize(e)
		}
	case []any:
		for i, e := range t {
			t[i] = Normalize(e)
		}
	case float64:
		if t == math.Trunc(t) && math.Abs(t) < 1<<63 {
			return int64(t)
		}
	case int:
		return int64(t)
	case int32:
		return int64(t)
	case float32:
		return Normalize(float64(t))
	case json.Number:
		if i, err := t.Int64(); err == nil {
			return i
		}
		if f, err := t.Float64(); err == nil {
			return Normalize(f)
		}
	}
	return v
}

// Clone copies v deeply.
func Clone(v any) any {
	switch t := v.(type) {
	case map[string]any:
		return CloneMap(t)
	case []any:
		if t == nil {
			return t
		}
		out := make([]any, len(t))
		for i, e := range t {
			out[i] = Clone(e)
		}
		return out
	}
	return v
}

// CloneMap copies m deeply; a nil map stays nil.
func CloneMap(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, e := range m {
		out[k] = Clone(e)
	}
	return out
}

// Same tells whether two maps are one and the same, not merely equal.
func Same(a, b map[string]any) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

// Equal compares two values strictly: order in lists counts, null differs from
// an empty list or map, an absent key differs from a null one, and an integer
// differs from a float.
func Equal(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) || (x == nil) != (y == nil) {
			return false
		}
		if Same(x, y) {
			return true
		}
		for k, xv := range x {
			yv, ok := y[k]
			if !ok || !Equal(xv, yv) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) || (x == nil) != (y == nil) {
			return false
		}
		if len(x) > 0 && &x[0] == &y[0] {
			return true
		}
		for i := range x {
			if !Equal(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// Canonical writes v as compact JSON with sorted keys and without HTML
// escaping. It is meant for display, hashing and comparison in tests.
func Canonical(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf("<%v>", err)
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// Map returns v as a map, or nil if it is something else.
func Map(v any) map[string]any { m, _ := v.(map[string]any); return m }

// List returns v as a list, or nil if it is something else.
func List(v any) []any { l, _ := v.([]any); return l }

// Str returns v as a string, or "" if it is something else.
func Str(v any) string { s, _ := v.(string); return s }

// Dig walks nested maps by key and returns the value and whether it is present.
func Dig(m map[string]any, keys ...string) (any, bool) {
	var cur any = m
	for _, k := range keys {
		mm, ok := cur.(map[string]any)
		if !ok {
			return nil, false
		}
		if cur, ok = mm[k]; !ok {
			return nil, false
		}
	}
	return cur, true
}

// SortedKeys returns m's keys in order.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
