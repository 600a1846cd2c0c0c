package await_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/await"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// verdict checks that a verdict's reasons contain these texts, in order and
// without a surplus; none means that the condition is met.
func verdict(t *testing.T, v await.Verdict, want ...string) {
	t.Helper()
	if v.Met != (len(want) == 0) || len(v.Reasons) != len(want) {
		t.Fatalf("met %v for %d reasons, want %d:\n%s", v.Met, len(v.Reasons), len(want), strings.Join(v.Reasons, "\n"))
	}
	for i, w := range want {
		if !strings.Contains(v.Reasons[i], w) {
			t.Errorf("reason %q lacks %q", v.Reasons[i], w)
		}
	}
}

func judge(t *testing.T, f fixture, c await.Condition) await.Verdict {
	t.Helper()
	return await.Judge(f.snapshot(t), c, await.Options{
		Since: now.Add(-time.Minute), Annotation: at(-5 * time.Minute), Fresh: time.Minute, Margin: 10 * time.Second,
	}, now)
}

func TestSettled(t *testing.T) {
	cases := map[string]struct {
		change func(*fixture)
		want   []string
	}{
		"quiet": {func(*fixture) {}, nil},
		"null and absent are the same to Rancher": {func(f *fixture) {
			f.applied = strings.TrimSuffix(spec, "}") + `,"kmsKey":null}`
		}, nil},
		"edited": {func(f *fixture) { f.config = edited }, []string{
			"Config and Applied differ in tags.a: the last edit", "the EKSClusterConfig does not have the Config yet: they differ in tags.a"}},
		"handed over": {func(f *fixture) { f.config, f.cr, f.phase = edited, edited, "updating" }, []string{
			"Config and Applied differ in tags.a", `the operator's phase is "updating", not active`}},
		"failing": {func(f *fixture) { f.config, f.cr, f.phase, f.failure = edited, edited, "updating", "no\n quota" }, []string{
			"Config and Applied differ", `"updating"`, "the operator fails: no quota"}},
		"a pruned operator's resource": {func(f *fixture) { f.cr = strings.Replace(spec, `,"privateAccess":true`, "", 1) }, []string{
			"does not have the Config yet: they differ in privateAccess"}},
		"never applied":          {func(f *fixture) { f.applied = "" }, []string{"has not recorded any applied spec"}},
		"not created":            {func(f *fixture) { f.upstream = "" }, []string{"no refresh happens yet: Rancher has not stored a first upstreamSpec"}},
		"syncing error":          {func(f *fixture) { f.updated = "[Syncing error: syncing failed] AccessDenied" }, []string{"the last refresh failed: [Syncing error: syncing failed] AccessDenied"}},
		"bad annotation":         {func(f *fixture) { f.annotation = "soon" }, []string{"no refresh ever happens: unable to parse"}},
		"bad setting":            {func(f *fixture) { f.setting = "5m" }, []string{"no refresh ever happens: "}},
		"being deleted":          {func(f *fixture) { f.deleting = true }, []string{"is being deleted"}},
		"undecodable":            {func(f *fixture) { f.config = strings.Replace(spec, `true,"tags"`, `"yes","tags"`, 1); f.cr = f.config }, []string{"cannot decode the Config: spec.eksConfig.privateAccess"}},
		"no resource":            {func(f *fixture) { f.cr = "" }, []string{"there is no EKSClusterConfig"}},
		"undecodable as applied": {func(f *fixture) { f.applied = strings.Replace(spec, `true,"tags"`, `"yes","tags"`, 1) }, []string{"cannot decode the applied spec"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := quiet()
			c.change(&f)
			v := judge(t, f, await.Settled)
			verdict(t, v, c.want...)
			if v.Unknown {
				t.Error("everything was read")
			}
		})
	}
}

// TestUnreadIsNeverGood: what could not be read keeps every condition from being
// met that needs it, and is said.
func TestUnreadIsNeverGood(t *testing.T) {
	f := quiet()
	f.cr, f.unread = "", []hosted.Unread{{What: "EKSClusterConfig", Why: "no right to get it"}}
	for _, c := range []await.Condition{await.Settled, await.Synced, await.Safe} {
		v := judge(t, f, c)
		verdict(t, v, "unknown: EKSClusterConfig was not read: no right to get it")
		if !v.Unknown {
			t.Errorf("%s: not marked as unknown", c)
		}
	}
	f = quiet()
	f.setting, f.unread = "", []hosted.Unread{{What: "Setting eks-refresh", Why: "no right"}}
	for _, c := range await.Conditions() {
		v := judge(t, f, c)
		if v.Met || !v.Unknown {
			t.Errorf("%s without the interval: %+v", c, v)
		}
	}
	f = quiet()
	f.live = &hosted.Reading{Error: "AccessDenied"}
	if v := judge(t, f, await.Safe); !v.Unknown {
		t.Errorf("a failed reading: %+v", v)
	} else {
		verdict(t, v, "unknown: the cloud was not read: AccessDenied")
	}
}

func TestRefreshed(t *testing.T) {
	since, before := now.Add(-time.Minute), at(-5*time.Minute)
	cases := map[string]struct {
		start, annotation, updated string
		want                       []string
	}{
		"moved":                      {before, at(-20 * time.Second), "", nil},
		"moved within the second":    {at(-61 * time.Second), at(-60 * time.Second), "", nil},
		"moved by a slower clock":    {before, at(-2 * time.Minute), "", nil},
		"the same":                   {before, before, "", []string{"no refresh has ended since 2026-09-01T10:59:30Z: the last one ended at 2026-09-01T10:55:30Z; the next is due at 2026-09-01T11:00:30Z"}},
		"removed to ask for one":     {before, "", "", []string{"the refresh annotation is absent; the next is due now"}},
		"set to 0 to ask for one":    {before, "0", "", []string{"no refresh has ended since"}},
		"there was none":             {"", at(-20 * time.Second), "", nil},
		"there was none, and an old": {"", before, "", []string{"no refresh has ended"}},
		"it stood in the future":     {at(time.Hour), at(-20 * time.Second), "", nil},
		"it was no time":             {"soon", at(-20 * time.Second), "", nil},
		"it failed":                  {before, at(-20 * time.Second), "[Syncing error: syncing failed] no", []string{"the last refresh failed"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := quiet()
			f.annotation, f.updated = c.annotation, c.updated
			v := await.Judge(f.snapshot(t), await.Refreshed, await.Options{Since: since, Annotation: c.start}, now)
			verdict(t, v, c.want...)
		})
	}
}

func TestSynced(t *testing.T) {
	cases := map[string]struct {
		change func(*fixture)
		want   []string
	}{
		"quiet":              {func(*fixture) {}, nil},
		"differs":            {func(f *fixture) { *f = f.with(edited) }, []string{"Config and the reading of the cloud differ in tags.a"}},
		"unmanaged differs":  {func(f *fixture) { *f = f.with(strings.Replace(spec, `{"a":"b"}`, "null", 1)) }, nil},
		"written before":     {func(f *fixture) { f.writers = "2026-09-01T10:59:00Z" }, nil},
		"written since":      {func(f *fixture) { f.writers = "2026-09-01T11:00:10Z" }, []string{"the reading of 2026-09-01T11:00:00Z is not younger than the last write to the Config, by kubectl-edit at 2026-09-01T11:00:10Z; the next is due at 2026-09-01T11:05:00Z"}},
		"never read":         {func(f *fixture) { f.annotation = "" }, []string{"the refresh annotation is absent; the next is due now"}},
		"written in between": {func(f *fixture) { f.writers = "2026-09-01T11:00:00Z" }, []string{"is not younger"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := quiet()
			c.change(&f)
			verdict(t, judge(t, f, await.Synced), c.want...)
		})
	}
}

func TestSafe(t *testing.T) {
	live := func(text string, age time.Duration) *hosted.Reading {
		return &hosted.Reading{Spec: decode(t, text), At: now.Add(-age)}
	}
	cases := map[string]struct {
		change func(*fixture)
		want   []string
		next   time.Duration
	}{
		"Rancher read it just now": {func(*fixture) {}, nil, 30*time.Second + 1},
		"Rancher read it long ago": {func(f *fixture) { f.annotation = at(-2 * time.Minute) }, []string{
			"the cloud was last read at 2026-09-01T10:58:30Z, longer ago than 1m0s; the next is due at 2026-09-01T11:03:30Z"}, 170 * time.Second},
		"we read it, and it agrees": {func(f *fixture) { f.annotation, f.live = at(-2*time.Minute), live(spec, time.Second) }, nil, 59*time.Second + 1},
		"we read it, and it differs": {func(f *fixture) { f.annotation, f.live = at(-2*time.Minute), live(edited, time.Second) }, []string{
			"Config and the cloud, as read at 2026-09-01T11:00:29Z, differ in tags.a", "HS021 (warning) in tags.a: "}, 59*time.Second + 1},
		"we read it long ago": {func(f *fixture) { f.live = live(spec, time.Hour) }, []string{"the live reading is of 2026-09-01T10:00:30Z, longer ago than 1m0s"}, 260 * time.Second},
		"a refresh is about to happen": {func(f *fixture) { f.annotation, f.live = at(-292*time.Second), live(spec, 0) }, []string{
			"the next refresh is due at 2026-09-01T11:00:38Z, within 10s"}, time.Minute + 1},
		"a refresh is due":          {func(f *fixture) { f.annotation, f.live = at(-301*time.Second), live(spec, 0) }, []string{"a refresh is due"}, time.Minute + 1},
		"a reading from the future": {func(f *fixture) { f.annotation = at(time.Minute) }, []string{"the age of the reading is unknown"}, time.Minute},
		"a clock a little ahead":    {func(f *fixture) { f.annotation = at(2 * time.Second) }, nil, 62*time.Second + 1},
		"an edit on its way":        {func(f *fixture) { f.config, f.cr, f.phase = edited, edited, "updating" }, []string{"Config and Applied differ", "phase", "differ in tags.a"}, 30*time.Second + 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := quiet()
			c.change(&f)
			v := judge(t, f, await.Safe)
			verdict(t, v, c.want...)
			if got := v.Next.Sub(now); got != c.next {
				t.Errorf("judge again in %s, want %s", got, c.next)
			}
		})
	}
}

func TestLiveReadingWithoutATime(t *testing.T) {
	f := quiet()
	f.live = &hosted.Reading{Spec: decode(t, spec)}
	v := judge(t, f, await.Safe)
	verdict(t, v)
	if len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "does not say when") {
		t.Errorf("notes: %q", v.Notes)
	}
}

func TestNotHosted(t *testing.T) {
	s, _ := hosted.FromObjects(map[string]any{"metadata": map[string]any{"name": "local"}}, nil)
	for _, c := range await.Conditions() {
		verdict(t, await.Judge(&s, c, await.Options{}, now), "no hosted config")
	}
	verdict(t, await.Judge(quiet().snapshot(t), "calm", await.Options{}, now), `"calm" is not known`)
	if _, err := await.ParseCondition("calm"); err == nil {
		t.Error("calm is no condition")
	}
	if c, err := await.ParseCondition("Safe"); err != nil || c != await.Safe {
		t.Error(c, err)
	}
}
