package race

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Severity ranks findings. The order follows what is destroyed: node groups
// before access and versions, those before sizes, labels and tags, those before
// what only looks odd.
type Severity int

// The severities, rising.
const (
	Info Severity = iota
	Warning
	Danger
	Critical
)

var severityNames = [...]string{"info", "warning", "danger", "critical"}

// String is the severity's name.
func (s Severity) String() string {
	if s < Info || s > Critical {
		return fmt.Sprintf("severity(%d)", int(s))
	}
	return severityNames[s]
}

// MarshalText writes the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what ParseSeverity reads.
func (s *Severity) UnmarshalText(text []byte) error {
	p, err := ParseSeverity(string(text))
	if err == nil {
		*s = p
	}
	return err
}

// ParseSeverity reads a severity's name in any case.
func ParseSeverity(s string) (Severity, error) {
	for i, n := range severityNames {
		if strings.EqualFold(s, n) {
			return Severity(i), nil
		}
	}
	return Info, fmt.Errorf("unknown severity %q: use one of %s", s, strings.Join(severityNames[:], ", "))
}

// Status tells whether a finding is shown by the evidence.
type Status string

// The statuses. Unknown is the answer of a rule that could not look; it says
// nothing about safety.
const (
	Present Status = "present"
	Unknown Status = "unknown"
)

// Side is a side that loses something.
type Side string

// The sides.
const (
	SideCloud  Side = "cloud"
	SideConfig Side = "config"
	SideNone   Side = "none"
)

// Evidence is one thing that was read, and from where.
type Evidence struct {
	What   string `json:"what"`
	Value  any    `json:"value"`
	Source string `json:"source"`
}

// Window is when the danger exists, by the management server's clock.
type Window struct {
	From time.Time `json:"from"`
	// Until is nil if the window closes at no time that can be told.
	Until  *time.Time `json:"until"`
	Reason string     `json:"reason"`
}

// Lost is a value that would be destroyed, and what would take its place.
type Lost struct {
	Field   string `json:"field"`
	Value   any    `json:"value"`
	Becomes any    `json:"becomes"`
}

// Loss is what would be destroyed, and on which side.
type Loss struct {
	Side   Side   `json:"side"`
	Values []Lost `json:"values"`
}

// Finding is what one rule says about one cluster. All strings from the cluster
// stand in it as they were read.
type Finding struct {
	// Code is the rule's, for example "HS001".
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Status   Status   `json:"status"`
	// Cluster is the Cluster object's name.
	Cluster string `json:"cluster"`
	// Fields are places in the Config, in the text form of hosted.Path, sorted.
	Fields    []string   `json:"fields"`
	Summary   string     `json:"summary"`
	Evidence  []Evidence `json:"evidence"`
	Window    Window     `json:"window"`
	WouldLose Loss       `json:"wouldLose"`
	// Remedy are exact shell commands, best first; RemedyNotes says for each of
	// them what it does.
	Remedy      []string `json:"remedy"`
	RemedyNotes []string `json:"remedyNotes"`
}

func (f *Finding) remedies(rs ...remedy) {
	for _, r := range rs {
		if r.command != "" {
			f.Remedy = append(f.Remedy, r.command)
			f.RemedyNotes = append(f.RemedyNotes, r.does)
		}
	}
}

// settle makes the finding ready to be written: sorted fields, no nil lists,
// times in whole seconds of UTC that JSON can hold.
func (f *Finding) settle() {
	slices.Sort(f.Fields)
	f.Fields = slices.Compact(f.Fields)
	if f.Fields == nil {
		f.Fields = []string{}
	}
	if f.Evidence == nil {
		f.Evidence = []Evidence{}
	}
	if f.WouldLose.Side == "" {
		f.WouldLose.Side = SideNone
	}
	if f.WouldLose.Values == nil {
		f.WouldLose.Values = []Lost{}
	}
	if f.Remedy == nil {
		f.Remedy, f.RemedyNotes = []string{}, []string{}
	}
	f.Window.From = f.Window.From.UTC().Truncate(time.Second)
	if f.Window.Until != nil {
		u := f.Window.Until.UTC().Truncate(time.Second)
		f.Window.Until = &u
	}
}

// Sort orders findings: worst first, then by code, cluster and first field.
func Sort(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(b.Severity, a.Severity),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Cluster, b.Cluster),
			slices.Compare(a.Fields, b.Fields),
			cmp.Compare(a.Summary, b.Summary),
		)
	})
}

// Worst is the highest severity among the findings, and false if there are
// none.
func Worst(fs []Finding) (Severity, bool) {
	if len(fs) == 0 {
		return Info, false
	}
	worst := fs[0].Severity
	for _, f := range fs[1:] {
		worst = max(worst, f.Severity)
	}
	return worst, true
}
