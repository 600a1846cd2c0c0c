package await

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
)

// skew is how far the annotation may lie ahead of the server's clock: both come
// from machines that keep time, and both are cut to seconds.
const skew = 5 * time.Second

// refreshed tells whether the annotation has moved since the wait began. It is
// compared with what it was, and not with a clock alone: it may have been removed
// to ask for a refresh, or have stood in the future.
func (j *judge) refreshed() {
	j.schedule()
	last, known := j.read()
	before, hadBefore := unix(j.o.Annotation)
	switch {
	case !known:
		j.missing("no refresh has ended since %s: the refresh annotation is absent%s", stamp(j.o.Since), j.due())
		return
	case j.s.Refresh.Annotation == j.o.Annotation,
		hadBefore && !last.After(before) && last.Before(j.o.Since),
		!hadBefore && last.Before(j.o.Since):
		j.missing("no refresh has ended since %s: the last one ended at %s%s", stamp(j.o.Since), stamp(last), j.due())
		return
	}
	j.failures()
	j.untold()
}

// synced adds to settled that a reading confirms every managed field.
func (j *judge) synced() {
	if !j.current() {
		return
	}
	sides := fielddiff.Sides{}.With(fielddiff.Config, j.s.Config).With(fielddiff.Upstream, j.s.Upstream)
	if fields := j.disagree(sides, fielddiff.ConfigUpstream); len(fields) > 0 {
		j.missing("Config and the reading of the cloud differ in %s", enumerate(fields, ""))
	}
	j.untold()
}

// current tells whether the UpstreamSpec is a finished reading that is younger
// than the last write to the Config.
func (j *judge) current() bool {
	last, known := j.read()
	switch {
	case j.s.Upstream == nil:
		j.missing("Rancher has not read the cloud yet")
		return false
	case !known:
		j.missing("when Rancher last read the cloud is not known: the refresh annotation is %s%s", describe(j.s.Refresh), j.due())
		return false
	case j.o.Memory.between(j.s):
		j.missing("Config or reading changed after the refresh of %s: the refresh that confirms them has not ended%s", stamp(last), j.due())
		return false
	}
	if w, ok := j.lastWriter(); ok && !last.After(w.Time) {
		j.missing("the reading of %s is not younger than the last write to the Config, by %s at %s%s", stamp(last), w.Manager, stamp(w.Time), j.due())
		return false
	}
	return true
}

// lastWriter is the last foreign writer of a Config field. Rancher writes what
// its own refresh found, so its writes say nothing about the reading's age.
func (j *judge) lastWriter() (latest hosted.FieldWriter, ok bool) {
	for _, w := range j.s.Writers {
		if w.ByRancher() || w.Time.IsZero() {
			continue
		}
		if !ok || w.Time.After(latest.Time) {
			latest, ok = w, true
		}
	}
	return latest, ok
}

// safe adds to settled that nothing known would be lost: the cloud was read just
// now, no rule finds a warning, and no refresh is about to happen.
func (j *judge) safe() {
	s, fresh := j.lately()
	j.margin()
	if !fresh {
		return
	}
	sides := fielddiff.Sides{}.With(fielddiff.Config, s.Config).With(fielddiff.Live, s.Live.Spec)
	if fields := j.disagree(sides, fielddiff.ConfigLive); len(fields) > 0 {
		j.missing("Config and the cloud, as read at %s, differ in %s", when(s.Live.At), enumerate(fields, ""))
	}
	for _, f := range race.Check(race.Gather(s, j.now, predict.Pushed)) {
		switch {
		case f.Status == race.Unknown:
			j.missing("%s cannot be decided%s: %s", f.Code, inFields(f.Fields), title(f.Code))
		case f.Severity >= race.Warning:
			j.missing("%s (%s)%s: %s", f.Code, f.Severity, inFields(f.Fields), title(f.Code))
		}
	}
}

// title is what a rule is about. A finding's own summary may quote values, which
// have no place in a reason.
func title(code string) string {
	for _, r := range race.Rules() {
		if r.Code == code {
			return r.Title
		}
	}
	return "a rule found something"
}

func inFields(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	return " in " + enumerate(fields, "")
}

// lately returns the snapshot with the youngest reading of the cloud as Live, and
// whether it is young enough. Rancher's own reading is as good as any as long as
// it is fresh: the rules then judge as if somebody had looked at that moment.
func (j *judge) lately() (*hosted.Snapshot, bool) {
	if l := j.s.Live; l != nil && j.live(l) {
		if last, _ := j.read(); j.o.Memory.between(j.s) {
			j.missing("Config or reading changed after the refresh of %s: the refresh that confirms them has not ended%s", when(last), j.due())
			return nil, false
		}
		return j.s, true
	} else if l != nil || !j.current() {
		return nil, false
	}
	last, _ := j.read()
	switch age := j.now.Sub(last); {
	case age < -skew:
		j.again(last)
		j.missing("the age of the reading is unknown: the refresh annotation, %s, lies ahead of the server's clock, %s", stamp(last), stamp(j.now))
		return nil, false
	case age > j.o.Fresh:
		j.missing("the cloud was last read at %s, longer ago than %s%s", stamp(last), j.o.Fresh, j.due())
		return nil, false
	}
	j.again(last.Add(j.o.Fresh + time.Nanosecond))
	j.untold()
	s := *j.s
	s.Live = &hosted.Reading{Spec: j.s.Upstream, At: last, Origin: "Rancher's refresh"}
	return &s, true
}

// live tells whether a reading of the caller's own is complete and fresh.
func (j *judge) live(l *hosted.Reading) bool {
	switch {
	case l.Spec == nil || l.Partial:
		why := oneLine(l.Error)
		if why == "" {
			why = "no reason is given"
		}
		j.unknown("the cloud", why)
		return false
	case l.At.IsZero():
		j.note("the live reading does not say when it was made; it is taken for the present state")
	case j.now.Sub(l.At) > j.o.Fresh:
		j.missing("the live reading is of %s, longer ago than %s", stamp(l.At), j.o.Fresh)
		return false
	default:
		j.again(l.At.Add(j.o.Fresh + time.Nanosecond))
	}
	return true
}

// margin keeps away from the next refresh.
func (j *judge) margin() {
	switch next := j.sched.NextUnix; {
	case next == nil:
	case j.sched.Due:
		j.missing("a refresh is due and runs at the next event")
	case !time.Unix(*next, 0).After(j.now.Add(j.o.Margin)):
		j.missing("the next refresh is due at %s, within %s", stamp(time.Unix(*next, 0)), j.o.Margin)
	default:
		j.again(time.Unix(*next, 0).Add(-j.o.Margin))
	}
}

// disagree lists the managed places in which two copies differ. Where the reading
// has nothing and the type would omit it, Rancher cannot see the value, and there
// is nothing to agree with.
func (j *judge) disagree(sides fielddiff.Sides, pair fielddiff.Pair) []string {
	var fields []string
	for _, e := range fielddiff.Differences(j.table, sides) {
		if e.Differs&pair == 0 || e.Unmanaged {
			continue
		}
		if f := e.Field; f != nil && f.OmitEmpty && len(e.Path) == 1 && nothing(e, pair) {
			continue
		}
		if f, ok := j.table.Unit(e.Path[0].Key); ok && predict.Own(&f, j.s.Config) == predict.Copied {
			continue
		}
		fields = append(fields, e.Path.String())
	}
	return fields
}

func nothing(e fielddiff.Entry, pair fielddiff.Pair) bool {
	c := e.Cells[fielddiff.Upstream]
	if pair == fielddiff.ConfigLive {
		c = e.Cells[fielddiff.Live]
	}
	return c.State == fielddiff.Absent || c.State == fielddiff.Null
}

// untold warns of the failure that leaves no trace.
func (j *judge) untold() {
	if j.s.Provider != hosted.EKS && j.o.Memory == nil {
		j.note("on %s Rancher wipes the error of a failed refresh at once: that the last one succeeded cannot be told from one state", j.s.Provider)
	}
}

// read is when the last refresh ended, by the annotation.
func (j *judge) read() (time.Time, bool) { return unix(j.s.Refresh.Annotation) }

// due says when the next refresh is expected, as the end of a reason.
func (j *judge) due() string {
	switch {
	case j.sched.Error != nil || !j.sched.Ready || j.sched.NextUnix == nil:
		return ""
	case j.sched.Due:
		return "; the next is due now"
	}
	return "; the next is due at " + when(time.Unix(*j.sched.NextUnix, 0))
}
