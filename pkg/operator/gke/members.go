package gke

// members are the members of an object that passed schema.Spec.Decode: known
// ones are present and of the right type, null where the type can be null.
type members map[string]any

func (m members) text(key string) string { v, _ := m[key].(string); return v }

func (m members) flag(key string) bool { v, _ := m[key].(bool); return v }

func (m members) number(key string) int64 { v, _ := m[key].(int64); return v }

func (m members) textPtr(key string) *string { return ptrTo[string](m[key]) }

func (m members) flagPtr(key string) *bool { return ptrTo[bool](m[key]) }

func (m members) numberPtr(key string) *int64 { return ptrTo[int64](m[key]) }

// object returns nil for null.
func (m members) object(key string) members { v, _ := m[key].(map[string]any); return v }

// list returns nil for null and keeps an empty list apart from it.
func (m members) list(key string) []string {
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

// texts returns nil for null and keeps an empty map apart from it.
func (m members) texts(key string) map[string]string {
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

// orNull is the opposite of ptrTo.
func orNull[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func jsonTexts(m map[string]string) any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, s := range m {
		out[k] = s
	}
	return out
}

func jsonList(l []string) any {
	if l == nil {
		return nil
	}
	out := make([]any, len(l))
	for i, s := range l {
		out[i] = s
	}
	return out
}

// deref treats nil as the zero value, as the operator's helpers do.
func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
