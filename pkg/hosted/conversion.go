package hosted

import (
	"fmt"
	"slices"
	"time"
)

// Surroundings is everything that is read beside the Cluster objects. The zero
// value is empty and ready to use. It is not safe for concurrent writing.
type Surroundings struct {
	resources map[Provider]map[string]map[string]any
	settings  map[string]map[string]any
	// ServerTime is the management server's clock, zero if there is none.
	ServerTime time.Time
	// Unread lists what could not be read, for any cluster.
	Unread []Unread
}

// AddResource adds an operator's custom resource in raw form, by its Cluster's
// name, and tells whether it displaced one.
func (s *Surroundings) AddResource(p Provider, obj map[string]any) (replaced bool) {
	if s.resources == nil {
		s.resources = map[Provider]map[string]map[string]any{}
	}
	if s.resources[p] == nil {
		s.resources[p] = map[string]map[string]any{}
	}
	name := ObjectName(obj)
	_, replaced = s.resources[p][name]
	s.resources[p][name] = obj
	return replaced
}

// AddSetting adds a Setting in raw form and tells whether it displaced one.
func (s *Surroundings) AddSetting(obj map[string]any) (replaced bool) {
	if s.settings == nil {
		s.settings = map[string]map[string]any{}
	}
	name := ObjectName(obj)
	_, replaced = s.settings[name]
	s.settings[name] = obj
	return replaced
}

// Resource returns an operator's custom resource in raw form, nil if there is
// none.
func (s *Surroundings) Resource(p Provider, name string) map[string]any {
	return s.resources[p][name]
}

// Resources returns how many custom resources of a provider were added.
func (s *Surroundings) Resources(p Provider) int { return len(s.resources[p]) }

func (s *Surroundings) unread(what string) (Unread, bool) {
	for _, u := range s.Unread {
		if u.What == what {
			return u, true
		}
	}
	return Unread{}, false
}

// ObjectName is an object's metadata.name, "" if it has none.
func ObjectName(obj map[string]any) string { return Str(Map(obj["metadata"])["name"]) }

// ProviderOf is the provider whose Config Rancher acts on in a raw Cluster object.
func ProviderOf(cluster map[string]any) Provider {
	spec := Map(cluster["spec"])
	for _, p := range Providers() {
		if Map(spec[p.ConfigKey()]) != nil {
			return p
		}
	}
	return None
}

// FromObjects makes the Snapshot of a Cluster object and what surrounds it; around
// may be nil. It is the one way from raw objects, from wherever they were read, to
// a Snapshot; Collector does the same for many. The objects are generic JSON (see
// Decode) and are not changed, but the Snapshot shares their contents.
//
// Whatever has the wrong type counts as absent and is reported as a Problem.
func FromObjects(cluster map[string]any, around *Surroundings) (Snapshot, []Problem) {
	s, problems := fromCluster(cluster)
	if around == nil {
		around = &Surroundings{}
	}
	return s, append(problems, s.surround(around)...)
}

// fromCluster makes what a Cluster object alone tells.
func fromCluster(cluster map[string]any) (Snapshot, []Problem) {
	r := reader{object: "Cluster " + orUnnamed(ObjectName(cluster))}
	meta := r.mapping(cluster, "metadata")
	spec, status := r.mapping(cluster, "spec"), r.mapping(cluster, "status")
	s := Snapshot{
		Name:            r.text(meta, "metadata.", "name"),
		UID:             r.text(meta, "metadata.", "uid"),
		ResourceVersion: r.text(meta, "metadata.", "resourceVersion"),
		Created:         r.instant(meta, "metadata.", "creationTimestamp"),
		Deleting:        meta["deletionTimestamp"] != nil,
		DisplayName:     r.text(spec, "spec.", "displayName"),
		Internal:        r.flag(spec, "spec.", "internal"),
		Driver:          r.text(status, "status.", "driver"),
		APIEndpoint:     r.text(status, "status.", "apiEndpoint"),
		Conditions:      r.conditions(status),
		Labels:          r.texts(meta, "metadata.", "labels", nil),
		Annotations:     r.texts(meta, "metadata.", "annotations", KeptAnnotation),
	}
	s.Generation, _ = meta["generation"].(int64)
	s.Local = s.Name == LocalClusterName
	s.KubernetesVersion = Str(Map(status["version"])["gitVersion"])
	s.Refresh.Annotation, s.Refresh.Present = s.Annotations[RefreshAnnotation]
	r.copies(&s, spec, status)
	s.Writers = r.writers(meta, s.Provider)
	s.Object = TrimCluster(cluster)
	return s, r.problems
}

// copies finds the provider and fills in its copies of the specification.
func (r *reader) copies(s *Snapshot, spec, status map[string]any) {
	for _, p := range Providers() {
		if r.submap(spec, "spec.", p.ConfigKey()) != nil {
			s.ConfigsPresent = append(s.ConfigsPresent, p)
		}
	}
	if len(s.ConfigsPresent) == 0 {
		return
	}
	p := s.ConfigsPresent[0]
	s.Provider = p
	s.Config = Map(spec[p.ConfigKey()])
	applied := r.submap(status, "status.", "appliedSpec")
	s.Applied = r.submap(applied, "status.appliedSpec.", p.ConfigKey())
	own := r.submap(status, "status.", p.StatusKey())
	s.Upstream = r.submap(own, "status."+p.StatusKey()+".", "upstreamSpec")
	for k, v := range own {
		if k == "upstreamSpec" {
			continue
		}
		if s.Status == nil {
			s.Status = make(map[string]any, len(own))
		}
		s.Status[k] = v
	}
}

// surround fills in what was read beside the Cluster.
func (s *Snapshot) surround(around *Surroundings) []Problem {
	r := &reader{}
	s.ServerTime = around.ServerTime
	s.RancherVersion = r.setting(around, VersionSetting).Effective()
	if u, ok := around.unread(SettingLabel(VersionSetting)); ok {
		s.Unread = append(s.Unread, u)
	}
	if !s.Hosted() {
		return r.problems
	}
	s.Setting = r.setting(around, s.Provider.SettingName())
	if u, ok := around.unread(SettingLabel(s.Setting.Name)); ok {
		s.Unread = append(s.Unread, u)
	}
	if u, ok := around.unread(s.Provider.CRKind()); ok {
		s.Unread = append(s.Unread, u)
	}
	if raw := around.Resource(s.Provider, s.Name); raw != nil {
		s.CR = r.resource(s.Provider, raw, s.Config)
	}
	return r.problems
}

func (r *reader) setting(around *Surroundings, name string) SettingValue {
	out := SettingValue{Name: name}
	if u, ok := around.unread(SettingLabel(name)); ok {
		out.Unreadable = u.Why
	}
	raw, ok := around.settings[name]
	if !ok {
		return out
	}
	q := reader{object: SettingLabel(name)}
	out.Found, out.Unreadable = true, ""
	out.Value = q.text(raw, "", "value")
	out.Default = q.text(raw, "", "default")
	out.Source = q.text(raw, "", "source")
	r.problems = append(r.problems, q.problems...)
	return out
}

// resource converts an operator's custom resource. A spec that equals the Config
// is shared with it, which in a settled fleet saves a copy of everything.
func (r *reader) resource(p Provider, raw, config map[string]any) *OperatorResource {
	q := reader{object: p.CRKind() + " " + orUnnamed(ObjectName(raw))}
	meta := q.mapping(raw, "metadata")
	out := &OperatorResource{
		Name:            q.text(meta, "metadata.", "name"),
		Namespace:       q.text(meta, "metadata.", "namespace"),
		ResourceVersion: q.text(meta, "metadata.", "resourceVersion"),
		Created:         q.instant(meta, "metadata.", "creationTimestamp"),
		Deleting:        meta["deletionTimestamp"] != nil,
		Spec:            q.mapping(raw, "spec"),
		Status:          q.mapping(raw, "status"),
	}
	out.Generation, _ = meta["generation"].(int64)
	out.Phase = q.text(out.Status, "status.", "phase")
	out.FailureMessage = q.text(out.Status, "status.", "failureMessage")
	if Equal(out.Spec, config) {
		out.Spec = config
	}
	r.problems = append(r.problems, q.problems...)
	return out
}

func (r *reader) conditions(status map[string]any) []Condition {
	list := r.list(status, "status.", "conditions")
	if len(list) == 0 {
		return nil
	}
	out := make([]Condition, 0, len(list))
	for i, e := range list {
		at := fmt.Sprintf("status.conditions[%d]", i)
		m, ok := e.(map[string]any)
		if !ok {
			r.wrong(at, "an object", e)
			continue
		}
		out = append(out, Condition{
			Type:               r.text(m, at+".", "type"),
			Status:             r.text(m, at+".", "status"),
			Reason:             r.text(m, at+".", "reason"),
			Message:            r.text(m, at+".", "message"),
			LastUpdateTime:     r.text(m, at+".", "lastUpdateTime"),
			LastTransitionTime: r.text(m, at+".", "lastTransitionTime"),
		})
	}
	return slices.Clip(out)
}

func orUnnamed(name string) string {
	if name == "" {
		return "without a name"
	}
	return name
}
