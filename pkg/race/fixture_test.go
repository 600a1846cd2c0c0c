package race

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// The hour at which the documented example happens.
var (
	at1100 = time.Date(2026, 9, 1, 11, 0, 0, 0, time.UTC)
	at1103 = at1100.Add(3 * time.Minute)
	at1105 = at1100.Add(5 * time.Minute)
)

// fixture is a cluster in a few strings. The zero value of a part is the quiet
// case: the Config is applied, in the reading and in the operator's resource,
// phase active, last refresh 11:00.
type fixture struct {
	provider hosted.Provider // EKS if empty
	name     string
	config   string
	upstream string // "" as Config
	applied  string // "" as Config, "none" for absent
	live     string // "" for none
	liveAt   time.Time
	liveErr  string
	cr       string // "" as Config, "none" for no resource
	phase    string // "" is active
	failure  string
	// updated is the Updated condition, "True" if empty, else status|message|time.
	updated    string
	waiting    string
	annotation string // "" is 11:00, "none" for absent
	setting    string // "" is 300
	source     string
	driver     string
	endpoint   string // "" is set, "none" for absent
	writers    string // manager|time|field,field;…
	extraSpec  string // further members of spec, with a leading comma
	deleting   bool
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func (f fixture) snapshot(t testing.TB) hosted.Snapshot {
	t.Helper()
	p := f.provider
	if p == hosted.None {
		p = hosted.EKS
	}
	name := or(f.name, "c-ab12c")
	around := &hosted.Surroundings{ServerTime: at1103}
	around.AddSetting(decode(t, fmt.Sprintf(`{"metadata":{"name":%q},"value":%q,"default":"300","source":%q}`, p.SettingName(), f.setting, f.source)))
	if f.cr != "none" {
		around.AddResource(p, decode(t, fmt.Sprintf(`{"metadata":{"name":%q,"namespace":"cattle-global-data"},"spec":%s,"status":{"phase":%q,"failureMessage":%q}}`,
			name, or(f.cr, f.config), or(f.phase, "active"), f.failure)))
	}
	s, problems := hosted.FromObjects(decode(t, f.cluster(p, name)), around)
	for _, pr := range problems {
		t.Log(pr)
	}
	if f.live != "" || f.liveErr != "" {
		s.Live = &hosted.Reading{At: f.liveAt, Error: f.liveErr, Origin: "spec.json"}
		if f.live != "" {
			s.Live.Spec = decode(t, f.live)
		}
	}
	return s
}

func (f fixture) cluster(p hosted.Provider, name string) string {
	annotations := fmt.Sprintf(`{%q:%q}`, hosted.RefreshAnnotation, or(f.annotation, strconv.FormatInt(at1100.Unix(), 10)))
	if f.annotation == "none" {
		annotations = "{}"
	}
	deletion := ""
	if f.deleting {
		deletion = `"deletionTimestamp":"2026-09-01T11:00:00Z",`
	}
	status := []string{
		fmt.Sprintf(`"driver":%q`, or(f.driver, string(p))),
		`"conditions":[` + f.conditions() + `]`,
		fmt.Sprintf(`%q:{"upstreamSpec":%s}`, p.StatusKey(), or(f.upstream, f.config)),
	}
	if f.applied != "none" {
		status = append(status, fmt.Sprintf(`"appliedSpec":{%q:%s}`, p.ConfigKey(), or(f.applied, f.config)))
	}
	if f.endpoint != "none" {
		status = append(status, `"apiEndpoint":"https://192.0.2.10"`)
	}
	return fmt.Sprintf(`{"metadata":{"name":%q,"resourceVersion":"7001",%s"annotations":%s,"managedFields":[%s]},
		"spec":{"displayName":"atlas",%q:%s%s},"status":{%s}}`,
		name, deletion, annotations, f.managedFields(p), p.ConfigKey(), f.config, f.extraSpec, strings.Join(status, ","))
}

func (f fixture) conditions() string {
	part := strings.SplitN(or(f.updated, "True||2026-09-01T10:00:00Z"), "|", 3)
	out := fmt.Sprintf(`{"type":"Updated","status":%q,"message":%q,"lastUpdateTime":%q}`, part[0], part[1], part[2])
	if f.waiting != "" {
		out += fmt.Sprintf(`,{"type":"Waiting","status":"Unknown","message":%q}`, f.waiting)
	}
	return out
}

func (f fixture) managedFields(p hosted.Provider) string {
	var out []string
	for _, w := range strings.Split(f.writers, ";") {
		part := strings.Split(w, "|")
		if len(part) != 3 {
			continue
		}
		var fields []string
		for _, k := range strings.Split(part[2], ",") {
			fields = append(fields, fmt.Sprintf(`"f:%s":{}`, k))
		}
		out = append(out, fmt.Sprintf(`{"manager":%q,"operation":"Update","time":%q,"fieldsV1":{"f:spec":{"f:%s":{%s}}}}`,
			part[0], part[1], p.ConfigKey(), strings.Join(fields, ",")))
	}
	return strings.Join(out, ",")
}

func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	v, err := hosted.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return hosted.Map(v)
}

// check runs the rules at 11:03, the hot set by the field table.
func (f fixture) check(t testing.TB) []Finding {
	t.Helper()
	s := f.snapshot(t)
	return Check(Gather(&s, at1103, nil))
}

// of selects the findings of one rule.
func of(fs []Finding, code string) []Finding {
	var out []Finding
	for _, f := range fs {
		if f.Code == code {
			out = append(out, f)
		}
	}
	return out
}

func indented(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw) + "\n"
}

// brief is a finding in one line: severity, status, fields, loss, end of window.
func brief(f Finding) string {
	until := "open"
	if f.Window.Until != nil {
		until = f.Window.Until.Format("15:04")
	}
	return fmt.Sprintf("%s %s [%s] loses %s %d until %s", f.Severity, f.Status, strings.Join(f.Fields, " "), f.WouldLose.Side, len(f.WouldLose.Values), until)
}

func briefs(fs []Finding) string {
	var out []string
	for _, f := range fs {
		out = append(out, brief(f))
	}
	return strings.Join(out, "; ")
}
