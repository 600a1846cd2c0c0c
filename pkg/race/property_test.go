package race

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// selfContained rules find fault with a Config whatever the cloud has, or
// compare it with the operator's resource.
var selfContained = []string{"HS006", "HS014", "HS018", "HS024", "HS028", "HS029"}

// value draws a value of a field's type.
func value(rt *rapid.T, f *schema.Field, label string) any {
	if f.Nullable() && rapid.IntRange(0, 3).Draw(rt, label+"?") == 0 {
		return nil
	}
	switch f.Kind {
	case schema.String:
		return rapid.SampledFrom([]string{"", "a", "b", "1.30", "1.31"}).Draw(rt, label)
	case schema.Bool:
		return rapid.Bool().Draw(rt, label)
	case schema.Int32, schema.Int64:
		return int64(rapid.IntRange(0, 3).Draw(rt, label))
	case schema.Map:
		out := map[string]any{}
		for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"team", "a.b/c"}), 0, 2, rapid.ID).Draw(rt, label) {
			out[k] = value(rt, f.Elem, label+"."+k)
		}
		return out
	case schema.Object:
		return object(rt, f, label)
	case schema.List:
		out := []any{}
		for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y", "z w"}), 0, 2, rapid.ID).Draw(rt, label) {
			e := value(rt, f.Elem, label+"[]")
			if m, ok := e.(map[string]any); ok && f.Identity != "" {
				m[f.Identity] = id
			} else if f.Elem.Kind == schema.String {
				e = id
			}
			out = append(out, e)
		}
		return out
	}
	return nil
}

func object(rt *rapid.T, f *schema.Field, label string) map[string]any {
	out := map[string]any{}
	for i := range f.Fields {
		if m := &f.Fields[i]; rapid.IntRange(0, 2).Draw(rt, label+"."+m.Name+"!") > 0 {
			out[m.Name] = value(rt, m, label+"."+m.Name)
		}
	}
	return out
}

// mutated draws a copy in which some merge units are others.
func mutated(rt *rapid.T, table schema.Spec, spec map[string]any, label string) map[string]any {
	out := hosted.CloneMap(spec)
	for n := rapid.IntRange(0, 3).Draw(rt, label); n > 0; n-- {
		f := &table.Root.Fields[rapid.IntRange(0, len(table.Root.Fields)-1).Draw(rt, label+" unit")]
		out[f.Name] = value(rt, f, label+"."+f.Name)
	}
	return out
}

func jsonOf(v any) string { return hosted.Canonical(v) }

// drawFixture draws a cluster in any state.
func drawFixture(rt *rapid.T) fixture {
	p := rapid.SampledFrom(hosted.Providers()).Draw(rt, "provider")
	table := schema.For(p)
	config := object(rt, &table.Root, "config")
	f := fixture{provider: p, config: jsonOf(config)}
	f.upstream = jsonOf(mutated(rt, table, config, "upstream"))
	if rapid.Bool().Draw(rt, "frozen") {
		f.applied = jsonOf(mutated(rt, table, config, "applied"))
	}
	if rapid.Bool().Draw(rt, "cr differs") {
		f.cr = jsonOf(mutated(rt, table, config, "cr"))
	}
	if rapid.Bool().Draw(rt, "with live") {
		f.live = jsonOf(mutated(rt, table, config, "live"))
		f.liveAt = at1100.Add(time.Duration(rapid.IntRange(-60, 180).Draw(rt, "live at")) * time.Second)
	}
	f.phase = rapid.SampledFrom([]string{"", "updating", "creating"}).Draw(rt, "phase")
	f.failure = rapid.SampledFrom([]string{"", "", "boom", "AccessDenied", "the object has been modified"}).Draw(rt, "failure")
	f.updated = rapid.SampledFrom([]string{"", updating, failedAt, "False|[Syncing error: syncing failed] no|2026-09-01T08:00:00Z"}).Draw(rt, "updated")
	f.annotation = rapid.SampledFrom([]string{"", "none", "NaN", "0", "-1", strconv.FormatInt(at1105.Unix()+900, 10), "9223372036854775807"}).Draw(rt, "annotation")
	f.setting = rapid.SampledFrom([]string{"", "60", "0", "-5", "5m", "9223372036854775807"}).Draw(rt, "setting")
	return f
}

// Whatever the state: findings are well formed, rest on evidence, name managed
// fields that differ, and come in order.
func TestPropertyWellFormed(t *testing.T) {
	byCode := map[string]Rule{}
	for _, r := range Rules() {
		byCode[r.Code] = r
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := drawFixture(rt).snapshot(t)
		in := Gather(&s, at1103, nil)
		fs := Check(in)
		for i, f := range fs {
			if i > 0 && f.Severity > fs[i-1].Severity {
				rt.Fatalf("%s comes after %s", brief(f), brief(fs[i-1]))
			}
			if f.Window.Until != nil && f.Window.Until.Before(f.Window.From) || f.Window.From.IsZero() || f.Window.Reason == "" {
				rt.Fatalf("%s: window %+v", f.Code, f.Window)
			}
			if len(f.Evidence) == 0 || len(f.Remedy) != len(f.RemedyNotes) || f.Summary == "" {
				rt.Fatalf("%s lacks something: %+v", f.Code, f)
			}
			if f.Status == Unknown && f.Severity != Info {
				rt.Fatalf("%s does not know and calls it %s", f.Code, f.Severity)
			}
			if _, err := json.Marshal(f); err != nil {
				rt.Fatalf("%s: %v", f.Code, err)
			}
			for _, field := range f.Fields {
				fieldExists(rt, in, byCode[f.Code], field)
			}
		}
		again := drawAgain(t, &s)
		if a, b := indented(t, fs), indented(t, again); a != b {
			rt.Fatalf("two runs differ:\n%s\n%s", a, b)
		}
	})
}

func drawAgain(t *testing.T, s *hosted.Snapshot) []Finding {
	t.Helper()
	return Check(Gather(s, at1103, nil))
}

func fieldExists(rt *rapid.T, in *Input, r Rule, field string) {
	p, err := hosted.ParsePath(field)
	if err != nil {
		rt.Fatalf("%s names %q: %v", r.Code, field, err)
	}
	unit, known := in.Table.Unit(p.MergeUnit())
	if !r.NamesUnmanaged && known && !unit.Managed(in.Snapshot.Config[p.MergeUnit()]) {
		rt.Fatalf("%s names %s, which is unmanaged", r.Code, field)
	}
	if slices.Contains(selfContained, r.Code) || r.NamesUnmanaged && lookup(in.Table, in.Cloud.Spec, p) != nil {
		return
	}
	if r.Code == "HS019" { // what the refresh rewrites, empties included
		if !slices.Contains(in.Outcome.OverwrittenKeys, field) {
			rt.Fatalf("HS019 names %s, which the refresh leaves alone", field)
		}
		return
	}
	if !slices.ContainsFunc(in.Diff, func(e fielddiff.Entry) bool { return e.Path.Overlaps(p) }) {
		rt.Fatalf("%s names %s, which differs nowhere", r.Code, field)
	}
}

// A cluster in which everything agrees has nothing to worry about, and without
// a live reading at most says that it does not know.
func TestPropertyInSync(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SampledFrom(hosted.Providers()).Draw(rt, "provider")
		table := schema.For(p)
		typed, err := table.Decode(object(rt, &table.Root, "config"))
		if err != nil {
			rt.Fatal(err)
		}
		f := fixture{provider: p, config: jsonOf(table.Encode(typed))}
		if rapid.Bool().Draw(rt, "with live") {
			f.live = f.config
		}
		for _, x := range f.check(t) {
			if x.Severity > Info && !slices.Contains(selfContained, x.Code) {
				rt.Fatalf("%s on a cluster in sync:\n%s", brief(x), indented(t, x))
			}
		}
	})
}

// Writing the patch that makes the Config say what the cloud has leaves nothing
// to be reverted.
func TestPropertyAdopt(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := drawFixture(rt)
		s := f.snapshot(t)
		in := Gather(&s, at1103, nil)
		patch := in.aligned()
		if len(patch) == 0 {
			return
		}
		f.applied = or(f.applied, f.config)
		f.upstream = or(f.upstream, f.config)
		f.config = jsonOf(mergeInto(hosted.CloneMap(s.Config), patch))
		after := f.snapshot(t)
		for _, h := range Gather(&after, at1103, nil).Hot {
			for _, was := range in.Hot {
				if was.Origin == CloudChange && was.Field == h.Field {
					rt.Fatalf("%s is still hot after %s\nbefore %s", h.Field, jsonOf(patch), indented(t, s.Config))
				}
			}
		}
	})
}

// mergeInto applies a JSON merge patch.
func mergeInto(target, patch map[string]any) map[string]any {
	for k, v := range patch {
		switch m := v.(type) {
		case nil:
			delete(target, k)
		case map[string]any:
			below := hosted.Map(target[k])
			if below == nil {
				below = map[string]any{}
			}
			target[k] = mergeInto(below, m)
		default:
			target[k] = v
		}
	}
	return target
}
