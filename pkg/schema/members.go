package schema

import "github.com/hostedsync/kubectl-hostedsync/pkg/hosted"

// Members reads the members of an object that passed Spec.Decode: known ones are
// present and of the right type, null where the type can be null. nil stands for
// null. The opposites of its methods, OrNull and the functions after it, write
// such an object.
type Members map[string]any

// MembersOf returns v as Members, nil if it is no object.
func MembersOf(v any) Members { return Members(hosted.Map(v)) }

// Text returns a text member, "" for null.
func (m Members) Text(key string) string { v, _ := m[key].(string); return v }

// Flag returns a boolean member, false for null.
func (m Members) Flag(key string) bool { v, _ := m[key].(bool); return v }

// Number returns an integer member, 0 for null.
func (m Members) Number(key string) int64 { v, _ := m[key].(int64); return v }

// TextPtr is Text that keeps null apart.
func (m Members) TextPtr(key string) *string { return ptrTo[string](m[key]) }

// FlagPtr is Flag that keeps null apart.
func (m Members) FlagPtr(key string) *bool { return ptrTo[bool](m[key]) }

// NumberPtr is Number that keeps null apart.
func (m Members) NumberPtr(key string) *int64 { return ptrTo[int64](m[key]) }

// Object returns a member that is an object, nil for null.
func (m Members) Object(key string) Members { return MembersOf(m[key]) }

// Texts returns a list of strings, nil for null; an empty list stays one.
func (m Members) Texts(key string) []string {
	l, ok := m[key].([]any)
	if !ok {
		return nil
	}
	out := make([]string, len(l))
	for i, e := range l {
		out[i], _ = e.(string)
	}
	return out
}

// TextMap returns a map of strings, nil for null; an empty map stays one.
func (m Members) TextMap(key string) map[string]string {
	v, ok := m[key].(map[string]any)
	if !ok {
		return nil
	}
	out := make(map[string]string, len(v))
	for k, e := range v {
		out[k], _ = e.(string)
	}
	return out
}

func ptrTo[T any](v any) *T {
	t, ok := v.(T)
	if !ok {
		return nil
	}
	return &t
}

// OrNull is the value behind a pointer, null for nil.
func OrNull[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// OrZero is the value behind a pointer, the zero value for nil.
func OrZero[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// ListOf is the opposite of Members.Texts.
func ListOf(l []string) any {
	if l == nil {
		return nil
	}
	out := make([]any, len(l))
	for i, s := range l {
		out[i] = s
	}
	return out
}

// MapOf is the opposite of Members.TextMap.
func MapOf(m map[string]string) any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, s := range m {
		out[k] = s
	}
	return out
}
