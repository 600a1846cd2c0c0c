package await_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/await"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
)

// story lets a Memory see states and judges each of them.
type story struct {
	t *testing.T
	m await.Memory
	n int
}

func (s *story) tell(f fixture, c await.Condition) await.Verdict {
	s.t.Helper()
	s.n++
	f.version = fmt.Sprint(s.n)
	snapshot := f.snapshot(s.t)
	s.m.Note(snapshot)
	return await.Judge(snapshot, c, await.Options{
		Since: now.Add(-time.Minute), Annotation: at(-5 * time.Minute), Fresh: time.Minute, Margin: 10 * time.Second, Memory: &s.m,
	}, now)
}

// TestThreeWrites: between the writes of one refresh no condition that rests on
// the reading is met, although each state alone looks as if it were.
func TestThreeWrites(t *testing.T) {
	for _, c := range []await.Condition{await.Synced, await.Safe} {
		s := &story{t: t}
		before := quiet().with(edited) // the reading is old: it has another tag
		if s.tell(before, c).Met {
			t.Fatalf("%s before the refresh", c)
		}
		between := before
		between.upstream = edited
		verdict(t, s.tell(between, c), "changed after the refresh of 2026-09-01T11:00:00Z: the refresh that confirms them has not ended")
		between.failure = "" // an event of something else changes nothing
		verdict(t, s.tell(between, c), "changed after the refresh")
		after := between
		after.annotation = at(-time.Second)
		verdict(t, s.tell(after, c))
	}
}

// TestRefreshedIsJudgedByTheAnnotation: new contents are not enough.
func TestRefreshedIsJudgedByTheAnnotation(t *testing.T) {
	s := &story{t: t}
	f := quiet()
	f.annotation = at(-5 * time.Minute)
	f.upstream = edited
	verdict(t, s.tell(f, await.Refreshed), "no refresh has ended")
	f.config = edited
	verdict(t, s.tell(f, await.Refreshed), "no refresh has ended")
	f.annotation = at(0)
	verdict(t, s.tell(f, await.Refreshed))
}

// TestWipedFailure: on AKS the handler wipes the error within moments; whoever
// saw it remembers, until a later refresh ends.
func TestWipedFailure(t *testing.T) {
	aks := `{"clusterName":"a","resourceGroup":"g","resourceLocation":"westeurope","imported":true,"azureCredentialSecret":"x:y"}`
	f := quiet()
	f.provider, f.upstream = hosted.AKS, aks
	f = f.with(aks)
	s := &story{t: t}
	f.annotation = at(-5 * time.Minute)
	s.tell(f, await.Refreshed)
	failing := f
	failing.updated = "[Syncing error: syncing failed] 403"
	s.tell(failing, await.Refreshed)
	failing.annotation = at(-2 * time.Second)
	verdict(t, s.tell(failing, await.Refreshed), "the last refresh failed: [Syncing error: syncing failed] 403")
	wiped := failing
	wiped.updated = ""
	for _, c := range await.Conditions() {
		verdict(t, s.tell(wiped, c), "the last refresh failed and the message is wiped since: [Syncing error: syncing failed] 403")
	}
	wiped.annotation = at(0)
	verdict(t, s.tell(wiped, await.Refreshed))
	// Without a memory the doubt is said.
	v := await.Judge(wiped.snapshot(t), await.Safe, await.Options{Fresh: time.Minute}, now)
	if !v.Met || len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "on AKS Rancher wipes") {
		t.Errorf("%+v", v)
	}
}

func TestChanges(t *testing.T) {
	before := quiet()
	after := before
	after.config, after.writers = edited, "2026-09-01T11:00:10Z"
	after.phase, after.failure = "updating", "no quota"
	after.applied = strings.Replace(spec, `"privateAccess":true`, `"privateAccess":false`, 1)
	after.upstream = strings.Replace(spec, `"eu-west-1"`, `"eu-west-2"`, 1)
	after.annotation, after.updated = at(0), "[Syncing error] half"
	var got []string
	for _, c := range await.Changes(before.snapshot(t), after.snapshot(t)) {
		got = append(got, fmt.Sprint(c.Kind, c.Fields, c.Managers, " ", c.From, ">", c.To, " ", c.Message))
	}
	want := []string{
		"config[tags.a] [kubectl-edit] > ",
		"phase[] [] active>updating no quota",
		"applied[privateAccess] [] > ",
		"upstream[region] [] > ",
		"refreshed[] [] 2026-09-01T11:00:00Z>2026-09-01T11:00:30Z [Syncing error] half",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c := await.Changes(before.snapshot(t), before.snapshot(t)); len(c) > 0 {
		t.Errorf("nothing changed, and yet %v", c)
	}
	gone := before
	gone.cr, gone.config = "", strings.Replace(spec, `{"a":"b"}`, "null", 1)
	got = nil
	for _, c := range await.Changes(before.snapshot(t), gone.snapshot(t)) {
		got = append(got, fmt.Sprint(c.Kind, c.Fields, c.From, ">", c.To))
	}
	if want := []string{"config[tags]>", "phase[]active>absent"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFindings(t *testing.T) {
	one := race.Finding{Code: "HS001", Fields: []string{"tags"}, Severity: race.Danger, Status: race.Present}
	two := race.Finding{Code: "HS004", Fields: []string{"nodeGroups[a]"}, Severity: race.Critical, Status: race.Present}
	worse := two
	worse.Severity = race.Warning
	say := func(before, after []race.Finding) string {
		var out []string
		for _, c := range await.Findings(before, after) {
			out = append(out, string(c.Kind)+" "+c.Finding.Code)
		}
		return strings.Join(out, ", ")
	}
	for _, c := range []struct {
		before, after []race.Finding
		want          string
	}{
		{nil, []race.Finding{one}, "finding HS001"},
		{[]race.Finding{one}, []race.Finding{one}, ""},
		{[]race.Finding{one, worse}, []race.Finding{two}, "finding HS004, cleared HS001"},
	} {
		if got := say(c.before, c.after); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
