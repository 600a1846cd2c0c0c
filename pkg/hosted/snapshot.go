package hosted

import (
	"strings"
	"time"
)

// RefreshAnnotation holds the unix time in seconds, by Rancher's clock, at which
// the last refresh ended (rancher/rancher,
// pkg/controllers/management/clusterupstreamrefresher, clusterLastRefreshTime).
const RefreshAnnotation = "clusters.management.cattle.io/ke-last-refresh"

// LocalClusterName is the Cluster object that stands for the management cluster
// itself.
const LocalClusterName = "local"

// VersionSetting is the Setting that holds Rancher's own version.
const VersionSetting = "server-version"

// Snapshot is one hosted cluster as it stood at one moment: every copy of its
// specification and everything that decides what happens to them next. It is
// made by FromObjects.
//
// A Snapshot is read-only: its maps share their contents with one another and
// with Object. Clone before changing anything.
type Snapshot struct {
	// Name is the Cluster object's name ("c-ab12c"), DisplayName the one people
	// gave it; it need not be unique.
	Name        string
	DisplayName string
	UID         string
	// ResourceVersion is the Cluster object's, the precondition of a guarded
	// change.
	ResourceVersion string
	// Generation rises with every change of the spec; before Rancher 2.15, whose
	// Clusters' status is no subresource, also with every change of the status.
	Generation int64
	Created    time.Time
	Deleting   bool

	// Provider is the one whose Config Rancher acts on, None for a cluster that
	// is not hosted. ConfigsPresent lists all whose Config is present, in
	// Rancher's order of precedence.
	Provider       Provider
	ConfigsPresent []Provider
	// Driver is status.driver as written, which may disagree with Provider.
	Driver string
	// Internal is Rancher's own mark of its management cluster, Local that the
	// object is the one named LocalClusterName.
	Internal bool
	Local    bool

	// Config, Upstream and Applied are the Provider's copies; nil means absent
	// or null, an empty map is a value.
	Config   map[string]any
	Upstream map[string]any
	Applied  map[string]any
	// Live is the caller's own reading of the cloud, nil if there is none.
	Live *Reading
	// Status is the Provider's status without upstreamSpec, for example
	// managedLaunchTemplateID and privateRequiresTunnel; nil if absent.
	Status map[string]any

	Refresh RefreshMark
	// Setting is the Provider's refresh interval.
	Setting SettingValue
	// CR is the operator's custom resource, nil if there is none or if it was
	// not read; Unread tells the two apart.
	CR         *OperatorResource
	Conditions []Condition
	Labels     map[string]string
	// Annotations are the few that say something about syncing (KeptAnnotation).
	Annotations map[string]string
	// Writers says who last wrote each top-level Config field, sorted by Field.
	Writers []FieldWriter

	// APIEndpoint and KubernetesVersion are what Rancher recorded of the
	// downstream cluster.
	APIEndpoint       string
	KubernetesVersion string
	// RancherVersion is the management server's, "" if not read.
	RancherVersion string
	// ServerTime is the management server's clock when this was read; zero if
	// the source has no clock (a file).
	ServerTime time.Time
	// Unread lists what would belong here and could not be read.
	Unread []Unread

	// Object is the Cluster object reduced to what the refresher looks at; spec
	// and status copies are exactly as the API server holds them, unknown keys
	// and explicit nulls included.
	Object map[string]any
}

// Hosted tells whether the cluster has a hosted Config.
func (s *Snapshot) Hosted() bool { return s.Provider != None }

// Condition returns the condition of a type and whether it is present.
func (s *Snapshot) Condition(kind string) (Condition, bool) {
	for _, c := range s.Conditions {
		if c.Type == kind {
			return c, true
		}
	}
	return Condition{}, false
}

// Writer returns who last wrote a top-level Config field and whether that is
// known.
func (s *Snapshot) Writer(field string) (FieldWriter, bool) {
	for _, w := range s.Writers {
		if w.Field == field {
			return w, true
		}
	}
	return FieldWriter{}, false
}

// Reading is a reading of the cloud, in UpstreamSpec form.
type Reading struct {
	// Spec is nil when nothing usable was read.
	Spec map[string]any
	// Error is why the reading failed or, with Partial, what it lacks.
	Error string
	// Partial is set when Spec is usable although the reading failed; Error may
	// then be empty, as a cloud's message may be.
	Partial bool
	// At is when it was read, zero if unknown; Origin says from where, for
	// example a file name or a cloud account, for display.
	At     time.Time
	Origin string
	// Truth is the cloud in the Config's words with what Rancher cannot see of it, nil
	// if only Rancher's view is known. Sources says for a field, by its path without
	// item names ("nodeGroups[].desiredSize"), from which member of which answer its
	// value comes.
	Truth   map[string]any
	Sources map[string]string
	// Updates is what changed in the cloud lately, the latest first; NoHistory says
	// why that is not known, or not in full, "" if it is.
	Updates   []CloudUpdate
	NoHistory string
}

// UpdateState is how far an update in the cloud has come.
type UpdateState string

// The states.
const (
	UpdateRunning   UpdateState = "running"
	UpdateDone      UpdateState = "done"
	UpdateFailed    UpdateState = "failed"
	UpdateCancelled UpdateState = "cancelled"
)

// CloudUpdate is one change that the cloud keeps a record of. Times are by the
// cloud's clock.
type CloudUpdate struct {
	ID string
	// Type and Status are the cloud's own words, State what Status amounts to.
	Type   string
	Status string
	State  UpdateState
	// Start is when it began; End when it ended, zero if it has not or the cloud does
	// not say.
	Start, End time.Time
	// Target is the path of the node group or pool that it is about
	// ("nodeGroups[workers]"), "" for the cluster itself.
	Target string
	// Fields are the paths in the Config that it can have changed, empty if the record
	// does not tell. None says that it changes nothing that a Config can hold.
	Fields []string
	None   bool
	// Params are the record's details as the cloud has them.
	Params []CloudParam
	// By is who asked for it, "" if the record does not tell; Errors is what went
	// wrong.
	By     string
	Errors []string
	// Source is the call that told of it.
	Source string
}

// CloudParam is one detail of a CloudUpdate.
type CloudParam struct{ Name, Value string }

// RefreshMark is the refresh annotation. An annotation that is present and empty
// counts as missing for Rancher, hence both are kept.
type RefreshMark struct {
	Annotation string
	Present    bool
}

// SettingValue is one of Rancher's Settings.
type SettingValue struct {
	Name string
	// Value is what was set, Default what Rancher ships, Source who decided
	// ("env" cannot be changed through the API).
	Value   string
	Default string
	Source  string
	// Found is false when there is no such Setting.
	Found bool
	// Unreadable says why the Setting could not be read, "" if it was.
	Unreadable string
}

// Effective is what Rancher uses: the value, else the default (rancher/rancher,
// pkg/controllers/dashboardapi/settings, Get; its look at the server's own
// environment shows in Source).
func (s SettingValue) Effective() string {
	if s.Value != "" {
		return s.Value
	}
	return s.Default
}

// OperatorResource is the custom resource through which Rancher drives a
// provider's operator.
type OperatorResource struct {
	Name            string
	Namespace       string
	ResourceVersion string
	Created         time.Time
	Deleting        bool
	// Generation rises with every change of Spec.
	Generation int64
	// Phase and FailureMessage are those of status.
	Phase          string
	FailureMessage string
	// Spec and Status are complete; nil means absent or null.
	Spec   map[string]any
	Status map[string]any
}

// Condition is one entry of a Cluster's status.conditions. Times are the text
// that Rancher wrote, by its own clock.
type Condition struct {
	Type               string
	Status             string
	Reason             string
	Message            string
	LastUpdateTime     string
	LastTransitionTime string
}

// FieldWriter says who owns a top-level Config field in the API server's
// bookkeeping (metadata.managedFields), and when that owner last wrote anything.
type FieldWriter struct {
	// Field is the Config key, for example "tags".
	Field string
	// Manager is the name that the client gave itself, Operation "Update" or
	// "Apply", Subresource "" or "status".
	Manager     string
	Operation   string
	Subresource string
	Time        time.Time
}

// ByRancher tells whether the owner is Rancher itself, in whose name also its users
// write; an owner without a name is taken for it.
func (w FieldWriter) ByRancher() bool {
	return w.Manager == "" || strings.HasPrefix(w.Manager, "rancher")
}

// Unread is something that could not be read.
type Unread struct {
	// What names it: a kind ("EKSClusterConfig"), or a Setting ("Setting
	// eks-refresh", see SettingLabel).
	What string
	// Why is the reason, Fix what the user can do about it.
	Why string
	Fix string
}

// SettingLabel is the Unread.What of a Setting.
func SettingLabel(name string) string { return "Setting " + name }

// Problem is something wrong in an object that was read: reported, worked
// around, never fatal.
type Problem struct {
	// Object is the object, for example "Cluster c-ab12c", Where the place in it.
	Object string
	Where  string
	// What is wrong and what was done about it, Fix what the user can do.
	What string
	Fix  string
}

// String is the problem in one line.
func (p Problem) String() string {
	s := p.Object
	if p.Where != "" {
		s += ": " + p.Where
	}
	s += ": " + p.What
	if p.Fix != "" {
		s += "; " + p.Fix
	}
	return s
}
