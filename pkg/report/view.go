package report

import (
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// header starts every document.
type header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

func kind(k string) header { return header{APIVersion, k} }

// View is one cluster with everything worked out that the documents show.
type View struct {
	*race.Input
	Findings []race.Finding
}

// NewView works a snapshot out.
func NewView(s *hosted.Snapshot, now time.Time, push race.Pusher) View {
	in := race.Gather(s, now, push)
	return View{Input: in, Findings: race.Check(in)}
}

// Missing is something that could not be read.
type Missing struct {
	Cluster string `json:"cluster,omitempty"`
	What    string `json:"what"`
	Why     string `json:"why"`
	Fix     string `json:"fix,omitempty"`
}

// MissingOf converts what a source lists as unread.
func MissingOf(us []hosted.Unread) []Missing {
	out := make([]Missing, 0, len(us))
	for _, u := range us {
		out = append(out, Missing{What: u.What, Why: u.Why, Fix: u.Fix})
	}
	return out
}

// Value is one side's value at a place. A value, null, nothing and "nobody
// looked" are four different answers.
type Value struct {
	State string `json:"state"`
	Value any    `json:"-"`
}

// MarshalJSON writes the value only where there is one.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.State != "value" {
		return json.Marshal(struct {
			State string `json:"state"`
		}{v.State})
	}
	return json.Marshal(struct {
		State string `json:"state"`
		Value any    `json:"value"`
	}{v.State, v.Value})
}

func valueOf(c fielddiff.Cell, key string) Value {
	switch c.State {
	case fielddiff.Absent:
		return Value{State: "absent"}
	case fielddiff.Null:
		return Value{State: "null"}
	case fielddiff.Present:
		return Value{State: "value", Value: maskAt(key, c.Value)}
	}
	return Value{State: "not-read"}
}

// text is the value in one line.
func (v Value) text(width int) termsafe.Text {
	switch v.State {
	case "absent":
		return termsafe.Line("-")
	case "null":
		return termsafe.Line("null")
	case "not-read":
		return termsafe.Line("not read")
	}
	return shortValue(v.Value, width)
}

func shortValue(v any, width int) termsafe.Text {
	t := termsafe.Line(hosted.Canonical(v))
	if width > 0 && t.Width() > width {
		switch c := v.(type) {
		case map[string]any:
			return termsafe.Line(fmt.Sprintf("{%d keys}", len(c)))
		case []any:
			return termsafe.Line(fmt.Sprintf("[%d items]", len(c)))
		}
		return t.Truncate(width)
	}
	return t
}

func unixTime(u *int64) time.Time {
	if u == nil {
		return time.Time{}
	}
	return time.Unix(*u, 0).UTC()
}

func age(now, at time.Time) string {
	if at.IsZero() || at.Year() <= 1 {
		return "never"
	}
	if !at.After(now) {
		return duration.HumanDuration(now.Sub(at)) + " ago"
	}
	return "in " + duration.HumanDuration(at.Sub(now))
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// label is how a cluster is called in text: its object name, and the name that
// people gave it where they differ.
func label(s *hosted.Snapshot) string {
	if s.DisplayName == "" || s.DisplayName == s.Name {
		return termsafe.Line(s.Name).String()
	}
	return fmt.Sprintf("%s (%s)", termsafe.Line(s.DisplayName), termsafe.Line(s.Name))
}
