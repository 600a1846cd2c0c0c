package schema

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Typed is a spec in the form that the provider's Go type would hold: every
// known field present, unknown ones gone, plain scalars filled with their zero
// value, null kept apart from empty. Two Typed values are hosted.Equal exactly
// when the Go values are reflect.DeepEqual.
type Typed map[string]any

// TypeError is a value of the wrong type. Rancher's typed client cannot decode
// an object that holds one.
type TypeError struct {
	Path hosted.Path
	Want string
	Got  any
}

// Error names the place, what is there and what belongs there.
func (e *TypeError) Error() string {
	return fmt.Sprintf("%s: want %s, found %s", e.Path, e.Want, describe(e.Got))
}

func describe(v any) string {
	switch t := v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		if len(t) > 40 {
			t = t[:40] + "…"
		}
		return fmt.Sprintf("the string %q", t)
	}
	return hosted.Canonical(v)
}

// Decode passes a stored spec through the Go type. A nil map stays nil.
func (s Spec) Decode(raw map[string]any) (Typed, error) {
	if raw == nil {
		return nil, nil
	}
	v, err := decodeObject(&s.Root, raw, nil)
	return Typed(v), err
}

// Encode writes a typed spec as the Go type marshals it, which is also what
// Rancher's conversion to an unstructured map gives: a key whose type has
// omitempty is left out when empty, every other key is present.
func (s Spec) Encode(t Typed) map[string]any {
	if t == nil {
		return nil
	}
	return encodeObject(&s.Root, t)
}

// place is where decoding has got to; the path is only written out for an error.
type place struct {
	parent *place
	key    string
	item   bool
}

func (p *place) path() hosted.Path {
	if p == nil {
		return nil
	}
	if p.item {
		return p.parent.path().Item(p.key)
	}
	return p.parent.path().Key(p.key)
}

func decodeObject(f *Field, raw map[string]any, at *place) (map[string]any, error) {
	out := make(map[string]any, len(f.Fields))
	for i := range f.Fields {
		m := &f.Fields[i]
		if v, ok := simple(m, raw[m.Name]); ok { // the usual case, which needs no place
			out[m.Name] = v
			continue
		}
		v, err := decode(m, raw[m.Name], &place{at, m.Name, false})
		if err != nil {
			return nil, err
		}
		out[m.Name] = v
	}
	return out, nil
}

func decode(f *Field, v any, at *place) (any, error) {
	if v == nil {
		return zero(f), nil
	}
	switch f.Kind {
	case Object:
		m, ok := v.(map[string]any)
		if !ok {
			return nil, &TypeError{at.path(), f.Kind.String(), v}
		}
		return decodeObject(f, m, at)
	case Map:
		m, ok := v.(map[string]any)
		if !ok {
			return nil, &TypeError{at.path(), f.Kind.String(), v}
		}
		return decodeMap(f, m, at)
	case List:
		l, ok := v.([]any)
		if !ok {
			return nil, &TypeError{at.path(), f.Kind.String(), v}
		}
		return decodeList(f, l, at)
	}
	return decodeScalar(f, v, at)
}

func decodeMap(f *Field, m map[string]any, at *place) (any, error) {
	out := make(map[string]any, len(m))
	for k, e := range m {
		if v, ok := simple(f.Elem, e); ok {
			out[k] = v
			continue
		}
		d, err := decode(f.Elem, e, &place{at, k, false})
		if err != nil {
			return nil, err
		}
		out[k] = d
	}
	return out, nil
}

func decodeList(f *Field, l []any, at *place) (any, error) {
	out := make([]any, len(l))
	for i, e := range l {
		d, err := decode(f.Elem, e, &place{at, itemName(f, e, i), true})
		if err != nil {
			return nil, err
		}
		out[i] = d
	}
	return out, nil
}

// simple decodes what is null or a scalar of the right type.
func simple(f *Field, v any) (any, bool) {
	switch t := v.(type) {
	case nil:
		return zero(f), true
	case string:
		return v, f.Kind == String
	case bool:
		return v, f.Kind == Bool
	case int64:
		return v, f.Kind == Int64 || f.Kind == Int32 && t >= math.MinInt32 && t <= math.MaxInt32
	}
	return nil, false
}

func decodeScalar(f *Field, v any, at *place) (any, error) {
	switch t := v.(type) {
	case string:
		if f.Kind == String {
			return t, nil
		}
	case bool:
		if f.Kind == Bool {
			return t, nil
		}
	case int64:
		if f.Kind == Int64 || f.Kind == Int32 && t >= math.MinInt32 && t <= math.MaxInt32 {
			return t, nil
		}
	}
	return nil, &TypeError{at.path(), f.Kind.String(), v}
}

// zero is what the Go field holds when the key is absent or null.
func zero(f *Field) any {
	if f.Nullable() {
		return nil
	}
	switch f.Kind {
	case String:
		return ""
	case Bool:
		return false
	case Int32, Int64:
		return int64(0)
	case Object:
		out, _ := decodeObject(f, nil, nil)
		return out
	}
	return nil
}

func encodeObject(f *Field, t map[string]any) map[string]any {
	out := make(map[string]any, len(f.Fields))
	for i := range f.Fields {
		m := &f.Fields[i]
		v := t[m.Name]
		if m.OmitEmpty && empty(m, v) {
			continue
		}
		out[m.Name] = encode(m, v)
	}
	return out
}

func encode(f *Field, v any) any {
	switch t := v.(type) {
	case map[string]any:
		if f.Kind == Object {
			return encodeObject(f, t)
		}
		out := make(map[string]any, len(t))
		for k, e := range t {
			out[k] = encode(f.Elem, e)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, e := range t {
			out[i] = encode(f.Elem, e)
		}
		return out
	}
	return v
}

// empty is omitempty's test: a nil pointer, an empty slice or map, a zero
// scalar. What lies behind a non-nil pointer is never empty.
func empty(f *Field, v any) bool {
	if v == nil {
		return true
	}
	if f.Pointer {
		return false
	}
	switch t := v.(type) {
	case map[string]any:
		return f.Kind == Map && len(t) == 0
	case []any:
		return len(t) == 0
	case string:
		return t == ""
	case bool:
		return !t
	case int64:
		return t == 0
	}
	return false
}

// itemName is how an item is named in a path: by its identity if it has one,
// else by its position.
func itemName(f *Field, e any, i int) string {
	if id, ok := f.ItemIdentity(e); ok {
		return id
	}
	return "#" + strconv.Itoa(i)
}

// ItemIdentity returns the identity of a list item: the value of the identity
// member, or the value itself in a list of strings. It reports false if the
// item has none.
func (f *Field) ItemIdentity(e any) (string, bool) {
	switch t := e.(type) {
	case map[string]any:
		if f.Identity == "" {
			return "", false
		}
		s, ok := t[f.Identity].(string)
		return s, ok
	case string:
		return t, f.Elem != nil && f.Elem.Kind == String
	}
	return "", false
}

// Equivalent tells whether two values of the field are the same once they have
// passed through the Go type and been written: absent, null and, where the type
// omits them, empty containers coincide; so do a plain scalar's absence and its
// zero. Values of a wrong type are compared as they are.
func (f *Field) Equivalent(a, b any) bool {
	if hosted.Equal(a, b) { // the usual case, without a copy
		return true
	}
	x, errA := decode(f, a, nil)
	y, errB := decode(f, b, nil)
	if errA != nil || errB != nil {
		return hosted.Equal(a, b)
	}
	if f.OmitEmpty && empty(f, x) && empty(f, y) {
		return true
	}
	return hosted.Equal(encode(f, x), encode(f, y))
}

// Managed tells whether a top-level value in the Config makes its field
// managed: it is not null once it has passed through the Go type, which turns
// an empty value that the type omits into null.
func (f *Field) Managed(v any) bool {
	if v == nil {
		v = zero(f)
	}
	return v != nil && !(f.OmitEmpty && empty(f, v))
}
