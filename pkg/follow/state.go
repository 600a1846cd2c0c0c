package follow

import (
	"slices"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
)

// state is what is known of the server's objects, raw.
type state struct {
	clusters  map[string]map[string]any
	resources map[hosted.Provider]*resources
	settings  *settings
	// chosen are the clusters that were named, nil for all.
	chosen map[string]bool
	// listed: all clusters have been seen once.
	listed bool
}

// resources are those of one provider's operator.
type resources struct {
	byName map[string]map[string]any
	// settled: they have been listed, or cannot be.
	settled bool
	unread  *hosted.Unread
}

// settings are the Settings by name, and what could not be read of them.
type settings struct {
	found  map[string]map[string]any
	unread []hosted.Unread
}

func newState() *state {
	return &state{clusters: map[string]map[string]any{}, resources: map[hosted.Provider]*resources{}}
}

// wanted tells whether a cluster was asked for.
func (s *state) wanted(name string) bool { return s.chosen == nil || s.chosen[name] }

// put stores an object and tells whether it is news.
func (s *state) put(p hosted.Provider, name string, obj map[string]any) bool {
	m := s.clusters
	if p != hosted.None {
		m = s.resources[p].byName
	} else if s.listed && !s.wanted(name) {
		return false
	}
	news := version(m[name]) != version(obj) || m[name] == nil
	m[name] = obj
	return news
}

func version(obj map[string]any) string {
	return hosted.Str(hosted.Map(obj["metadata"])["resourceVersion"])
}

// remove forgets an object and tells whether there was one.
func (s *state) remove(p hosted.Provider, name string) bool {
	m := s.clusters
	if p != hosted.None {
		m = s.resources[p].byName
	}
	_, existed := m[name]
	delete(m, name)
	return existed
}

// choose resolves the names that were asked for, once the clusters are listed,
// and forgets all others.
func (s *state) choose(names []string) error {
	s.listed = true
	if len(names) == 0 {
		return nil
	}
	all := make([]hosted.Snapshot, 0, len(s.clusters))
	for _, name := range hosted.SortedKeys(s.clusters) {
		one, _ := hosted.FromObjects(s.clusters[name], nil)
		all = append(all, one)
	}
	some, err := hosted.Resolve(all, names)
	if err != nil {
		return err
	}
	s.chosen = map[string]bool{}
	for i := range some {
		s.chosen[some[i].Name] = true
	}
	for name := range s.clusters {
		if !s.chosen[name] {
			delete(s.clusters, name)
		}
	}
	return nil
}

// complete tells whether everything has been read that the clusters need.
func (s *state) complete() bool {
	if !s.listed || s.settings == nil {
		return false
	}
	for _, r := range s.resources {
		if !r.settled {
			return false
		}
	}
	return true
}

// snapshot puts one cluster together.
func (s *state) snapshot(name string) (hosted.Snapshot, []hosted.Problem, bool) {
	cluster, ok := s.clusters[name]
	if !ok {
		return hosted.Snapshot{}, nil, false
	}
	around := &hosted.Surroundings{}
	if s.settings != nil {
		for _, key := range hosted.SortedKeys(s.settings.found) {
			around.AddSetting(s.settings.found[key])
		}
		around.Unread = slices.Clone(s.settings.unread)
	}
	for p, r := range s.resources {
		if r.unread != nil {
			around.Unread = append(around.Unread, *r.unread)
		}
		if obj := r.byName[name]; obj != nil {
			around.AddResource(p, obj)
		}
	}
	out, problems := hosted.FromObjects(cluster, around)
	return out, problems, true
}

// all are the snapshots of some clusters, by name, with what could not be read
// for any of them.
func (s *state) all(keep func(hosted.Snapshot) bool) (out []hosted.Snapshot, problems []hosted.Problem, unread []hosted.Unread) {
	for _, name := range hosted.SortedKeys(s.clusters) {
		one, odd, _ := s.snapshot(name)
		if !keep(one) {
			continue
		}
		out = append(out, one)
		problems = appendNew(problems, odd)
		unread = appendNew(unread, one.Unread)
	}
	return out, problems, unread
}

func appendNew[T comparable](to, more []T) []T {
	for _, v := range more {
		if !slices.Contains(to, v) {
			to = append(to, v)
		}
	}
	return to
}

// refusal explains why an operator's resources cannot be read.
func refusal(p hosted.Provider, err error) *hosted.Unread {
	u := hosted.Unread{What: p.CRKind(), Why: err.Error()}
	if e := asError(err); e != nil {
		u.Why, u.Fix = e.What, e.Fix
	}
	if rancher.KindOf(err) == rancher.NotInstalled {
		u.Fix = "the operator's charts are installed with its first cluster; check Rancher's Apps of the local cluster"
	}
	return &u
}
