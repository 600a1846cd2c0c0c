package hosted

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// writers reads who last wrote each top-level field of p's Config from the API
// server's bookkeeping. Where several managers own a field, the latest to write
// is named.
func (r *reader) writers(meta map[string]any, p Provider) []FieldWriter {
	if p == None {
		return nil
	}
	entries := r.list(meta, "metadata.", "managedFields")
	var out []FieldWriter
	for i, e := range entries {
		at := fmt.Sprintf("metadata.managedFields[%d]", i)
		m, ok := e.(map[string]any)
		if !ok {
			r.wrong(at, "an object", e)
			continue
		}
		fields, _ := Dig(m, "fieldsV1", "f:spec", "f:"+p.ConfigKey())
		owned := Map(fields)
		if len(owned) == 0 {
			continue
		}
		w := FieldWriter{
			Manager:     r.text(m, at+".", "manager"),
			Operation:   r.text(m, at+".", "operation"),
			Subresource: r.text(m, at+".", "subresource"),
			Time:        r.instant(m, at+".", "time"),
		}
		for k := range owned {
			if name, ok := strings.CutPrefix(k, "f:"); ok {
				w.Field = name
				out = append(out, w)
			}
		}
	}
	slices.SortFunc(out, func(a, b FieldWriter) int {
		return cmp.Or(
			cmp.Compare(a.Field, b.Field),
			b.Time.Compare(a.Time),
			cmp.Compare(a.Manager, b.Manager),
			cmp.Compare(a.Operation, b.Operation),
			cmp.Compare(a.Subresource, b.Subresource),
		)
	})
	return slices.Clip(slices.CompactFunc(out, func(a, b FieldWriter) bool { return a.Field == b.Field }))
}
