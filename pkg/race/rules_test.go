package race

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

var update = flag.Bool("update", false, "rewrite golden files and docs/RULES.md")

// ruleCase is one snapshot and what one rule says about it. The first case of a
// rule that has a finding is also compared, whole, with testdata.
type ruleCase struct {
	code, name string
	fixture    fixture
	want       string // brief form, "" for no finding
}

const (
	base      = `"displayName":"atlas","region":"eu-west-1","amazonCredentialSecret":"cattle-global-data:cc-1","imported":false`
	eksOff    = `{` + base + `,"kubernetesVersion":"1.31","privateAccess":false,"publicAccess":true}`
	eksOn     = `{` + base + `,"kubernetesVersion":"1.31","privateAccess":true,"publicAccess":true}`
	eksNull   = `{` + base + `,"kubernetesVersion":null,"privateAccess":null,"publicAccess":null}`
	eksGroup  = `{` + base + `,"privateAccess":true,"nodeGroups":[{"nodegroupName":"workers","desiredSize":3,"version":"1.31","tags":{"team":"blue"}}]}`
	eksMoved  = `{` + base + `,"privateAccess":true,"nodeGroups":[{"nodegroupName":"workers","desiredSize":5,"version":"1.31","tags":{"team":"blue"}}]}`
	eksMore   = `{` + base + `,"privateAccess":true,"nodeGroups":[{"nodegroupName":"workers","desiredSize":3,"version":"1.31","tags":{"team":"blue"}},{"nodegroupName":"gpu","desiredSize":1}]}`
	eksTagged = `{` + base + `,"privateAccess":true,"nodeGroups":[{"nodegroupName":"workers","desiredSize":3,"version":"1.31","tags":{"team":"blue","cost":"42"}}]}`
	eksNoVer  = `{` + base + `,"privateAccess":true,"nodeGroups":[{"nodegroupName":"workers","desiredSize":3,"version":null,"tags":{"team":"blue"}}]}`
	eksEmpty  = `{` + base + `,"privateAccess":true,"nodeGroups":[]}`
	eksTags   = `{` + base + `,"privateAccess":false,"publicAccess":true,"kubernetesVersion":"1.31","tags":{"team":"red"}}`
	eksTags0  = `{` + base + `,"privateAccess":false,"publicAccess":true,"kubernetesVersion":"1.31","tags":{"team":"blue"}}`
	eksTagsOn = `{` + base + `,"privateAccess":true,"publicAccess":true,"kubernetesVersion":"1.31","tags":{"team":"blue"}}`

	updating = "Unknown||2026-09-01T10:58:00Z"
	failedAt = "False|quota exceeded for instances|2026-09-01T09:00:00Z"
)

func TestRules(t *testing.T) {
	golden := map[string]bool{}
	for _, cases := range [][]ruleCase{armedCases, frozenCases, inputCases, eksCases, otherCases} {
		for _, tc := range cases {
			t.Run(tc.code+" "+tc.name, func(t *testing.T) {
				all := tc.fixture.check(t)
				got := of(all, tc.code)
				if briefs(got) != tc.want {
					t.Fatalf("got  %q\nwant %q\nall findings:\n%s", briefs(got), tc.want, indented(t, all))
				}
				if len(got) > 0 && !golden[tc.code] {
					golden[tc.code] = true
					compareGolden(t, tc.code, got)
				}
			})
		}
	}
	for _, r := range Rules() {
		if r.Check != nil && !golden[r.Code] {
			t.Errorf("%s: no case with a finding", r.Code)
		}
	}
}

func compareGolden(t *testing.T, code string, got any) {
	t.Helper()
	path, text := filepath.Join("testdata", code+".json"), indented(t, got)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s differs (rewrite with -update):\n%s", path, text)
	}
}

var armedCases = []ruleCase{
	{"HS001", "the documented example", fixture{config: eksOff, live: eksOn}, "danger present [privateAccess] loses cloud 1 until 11:05"},
	{"HS001", "unmanaged", fixture{config: eksNull, upstream: eksOff, live: eksOn}, ""},
	{"HS001", "absorbed", fixture{config: eksOn, live: eksOn}, ""},
	{"HS001", "no live reading", fixture{config: eksOff}, "info unknown [] loses cloud 0 until 11:05"},
	{"HS001", "no live reading, nothing managed", fixture{config: eksNull}, ""},
	{"HS001", "live reading failed", fixture{config: eksOff, liveErr: "no route"}, "info unknown [] loses cloud 0 until 11:05"},
	{"HS001", "refresh is due", fixture{config: eksOff, live: eksOn, setting: "60"}, "danger present [privateAccess] loses cloud 1 until open"},
	{"HS001", "never refreshed", fixture{config: eksOff, live: eksOn, annotation: "soon"}, "danger present [privateAccess] loses cloud 1 until open"},
	{"HS001", "no annotation", fixture{config: eksOff, live: eksOn, annotation: "none"}, "danger present [privateAccess] loses cloud 1 until open"},
	{"HS001", "overflowing annotation", fixture{config: eksOff, live: eksOn, annotation: "9223372036854775807"}, "danger present [privateAccess] loses cloud 1 until open"},
	{"HS001", "being deleted", fixture{config: eksOff, live: eksOn, deleting: true}, ""},
	{"HS001", "lower version is never pushed", fixture{config: `{` + base + `,"kubernetesVersion":"1.30"}`, live: `{` + base + `,"kubernetesVersion":"1.31"}`}, ""},
	{"HS001", "all sources, spelled two ways", fixture{config: `{` + base + `,"publicAccessSources":[]}`, live: `{` + base + `,"publicAccessSources":["0.0.0.0/0"]}`}, ""},
	{"HS001", "operator at work", fixture{config: eksOff, live: eksOn, phase: "updating"}, ""},

	{"HS002", "edit of tags, access changed in the cloud", fixture{config: eksTags, applied: eksTags0, upstream: eksTags0, live: eksTagsOn, phase: "updating", updated: updating},
		"danger present [privateAccess] loses cloud 1 until open"},
	{"HS002", "the edit itself", fixture{config: eksTags, applied: eksTags0, upstream: eksTags0, live: eksTags0, phase: "updating", updated: updating}, ""},
	{"HS002", "reading younger than the freeze", fixture{config: eksTags, applied: eksTags0, upstream: eksTagsOn, phase: "updating", updated: updating},
		"danger present [privateAccess] loses cloud 1 until open"},
	{"HS002", "reading older than the freeze", fixture{config: eksTags, applied: eksTags0, upstream: eksTagsOn, phase: "updating", updated: "Unknown||2026-09-01T11:02:00Z"},
		"info unknown [privateAccess] loses cloud 1 until open"},
	{"HS002", "an edit that begins to manage a value", fixture{config: eksOff, applied: eksNull, upstream: eksOn, live: eksOn, phase: "updating", updated: updating}, ""},
	{"HS002", "the same, and the cloud changed too", fixture{config: eksOff, applied: eksNull, upstream: eksOff, live: eksOn, phase: "updating", updated: updating},
		"danger present [privateAccess] loses cloud 1 until open"},
	{"HS002", "at rest", fixture{config: eksOff, live: eksOn}, ""},

	{"HS003", "AKS edit not in Azure", fixture{provider: hosted.AKS, config: `{"kubernetesVersion":"1.32.1"}`, upstream: `{"kubernetesVersion":"1.31.2"}`, live: `{"kubernetesVersion":"1.31.2"}`},
		"warning present [kubernetesVersion] loses config 1 until 11:05"},
	{"HS003", "without live", fixture{provider: hosted.AKS, config: `{"kubernetesVersion":"1.32.1"}`, upstream: `{"kubernetesVersion":"1.31.2"}`}, ""},
	{"HS003", "EKS", fixture{config: eksOn, upstream: eksOff, live: eksOff}, ""},
	{"HS007", "GKE edit not pushed", fixture{provider: hosted.GKE, config: `{"loggingService":"none"}`, upstream: `{"loggingService":"x"}`, live: `{"loggingService":"x"}`},
		"warning present [loggingService] loses config 1 until 11:05"},
	{"HS007", "changed in the cloud instead", fixture{provider: hosted.GKE, config: `{"loggingService":"none"}`, live: `{"loggingService":"x"}`}, ""},
	{"HS008", "EKS edit not in AWS", fixture{config: eksOn, upstream: eksOff, live: eksOff}, "warning present [privateAccess] loses config 1 until 11:05"},
	{"HS008", "operator still at work", fixture{config: eksOn, upstream: eksOff, live: eksOff, phase: "updating"}, ""},

	{"HS004", "group created in the console", fixture{config: eksGroup, live: eksMore}, "critical present [nodeGroups[gpu]] loses cloud 1 until 11:05"},
	{"HS004", "group deleted in the console", fixture{config: eksMore, live: eksGroup}, "critical present [nodeGroups[gpu]] loses cloud 1 until 11:05"},
	{"HS004", "empty list", fixture{config: eksEmpty, live: eksMore}, "critical present [nodeGroups[gpu] nodeGroups[workers]] loses cloud 2 until 11:05"},
	{"HS004", "an edit that removes a group", fixture{config: eksGroup, applied: eksMore, live: eksMore, phase: "updating", updated: updating}, ""},
	{"HS004", "an edit that begins to manage an empty list", fixture{config: eksEmpty, applied: eksNull, live: eksGroup, phase: "updating", updated: updating},
		"critical present [nodeGroups[workers]] loses cloud 1 until open"},
	{"HS004", "unmanaged", fixture{config: eksOn, live: eksMore}, ""},
	{"HS004", "without live", fixture{config: eksGroup}, ""},

	{"HS005", "scaled by an autoscaler", fixture{config: eksGroup, live: eksMoved}, "warning present [nodeGroups[workers].desiredSize] loses cloud 1 until 11:05"},
	{"HS005", "AKS pool that scales itself", fixture{provider: hosted.AKS, config: `{"nodePools":[{"name":"a","count":2,"enableAutoScaling":true}]}`,
		live: `{"nodePools":[{"name":"a","count":3,"enableAutoScaling":true}]}`}, ""},
	{"HS021", "foreign tag", fixture{config: eksGroup, live: eksTagged}, "warning present [nodeGroups[workers].tags.cost] loses cloud 1 until 11:05"},
	{"HS021", "same tags", fixture{config: eksGroup, live: eksGroup}, ""},
}
