package race

import (
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

var frozenCases = []ruleCase{
	{"HS009", "failed, group created meanwhile", fixture{config: eksMoved, applied: eksGroup, upstream: eksMore, phase: "updating", failure: "quota exceeded for instances", updated: failedAt},
		"critical present [nodeGroups[gpu] nodeGroups[workers].desiredSize] loses cloud 1 until open"},
	{"HS009", "failed after the last refresh", fixture{config: eksMoved, applied: eksGroup, upstream: eksMore, phase: "updating", failure: "boom", updated: "False|boom|2026-09-01T11:02:00Z"},
		"danger present [nodeGroups[gpu] nodeGroups[workers].desiredSize] loses cloud 1 until open"},
	{"HS009", "failed, access changed meanwhile", fixture{config: eksTags, applied: eksTags0, upstream: eksTagsOn, phase: "updating", failure: "AccessDenied", updated: failedAt},
		"danger present [privateAccess tags.team] loses cloud 1 until open"},
	{"HS009", "failed, nothing changed meanwhile", fixture{config: eksTags, applied: eksTags0, upstream: eksTags0, phase: "updating", failure: "AccessDenied", updated: failedAt},
		"warning present [tags.team] loses none 0 until open"},
	{"HS009", "goes away by itself", fixture{config: eksTags, applied: eksTags0, upstream: eksTagsOn, phase: "updating", failure: "the object has been modified", updated: failedAt},
		"warning present [privateAccess tags.team] loses cloud 1 until open"},
	{"HS009", "resource not read, condition says it", fixture{config: eksTags, applied: eksTags0, upstream: eksTagsOn, cr: "none", updated: failedAt},
		"danger present [privateAccess tags.team] loses cloud 1 until open"},
	{"HS009", "fails without an edit", fixture{config: eksOff, live: eksOn, phase: "updating", failure: "boom"}, "danger present [privateAccess] loses cloud 1 until 11:05"},
	{"HS009", "no failure", fixture{config: eksTags, applied: eksTags0, upstream: eksTagsOn, phase: "updating", updated: updating}, ""},

	{"HS013", "agent not connected", fixture{config: eksOff, applied: eksOn, live: eksOn, waiting: "waiting for cluster agent to be deployed"},
		"warning present [privateAccess] loses none 0 until open"},
	{"HS013", "syncing error on EKS", fixture{config: eksTags, applied: eksTags0, upstream: eksTagsOn, updated: "False|[Syncing error] error for cluster [c-ab12c]: health error for node group [workers]|2026-09-01T10:00:00Z"},
		"danger present [privateAccess tags.team] loses cloud 1 until open"},
	{"HS013", "only empties", fixture{provider: hosted.GKE, config: `{"nodePools":[{"name":"a","config":{"labels":{}}}]}`, applied: `{"nodePools":[{"name":"a","config":{}}]}`},
		"info present [] loses none 0 until open"},
	{"HS013", "moments after an edit", fixture{config: eksOff, applied: eksOn, upstream: eksOff}, "info present [] loses none 0 until open"},
	{"HS013", "edit not yet with the operator", fixture{config: eksOff, applied: eksOn, cr: eksOn}, ""},
	{"HS013", "applied", fixture{config: eksOff}, ""},

	{"HS006", "taken back", fixture{config: eksTags0, applied: eksTags0, cr: eksTags, phase: "updating", writers: "kubectl-edit|2026-09-01T11:02:30Z|tags"},
		"warning present [tags.team] loses config 1 until open"},
	{"HS006", "the first edit stands", fixture{config: strings.Replace(eksTags, "true", "false", 1), applied: eksTags0, cr: eksTags, phase: "updating"}, ""},
	{"HS028", "another field", fixture{config: strings.Replace(eksTags, `"publicAccess":true`, `"publicAccess":false`, 1), applied: eksTags0, cr: eksTags, phase: "updating"},
		"info present [tags.team] loses none 0 until open"},
	{"HS028", "one edit", fixture{config: eksTags, applied: eksTags0, phase: "updating"}, ""},

	{"HS014", "pruned field", fixture{config: `{` + base + `,"privateAccess":true,"futureField":{"a":1}}`, cr: `{` + base + `,"privateAccess":true}`}, "warning present [futureField] loses none 0 until open"},
	{"HS014", "known field pruned", fixture{config: eksOff, cr: `{` + base + `,"kubernetesVersion":"1.31","publicAccess":true}`}, "warning present [privateAccess] loses none 0 until open"},
	{"HS014", "not yet applied", fixture{config: eksOff, applied: eksNull, cr: `{` + base + `}`}, ""},
	{"HS014", "null", fixture{config: eksNull, cr: `{` + base + `}`}, ""},
}

var inputCases = []ruleCase{
	{"HS012", "annotation is no number", fixture{config: eksOff, annotation: "NaN"}, "danger present [] loses none 0 until open"},
	{"HS012", "annotation in the future", fixture{config: eksOff, annotation: strconv.FormatInt(at1100.Unix()+3600, 10)}, "warning present [] loses none 0 until 12:05"},
	{"HS012", "empty annotation is none", fixture{config: eksOff, annotation: "none"}, ""},
	{"HS012", "setting with a unit", fixture{config: eksOff, setting: "5m"}, "danger present [] loses none 0 until open"},
	{"HS012", "setting from the environment", fixture{config: eksOff, setting: "5m", source: "env"}, "danger present [] loses none 0 until open"},
	{"HS012", "setting zero", fixture{config: eksOff, setting: "0"}, "warning present [] loses none 0 until open"},
	{"HS012", "setting of a month", fixture{config: eksOff, setting: "2592000"}, "warning present [] loses none 0 until open"},
	{"HS012", "wrong driver", fixture{config: eksOff, driver: "AKS"}, "danger present [] loses none 0 until open"},
	{"HS012", "two Configs", fixture{provider: hosted.AKS, config: `{"kubernetesVersion":"1.31.2"}`, extraSpec: `,"eksConfig":{}`}, "warning present [] loses none 0 until open"},
	{"HS012", "wrong type", fixture{config: `{` + base + `,"privateAccess":"yes"}`}, "danger present [] loses none 0 until open"},
	{"HS012", "fine", fixture{config: eksOff}, ""},

	{"HS025", "refresh cannot read", fixture{config: eksOff, updated: "False|[Syncing error: syncing failed] AccessDenied: no|2026-09-01T08:00:00Z"}, "warning present [] loses none 0 until open"},
	{"HS025", "operator refused", fixture{config: eksTags, applied: eksTags0, phase: "updating", failure: "403 forbidden", updated: failedAt}, "warning present [] loses none 0 until open"},
	{"HS025", "another failure", fixture{config: eksTags, applied: eksTags0, phase: "updating", failure: "boom", updated: failedAt}, ""},
	{"HS025", "refresh after the live reading saw nothing", fixture{provider: hosted.AKS, config: `{"kubernetesVersion":"1.31.2"}`, live: `{"kubernetesVersion":"1.32.0"}`, liveAt: at1100.Add(-1e10)},
		"info unknown [kubernetesVersion] loses none 0 until 11:05"},
	{"HS025", "live reading after the refresh", fixture{provider: hosted.AKS, config: `{"kubernetesVersion":"1.31.2"}`, live: `{"kubernetesVersion":"1.32.0"}`, liveAt: at1103}, ""},
	{"HS025", "fine", fixture{config: eksOff}, ""},
}

var eksCases = []ruleCase{
	{"HS015", "version hidden while updating", fixture{config: eksGroup, live: eksNoVer}, "info present [nodeGroups[workers].version] loses none 0 until 11:05"},
	{"HS015", "version known", fixture{config: eksGroup, live: eksGroup}, ""},
	{"HS001", "version hidden while updating", fixture{config: eksGroup, live: eksNoVer}, ""},

	{"HS020", "read as empty", fixture{config: `{` + base + `,"loggingTypes":["api"]}`, upstream: `{` + base + `,"loggingTypes":[]}`, live: `{` + base + `,"loggingTypes":["api"]}`},
		"info unknown [loggingTypes] loses config 1 until 11:05"},
	{"HS020", "unmanaged", fixture{config: eksOff, upstream: `{` + base + `,"loggingTypes":[]}`, live: `{` + base + `,"loggingTypes":["api"]}`}, ""},

	{"HS023", "fixed at creation", fixture{config: `{` + base + `,"kmsKey":"key-2"}`, upstream: `{` + base + `,"kmsKey":"key-1"}`}, "warning present [kmsKey] loses config 1 until 11:05"},
	{"HS023", "copied, and the cloud says otherwise", fixture{config: `{` + base + `,"subnets":["subnet-1"]}`, live: `{` + base + `,"subnets":["subnet-2"]}`}, "info present [subnets] loses none 0 until open"},
	{"HS023", "copied, another order", fixture{config: `{` + base + `,"subnets":["subnet-1","subnet-2"]}`, live: `{` + base + `,"subnets":["subnet-2","subnet-1"]}`}, ""},
	{"HS023", "copied, not in the reading", fixture{config: `{` + base + `,"subnets":["subnet-1"]}`, live: `{` + base + `,"subnets":null}`}, ""},
	{"HS023", "pushed", fixture{config: eksOn, upstream: eksOff}, ""},

	{"HS024", "101 groups", fixture{config: groups(101), upstream: groups(100)}, "danger present [nodeGroups] loses none 0 until open"},
	{"HS024", "100 groups", fixture{config: groups(100)}, ""},
	{"HS024", "unmanaged", fixture{config: eksOff, live: groups(101)}, ""},

	{"HS029", "group newer", fixture{config: `{` + base + `,"kubernetesVersion":"1.30","nodeGroups":[{"nodegroupName":"workers","version":"1.31"}]}`, live: `{` + base + `,"kubernetesVersion":"1.31"}`},
		"danger present [nodeGroups[workers].version] loses none 0 until open"},
	{"HS029", "group four minors older", fixture{config: `{` + base + `,"kubernetesVersion":"1.32","nodeGroups":[{"nodegroupName":"workers","version":"1.28"}]}`}, "danger present [nodeGroups[workers].version] loses none 0 until open"},
	{"HS029", "three minors older", fixture{config: `{` + base + `,"kubernetesVersion":"1.31","nodeGroups":[{"nodegroupName":"workers","version":"1.28"}]}`}, ""},
	{"HS029", "empty version", fixture{config: `{` + base + `,"kubernetesVersion":"1.31","nodeGroups":[{"nodegroupName":"workers","version":""}]}`}, "danger present [nodeGroups[workers].version] loses none 0 until open"},
	{"HS029", "cluster version unmanaged", fixture{config: eksGroup}, ""},
}

var otherCases = []ruleCase{
	{"HS017", "does not end", fixture{provider: hosted.AKS, config: `{"imported":true,"authorizedIpRanges":["192.0.2.0/24"]}`, applied: `{"imported":true,"authorizedIpRanges":["192.0.2.0/24","198.51.100.0/24"]}`,
		upstream: `{"imported":true,"authorizedIpRanges":["192.0.2.0/24","198.51.100.0/24"]}`, phase: "updating", updated: "Unknown||2026-09-01T10:00:00Z"},
		"warning present [authorizedIpRanges] loses none 0 until open"},
	{"HS017", "just begun", fixture{provider: hosted.AKS, config: `{"imported":true,"authorizedIpRanges":["192.0.2.0/24"]}`, applied: `{"imported":true,"authorizedIpRanges":["192.0.2.0/24","198.51.100.0/24"]}`,
		upstream: `{"imported":true,"authorizedIpRanges":["192.0.2.0/24","198.51.100.0/24"]}`, phase: "updating", updated: updating}, ""},

	{"HS018", "null, two locations", fixture{provider: hosted.GKE, config: `{"zone":"europe-west1-b","locations":null}`, upstream: `{"zone":"europe-west1-b","locations":["europe-west1-b","europe-west1-c"]}`},
		"danger present [locations] loses none 0 until open"},
	{"HS018", "null, its own zone", fixture{provider: hosted.GKE, config: `{"zone":"europe-west1-b","locations":null}`, upstream: `{"zone":"europe-west1-b","locations":["europe-west1-b"]}`}, ""},
	{"HS018", "regional", fixture{provider: hosted.GKE, config: `{"region":"europe-west1","locations":null}`, upstream: `{"region":"europe-west1","locations":["europe-west1-b","europe-west1-c"]}`}, ""},

	{"HS019", "never read back", fixture{provider: hosted.AKS, config: `{"virtualNetwork":"hub"}`, upstream: `{"virtualNetwork":null}`}, "info present [virtualNetwork] loses none 0 until 11:05"},
	{"HS019", "GitOps writes it", fixture{provider: hosted.AKS, config: `{"virtualNetwork":"hub"}`, upstream: `{"virtualNetwork":null}`, writers: "terraform|2026-09-01T10:59:00Z|virtualNetwork"},
		"warning present [virtualNetwork] loses none 0 until 11:05"},
	{"HS019", "other order", fixture{config: `{` + base + `,"loggingTypes":["api","audit"]}`, live: `{` + base + `,"loggingTypes":["audit","api"]}`}, "info present [loggingTypes] loses none 0 until 11:05"},
	{"HS019", "hot", fixture{config: eksOff, live: eksOn}, ""},

	{"HS026", "version edit with null ranges and tags", fixture{provider: hosted.AKS, config: `{"imported":false,"kubernetesVersion":"1.32.0"}`, applied: `{"imported":false,"kubernetesVersion":"1.31.0"}`,
		live: `{"imported":false,"kubernetesVersion":"1.31.0","tags":{"a":"b"},"authorizedIpRanges":["192.0.2.0/24"],"networkPlugin":"azure"}`, phase: "updating", updated: updating},
		"danger present [authorizedIpRanges networkPlugin tags] loses cloud 3 until open"},
	{"HS026", "imported", fixture{provider: hosted.AKS, config: `{"imported":true,"kubernetesVersion":"1.32.0"}`, applied: `{"imported":true,"kubernetesVersion":"1.31.0"}`,
		live: `{"imported":true,"kubernetesVersion":"1.31.0","tags":{"a":"b"}}`, phase: "updating", updated: updating}, ""},
	{"HS026", "no full update due", fixture{provider: hosted.AKS, config: `{"imported":false,"kubernetesVersion":"1.31.0"}`, live: `{"imported":false,"kubernetesVersion":"1.31.0","tags":{"a":"b"}}`}, ""},
	{"HS027", "full update due", fixture{provider: hosted.AKS, config: `{"kubernetesVersion":"1.32.0"}`, applied: `{"kubernetesVersion":"1.31.0"}`, live: `{"kubernetesVersion":"1.31.0"}`, phase: "updating", updated: updating},
		"info present [kubernetesVersion] loses none 0 until open"},
	{"HS027", "at rest", fixture{provider: hosted.AKS, config: `{"kubernetesVersion":"1.32.0"}`, live: `{"kubernetesVersion":"1.31.0"}`}, ""},

	{"HS030", "autoscaled on both sides", fixture{provider: hosted.ACK, config: `{"nodePools":[{"name":"a","enableAutoScaling":true,"desiredSize":2}]}`, live: `{"nodePools":[{"name":"a","enableAutoScaling":true,"desiredSize":4}]}`},
		"warning present [nodePools[a].desiredSize] loses none 0 until 11:05"},
	{"HS030", "fixed size", fixture{provider: hosted.ACK, config: `{"nodePools":[{"name":"a","desiredSize":2}]}`, live: `{"nodePools":[{"name":"a","desiredSize":4}]}`}, ""},
}

// groups is an EKS Config with n node groups.
func groups(n int) string {
	var items []string
	for i := range n {
		items = append(items, `{"nodegroupName":"g`+strconv.Itoa(i)+`","desiredSize":1}`)
	}
	return `{` + base + `,"nodeGroups":[` + strings.Join(items, ",") + `]}`
}
