package race

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// namedFields is how many fields a summary names before it only counts.
const namedFields = 3

func lookup(table schema.Spec, spec map[string]any, p hosted.Path) any {
	return predict.Lookup(table, spec, p)
}

func quoted(s string) string { return strconv.Quote(s) }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// enumerate names a few fields and counts the rest.
func enumerate(fields []string) string {
	if len(fields) <= namedFields {
		return strings.Join(fields, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(fields[:namedFields], ", "), len(fields)-namedFields)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func fieldsOf(hs []Hot) []string {
	out := make([]string, 0, len(hs))
	for _, h := range hs {
		out = append(out, h.Field)
	}
	return out
}

// at names a place in the Cluster object.
func (in *Input) at(place string) string { return clusterAt(in.Snapshot, place) }

func (in *Input) configAt(field string) string {
	return in.at("spec." + in.Snapshot.Provider.ConfigKey() + "." + field)
}

func (in *Input) upstreamAt(field string) string {
	return in.at("status." + in.Snapshot.Provider.StatusKey() + ".upstreamSpec." + field)
}

func (in *Input) appliedAt(field string) string {
	return in.at("status.appliedSpec." + in.Snapshot.Provider.ConfigKey() + "." + field)
}

func (in *Input) configEvidence(field string, v any) Evidence {
	return Evidence{"Config " + field, v, in.configAt(field)}
}

// cloudEvidence is the reading that the finding rests on.
func (in *Input) cloudEvidence(field string, v any) Evidence {
	if in.Cloud.Live {
		return Evidence{"cloud " + field, v, in.Cloud.Source}
	}
	return Evidence{"UpstreamSpec " + field, v, in.upstreamAt(field)}
}

func (in *Input) lastRefreshEvidence() Evidence {
	e := Evidence{"last refresh", nil, in.at("metadata.annotations[" + hosted.RefreshAnnotation + "]")}
	if t, ok := in.lastRefresh(); ok {
		e.Value = stamp(t)
	} else if in.Snapshot.Refresh.Present {
		e.Value = in.Snapshot.Refresh.Annotation
	}
	return e
}

// hotEvidence shows both sides of each field. Of a group that comes or goes it
// shows only whether it is there: the whole group stands in WouldLose.
func (in *Input) hotEvidence(hs []Hot) []Evidence {
	out := make([]Evidence, 0, 3*len(hs)+2)
	for _, h := range hs {
		if h.Effect != operator.Update {
			out = append(out, in.configEvidence(h.Field, presence(h.Config)), in.cloudEvidence(h.Field, presence(h.Cloud)))
			continue
		}
		out = append(out, in.configEvidence(h.Field, h.Config), in.cloudEvidence(h.Field, h.Cloud))
		if in.Cloud.Live {
			out = append(out, Evidence{"UpstreamSpec " + h.Field, lookup(in.Table, in.Snapshot.Upstream, h.Path), in.upstreamAt(h.Field)})
		}
	}
	if in.Estimated != "" {
		out = append(out, Evidence{"estimated by the field table", in.Estimated, "prediction of the push"})
	}
	return out
}

func presence(v any) string {
	if v == nil {
		return "absent"
	}
	return "present"
}

// stateEvidence shows why the cluster counts as at rest or not.
func (in *Input) stateEvidence() []Evidence {
	s := in.Snapshot
	out := []Evidence{in.lastRefreshEvidence()}
	if in.Phase.Known {
		out = append(out, in.phaseEvidence())
	}
	if s.Live != nil && s.Live.Error != "" {
		out = append(out, Evidence{"live reading is partial", s.Live.Error, in.Cloud.Source})
	}
	return append(out, Evidence{"Config equals Applied", !in.Frozen,
		in.at("spec." + s.Provider.ConfigKey() + " and status.appliedSpec." + s.Provider.ConfigKey())})
}

// lostInCloud is what a push of the fields destroys.
func lostInCloud(hs []Hot) Loss {
	if len(hs) == 0 {
		return Loss{}
	}
	l := Loss{Side: SideCloud}
	for _, h := range hs {
		l.Values = append(l.Values, Lost{h.Field, h.Cloud, h.Config})
	}
	return l
}

// untilRefresh is the window of an armed field: from the last refresh, after
// which the cloud must have changed, to the next.
func (in *Input) untilRefresh() Window {
	w := Window{From: in.Now}
	if last, ok := in.lastRefresh(); ok && !last.After(in.Now) {
		w.From = last
	}
	switch next, ahead := in.nextRefresh(); {
	case !in.Schedule.Ready:
		w.Reason = "open: " + in.Schedule.NotReady + ", so no refresh happens"
	case in.Schedule.Error != nil:
		w.Reason = "open: no refresh happens: " + *in.Schedule.Error
	case ahead:
		w.Until = &next
		w.Reason = "closes when a refresh completes, due " + stamp(next)
	default:
		w.Reason = "closes when a refresh completes; it is due and runs at the next event"
	}
	return w
}

// whileFrozen is the window of a frozen cluster: no refresh closes it.
func (in *Input) whileFrozen() Window {
	w := Window{From: in.Now, Reason: "open until Config and Applied agree: refreshes leave the Config alone while they differ"}
	if !in.FrozenSince.IsZero() && !in.FrozenSince.After(in.Now) {
		w.From = in.FrozenSince
	} else {
		w.Reason += " (since when is not recorded)"
	}
	return w
}

// window is the one that fits the cluster's state.
func (in *Input) window() Window {
	if in.Frozen {
		return in.whileFrozen()
	}
	return in.untilRefresh()
}

func (in *Input) writerEvidence(w hosted.FieldWriter) Evidence {
	value := w.Manager
	if !w.Time.IsZero() {
		value += " at " + stamp(w.Time)
	}
	return Evidence{"last writer of " + w.Field, value, in.at("metadata.managedFields")}
}

// asOf says how fresh the reading of the cloud is.
func (in *Input) asOf() string {
	switch {
	case in.Cloud.Live:
		return ""
	case in.Cloud.At.IsZero():
		return " (by Rancher's last reading, of unknown age)"
	}
	return " (as Rancher read it at " + stamp(in.Cloud.At) + ")"
}
