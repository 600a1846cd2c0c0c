package resync

import (
	"errors"
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

func errIs(err, target error) bool { return errors.Is(err, target) }

// units lists the merge units in which two Configs differ as Rancher would write
// them, in the order of their names.
func units(table schema.Spec, before, after map[string]any) []UnitChange {
	keys := map[string]bool{}
	for k := range before {
		keys[k] = true
	}
	for k := range after {
		keys[k] = true
	}
	out := []UnitChange{}
	for _, k := range hosted.SortedKeys(keys) {
		f, known := table.Unit(k)
		if known && f.Equivalent(before[k], after[k]) || !known && hosted.Equal(before[k], after[k]) {
			continue
		}
		_, present := before[k]
		out = append(out, UnitChange{Unit: k, Before: before[k], After: after[k], Absent: !present})
	}
	return out
}

// configPatch is the JSON merge patch (RFC 7386) that turns the Config's units
// into what they are to be, and nothing else. Objects are patched key by key,
// lists are replaced whole. It fails where a merge patch cannot say it: null
// inside an object.
func configPatch(s *hosted.Snapshot, changes []UnitChange) (map[string]any, error) {
	config := map[string]any{}
	for _, c := range changes {
		v, err := mergePatch(c.Before, c.After)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Unit, err)
		}
		config[c.Unit] = v
	}
	return map[string]any{
		"metadata": map[string]any{"resourceVersion": s.ResourceVersion},
		"spec":     map[string]any{s.Provider.ConfigKey(): config},
	}, nil
}

// mergePatch is the part of a merge patch that turns one value into another.
func mergePatch(before, after any) (any, error) {
	a, object := after.(map[string]any)
	if !object {
		return after, nil
	}
	b, _ := before.(map[string]any)
	out := map[string]any{}
	for k := range b {
		if _, kept := a[k]; !kept {
			out[k] = nil
		}
	}
	for k, v := range a {
		old, existed := b[k]
		switch {
		case existed && hosted.Equal(old, v):
		case v == nil:
			return nil, fmt.Errorf("a merge patch cannot set %q to null inside an object; leave the key out instead", k)
		default:
			p, err := mergePatch(old, v)
			if err != nil {
				return nil, err
			}
			out[k] = p
		}
	}
	return out, nil
}
