package rawjson

// Filter names the parts of a value that are wanted. The nil Filter wants
// everything. A Filter restricts objects and, through Each, the items of lists;
// other values are taken as they are, so that a value of an unexpected type is
// still seen.
type Filter struct {
	// Keys are the wanted keys of an object and what is wanted below them.
	Keys map[string]*Filter
	// Match is asked about keys that Keys does not name; what it accepts is
	// taken whole. Nil accepts none.
	Match func(key string) bool
	// Names wants only the keys of an object: every value becomes null.
	Names bool
	// Each applies to the items of a list. Nil takes them whole.
	Each *Filter
	// Share lets this value, and values below it down to as many levels, be
	// shared with an equal one of the same object that also has Share, where
	// they are wanted whole. The result is then read-only.
	Share int
}

// whole is the filter of values that are wanted whole.
var whole *Filter

// Only returns a Filter for the given keys, each taken whole.
func Only(keys ...string) *Filter {
	f := &Filter{Keys: make(map[string]*Filter, len(keys))}
	for _, k := range keys {
		f.Keys[k] = whole
	}
	return f
}

// With adds a key with what is wanted below it and returns f.
func (f *Filter) With(key string, below *Filter) *Filter {
	f.Keys[key] = below
	return f
}

// key returns what is wanted below a key, and whether anything is.
func (f *Filter) key(k string) (*Filter, bool) {
	if f == nil || (f.Keys == nil && f.Match == nil) {
		return nil, true
	}
	if below, ok := f.Keys[k]; ok {
		return below, true
	}
	return nil, f.Match != nil && f.Match(k)
}

func (f *Filter) wantsAll() bool {
	return f == nil || (f.Keys == nil && f.Match == nil && f.Each == nil && !f.Names)
}

func (f *Filter) each() *Filter {
	if f == nil {
		return nil
	}
	return f.Each
}

func (f *Filter) share() int {
	if f == nil {
		return 0
	}
	return f.Share
}
