package predict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// Edit is a change of a Config that somebody considers.
type Edit struct {
	Set      []Assignment
	Unmanage []hosted.Path
	// Replace is a whole new Config, nil for none. It comes first.
	Replace map[string]any
}

// Assignment sets one place to a value in text form.
type Assignment struct {
	Path hosted.Path
	Text string
}

// Empty tells whether the edit asks for nothing.
func (e Edit) Empty() bool { return len(e.Set) == 0 && len(e.Unmanage) == 0 && e.Replace == nil }

// Note is something the editor should know about one edited field.
type Note struct {
	Field string `json:"field"`
	// Code is stable: becomes-managed, never-pushed, copied, carried-only,
	// upgrade-only, enable-only, not-read, unknown-field.
	Code string `json:"code"`
	Text string `json:"text"`
}

// Edited is a Config after an edit.
type Edited struct {
	Config map[string]any
	// Paths are the places that the edit names or, for a replaced Config, the
	// merge units that it changes.
	Paths []hosted.Path
	Notes []Note
}

// ParseAssignment reads path=value.
func ParseAssignment(s string) (Assignment, error) {
	at := separator(s)
	if at < 0 {
		return Assignment{}, fmt.Errorf("%q: write path=value, for example tags.team=blue", s)
	}
	p, err := hosted.ParsePath(s[:at])
	return Assignment{Path: p, Text: s[at+1:]}, err
}

// separator is the first = outside quotes and brackets.
func separator(s string) int {
	quoted, depth := false, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '=' && depth <= 0:
			return i
		}
	}
	return -1
}

// Apply works the edit into a Config without touching it. Setting a place below
// a merge unit that the Config does not manage starts from the reading's value
// of the unit, as Rancher's own form does: a unit is enforced whole, so that a
// single key on its own would remove all others.
func (e Edit) Apply(table schema.Spec, config, reading map[string]any) (Edited, error) {
	out := Edited{Config: hosted.CloneMap(config)}
	if out.Config == nil {
		out.Config = map[string]any{}
	}
	if e.Replace != nil {
		out.replace(table, config, e.Replace)
	}
	for _, a := range e.Set {
		if err := out.set(table, reading, a); err != nil {
			return Edited{}, err
		}
	}
	for _, p := range e.Unmanage {
		if err := out.unmanage(table, p); err != nil {
			return Edited{}, err
		}
	}
	if _, err := table.Decode(out.Config); err != nil {
		return Edited{}, fmt.Errorf("the edited config is not valid: %w", err)
	}
	return out, nil
}

func (ed *Edited) replace(table schema.Spec, before, after map[string]any) {
	ed.Config = hosted.CloneMap(after)
	for _, k := range hosted.SortedKeys(merged(before, after)) {
		f, known := table.Unit(k)
		if known && f.Equivalent(before[k], after[k]) || !known && hosted.Equal(before[k], after[k]) {
			continue
		}
		p := hosted.Path{}.Key(k)
		ed.Paths = append(ed.Paths, p)
		ed.note(p, f, known)
	}
}

func merged(a, b map[string]any) map[string]any {
	out := make(map[string]any, len(a)+len(b))
	for _, m := range []map[string]any{a, b} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

func (ed *Edited) unmanage(table schema.Spec, p hosted.Path) error {
	f, known := table.Unit(p.MergeUnit())
	switch {
	case len(p) != 1:
		return fmt.Errorf("%s: only whole fields can be unmanaged; unmanage %s instead", p, p.MergeUnit())
	case !known && ed.Config[p[0].Key] == nil:
		return unknownField(table.Root, p, 0)
	case known && !f.Nullable() && !f.OmitEmpty:
		return fmt.Errorf("%s: cannot be unmanaged, it is never null", p)
	}
	ed.Config[p[0].Key] = nil
	ed.Paths = append(ed.Paths, p)
	return nil
}

func (ed *Edited) set(table schema.Spec, reading map[string]any, a Assignment) error {
	unit := a.Path.MergeUnit()
	top, known := table.Unit(unit)
	if !known && ed.Config[unit] == nil && reading[unit] == nil {
		return unknownField(table.Root, a.Path, 0)
	}
	if len(a.Path) > 1 && !top.Managed(ed.Config[unit]) && reading[unit] != nil {
		ed.Config[unit] = hosted.Clone(reading[unit])
		ed.Notes = append(ed.Notes, Note{unit, "becomes-managed",
			unit + " was unmanaged: the edit starts from the cloud's value, and from then on all of " + unit + " is enforced"})
	}
	f, found, err := resolve(table, a.Path)
	if err != nil {
		return err
	}
	v, err := parseValue(f, found, a)
	if err != nil {
		return err
	}
	if err := assign(table, ed.Config, a.Path, v); err != nil {
		return err
	}
	ed.Paths = append(ed.Paths, a.Path)
	ed.note(a.Path, f, found)
	return nil
}

// resolve looks the path up, taking a bracket as a map key where a map is.
func resolve(table schema.Spec, p hosted.Path) (schema.Field, bool, error) {
	f := table.Root
	for i, step := range p {
		switch f.Kind {
		case schema.Object:
			m, ok := f.Member(step.Key)
			if !ok && i == 0 {
				return schema.Field{}, false, nil // unknown to the schema, present in the object
			}
			if !ok {
				return schema.Field{}, false, unknownField(f, p, i)
			}
			f = m
		case schema.Map:
			f = *f.Elem
		case schema.List:
			if f.Identity == "" {
				return schema.Field{}, false, fmt.Errorf("%s: items of %s have no name; set the whole list as JSON", p, p[:i])
			}
			f = *f.Elem
		default:
			if i > 1 && f.Name == "" { // a key with dots, written without brackets
				return schema.Field{}, false, fmt.Errorf("%s: %s has nothing below it; if the key has dots, write %s", p, p[:i], p[:i-1].Key(dotted(p[i-1:])))
			}
			return schema.Field{}, false, fmt.Errorf("%s: %s is a %s and has nothing below it", p, p[:i], f.Kind)
		}
	}
	return f, true, nil
}

// dotted is the key that somebody meant who wrote it without brackets.
func dotted(p hosted.Path) string {
	keys := make([]string, len(p))
	for i, s := range p {
		keys[i] = s.Key
	}
	return strings.Join(keys, ".")
}

func unknownField(parent schema.Field, p hosted.Path, at int) error {
	names := make([]string, 0, len(parent.Fields))
	for _, m := range parent.Fields {
		names = append(names, m.Name)
	}
	return fmt.Errorf("%s: there is no field %q here; known fields: %s", p, p[at].Key, strings.Join(names, ", "))
}

// parseValue reads the text by the field's type, so that kubernetesVersion=1.31
// is a string and desiredSize=3 a number. Quotes force a string; null unsets.
func parseValue(f schema.Field, known bool, a Assignment) (any, error) {
	if known && f.Kind == schema.String && !strings.HasPrefix(a.Text, `"`) && a.Text != "null" {
		return a.Text, nil
	}
	if known && f.Kind == schema.Bool {
		if b, err := strconv.ParseBool(a.Text); err == nil {
			return b, nil
		}
	}
	v, err := hosted.Decode([]byte(a.Text))
	if err != nil {
		if !known {
			return a.Text, nil
		}
		return nil, fmt.Errorf("%s: want a %s, found %q", a.Path, f.Kind, a.Text)
	}
	if v == nil && known && !f.Nullable() && len(a.Path) == 1 && !f.OmitEmpty {
		return nil, fmt.Errorf("%s: cannot be null", a.Path)
	}
	return v, nil
}

// assign writes v at the path, creating maps on the way. A list item must exist
// unless the path ends at it: then it is added.
func assign(table schema.Spec, config map[string]any, p hosted.Path, v any) error {
	f := table.Root
	cur := config
	for i, step := range p {
		last := i == len(p)-1
		if last {
			cur[step.Key] = v
			return nil
		}
		m, _ := f.Member(step.Key)
		if f.Kind == schema.Map {
			m = *f.Elem
		}
		if m.Kind == schema.List {
			return assignItem(m, cur, p, i, v)
		}
		next, ok := cur[step.Key].(map[string]any)
		if !ok {
			if cur[step.Key] != nil {
				return fmt.Errorf("%s: %s is not an object in this config", p, p[:i+1])
			}
			next = map[string]any{}
			cur[step.Key] = next
		}
		cur, f = next, m
	}
	return nil
}

func assignItem(list schema.Field, parent map[string]any, p hosted.Path, i int, v any) error {
	items, _ := parent[p[i].Key].([]any)
	id := p[i+1].Key
	at := slices.IndexFunc(items, func(e any) bool { n, ok := list.ItemIdentity(e); return ok && n == id })
	if i+2 == len(p) {
		m, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: want an object, found %s", p, hosted.Canonical(v))
		}
		m[list.Identity] = id
		if at < 0 {
			parent[p[i].Key] = append(items, m)
		} else {
			items[at] = m
		}
		return nil
	}
	if at < 0 {
		return fmt.Errorf("%s: there is no item %q in %s; items: %s", p, id, p[:i+1], strings.Join(itemNames(list, items), ", "))
	}
	m, ok := items[at].(map[string]any)
	if !ok {
		return fmt.Errorf("%s: item %q is not an object in this config", p, id)
	}
	return assign(schema.Spec{Root: *list.Elem}, m, p[i+2:], v)
}

func itemNames(list schema.Field, items []any) []string {
	var names []string
	for _, e := range items {
		if n, ok := list.ItemIdentity(e); ok {
			names = append(names, n)
		}
	}
	return names
}

// note records what the schema knows to be surprising about an edited field.
func (ed *Edited) note(p hosted.Path, f schema.Field, known bool) {
	field := p.String()
	add := func(code, text string) { ed.Notes = append(ed.Notes, Note{field, code, field + " " + text}) }
	switch {
	case !known:
		add("unknown-field", "is unknown to this version's schema: whether it is pushed cannot be predicted")
	case f.Push == schema.PushNever && f.Source == schema.FromConfig:
		add("copied", "is never pushed, and Rancher copies its reading from the Config: the edit would stay as a false statement")
	case f.Push == schema.PushNever && f.Source == schema.Retained:
		add("never-pushed", "is never pushed and never read back: the edit would stay without any effect")
	case f.Push == schema.PushNever:
		add("never-pushed", "is fixed at creation and never pushed: the edit would be recorded as applied and reverted by the next refresh")
	case f.Push == schema.PushCarried:
		add("carried-only", "is no reason to push: it goes along only with another change, else the next refresh reverts it")
	case f.Push == schema.PushUpgradeOnly:
		add("upgrade-only", "is pushed only upwards: a lower value is silently ignored and reverted by the next refresh")
	case f.Push == schema.PushEnableOnly:
		add("enable-only", "is pushed only to switch on: switching off would be reverted by the next refresh")
	}
}
