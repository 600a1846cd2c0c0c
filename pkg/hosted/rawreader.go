package hosted

import (
	"fmt"
	"slices"
	"time"
)

// reader takes typed values out of a raw object and notes what has another type
// than Rancher gives it.
type reader struct {
	object   string
	problems []Problem
}

// wrong notes a value of the wrong type. The place is a prefix and a key, so that
// the common case builds no string.
func (r *reader) wrong(where, want string, got any) {
	r.problems = append(r.problems, Problem{
		Object: r.object,
		Where:  where,
		What:   fmt.Sprintf("expected %s, found %s; treated as absent", want, kindOf(got)),
		Fix:    "correct the object, for example with kubectl edit",
	})
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("%T", v)
}

// mapping reads a top-level object; submap one further down. Both return nil for
// absent and null.
func (r *reader) mapping(m map[string]any, key string) map[string]any { return r.submap(m, "", key) }

func (r *reader) submap(m map[string]any, prefix, key string) map[string]any {
	v, ok := m[key]
	if !ok || v == nil {
		return nil
	}
	out, ok := v.(map[string]any)
	if !ok {
		r.wrong(prefix+key, "an object", v)
	}
	return out
}

func (r *reader) list(m map[string]any, prefix, key string) []any {
	v, ok := m[key]
	if !ok || v == nil {
		return nil
	}
	out, ok := v.([]any)
	if !ok {
		r.wrong(prefix+key, "a list", v)
	}
	return out
}

func (r *reader) text(m map[string]any, prefix, key string) string {
	v, ok := m[key]
	if !ok || v == nil {
		return ""
	}
	out, ok := v.(string)
	if !ok {
		r.wrong(prefix+key, "a string", v)
	}
	return out
}

func (r *reader) flag(m map[string]any, prefix, key string) bool {
	v, ok := m[key]
	if !ok || v == nil {
		return false
	}
	out, ok := v.(bool)
	if !ok {
		r.wrong(prefix+key, "a boolean", v)
	}
	return out
}

func (r *reader) instant(m map[string]any, prefix, key string) time.Time {
	s := r.text(m, prefix, key)
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		r.wrong(prefix+key, "a time such as 2026-01-02T15:04:05Z", s)
		return time.Time{}
	}
	return t.UTC()
}

// texts reads a map of strings, restricted to the keys that keep accepts.
func (r *reader) texts(m map[string]any, prefix, key string, keep func(string) bool) map[string]string {
	raw := r.submap(m, prefix, key)
	var out map[string]string
	var wrong []string
	for k, v := range raw {
		if keep != nil && !keep(k) {
			continue
		}
		s, ok := v.(string)
		if !ok {
			wrong = append(wrong, k)
			continue
		}
		if out == nil {
			out = make(map[string]string)
		}
		out[k] = s
	}
	slices.Sort(wrong)
	for _, k := range wrong {
		r.wrong(prefix+key+"["+k+"]", "a string", raw[k])
	}
	return out
}
