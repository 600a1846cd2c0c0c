package hosted

import (
	"fmt"
	"slices"
	"strings"
)

// closest is how many similar names an UnknownNameError suggests.
const closest = 3

// longestName bounds the names whose likeness is worked out.
const longestName = 256

// Resolve finds clusters by what people call them: the object's name first, then
// the display name, both exact. The result keeps the order of names and names
// each cluster once. It fails with an *UnknownNameError or an
// *AmbiguousNameError.
func Resolve(fleet []Snapshot, names []string) ([]Snapshot, error) {
	var out []Snapshot
	taken := map[string]bool{}
	for _, name := range names {
		i, err := find(fleet, name)
		if err != nil {
			return nil, err
		}
		if !taken[fleet[i].Name] {
			taken[fleet[i].Name] = true
			out = append(out, fleet[i])
		}
	}
	return out, nil
}

func find(fleet []Snapshot, name string) (int, error) {
	if i := slices.IndexFunc(fleet, func(s Snapshot) bool { return s.Name == name }); i >= 0 {
		return i, nil
	}
	var hits []int
	for i := range fleet {
		if fleet[i].DisplayName == name && name != "" {
			hits = append(hits, i)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return 0, &UnknownNameError{Name: name, Closest: similar(fleet, name)}
	}
	e := &AmbiguousNameError{Name: name}
	for _, i := range hits {
		e.Candidates = append(e.Candidates, fleet[i].Name)
	}
	slices.Sort(e.Candidates)
	return 0, e
}

// UnknownNameError says that no cluster has a name, and which ones come close.
type UnknownNameError struct {
	Name    string
	Closest []string
}

func (e *UnknownNameError) Error() string {
	if len(e.Closest) == 0 {
		return fmt.Sprintf("no cluster is called %q; list them with: kubectl hostedsync get", e.Name)
	}
	return fmt.Sprintf("no cluster is called %q; did you mean %s?", e.Name, strings.Join(e.Closest, ", "))
}

// AmbiguousNameError says that several clusters share a display name.
type AmbiguousNameError struct {
	Name       string
	Candidates []string
}

func (e *AmbiguousNameError) Error() string {
	return fmt.Sprintf("%d clusters are called %q; use one of the object names: %s",
		len(e.Candidates), e.Name, strings.Join(e.Candidates, ", "))
}

// similar returns the names in the fleet that are closest to name, nearest first:
// those that contain it, or differ in few letters.
func similar(fleet []Snapshot, name string) []string {
	type near struct {
		name string
		far  int
	}
	var all []near
	add := func(candidate string) {
		if len(candidate) > longestName || len(name) > longestName {
			return
		}
		a, b := strings.ToLower(name), strings.ToLower(candidate)
		far := distance(a, b)
		if a != "" && strings.Contains(b, a) {
			far = min(far, 1)
		}
		if candidate != "" && far <= max(2, len([]rune(name))/3) {
			all = append(all, near{candidate, far})
		}
	}
	for i := range fleet {
		add(fleet[i].Name)
		if fleet[i].DisplayName != fleet[i].Name {
			add(fleet[i].DisplayName)
		}
	}
	slices.SortFunc(all, func(a, b near) int {
		if a.far != b.far {
			return a.far - b.far
		}
		return strings.Compare(a.name, b.name)
	})
	all = slices.CompactFunc(all, func(a, b near) bool { return a.name == b.name })
	var out []string
	for _, n := range all[:min(closest, len(all))] {
		out = append(out, n.name)
	}
	return out
}

// distance counts the letters to insert, delete or replace to get from a to b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(y)]
}
