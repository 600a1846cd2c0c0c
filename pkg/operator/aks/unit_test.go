package aks

import (
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// quiet is a cloud that reads as baseSpec.
func quiet(t *testing.T) Cloud {
	t.Helper()
	cloud, err := FromSpec(baseSpec(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cloud
}

func TestWrongTypesAreNamed(t *testing.T) {
	for want, config := range map[string]map[string]any{
		"tags.team must be a string, not 1":                                {"tags": map[string]any{"team": int64(1)}},
		"nodePools[0].count must be a 32-bit integer, not 4294967296":      {"nodePools": []any{map[string]any{"count": int64(1) << 32}}},
		"nodePools[1] must be an object, not true":                         {"nodePools": []any{nil, true}},
		"authorizedIpRanges[0] must be a string, not 7":                    {"authorizedIpRanges": []any{int64(7)}},
		"imported must be a boolean, not \"yes\"":                          {"imported": "yes"},
		"nodePools[0].nodeTaints must be a list of strings, not \"a=b:c\"": {"nodePools": []any{map[string]any{"nodeTaints": "a=b:c"}}},
	} {
		in := Input{Name: fixtureName, Config: config, Cloud: quiet(t)}
		if p := Reconcile(in); p.Error != "cannot read the config: "+want || p.Panic || len(p.Calls) > 0 {
			t.Errorf("pass %+v, want error %q", p, want)
		}
		if v := Read(in); !strings.HasSuffix(v.Error, want) || v.Operator != nil {
			t.Errorf("view %+v, want error %q", v, want)
		}
		if passes, gaveUp := Converge(in, 20); len(passes) != 1 || !gaveUp {
			t.Errorf("%d passes, gave up %v", len(passes), gaveUp)
		}
	}
}

func TestCloudOfWrongType(t *testing.T) {
	for body, want := range map[string]string{
		`{"properties":{"agentPoolProfiles":[{"count":"3"}]}}`: "cluster.properties.agentPoolProfiles[0].count must be a 32-bit integer",
		`{"tags":{"a":1}}`: "cluster.tags.a must be a string",
		`{"properties":{"addonProfiles":{"omsAgent":{"enabled":"yes"}}}}`: "cluster.properties.addonProfiles.omsAgent.enabled must be a boolean",
		`[]`: "cluster must be an object",
		`{`:  "not valid JSON",
		`{"properties":{"apiServerAccessProfile":{"authorizedIPRanges":{}}}}`: "authorizedIPRanges must be a list",
	} {
		if _, err := DecodeCloud([]byte(body)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", body, err, want)
		}
	}
}

// TestCloudKeepsWhatItDoesNotKnow: unknown members survive, nulls go, except
// in maps.
func TestCloudKeepsWhatItDoesNotKnow(t *testing.T) {
	cloud, err := DecodeCloud([]byte(`{"sku":{"tier":"Free","x":null},"tags":{"a":null},"properties":{"dnsPrefix":null,"novel":[1,null]}}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"properties":{"novel":[1,null]},"sku":{"tier":"Free"},"tags":{"a":null}}`
	if got := hosted.Canonical(cloud.Document()); got != want {
		t.Errorf("document %s", got)
	}
	if gone, err := DecodeCloud([]byte("null")); err != nil || gone.Exists() || gone.Document() != nil {
		t.Errorf("null is %+v, error %v", gone, err)
	}
}

// TestNullsInListsCrash: the operator dereferences each element.
func TestNullsInListsCrash(t *testing.T) {
	for _, body := range []string{
		`{"properties":{"kubernetesVersion":"1.33.2","apiServerAccessProfile":{"authorizedIPRanges":[null]}}}`,
		`{"properties":{"kubernetesVersion":"1.33.2","agentPoolProfiles":[null]}}`,
		`{"properties":{"kubernetesVersion":"1.33.2","agentPoolProfiles":[{"vmSize":"s","mode":"User","osType":"Linux","nodeTaints":[null]}]}}`,
		`{"properties":{"kubernetesVersion":"1.33.2","linuxProfile":{"ssh":{"publicKeys":[null]}}}}`,
		`{"name":"demo-a"}`,
	} {
		cloud, err := DecodeCloud([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if v := Read(Input{Name: fixtureName, Config: baseSpec(), Cloud: cloud}); !v.Panic || !strings.HasPrefix(v.Error, "panic: ") {
			t.Errorf("%s: %+v", body, v)
		}
	}
}

// TestStatusWithoutPhase: Rancher's own copy of the status has no phase, which
// means an active cluster; an empty phase is one that was never begun.
func TestStatusWithoutPhase(t *testing.T) {
	config := edited(map[string]any{"kubernetesVersion": "1.34.0"})
	in := Input{Name: fixtureName, Config: config, Cloud: quiet(t), Status: map[string]any{"rbacEnabled": true}}
	if p := Reconcile(in); p.Phase != operator.PhaseUpdating || p.Error != "" || len(p.Calls) != 0 {
		t.Errorf("without a phase: %+v", p)
	}
	in.Status = map[string]any{"phase": ""}
	if p := Reconcile(in); p.Phase != operator.PhaseNone || p.Error == "" {
		t.Errorf("phase not begun: %+v", p)
	}
}

// TestFaultWindow: Nth and Count choose which calls of an operation fail.
func TestFaultWindow(t *testing.T) {
	in := Input{Name: fixtureName, Config: edited(map[string]any{"kubernetesVersion": "1.34.0"}), Cloud: quiet(t),
		Status: map[string]any{"phase": "updating"},
		Faults: []operator.Fault{{Op: "ManagedClusters.Get", Nth: 3, Count: 2, HTTPStatus: 409, Code: "Busy", Message: "later"}}}
	passes, gaveUp := Converge(in, 20)
	var failed []int
	for i, p := range passes {
		if p.Failed() {
			failed = append(failed, i+1)
		}
	}
	if gaveUp || len(failed) != 2 || failed[0] != 1 || failed[1] != 2 {
		t.Errorf("passes %d fail, gave up %v", failed, gaveUp)
	}
	if !strings.HasPrefix(passes[0].Error, "failed to update cluster: GET https://management.azure.com/subscriptions/") ||
		!strings.Contains(passes[0].Error, "RESPONSE 409: 409 Conflict\nERROR CODE: Busy\n") {
		t.Errorf("error %q", passes[0].Error)
	}
}

// TestNamelessCluster: the SDK refuses requests without a name.
func TestNamelessCluster(t *testing.T) {
	for key, parameter := range map[string]string{"resourceGroup": "resourceGroupName", "clusterName": "resourceName"} {
		p := Reconcile(Input{Name: fixtureName, Config: edited(map[string]any{key: ""}), Cloud: quiet(t)})
		if want := "parameter " + parameter + " cannot be empty"; p.Error != want {
			t.Errorf("%s: error %q, want %q", key, p.Error, want)
		}
	}
}

// TestAccessProfileDenied: an import ends at the credentials of the cluster.
func TestAccessProfileDenied(t *testing.T) {
	p := Reconcile(Input{Name: fixtureName, Config: baseSpec(), Cloud: quiet(t), Status: map[string]any{"phase": "importing"},
		Faults: []operator.Fault{{Op: "ManagedClusters.GetAccessProfile", HTTPStatus: 403, Code: "AuthorizationFailed"}}})
	if p.Phase != operator.PhaseImporting || !strings.Contains(p.Error, "/accessProfiles/clusterAdmin/listCredential\n") || p.FailureMessage != p.Error {
		t.Errorf("pass %+v", p)
	}
}

func TestWorkspaceName(t *testing.T) {
	group := strings.Repeat("g", 70)
	w, err := workspaceFor(&spec{resourceGroup: group, resourceLocation: "westcentralus"})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.name) != workspaceNameMax || !strings.HasPrefix(w.name, group[:workspaceNameKept]+"-") || w.region != "eastus" || w.group != group {
		t.Errorf("workspace %+v", w)
	}
	exact := strings.Repeat("g", workspaceNameMax-len("-EUS"))
	if w, err = workspaceFor(&spec{resourceGroup: exact, resourceLocation: "eastus"}); err != nil || w.name != exact+"-EUS" {
		t.Errorf("workspace %+v, error %v", w, err)
	}
}

// TestInputIsNotChanged: a run works on its own copy of cloud and Config.
func TestInputIsNotChanged(t *testing.T) {
	config := edited(map[string]any{"kubernetesVersion": "1.34.0", "tags": map[string]any{"new": "x"},
		"nodePools": pools("workers", map[string]any{"count": int64(9), "enableAutoScaling": true, "minCount": int64(1), "maxCount": int64(9)})})
	in := Input{Name: fixtureName, Config: config, Cloud: quiet(t), Status: map[string]any{"phase": "updating"},
		Behaviour: Behaviour{LowerCaseAddonKeys: true, PolicyTags: map[string]string{"owner": "platform"}}}
	before := hosted.Canonical(config) + hosted.Canonical(in.Cloud.Document())
	first, _ := Converge(in, 20)
	second, _ := Converge(in, 20)
	if after := hosted.Canonical(config) + hosted.Canonical(in.Cloud.Document()); after != before {
		t.Errorf("input changed from %s to %s", before, after)
	}
	if len(first) != len(second) {
		t.Errorf("%d passes, then %d", len(first), len(second))
	}
}
