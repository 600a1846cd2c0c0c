package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed/rig"
)

// mainly runs a verb that changes something and returns the exit code.
func mainly(ctx context.Context, t *testing.T, env Env, kubeconfig, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	out, errs := newOutput(), newOutput()
	if env.In == nil {
		env.In = strings.NewReader("")
	}
	env.Out, env.Err, env.Program, env.Now = out, errs, "kubectl-hostedsync", time.Now
	env.LookupEnv = func(string) (string, bool) { return "", false }
	code = Main(ctx, env, append([]string{"--kubeconfig", kubeconfig}, append(args, "--journal-dir", dir)...))
	t.Logf("%s: %d\n%s%s", strings.Join(args, " "), code, errs, out)
	return code, out.String(), errs.String()
}

// living puts a living cluster on the server; it is gone after the test.
func living(t *testing.T, name string) *rig.Rig {
	t.Helper()
	return livingAs(t, rig.Options{Name: name})
}

func livingAs(t *testing.T, o rig.Options) *rig.Rig {
	t.Helper()
	srv, name := bed.Server(t), o.Name
	r := rig.New(t, srv, o)
	t.Cleanup(func() {
		r.Stop()
		srv.Remove(t, srv.Get(t, "Cluster", "", name), srv.Get(t, hosted.EKS.CRKind(), testbed.GlobalNamespace, name))
	})
	return r
}

// results reads a report's items.
func results(t *testing.T, text string) []report.ChangeResult {
	t.Helper()
	var r report.ChangeReport
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return r.Items
}

func revisionOf(t *testing.T, r *rig.Rig) string {
	t.Helper()
	rv, _ := hosted.Dig(r.Server.Get(t, "Cluster", "", r.Name), "metadata", "resourceVersion")
	return hosted.Str(rv)
}

// TestChangeLife follows one cluster through the verbs: tried, asked for, made,
// listed and undone.
func TestChangeLife(t *testing.T) {
	r := living(t, "c-life1")
	dir, kc, ctx := t.TempDir(), r.Server.Kubeconfig, t.Context()
	before := revisionOf(t, r)
	for _, dry := range []string{"client", "server"} {
		code, out, _ := mainly(ctx, t, Env{}, kc, dir, "set", r.Name, "tags.team=blue", "--dry-run="+dry, "-o", "json")
		items := results(t, out)
		if code != 0 || len(items) != 1 || items[0].Outcome != "planned" || !strings.Contains(items[0].Command, `"tags":{"team":"blue"}`) {
			t.Fatalf("dry run %s: %d %+v", dry, code, items)
		}
	}
	if now := revisionOf(t, r); now != before {
		t.Fatalf("a dry run changed the cluster: %s, was %s", now, before)
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("a dry run was journalled: %v", files)
	}
	if code, _, errs := mainly(ctx, t, Env{}, kc, dir, "set", r.Name, "tags.team=blue"); code != 2 || !strings.Contains(errs, "--yes") {
		t.Errorf("without a terminal and --yes: %d %s", code, errs)
	}
	asked := Env{Interactive: true, In: strings.NewReader("n\n")}
	if code, out, errs := mainly(ctx, t, asked, kc, dir, "set", r.Name, "tags.team=blue", "-o", "json"); code != 3 ||
		results(t, out)[0].Refusals[0].Code != "declined" || !strings.Contains(errs, `tags.team: "t" → "blue"`) {
		t.Errorf("declined: %d", code)
	}
	asked.In = strings.NewReader("yes\n")
	code, out, _ := mainly(ctx, t, asked, kc, dir, "set", r.Name, "tags.team=blue", "-o", "json")
	items := results(t, out)
	if code != 0 || items[0].Outcome != "verified" || hosted.Map(r.Live(t)["tags"])["team"] != "blue" {
		t.Fatalf("confirmed: %d %+v", code, items)
	}
	id := items[0].Change
	if code, out, _ = mainly(ctx, t, Env{}, kc, dir, "journal", id, "-o", "jsonpath={.items[0].outcome}"); code != 0 || out != "verified\n" && out != "verified" {
		t.Errorf("journal: %d %q", code, out)
	}
	if code, _, _ = mainly(ctx, t, Env{}, kc, dir, "restore", r.Name, "--yes"); code != 0 {
		t.Errorf("restore: %d", code)
	}
	if got := hosted.Map(r.Live(t)["tags"])["team"]; got != "t" {
		t.Errorf("restored, the tag is %v", got)
	}
	if code, _, _ = mainly(ctx, t, Env{}, kc, dir, "unmanage", r.Name, "tags", "--yes"); code != 0 || r.Config(t)["tags"] != nil {
		t.Errorf("unmanage: %d, tags are %v", code, r.Config(t)["tags"])
	}
	r.Console(t, "tags", map[string]any{"team": "console"})
	if code, _, _ = mainly(ctx, t, Env{}, kc, dir, "manage", r.Name, "--field", "tags", "--yes"); code != 0 || hosted.Map(r.Config(t)["tags"])["team"] != "console" {
		t.Errorf("manage: %d, tags are %v", code, r.Config(t)["tags"])
	}
	r.Console(t, "privateAccess", true)
	if code, _, _ = mainly(ctx, t, Env{}, kc, dir, "sync", r.Name, "--refresh", "--yes"); code != 0 || r.Config(t)["privateAccess"] != true {
		t.Errorf("sync --refresh: %d, privateAccess is %v", code, r.Config(t)["privateAccess"])
	}
	r.AwaitQuiet(t)
	r.Console(t, "privateAccess", false)
	if code, out, _ = mainly(ctx, t, Env{}, kc, dir, "sync", r.Name, "--push", "--yes", "-o", "json"); code != 3 || results(t, out)[0].Refusals[0].Code != "blind" {
		t.Errorf("a blind push: %d", code)
	}
	live := filepath.Join(t.TempDir(), "live.json")
	text, err := json.Marshal(r.Live(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(live, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ = mainly(ctx, t, Env{}, kc, dir, "sync", r.Name, "--push", "tags", "--live-from", live, "--yes", "-o", "json"); code != 3 ||
		results(t, out)[0].Refusals[0].Code != "collateral" {
		t.Errorf("a push that takes more along: %d", code)
	}
	if code, _, _ = mainly(ctx, t, Env{}, kc, dir, "sync", r.Name, "--push", "privateAccess", "--live-from", live, "--yes", "--wait=false"); code != 0 {
		t.Errorf("push: %d", code)
	}
	r.AwaitQuiet(t)
	if r.Live(t)["privateAccess"] != true {
		t.Error("the push did not reach the cloud")
	}
}

// TestChangeCodes: every way to end has its exit code, and says why.
func TestChangeCodes(t *testing.T) {
	r := living(t, "c-codes1")
	dir, kc, ctx := t.TempDir(), r.Server.Kubeconfig, t.Context()
	busy := func(phase, failure string) {
		r.Server.Merge(t, hosted.EKS.CRKind(), testbed.GlobalNamespace, r.Name, fmt.Sprintf(`{"status":{"phase":%q,"failureMessage":%q}}`, phase, failure), true)
	}
	r.Stop() // from here on nobody reacts
	busy("updating", "")
	code, out, _ := mainly(ctx, t, Env{}, kc, dir, "set", r.Name, "tags.team=red", "--yes", "-o", "json")
	if items := results(t, out); code != 3 || items[0].Outcome != "refused" || items[0].Refusals[0].Code != "firing" {
		t.Errorf("firing: %d %+v", code, items)
	}
	busy("active", "")
	for _, c := range []struct {
		want int
		text string
		args []string
	}{
		{3, "there is no field", []string{"set", r.Name, "tagz.team=red", "--yes"}},
		{3, "cannot be unmanaged", []string{"unmanage", r.Name, "--field", "displayName", "--yes"}},
		{2, "in which direction", []string{"sync", r.Name, "--yes"}},
		{2, "use client or server", []string{"set", r.Name, "tags.a=b", "--dry-run=maybe"}},
		{2, "say what to set", []string{"set", r.Name, "--yes"}},
		{2, "name the fields", []string{"unmanage", r.Name, "--yes"}},
		{2, "no cluster is called", []string{"set", "c-nobody", "tags.a=b", "--yes"}},
		{2, "wrote to its Config", []string{"restore", r.Name, "--yes"}},
	} {
		code, out, errs := mainly(ctx, t, Env{}, kc, dir, c.args...)
		if code != c.want || !strings.Contains(out+errs, c.text) {
			t.Errorf("%v: %d, want %d and %q", c.args, code, c.want, c.text)
		}
	}
	code, out, _ = mainly(ctx, t, Env{}, kc, dir, "set", r.Name, "tags.team=red", "--yes", "--timeout", "2s", "-o", "json")
	if items := results(t, out); code != 5 || items[0].Outcome != "timed-out" || len(items[0].Unknown) == 0 {
		t.Errorf("nobody refreshes: %d %+v", code, items)
	}
	if hosted.Map(r.Config(t)["tags"])["team"] != "t" {
		t.Error("a change that timed out before its write was written")
	}
}

// TestChangeInterrupted: what an interruption leaves is said and journalled.
func TestChangeInterrupted(t *testing.T) {
	r := living(t, "c-int1")
	r.Stop()
	dir := t.TempDir()
	p := start(t, r.Server.Kubeconfig, "set", r.Name, "tags.team=red", "--yes", "--journal-dir", dir, "-o", "json")
	p.await(p.errs, "refreshing")
	p.stop()
	p.end(130)
	if items := results(t, p.out.String()); items[0].Outcome != "interrupted" {
		t.Errorf("%+v", items)
	}
	if code, out, _ := mainly(t.Context(), t, Env{}, r.Server.Kubeconfig, dir, "journal", "-o", "jsonpath={.items[*].outcome}"); code != 0 || !strings.Contains(out, "interrupted") {
		t.Errorf("journal: %d %q", code, out)
	}
}

// TestChangeMany: of several clusters one is refused; what was done, what was not
// and what was not tried is named.
func TestChangeMany(t *testing.T) {
	a, b, c := living(t, "c-many1"), living(t, "c-many2"), living(t, "c-many3")
	kc, ctx := a.Server.Kubeconfig, t.Context()
	b.Stop()
	b.Server.Merge(t, hosted.EKS.CRKind(), testbed.GlobalNamespace, b.Name, `{"status":{"phase":"updating"}}`, true)
	code, out, _ := mainly(ctx, t, Env{}, kc, t.TempDir(), "set", a.Name, b.Name, c.Name, "tags.team=green", "--yes", "--max-parallel", "1", "-o", "json")
	var got []string
	for _, i := range results(t, out) {
		got = append(got, string(i.Outcome))
	}
	if want := "verified refused not-tried"; code != 3 || strings.Join(got, " ") != want {
		t.Errorf("%d %v, want 3 %s", code, got, want)
	}
	code, out, _ = mainly(ctx, t, Env{}, kc, t.TempDir(), "set", a.Name, b.Name, c.Name, "tags.team=green", "--yes", "--max-failures", "0", "-o", "json")
	got = nil
	for _, i := range results(t, out) {
		got = append(got, string(i.Outcome))
	}
	if want := "unchanged refused verified"; code != 3 || strings.Join(got, " ") != want {
		t.Errorf("%d %v, want 3 %s", code, got, want)
	}
}

// TestChangeRights: what is not allowed is named before anything is tried.
func TestChangeRights(t *testing.T) {
	r := living(t, "c-rights1")
	u := r.Server.User(t, "reader-of-rights1",
		testbed.Grant{Verbs: "get,list,watch", Resource: "clusters.management.cattle.io"},
		testbed.Grant{Verbs: "get", Resource: "settings.management.cattle.io"})
	before := revisionOf(t, r)
	code, out, _ := mainly(t.Context(), t, Env{}, u.Kubeconfig, t.TempDir(), "set", r.Name, "tags.team=red", "--yes", "-o", "json")
	items := results(t, out)
	if code != 3 || items[0].Refusals[0].Code != "no-right" || !strings.Contains(items[0].Refusals[0].Text, "patch clusters.management.cattle.io") ||
		!strings.Contains(items[0].Refusals[0].Text, "get eksclusterconfigs.eks.cattle.io") {
		t.Errorf("%d %+v", code, items)
	}
	if revisionOf(t, r) != before {
		t.Error("something was tried")
	}
}

// TestChangeWithoutWatch: the owner of one cluster, who may get and patch it and
// nothing else, can change it all the same.
func TestChangeWithoutWatch(t *testing.T) {
	// Nobody sees the operator at work here, so Rancher's own refresh has to confirm.
	r := livingAs(t, rig.Options{Name: "c-owned1", Interval: "8"})
	u := r.Server.User(t, "owner-of-owned1",
		testbed.Grant{Verbs: "get,patch", Resource: "clusters.management.cattle.io", Names: []string{r.Name}},
		testbed.Grant{Verbs: "get", Resource: "eksclusterconfigs.eks.cattle.io", Namespace: testbed.GlobalNamespace, Names: []string{r.Name}},
		testbed.Grant{Verbs: "get", Resource: "settings.management.cattle.io", Names: []string{"eks-refresh", "server-version"}})
	r.Console(t, "privateAccess", true)
	code, out, _ := mainly(t.Context(), t, Env{}, u.Kubeconfig, t.TempDir(), "set", r.Name, "tags.team=owned", "--yes", "-o", "json")
	items := results(t, out)
	if code != 0 || items[0].Outcome != "verified" || len(items[0].Unknown) == 0 {
		t.Fatalf("%d %+v", code, items)
	}
	if live := r.Live(t); live["privateAccess"] != true || hosted.Map(live["tags"])["team"] != "owned" {
		t.Errorf("the cloud has %v and %v", live["privateAccess"], live["tags"])
	}
}
