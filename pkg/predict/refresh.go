package predict

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// DefaultIntervalSeconds is used when the interval setting is missing or empty.
const DefaultIntervalSeconds = 300

// syncingError is the marker by which the refresher recognises its own message
// in the Updated condition.
const syncingError = "[Syncing error"

const nilDereference = "panic: runtime error: invalid memory address or nil pointer dereference"

// Cloud is what the refresher's read of the cloud returns, in UpstreamSpec form
// and already restricted to what Rancher can see.
type Cloud struct {
	// Spec is nil when nothing usable was read.
	Spec map[string]any
	// Failed is set when the read returned an error, Message is its text.
	// Together with a Spec the error is partial: the sync goes on.
	Failed  bool
	Message string
}

// RefreshInput is everything the refresher looks at.
type RefreshInput struct {
	// Cluster is the Rancher Cluster as the API server holds it.
	Cluster map[string]any
	// Interval is the provider's interval setting as Rancher reads it: value,
	// else default, "" if the Setting does not exist.
	Interval string
	Cloud    Cloud
	// Now is Rancher's clock.
	Now time.Time
}

// Input gathers what the refresher looks at from a snapshot. Without a Live
// reading the cloud is taken to be as the UpstreamSpec has it: what is predicted
// then holds as of the last refresh.
func Input(s *hosted.Snapshot, now time.Time) RefreshInput {
	in := RefreshInput{Cluster: s.Object, Interval: s.Setting.Effective(), Now: now}
	switch {
	case s.Live == nil:
		in.Cloud.Spec = s.Upstream
	default:
		in.Cloud = Cloud{Spec: s.Live.Spec, Message: s.Live.Error}
		in.Cloud.Failed = s.Live.Spec == nil || s.Live.Error != "" || s.Live.Partial
	}
	return in
}

// Condition is the Updated condition of a Cluster.
type Condition struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

// Schedule says when a refresh is due.
type Schedule struct {
	// Ready: not being deleted, has a hosted Config, has an UpstreamSpec. Only
	// then does Rancher work out a time. NotReady says what is missing.
	Ready    bool   `json:"ready"`
	NotReady string `json:"notReady,omitempty"`
	// IntervalSeconds is the setting as parsed, nil if it cannot be.
	IntervalSeconds *int64 `json:"intervalSeconds"`
	// LastUnix is the annotation, nil if there is none or it cannot be parsed.
	LastUnix *int64 `json:"lastUnix"`
	// NextUnix is when the next refresh falls due, nil if never. Without an
	// annotation it is the year 1: due at once.
	NextUnix *int64 `json:"nextUnix"`
	// Due: the refresh happens at the next event. Strictly later than NextUnix.
	Due bool `json:"due"`
	// Error is what keeps the refresh from ever happening: a setting or an
	// annotation that cannot be parsed.
	Error *string `json:"error"`
}

// Outcome is what a refresh decides and leaves behind.
type Outcome struct {
	// Refreshes: the refresh is begun at all.
	Refreshes bool `json:"-"`
	// ReadFailed: nothing usable was read, so nothing is compared.
	ReadFailed bool `json:"-"`
	// UpstreamSpecChanged: the reading differs from the stored UpstreamSpec.
	UpstreamSpecChanged bool `json:"upstreamSpecChanged"`
	// SkippedBecauseUpdating: Config and Applied differ, the Config is left
	// alone (frozen).
	SkippedBecauseUpdating bool `json:"skippedBecauseUpdating"`
	// OverwrittenKeys are the top-level Config keys whose value changes, sorted.
	OverwrittenKeys []string `json:"overwrittenKeys"`
	// ConfigAfter and UpstreamSpecAfter are what the API server holds
	// afterwards, nil if absent.
	ConfigAfter       map[string]any `json:"configAfter"`
	UpstreamSpecAfter map[string]any `json:"upstreamSpecAfter"`
	// UpdatedCondition is the Updated condition afterwards, nil if there is none.
	UpdatedCondition *Condition `json:"updatedCondition"`
	// AnnotationAfter is the refresh annotation afterwards, nil if absent.
	AnnotationAfter *string `json:"-"`
	// Error is what the handler returns.
	Error *string `json:"error"`
}

// Refresh gives the schedule and what Rancher's handler does if it runs at
// in.Now: nothing, if the refresh is not due.
func Refresh(in RefreshInput) (Schedule, Outcome) {
	r := newRefresher(in)
	sched, at := r.schedule()
	out := r.unchanged()
	if sched.Error != nil {
		out.Error = sched.Error
	}
	if sched.Due && at != nil {
		out = r.run()
	}
	return sched, out
}

// NextRefresh gives the schedule at in.Now and what the next refresh does,
// whenever it falls due, provided that nothing else changes until then.
func NextRefresh(in RefreshInput) (Schedule, Outcome) {
	sched, out := Refresh(in)
	if sched.Due || sched.NextUnix == nil {
		return sched, out
	}
	later := in
	later.Now = time.Unix(*sched.NextUnix, 0).Add(time.Second)
	_, out = Refresh(later)
	return sched, out
}

// ScheduleOf says when a refresh is due, and nothing of what it does.
func ScheduleOf(in RefreshInput) Schedule {
	s, _ := newRefresher(in).schedule()
	return s
}

// refresher is one run of the handler on one object.
type refresher struct {
	in       RefreshInput
	provider hosted.Provider
	driver   string
	config   map[string]any
	upstream map[string]any
	applied  map[string]any
}

func newRefresher(in RefreshInput) *refresher {
	r := &refresher{in: in}
	spec := hosted.Map(in.Cluster["spec"])
	status := hosted.Map(in.Cluster["status"])
	r.driver = hosted.Str(status["driver"])
	r.provider = configured(spec)
	if r.provider == hosted.None {
		r.upstream = anyUpstream(status)
		return r
	}
	r.config = hosted.Map(spec[r.provider.ConfigKey()])
	r.applied = hosted.Map(hosted.Map(status["appliedSpec"])[r.provider.ConfigKey()])
	r.upstream = hosted.Map(hosted.Map(status[r.provider.StatusKey()])["upstreamSpec"])
	return r
}

// configured is the provider that Rancher acts on: the first with a Config.
func configured(spec map[string]any) hosted.Provider {
	for _, p := range hosted.Providers() {
		if hosted.Map(spec[p.ConfigKey()]) != nil {
			return p
		}
	}
	return hosted.None
}

// anyUpstream is the reading that a cluster without a Config still carries, for
// example after its Config was removed.
func anyUpstream(status map[string]any) map[string]any {
	for _, p := range hosted.Providers() {
		if u := hosted.Map(hosted.Map(status[p.StatusKey()])["upstreamSpec"]); u != nil {
			return u
		}
	}
	return nil
}

// schedule works out readiness and time in the handler's order: the setting is
// checked before the annotation, and both only on a ready cluster. The time is
// nil when no refresh can happen.
func (r *refresher) schedule() (Schedule, *time.Time) {
	s := Schedule{NotReady: r.notReady()}
	s.Ready = s.NotReady == ""
	interval, err := parseInterval(r.in.Interval)
	if err == nil {
		s.IntervalSeconds = &interval
	}
	annotation := r.annotation()
	last, lastErr := parseAnnotation(annotation)
	if lastErr == nil && annotation != nil && *annotation != "" {
		s.LastUnix = &last
	}
	if !s.Ready {
		return s, nil
	}
	if err == nil {
		err = lastErr
	}
	if err != nil {
		text := err.Error()
		s.Error = &text
		return s, nil
	}
	next := time.Time{}
	if s.LastUnix != nil {
		// Both products wrap as they do in the handler: the interval in
		// nanoseconds and the sum in seconds.
		next = time.Unix(last, 0).Add(time.Duration(interval) * time.Second)
	}
	unix := next.Unix()
	s.NextUnix = &unix
	s.Due = next.Before(r.in.Now)
	return s, &next
}

func (r *refresher) notReady() string {
	switch meta := hosted.Map(r.in.Cluster["metadata"]); {
	case meta["deletionTimestamp"] != nil:
		return "the cluster is being deleted"
	case r.provider == hosted.None:
		return "the cluster has no hosted config"
	case r.upstream == nil:
		return "Rancher has not stored a first upstreamSpec yet"
	}
	return ""
}

func (r *refresher) annotation() *string {
	v, ok := hosted.Dig(r.in.Cluster, "metadata", "annotations", hosted.RefreshAnnotation)
	s, isString := v.(string)
	if !ok || !isString {
		return nil
	}
	return &s
}

// parseInterval reads the setting as Rancher does: strconv.Atoi, no spaces, no
// units; zero and negative numbers are accepted.
func parseInterval(s string) (int64, error) {
	if s == "" {
		return DefaultIntervalSeconds, nil
	}
	n, err := strconv.Atoi(s)
	return int64(n), err
}

func parseAnnotation(s *string) (int64, error) {
	if s == nil || *s == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(*s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("unable to parse last KEv2 refresh time [%s]: %w", *s, err)
	}
	return n, nil
}

// unchanged is the outcome of a handler that writes nothing.
func (r *refresher) unchanged() Outcome {
	return Outcome{
		OverwrittenKeys:   []string{},
		ConfigAfter:       r.config,
		UpstreamSpecAfter: r.upstream,
		UpdatedCondition:  r.updated(),
		AnnotationAfter:   r.annotation(),
	}
}

func (r *refresher) updated() *Condition {
	conditions, _ := hosted.Dig(r.in.Cluster, "status", "conditions")
	for _, c := range hosted.List(conditions) {
		if m := hosted.Map(c); hosted.Str(m["type"]) == "Updated" {
			return &Condition{Status: hosted.Str(m["status"]), Message: hosted.Str(m["message"])}
		}
	}
	return nil
}

// reading is the read of the cloud that the driver decides on. ok is false when
// the handler would dereference nil.
func (r *refresher) reading() (c Cloud, ok bool) {
	driver := hosted.Provider(r.driver)
	known := false
	for _, p := range hosted.Providers() {
		known = known || p == driver
	}
	switch {
	case !known:
		return Cloud{Failed: true, Message: "unsupported cloud driver"}, true
	case driver == r.provider:
		return r.in.Cloud, true
	case hosted.Map(hosted.Map(r.in.Cluster["spec"])[driver.ConfigKey()]) == nil:
		return Cloud{}, false
	}
	return r.in.Cloud, true
}

// run is one refresh from the read of the cloud to the annotation.
func (r *refresher) run() Outcome {
	out := r.unchanged()
	out.Refreshes = true
	cloud, ok := r.reading()
	if !ok {
		return failed(out, nilDereference)
	}
	table := schema.For(r.provider)
	config, err := table.Decode(r.config)
	if err != nil {
		return failed(out, undecodable("spec."+r.provider.ConfigKey(), err))
	}
	upstream, err := table.Decode(r.upstream)
	if err != nil {
		return failed(out, undecodable("status."+r.provider.StatusKey()+".upstreamSpec", err))
	}
	applied := config // the usual case, without decoding it again
	if !hosted.Equal(r.config, r.applied) {
		applied, err = table.Decode(r.applied)
	}
	if err != nil {
		return failed(out, undecodable("status.appliedSpec."+r.provider.ConfigKey(), err))
	}
	written := func() Outcome { // the annotation write rewrites the whole object
		out.ConfigAfter = table.Encode(config)
		at := strconv.FormatInt(r.in.Now.Unix(), 10)
		out.AnnotationAfter = &at
		return out
	}
	if cloud.Failed && cloud.Spec == nil {
		out.ReadFailed = true
		out.UpdatedCondition = &Condition{"False", syncingError + ": syncing failed] " + cloud.Message}
		out.UpstreamSpecAfter = table.Encode(upstream)
		return written()
	}
	var next schema.Typed // stays nil if the driver names another provider's cloud
	if hosted.Provider(r.driver) == r.provider {
		if next = upstream; !hosted.Equal(cloud.Spec, r.upstream) {
			next, err = table.Decode(cloud.Spec)
		}
		if err != nil {
			return failed(out, "cloud reading: "+err.Error())
		}
	}
	out.UpstreamSpecChanged = next == nil || !hosted.Equal(map[string]any(upstream), map[string]any(next))
	out.SkippedBecauseUpdating = applied == nil || !hosted.Equal(map[string]any(config), map[string]any(applied))
	if !out.SkippedBecauseUpdating {
		if next == nil {
			return failed(out, "ToUnstructured requires a non-nil pointer to an object, got *v1."+table.GoType)
		}
		config, out.OverwrittenKeys, err = merge(table, config, next)
		if err != nil {
			return failed(out, err.Error())
		}
	}
	rewrite := out.UpstreamSpecChanged
	switch {
	case cloud.Failed:
		out.UpdatedCondition = &Condition{"False", syncingError + "] " + cloud.Message}
		rewrite = true
	case out.UpdatedCondition != nil && strings.Contains(out.UpdatedCondition.Message, syncingError):
		out.UpdatedCondition = &Condition{"True", ""}
		rewrite = true
	}
	if out.UpstreamSpecChanged {
		upstream = next
	}
	if rewrite {
		out.UpstreamSpecAfter = table.Encode(upstream)
	}
	return written()
}

func failed(out Outcome, text string) Outcome {
	out.Error = &text
	return out
}

func undecodable(where string, err error) string {
	return "Rancher cannot decode this object: " + where + "." + err.Error()
}

// merge replaces every managed key that differs from the reading, whole, and
// returns the new Config and the keys whose written value changed.
func merge(table schema.Spec, config, next schema.Typed) (schema.Typed, []string, error) {
	before := table.Encode(config)
	var after map[string]any
	for key, v := range table.Encode(next) {
		if before[key] == nil || hosted.Equal(before[key], v) {
			continue
		}
		if after == nil {
			after = maps.Clone(before)
		}
		after[key] = v
	}
	keys := []string{}
	if after == nil {
		return config, keys, nil
	}
	newConfig, err := table.Decode(after)
	if err != nil {
		return nil, nil, err
	}
	written := table.Encode(newConfig)
	for i := range table.Root.Fields {
		if name := table.Root.Fields[i].Name; !hosted.Equal(before[name], written[name]) {
			keys = append(keys, name)
		}
	}
	slices.Sort(keys)
	return newConfig, keys, nil
}
