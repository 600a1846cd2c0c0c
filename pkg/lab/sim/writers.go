package sim

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// writers is the account that an API server keeps of an object's writers
// (metadata.managedFields), as far as it concerns the Config: each merge unit belongs
// to whoever changed it last, and each writer has the time of its last write, whatever
// that was about (kubernetes/apimachinery, pkg/util/managedfields/internal,
// managedFieldsUpdater.Update).
type writers struct {
	key    string
	owners map[string]string
	times  map[string]time.Time
	// fields are the entries' fieldsV1 by manager, made anew when owners change.
	fields map[string]any
}

// wrote accounts for one write. A write that only takes something away has no time.
func (w *writers) wrote(manager string, now time.Time, old, obj map[string]any) {
	if w.times == nil {
		w.key = hosted.ProviderOf(obj).ConfigKey()
		w.owners, w.times = map[string]string{}, map[string]time.Time{}
	}
	was, is := hosted.Map(at(old, "spec", w.key)), hosted.Map(at(obj, "spec", w.key))
	same := old != nil && hosted.Same(was, is)
	if same && onlyRemoves(old, obj) {
		return
	}
	w.times[manager] = now.UTC().Truncate(time.Second)
	if same {
		return
	}
	for unit, v := range is {
		if have, there := was[unit]; w.owners[unit] != manager && (!there || !hosted.Equal(have, v)) {
			w.owners[unit], w.fields = manager, nil
		}
	}
	for unit := range was {
		if _, there := is[unit]; !there {
			delete(w.owners, unit)
			w.fields = nil
		}
	}
}

// onlyRemoves tells whether a write took annotations away and did nothing else.
func onlyRemoves(old, obj map[string]any) bool {
	was, is := hosted.Map(at(old, "metadata", "annotations")), hosted.Map(at(obj, "metadata", "annotations"))
	if len(is) >= len(was) {
		return false
	}
	for k, v := range is {
		if was[k] != v {
			return false
		}
	}
	return hosted.Same(hosted.Map(old["status"]), hosted.Map(obj["status"])) &&
		hosted.Equal(at(old, "metadata", "labels"), at(obj, "metadata", "labels"))
}

// entries are metadata.managedFields.
func (w *writers) entries() []any {
	if w.fields == nil {
		w.fields = map[string]any{}
		owned := map[string]map[string]any{}
		for unit, manager := range w.owners {
			if owned[manager] == nil {
				owned[manager] = map[string]any{}
			}
			owned[manager]["f:"+unit] = map[string]any{}
		}
		for manager, units := range owned {
			w.fields[manager] = map[string]any{"f:spec": map[string]any{"f:" + w.key: units}}
		}
	}
	out := make([]any, 0, len(w.fields))
	for _, manager := range hosted.SortedKeys(w.fields) {
		out = append(out, map[string]any{"manager": manager, "operation": "Update", "fieldsType": "FieldsV1",
			"time": w.times[manager].Format(time.RFC3339), "fieldsV1": w.fields[manager]})
	}
	return out
}
