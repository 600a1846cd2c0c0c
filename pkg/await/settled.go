package await

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// syncingError is the marker of the refresher's own message in the Updated
// condition (rancher/rancher, pkg/controllers/management/clusterupstreamrefresher).
const syncingError = "[Syncing error"

// namedFields is how many fields a reason names before it only counts.
const namedFields = 5

// judge is one judgement in the making.
type judge struct {
	s     *hosted.Snapshot
	o     Options
	now   time.Time
	table schema.Spec
	sched predict.Schedule
	v     Verdict
}

func (j *judge) prepare() {
	j.table = schema.For(j.s.Provider)
	j.sched, _ = predict.Refresh(predict.Input(j.s, j.now))
}

// missing notes why the condition is not met.
func (j *judge) missing(format string, args ...any) {
	j.v.Reasons = append(j.v.Reasons, fmt.Sprintf(format, args...))
}

// unknown notes that something needed was not read.
func (j *judge) unknown(what, why string) {
	j.v.Unknown = true
	j.missing("unknown: %s was not read: %s", what, why)
}

func (j *judge) note(format string, args ...any) {
	j.v.Notes = append(j.v.Notes, fmt.Sprintf(format, args...))
}

// again asks to be judged at a time; the earliest counts.
func (j *judge) again(at time.Time) {
	if at.After(j.now) && (j.v.Next.IsZero() || at.Before(j.v.Next)) {
		j.v.Next = at
	}
}

func (j *judge) settled() {
	j.applied()
	j.operator()
	j.failures()
	j.schedule()
}

// applied compares Config and Applied as Rancher does, through the Go type.
func (j *judge) applied() {
	s := j.s
	config, err := j.table.Decode(s.Config)
	if err != nil {
		j.missing("Rancher cannot decode the Config: spec.%s.%v", s.Provider.ConfigKey(), err)
		return
	}
	if s.Applied == nil {
		j.missing("Rancher has not recorded any applied spec yet")
		return
	}
	if hosted.Equal(s.Config, s.Applied) {
		return
	}
	applied, err := j.table.Decode(s.Applied)
	if err != nil {
		j.missing("Rancher cannot decode the applied spec: status.appliedSpec.%s.%v", s.Provider.ConfigKey(), err)
		return
	}
	if hosted.Equal(map[string]any(config), map[string]any(applied)) {
		return
	}
	sides := fielddiff.Sides{}.With(fielddiff.Config, s.Config).With(fielddiff.Applied, s.Applied)
	var fields []string
	for _, e := range fielddiff.Differences(j.table, sides) {
		if e.Differs&fielddiff.ConfigApplied != 0 || e.OrderOnly != 0 {
			fields = append(fields, e.Path.String())
		}
	}
	j.missing("Config and Applied differ in %s: the last edit is not recorded as carried out", enumerate(fields, "empty lists or maps alone"))
}

// operator looks at the operator's resource: it must have the Config, be in phase
// active and report no failure.
func (j *judge) operator() {
	s := j.s
	kind := s.Provider.CRKind()
	if s.CR == nil {
		if u, ok := unread(s, kind); ok {
			j.unknown(kind, u.Why)
			return
		}
		j.missing("there is no %s, so whether the operator is done cannot be told", kind)
		return
	}
	if !j.handedOver() {
		sides := fielddiff.Sides{}.With(fielddiff.Config, s.Config).With(fielddiff.Applied, s.CR.Spec)
		var fields []string
		for _, e := range fielddiff.Differences(j.table, sides) {
			fields = append(fields, e.Path.String())
		}
		j.missing("the %s does not have the Config yet: they differ in %s", kind, enumerate(fields, "how they are written"))
	}
	if s.CR.Phase != operator.PhaseActive {
		j.missing("the operator's phase is %s, not %s", strconv.Quote(s.CR.Phase), operator.PhaseActive)
	}
	if s.CR.FailureMessage != "" {
		j.missing("the operator fails: %s", oneLine(s.CR.FailureMessage))
	}
}

// handedOver compares the Config with the operator's resource as the cluster
// handler does: the Config through the Go type, the resource raw (rancher/rancher,
// pkg/controllers/management/{eks,aks,gke,alibaba}, onClusterChange).
func (j *judge) handedOver() bool {
	if hosted.Equal(j.s.Config, j.s.CR.Spec) {
		return true
	}
	config, err := j.table.Decode(j.s.Config)
	return err == nil && hosted.Equal(j.table.Encode(config), j.s.CR.Spec)
}

// failures looks for what the last refresh left behind.
func (j *judge) failures() {
	if u, ok := j.s.Condition("Updated"); ok && strings.Contains(u.Message, syncingError) {
		j.missing("the last refresh failed: %s", oneLine(u.Message))
		return
	}
	if text, failed := j.o.Memory.failed(j.s); failed {
		j.missing("the last refresh failed and the message is wiped since: %s", oneLine(text))
	}
}

// schedule tells whether refreshes happen at all.
func (j *judge) schedule() {
	if name := j.s.Setting.Name; j.s.Setting.Unreadable != "" {
		j.unknown(hosted.SettingLabel(name), j.s.Setting.Unreadable)
		return
	}
	switch {
	case j.sched.Error != nil:
		j.missing("no refresh ever happens: %s", *j.sched.Error)
	case !j.sched.Ready:
		j.missing("no refresh happens yet: %s", j.sched.NotReady)
	}
}

func unread(s *hosted.Snapshot, what string) (hosted.Unread, bool) {
	i := slices.IndexFunc(s.Unread, func(u hosted.Unread) bool { return u.What == what })
	if i < 0 {
		return hosted.Unread{}, false
	}
	return s.Unread[i], true
}

// enumerate names a few fields and counts the rest; none is what to say if there
// are none.
func enumerate(fields []string, none string) string {
	switch {
	case len(fields) == 0:
		return none
	case len(fields) <= namedFields:
		return strings.Join(fields, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(fields[:namedFields], ", "), len(fields)-namedFields)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
