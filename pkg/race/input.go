package race

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// Pusher predicts what an operator would send; predict.Pushed is one.
type Pusher func(predict.PushInput) (predict.Push, error)

// Input is what the rules look at, worked out once per cluster by Gather.
type Input struct {
	Snapshot *hosted.Snapshot
	// Now is the management server's clock.
	Now   time.Time
	Table schema.Spec
	// Schedule and Outcome are of the next refresh, whenever it is due.
	Schedule predict.Schedule
	Outcome  predict.Outcome
	// Cloud is the best knowledge of the cloud there is.
	Cloud View
	// Diff are the differing places of Config, UpstreamSpec, Applied and, if
	// there is one, Live.
	Diff []fielddiff.Entry
	// Phase and Failure are the operator's state.
	Phase   Phase
	Failure Failure
	// Frozen: Config and Applied differ as Rancher compares them, so that a
	// refresh leaves the Config alone. FrozenSince is zero if it is not recorded.
	Frozen      bool
	FrozenSince time.Time
	// Undecodable says why Rancher cannot decode this object, "" if it can.
	Undecodable string
	// Pending: the custom resource does not have the Config yet.
	Pending bool
	// Hot is what the operator's next reconcile would push, sorted by field.
	Hot []Hot
	// Estimated says why Hot comes from the field table instead of a predicted
	// reconcile, "" if it does not.
	Estimated string
}

// View is a reading of the cloud.
type View struct {
	Spec map[string]any
	// Live: somebody looked just now; else it is the UpstreamSpec.
	Live bool
	// Sure: the reading is known to be younger than the last change that Rancher
	// recorded, so that a difference from the Config is one.
	Sure bool
	// At is when it was read, zero if unknown; Source says where it stands.
	At     time.Time
	Source string
}

// Gather works out the Input of a snapshot at a time of the server's clock. The
// push is asked only where a managed field differs from the cloud; nil means to
// estimate by the field table.
func Gather(s *hosted.Snapshot, now time.Time, push Pusher) *Input {
	in := &Input{Snapshot: s, Now: now.UTC()}
	if !s.Hosted() {
		return in
	}
	in.Table = schema.For(s.Provider)
	in.Schedule, in.Outcome = predict.NextRefresh(predict.Input(s, now))
	in.Phase, in.Failure = phaseOf(s), failureOf(s)
	in.freeze()
	in.Pending = in.pending()
	in.look()
	sides := fielddiff.Sides{}.With(fielddiff.Config, s.Config).
		With(fielddiff.Upstream, s.Upstream).With(fielddiff.Applied, s.Applied)
	if in.Cloud.Live {
		sides = sides.With(fielddiff.Live, in.Cloud.Spec)
	}
	in.Diff = fielddiff.Differences(in.Table, sides)
	in.heat(push)
	return in
}

// freeze compares Config and Applied as Rancher does, through the Go type.
func (in *Input) freeze() {
	s := in.Snapshot
	c, err := in.Table.Decode(s.Config)
	if err != nil {
		in.Undecodable = "spec." + s.Provider.ConfigKey() + "." + err.Error()
		return
	}
	if s.Applied != nil && hosted.Equal(s.Config, s.Applied) { // the usual case
		return
	}
	a, err := in.Table.Decode(s.Applied)
	if err != nil {
		in.Undecodable = "status.appliedSpec." + s.Provider.ConfigKey() + "." + err.Error()
		return
	}
	in.Frozen = a == nil || !hosted.Equal(map[string]any(c), map[string]any(a))
	if u, ok := s.Condition("Updated"); ok && in.Frozen && u.Status != "True" {
		in.FrozenSince = conditionTime(u)
	}
}

// pending compares the Config and the custom resource as they would be written.
func (in *Input) pending() bool {
	s := in.Snapshot
	if s.CR == nil || hosted.Equal(s.Config, s.CR.Spec) {
		return false
	}
	c, errC := in.Table.Decode(s.Config)
	r, errR := in.Table.Decode(s.CR.Spec)
	return errC == nil && errR == nil && r != nil && !hosted.Equal(in.Table.Encode(c), in.Table.Encode(r))
}

// look picks the reading of the cloud. The UpstreamSpec says something about the
// Config only while the sync is frozen and only if it is younger than the
// freeze: otherwise it may just not have caught up with the last push.
func (in *Input) look() {
	s := in.Snapshot
	if s.Live != nil && s.Live.Spec != nil {
		source := "live reading"
		if s.Live.Origin != "" {
			source += " (" + s.Live.Origin + ")"
		}
		in.Cloud = View{Spec: s.Live.Spec, Live: true, Sure: true, At: s.Live.At, Source: source}
		return
	}
	in.Cloud = View{Spec: s.Upstream, Source: in.at("status." + s.Provider.StatusKey() + ".upstreamSpec")}
	if last, ok := in.lastRefresh(); ok {
		in.Cloud.At = last
		in.Cloud.Sure = in.Frozen && !in.FrozenSince.IsZero() && last.After(in.FrozenSince)
	}
}

// lastRefresh is the annotation as a time, if it is one that a clock can show.
func (in *Input) lastRefresh() (time.Time, bool) {
	if in.Schedule.LastUnix == nil {
		return time.Time{}, false
	}
	return showable(*in.Schedule.LastUnix)
}

// nextRefresh is when the next refresh falls due, if that lies ahead.
func (in *Input) nextRefresh() (time.Time, bool) {
	if in.Schedule.NextUnix == nil {
		return time.Time{}, false
	}
	t, ok := showable(*in.Schedule.NextUnix)
	return t, ok && t.After(in.Now)
}

// showable turns a unix time into one that RFC 3339 can write.
func showable(unix int64) (time.Time, bool) {
	t := time.Unix(unix, 0).UTC()
	return t, t.Year() >= 1970 && t.Year() <= 9999
}

// moving tells whether the operator has work: it is updating, or the Config has
// not reached it.
func (in *Input) moving() bool { return in.Phase.Name == "updating" || in.Pending }

// armed tells whether the cluster is at rest: nothing is on its way to the
// cloud, and the next refresh compares.
func (in *Input) armed() bool {
	return !in.Frozen && !in.moving() && in.Failure.Text == "" && in.Undecodable == ""
}

// firing tells whether the operator works and nothing has failed.
func (in *Input) firing() bool { return in.moving() && in.Failure.Text == "" && in.Undecodable == "" }

// hotWhere selects hot fields.
func (in *Input) hotWhere(keep func(Hot) bool) []Hot {
	var out []Hot
	for _, h := range in.Hot {
		if keep(h) {
			out = append(out, h)
		}
	}
	return out
}
