package eks

import (
	"encoding/base64"
	"reflect"
	"time"
	"unicode"
	"unicode/utf8"
)

// document turns a value of the SDK's types into the API's JSON document: members
// in lower camel case, absent ones left out, integers as int64, times as seconds.
// The SDK derives its names from the API's members by a capital letter, so that the
// way back loses nothing that the SDK has understood; what it has not, Rancher,
// which uses the same SDK, does not see either.
func document(v any) map[string]any {
	out, _ := encode(reflect.ValueOf(v))
	m, _ := out.(map[string]any)
	return m
}

var timeType = reflect.TypeFor[time.Time]()

// encode returns false for what is absent.
func encode(v reflect.Value) (any, bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil, false
		}
		return encode(v.Elem())
	case reflect.Struct:
		if v.Type() == timeType {
			t, _ := v.Interface().(time.Time)
			return float64(t.UnixMilli()) / 1000, true
		}
		return members(v), true
	case reflect.Map:
		if v.IsNil() {
			return nil, false
		}
		out := map[string]any{}
		for it := v.MapRange(); it.Next(); {
			out[it.Key().String()], _ = encode(it.Value())
		}
		return out, true
	case reflect.Slice:
		if v.IsNil() {
			return nil, false
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return base64.StdEncoding.EncodeToString(v.Bytes()), true
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i], _ = encode(v.Index(i))
		}
		return out, true
	case reflect.String:
		return v.String(), true
	case reflect.Bool:
		return v.Bool(), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), true
	case reflect.Float32, reflect.Float64:
		return v.Float(), true
	}
	return nil, false
}

// members encodes a structure. An enumeration that is "" is absent: the SDK has no
// pointers to those.
func members(v reflect.Value) map[string]any {
	out := map[string]any{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || f.Name == "ResultMetadata" || v.Field(i).Kind() == reflect.String && v.Field(i).Len() == 0 {
			continue
		}
		if e, ok := encode(v.Field(i)); ok {
			first, size := utf8.DecodeRuneInString(f.Name)
			out[string(unicode.ToLower(first))+f.Name[size:]] = e
		}
	}
	return out
}
