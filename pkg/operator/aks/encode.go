package aks

// encode writes a spec the way Kubernetes' typed-to-unstructured conversion
// does: nil is null, empty omitEmpty members are absent.
func (s *spec) encode() map[string]any { return encodeMembers(specMembers, s) }

func encodeMembers[T any](members []member[T], from *T) map[string]any {
	out := make(map[string]any, len(members))
	for _, f := range members {
		v, empty := encodeValue(f.at(from))
		if !empty || !f.omitEmpty {
			out[f.key] = v
		}
	}
	return out
}

// encodeValue returns the JSON value of a member and whether it counts as
// empty.
func encodeValue(place any) (v any, empty bool) {
	switch p := place.(type) {
	case *string:
		return *p, *p == ""
	case *bool:
		return *p, !*p
	case **string:
		return jsonText(*p), *p == nil
	case **bool:
		if *p == nil {
			return nil, true
		}
		return **p, false
	case **int32:
		if *p == nil {
			return nil, true
		}
		return int64(**p), false
	case **[]string:
		return jsonTexts(*p), *p == nil
	case *map[string]string:
		return jsonTags(*p), len(*p) == 0
	case *map[string]*string:
		return jsonTextMap(*p), len(*p) == 0
	case *[]pool:
		return encodePools(*p), len(*p) == 0
	}
	return nil, true
}

func jsonText(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

func jsonTexts(l *[]string) any {
	if l == nil {
		return nil
	}
	out := make([]any, len(*l))
	for i, s := range *l {
		out[i] = s
	}
	return out
}

func jsonTags(m map[string]string) any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, s := range m {
		out[k] = s
	}
	return out
}

func jsonTextMap(m map[string]*string) any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, s := range m {
		out[k] = jsonText(s)
	}
	return out
}

func encodePools(pools []pool) any {
	if pools == nil {
		return nil
	}
	out := make([]any, len(pools))
	for i := range pools {
		out[i] = encodeMembers(poolMembers, &pools[i])
	}
	return out
}

// The operator's own helpers treat nil as the zero value when it compares.

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func truth(b *bool) bool { return b != nil && *b }

func number(i *int32) int32 {
	if i == nil {
		return 0
	}
	return *i
}

// plainTexts flattens a map of optional strings; null becomes "".
func plainTexts(m map[string]*string) map[string]string {
	out := make(map[string]string, len(m))
	for k, s := range m {
		out[k] = text(s)
	}
	return out
}
