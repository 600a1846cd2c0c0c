package race

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
)

func TestDocumentedExample(t *testing.T) {
	fs := fixture{config: eksOff, live: eksOn}.check(t)
	if len(fs) != 1 || fs[0].Code != "HS001" {
		t.Fatalf("want HS001 alone, got\n%s", indented(t, fs))
	}
	f := fs[0]
	if !f.Window.From.Equal(at1100) || f.Window.Until == nil || !f.Window.Until.Equal(at1105) {
		t.Errorf("window %+v", f.Window)
	}
	if f.WouldLose.Side != SideCloud || len(f.WouldLose.Values) != 1 || f.WouldLose.Values[0] != (Lost{"privateAccess", true, false}) {
		t.Errorf("would lose %+v", f.WouldLose)
	}
	const refresh = `kubectl hostedsync sync c-ab12c --refresh`
	if f.Remedy[0] != refresh {
		t.Errorf("remedy %s", f.Remedy[0])
	}
	if fs := (fixture{config: eksNull, upstream: eksOff, live: eksOn}).check(t); len(fs) != 0 {
		t.Errorf("unmanaged: %s", briefs(fs))
	}
	blind := fixture{config: eksOff}.check(t)
	if want := "unknown since 2026-09-01T11:00:00Z: at most 180 seconds blind;"; len(blind) != 1 || !strings.HasPrefix(blind[0].Summary, want) {
		t.Errorf("without live: %s", indented(t, blind))
	}
}

// A refresh of a frozen cluster changes nothing that helps.
func TestNoRefreshWhileFrozen(t *testing.T) {
	for _, f := range (fixture{config: eksTags, applied: eksTags0, upstream: eksTagsOn, phase: "updating", updated: updating}).check(t) {
		for _, r := range f.Remedy {
			if strings.Contains(r, hosted.RefreshAnnotation) {
				t.Errorf("%s: %s", f.Code, r)
			}
		}
	}
}

// The hot set is what the predicted reconcile sends; what stands below a group
// that comes or goes, or in an unmanaged unit, is not a finding of its own.
func TestPredictedPush(t *testing.T) {
	call := func(effect operator.Effect, fields ...string) predict.PushedCall {
		return predict.PushedCall{Call: operator.Call{Op: "x", Fields: fields, Effect: effect}}
	}
	push := func(in predict.PushInput) (predict.Push, error) {
		if in.Name != "c-ab12c" || in.Provider != hosted.EKS || in.Cloud["privateAccess"] != true || in.Status["phase"] != "active" {
			t.Errorf("asked with %+v", in)
		}
		return predict.Push{Calls: []predict.PushedCall{
			call(operator.Update, "nodeGroups[gpu]"), call(operator.Create, "nodeGroups[gpu]"), call(operator.Update, "nodeGroups[gpu].tags"),
			call(operator.Update, "loggingTypes", "not a [path"),
		}}, nil
	}
	s := fixture{config: eksMore, live: eksGroup}.snapshot(t)
	in := Gather(&s, at1103, push)
	if len(in.Hot) != 1 || in.Hot[0].Field != "nodeGroups[gpu]" || in.Hot[0].Effect != operator.Create || in.Hot[0].Kind != KindGroup || in.Estimated != "" {
		t.Fatalf("hot %+v", in.Hot)
	}
	if got := briefs(Check(in)); got != "critical present [nodeGroups[gpu]] loses cloud 1 until 11:05" {
		t.Error(got)
	}
}

// The operators' own rules and the field table agree on the plain cases.
func TestPredictPush(t *testing.T) {
	for name, f := range map[string]fixture{
		"danger present [privateAccess] loses cloud 1 until 11:05":     {config: eksOff, live: eksOn},
		"critical present [nodeGroups[gpu]] loses cloud 1 until 11:05": {config: eksGroup, live: eksMore},
	} {
		s := f.snapshot(t)
		in := Gather(&s, at1103, predict.Pushed)
		if got := briefs(Check(in)); got != name {
			t.Errorf("got  %s\nwant %s\nestimated: %s", got, name, in.Estimated)
		}
	}
}

func TestPredictionFails(t *testing.T) {
	for name, push := range map[string]Pusher{
		"error":     func(predict.PushInput) (predict.Push, error) { return predict.Push{}, errors.New("cannot tell") },
		"validated": func(predict.PushInput) (predict.Push, error) { return predict.Push{Error: "cannot tell"}, nil },
	} {
		s := fixture{config: eksOff, live: eksOn}.snapshot(t)
		in := Gather(&s, at1103, push)
		if len(in.Hot) != 1 || !strings.Contains(in.Estimated, "cannot tell") {
			t.Errorf("%s: hot %+v, estimated %q", name, in.Hot, in.Estimated)
		}
	}
	quiet := func(predict.PushInput) (predict.Push, error) { return predict.Push{}, nil }
	s := fixture{config: eksOff, live: eksOn}.snapshot(t)
	if in := Gather(&s, at1103, quiet); len(in.Hot) != 0 || in.Estimated != "" {
		t.Errorf("a push without calls: hot %+v", in.Hot)
	}
	s = fixture{config: eksOff, live: eksOff}.snapshot(t)
	Gather(&s, at1103, func(predict.PushInput) (predict.Push, error) {
		t.Error("asked about a cluster in sync")
		return predict.Push{}, nil
	})
}

func TestCheckFleet(t *testing.T) {
	gke := func(name, cred, failure string) hosted.Snapshot {
		return fixture{provider: hosted.GKE, name: name, config: `{"googleCredentialSecret":"cattle-global-data:` + cred + `"}`, phase: "updating", failure: failure}.snapshot(t)
	}
	refused := gke("c-one", "cc-1", "googleapi: Error 403: PERMISSION_DENIED")
	other, same := gke("c-two", "cc-2", ""), gke("c-three", "cc-1", "")
	eks := fixture{name: "c-four", config: eksOff, phase: "updating", failure: "403"}.snapshot(t)
	got := CheckFleet([]hosted.Snapshot{other, refused, same, eks}, at1103)
	if len(got) != 1 || got[0].Code != "HS016" || got[0].Cluster != "c-one" || brief(got[0]) != "info present [] loses none 0 until open" {
		t.Fatalf("got\n%s", indented(t, got))
	}
	compareGolden(t, "HS016", got)
	for name, fleet := range map[string][]hosted.Snapshot{
		"one credential": {refused, same}, "another error": {other, gke("c-one", "cc-1", "quota")}, "nothing fails": {other, same},
	} {
		if got := CheckFleet(fleet, at1103); len(got) != 0 {
			t.Errorf("%s: %s", name, briefs(got))
		}
	}
}

func TestClassify(t *testing.T) {
	for text, want := range map[string]string{
		"Operation cannot be fulfilled on eksclusterconfigs: the object has been modified":                                             "conflict",
		"[Syncing error: syncing failed] operation error EKS: DescribeCluster, AccessDeniedException":                                  "permission",
		"[Syncing error: syncing failed] no route":                                                                                     "cloud-unreadable",
		"[Syncing error] error for cluster [c-x]: health error for node group [w] in cluster [c-x]: text":                              "node-group-health",
		"x: node group cannot be updated, must be deleted and recreated":                                                               "node-group-broken",
		"rancher-managed launch template for node group [w] in cluster [c] not found, must create new node group and destroy existing": "launch-template-missing",
		"versions for cluster [1.30] and node group [1.31] are not compatible: x":                                                      "version-skew",
		"upstream version \"1.31\" is higher than spec version \"1.30\" and downgrades of minor versions are not supported in GKE":     "downgrade",
		"Unsupported Kubernetes minor version update from 1.17 to 1.16":                                                                "downgrade",
		"update failed for cluster [c (id: 1)], status: Failed":                                                                        "cloud-failed-state",
		"cannot remove node pool [a] with mode System from cluster [c]":                                                                "last-system-pool",
		"googleapi: Error 400: Must specify a field to update.":                                                                        "empty-update",
		"cannot access EKS, check cloud credential: 403":                                                                               "credential",
		"waiting for cluster agent to be deployed":                                                                                     "unreachable",
		"Cluster has currently has update in progress":                                                                                 "cloud-busy",
		"changing availability zones for node pool [a] in cluster [c] is not permitted":                                                "immutable",
		"min and max node count must be nil for node pool [a]":                                                                         "invalid-config",
		"unable to parse last KEv2 refresh time [NaN]":                                                                                 "broken-annotation",
		"something nobody has seen":                                                                                                    "other",
	} {
		if got := Classify(text).Name; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A name that no API server accepts gets no command, and values never reach the
// shell.
func TestCommandsAreSafe(t *testing.T) {
	for _, name := range []string{"-x", "a b", "$(id)", "x;y", "x\ny", "x'y", "É"} {
		f := fixture{config: eksOff, live: eksOn}
		s := f.snapshot(t)
		s.Name = name
		for _, x := range Check(Gather(&s, at1103, nil)) {
			if len(x.Remedy) > 0 {
				t.Errorf("%q: %v", name, x.Remedy)
			}
		}
	}
	s := fixture{config: `{` + base + `,"tags":{}}`, live: `{` + base + `,"tags":{"it's $(id)":"\u202e\u001b[31m😀"}}`, applied: `{` + base + `,"tags":{}}`}.snapshot(t)
	in := Gather(&s, at1103, nil)
	got := in.adopt().command
	const want = `kubectl patch clusters.management.cattle.io c-ab12c --type=merge -p '{"metadata":{"resourceVersion":"7001"},"spec":{"eksConfig":{"tags":{"it'\''s $(id)":"\u202e\u001b[31m\ud83d\ude00"}}}}'`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestParseSeverity(t *testing.T) {
	for _, s := range []Severity{Info, Warning, Danger, Critical} {
		if got, err := ParseSeverity(strings.ToUpper(s.String())); err != nil || got != s {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	if _, err := ParseSeverity("fatal"); err == nil || err.Error() != `unknown severity "fatal": use one of info, warning, danger, critical` {
		t.Errorf("error %v", err)
	}
	if w, any := Worst([]Finding{{Severity: Warning}, {Severity: Critical}, {Severity: Info}}); w != Critical || !any {
		t.Errorf("worst %v", w)
	}
}

func TestRulesAreComplete(t *testing.T) {
	rules := Rules()
	if len(rules) != 30 {
		t.Fatalf("%d rules", len(rules))
	}
	for i, r := range rules {
		number := string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10))
		if r.Code != "HS0"+number || strings.TrimPrefix(r.Scenario, "R") != strings.TrimPrefix(number, "0") {
			t.Errorf("rule %d is %s (%s)", i+1, r.Code, r.Scenario)
		}
		if r.Title == "" || r.Doc.What == "" || r.Doc.Why == "" || r.Doc.Lost == "" || r.Doc.Out == "" {
			t.Errorf("%s: a text is missing", r.Code)
		}
		if r.Decidable() == (r.NotDecidable != "") {
			t.Errorf("%s: decidable %v, and %q", r.Code, r.Decidable(), r.NotDecidable)
		}
		e, ok := Explain(strings.ToLower(r.Code))
		if !ok || e.Code != r.Code || !strings.Contains(e.Text(), r.Doc.Out) {
			t.Errorf("explain %s: %+v", r.Code, e)
		}
	}
	if _, ok := Explain("HS031"); ok {
		t.Error("HS031 is explained")
	}
}

func TestGeneratedDocs(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "RULES.md")
	if *update {
		if err := os.WriteFile(path, []byte(Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != Markdown() {
		t.Errorf("docs/RULES.md is not what the rules say; run go test ./pkg/race -update (%v)", err)
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		name := map[int]string{1: "groups=1", 10: "groups=10", 100: "groups=100", 1000: "groups=1000"}[n]
		s := fixture{config: groups(n), live: strings.ReplaceAll(groups(n), `"desiredSize":1`, `"desiredSize":2`)}.snapshot(b)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if fs := Check(Gather(&s, at1103, nil)); len(fs) == 0 {
					b.Fatal("nothing found")
				}
			}
		})
	}
	quiet := fixture{config: groups(10)}.snapshot(b)
	b.Run("quiet", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Check(Gather(&quiet, at1103.Add(time.Second), nil))
		}
	})
}
