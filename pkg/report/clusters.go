package report

import (
	"fmt"
	"io"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
)

// ClusterList is what get says.
type ClusterList struct {
	header
	Items []ClusterRow `json:"items"`
	// NotHosted counts clusters without a hosted config that are not listed.
	NotHosted int       `json:"notHosted"`
	Unread    []Missing `json:"unread"`
	now       time.Time
}

// ClusterRow is one cluster at a glance.
type ClusterRow struct {
	Name              string          `json:"name"`
	DisplayName       string          `json:"displayName"`
	Provider          hosted.Provider `json:"provider"`
	Hosted            bool            `json:"hosted"`
	Imported          bool            `json:"imported"`
	Region            string          `json:"region"`
	KubernetesVersion string          `json:"kubernetesVersion"`
	Phase             string          `json:"phase"`
	State             string          `json:"state"`
	ManagedFields     int             `json:"managedFields"`
	TotalFields       int             `json:"totalFields"`
	Drift             int             `json:"drift"`
	Frozen            bool            `json:"frozen"`
	Risk              *RowRisk        `json:"risk"`
	// RiskUnknown: a rule could not answer, for want of a reading of the cloud.
	RiskUnknown bool              `json:"riskUnknown"`
	Refresh     *predict.Schedule `json:"refresh"`
}

// RowRisk is a cluster's worst finding.
type RowRisk struct {
	Severity race.Severity `json:"severity"`
	Code     string        `json:"code"`
	Findings int           `json:"findings"`
}

// NewClusterList makes the list. Clusters that are not hosted are only counted
// unless all is set.
func NewClusterList(views []View, unread []hosted.Unread, all bool, now time.Time) *ClusterList {
	l := &ClusterList{header: kind("HostedClusterList"), Items: []ClusterRow{}, Unread: MissingOf(unread), now: now}
	for _, v := range views {
		if !v.Snapshot.Hosted() && !all {
			l.NotHosted++
			continue
		}
		l.Items = append(l.Items, newRow(v))
	}
	return l
}

func newRow(v View) ClusterRow {
	s := v.Snapshot
	r := ClusterRow{Name: s.Name, DisplayName: s.DisplayName, Provider: s.Provider, Hosted: s.Hosted(), State: "not hosted"}
	if s.Deleting {
		r.State = "deleting"
	}
	if !s.Hosted() {
		r.KubernetesVersion = s.KubernetesVersion
		return r
	}
	r.Imported, _ = s.Config["imported"].(bool)
	r.Region = region(s)
	r.KubernetesVersion = version(s)
	r.Phase = v.Phase.Name
	r.ManagedFields, r.TotalFields = managed(v)
	r.Drift = drift(v)
	r.Frozen = v.Frozen
	r.State = state(v)
	r.Refresh = &v.Schedule
	// What is unknown says nothing about risk.
	for _, f := range v.Findings {
		if f.Status == race.Unknown {
			r.RiskUnknown = true
			continue
		}
		if r.Risk == nil {
			r.Risk = &RowRisk{Severity: f.Severity, Code: f.Code}
		}
		r.Risk.Findings++
	}
	return r
}

func region(s *hosted.Snapshot) string {
	for _, k := range []string{"region", "zone", "resourceLocation", "regionId"} {
		for _, spec := range []map[string]any{s.Config, s.Upstream} {
			if v := hosted.Str(spec[k]); v != "" {
				return v
			}
		}
	}
	return ""
}

// version is the effective one: the Config's where it is managed.
func version(s *hosted.Snapshot) string {
	for _, spec := range []map[string]any{s.Config, s.Upstream} {
		if v := hosted.Str(spec["kubernetesVersion"]); v != "" {
			return v
		}
	}
	return s.KubernetesVersion
}

// managed counts the merge units that the Config manages, of those that the
// schema knows.
func managed(v View) (n, total int) {
	for i := range v.Table.Root.Fields {
		f := &v.Table.Root.Fields[i]
		switch predict.Own(f, v.Snapshot.Config) {
		case predict.Copied:
			continue
		case predict.Managed, predict.Unseen:
			n++
		}
		total++
	}
	return n, total
}

// drift counts places in which the Config differs from the best reading.
func drift(v View) int {
	mask := fielddiff.ConfigUpstream
	if v.Snapshot.Upstream == nil && !v.Cloud.Live {
		return 0 // nothing to differ from
	}
	if v.Cloud.Live {
		mask = fielddiff.ConfigLive
	}
	n := 0
	for _, e := range v.Diff {
		if e.Differs&mask != 0 && !(e.Field != nil && e.Field.OmitEmpty && len(e.Path) == 1 && hasNothing(e, v.Cloud.Live)) {
			n++
		}
	}
	return n
}

// hasNothing tells whether the reading has no value where the type would omit an
// empty one: Rancher cannot see it, which is a blind spot and no drift.
func hasNothing(e fielddiff.Entry, live bool) bool {
	c := e.Cells[fielddiff.Upstream]
	if live {
		c = e.Cells[fielddiff.Live]
	}
	return c.State == fielddiff.Absent || c.State == fielddiff.Null
}

func state(v View) string {
	switch {
	case v.Snapshot.Deleting:
		return "deleting"
	case v.Undecodable != "":
		return "undecodable"
	case !v.Schedule.Ready:
		return "not ready"
	case v.Schedule.Error != nil:
		return "no refresh"
	case v.Failure.Text != "":
		return "failing"
	case v.Frozen:
		return "frozen"
	}
	return "synced"
}

// Names lists the clusters' object names.
func (l *ClusterList) Names() []string {
	names := make([]string, 0, len(l.Items))
	for _, r := range l.Items {
		names = append(names, r.Name)
	}
	return names
}

// Lines are the rows.
func (l *ClusterList) Lines() []any {
	out := make([]any, 0, len(l.Items))
	for _, r := range l.Items {
		out = append(out, struct {
			header
			ClusterRow
		}{kind("HostedCluster"), r})
	}
	return out
}

// Text writes the table.
func (l *ClusterList) Text(w io.Writer, o TextOptions) error {
	t := Table{Columns: []Column{
		{Name: "NAME"}, {Name: "DISPLAY NAME"}, {Name: "PROVIDER"}, {Name: "REGION", Wide: narrow(o)}, {Name: "VERSION", Wide: narrow(o)},
		{Name: "PHASE", Wide: true}, {Name: "STATE"}, {Name: "MANAGED", Wide: narrow(o)}, {Name: "DRIFT"}, {Name: "RISK"},
		{Name: "LAST REFRESH", Wide: true}, {Name: "NEXT REFRESH", Wide: narrow(o)},
	}}
	if narrow(o) {
		t.Gap = 2
	}
	for _, r := range l.Items {
		t.Add(l.row(r, o)...)
	}
	return t.Write(w, o.Wide, o.Headers)
}

// narrow drops the less urgent columns on a terminal of the old width.
func narrow(o TextOptions) bool { return o.Width > 0 && o.Width < 120 }

// row is one line of the table. On a narrow terminal a long name is cut.
func (l *ClusterList) row(r ClusterRow, o TextOptions) []cell {
	p := o.Palette
	last, next, share, drift := "-", "-", "-", "-"
	if r.Refresh != nil {
		last, next = age(l.now, unixTime(r.Refresh.LastUnix)), nextText(r.Refresh, l.now)
		share = fmt.Sprintf("%d/%d", r.ManagedFields, r.TotalFields)
		drift = fmt.Sprint(r.Drift)
	}
	driftCell := Plain(drift)
	if r.Drift > 0 {
		driftCell = Painted(drift, p.Change)
	}
	provider := r.Provider.String()
	if r.Imported && !narrow(o) {
		provider += " (imported)"
	}
	stateCell := Plain(r.State)
	switch r.State {
	case "failing", "no refresh", "undecodable":
		stateCell = Painted(r.State, p.Bad)
	case "frozen", "not ready", "deleting":
		stateCell = Painted(r.State, p.Warn)
	}
	shown := Plain(dash(r.DisplayName))
	if narrow(o) {
		shown.text = shown.text.Truncate(18)
	}
	return []cell{
		Plain(r.Name), shown, Plain(dash(provider)), Plain(dash(r.Region)), Plain(dash(r.KubernetesVersion)),
		Plain(dash(r.Phase)), stateCell, Plain(share), driftCell, riskCell(r, p), Plain(last), Plain(next),
	}
}

func riskCell(row ClusterRow, p Palette) cell {
	r := row.Risk
	switch {
	case r == nil && row.RiskUnknown:
		return Painted("unknown", p.Dim)
	case r == nil:
		return Plain("-")
	}
	text := r.Severity.String() + " " + r.Code
	switch r.Severity {
	case race.Info:
		return Painted(text, p.Dim)
	case race.Warning:
		return Painted(text, p.Warn)
	}
	return Painted(text, p.Bad)
}

func nextText(s *predict.Schedule, now time.Time) string {
	switch {
	case s.Error != nil || !s.Ready:
		return "never"
	case s.Due:
		return "due now"
	}
	return age(now, unixTime(s.NextUnix))
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
