package aks

import (
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// change is a row of resourcechanges, with pairs of a member and its new value.
func change(correlation string, minutesAgo int, by string, pairs ...any) map[string]any {
	changes := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		changes[pairs[i].(string)] = map[string]any{"previousValue": nil, "newValue": pairs[i+1], "changeCategory": "User"}
	}
	return map[string]any{"targetResourceId": clusterID, "changeType": "Update", "changes": changes, "changeAttributes": map[string]any{
		"timestamp": clock.Add(-time.Duration(minutesAgo) * time.Minute).Format(time.RFC3339Nano), "changedBy": by, "clientType": "Azure Portal",
		"correlationId": correlation, "operation": clusterWrite}}
}

func TestWhoChangedWhat(t *testing.T) {
	r := newRig(t)
	r.cloud.SetActivityLog(
		event("C1", 4, poolWrite, "/agentPools/work", "Succeeded"),
		event("c2", 8, clusterWrite, "", "Succeeded", map[string]any{"caller": ""}),
	)
	elsewhere := change("c9", 1, "x", "tags.team", "red")
	elsewhere["targetResourceId"] = clusterID + "b"
	r.cloud.SetAzureChanges(
		elsewhere,
		change("c4", 2, "Unspecified", "properties.provisioningState", "Updating", "properties.agentPoolProfiles[0].powerState.code", "Stopped"),
		change("c3", 3, "carol@example.com", "properties.autoUpgradeProfile.upgradeChannel", "stable", `tags["app.example.com/tier"]`, "gold"),
		change("c1", 4, "ada@example.com", "properties.agentPoolProfiles[1].count", 9, "properties.agentPoolProfiles[0].count", 4, "properties.provisioningState", "Updating"),
		change("c2", 8, "bob@example.com", "properties.kubernetesVersion", "1.34", `properties.agentPoolProfiles["sys"].upgradeSettings.maxSurge`, "50%"),
		change("c0", 40, "old@example.com", "tags.team", "red"),
	)
	for _, size := range []int{0, 2} {
		r.cloud.PageAzure(size)
		got := readPast(t, r, who)
		sameLines(t, got.Updates,
			"write Update done 09:58:00..09:58:00 [] [] none=true by=",
			`write Update done 09:57:00..09:57:00 [] [tags["app.example.com/tier"]] none=false by=carol@example.com`,
			"write Succeeded done -..09:56:00 [nodePools[work]] [nodePools[work].count] none=false by=ops@example.com",
			"write Succeeded done -..09:52:00 [] [nodePools[sys].maxSurge kubernetesVersion] none=false by=bob@example.com",
		)
		same(t, "params", got.Updates[2].Params, []hosted.CloudParam{{Name: "clientType", Value: "Azure Portal"},
			{Name: "nodePools[work].count", Value: "nothing → 9"}})
		same(t, "params", got.Updates[1].Params, []hosted.CloudParam{{Name: "clientType", Value: "Azure Portal"},
			{Name: "changed", Value: "properties.autoUpgradeProfile.upgradeChannel"},
			{Name: `tags["app.example.com/tier"]`, Value: "nothing → gold"}})
	}
	if got := readPast(t, r); len(got.Updates) != 2 {
		t.Errorf("without asking who: %v", got.Updates)
	}
}

func TestFieldsOfMembers(t *testing.T) {
	doc := object(t, demoCluster)
	for key, want := range map[string]string{
		"properties.kubernetesVersion":                                   "kubernetesVersion",
		"Properties.KubernetesVersion":                                   "kubernetesVersion",
		"properties.currentKubernetesVersion":                            "",
		"properties.agentPoolProfiles[1].minCount":                       "nodePools[work].minCount",
		"properties.agentPoolProfiles[7].minCount":                       "nodePools",
		`properties.agentPoolProfiles["sys"].nodeLabels.tier`:            "nodePools[sys].nodeLabels.tier",
		`properties.agentPoolProfiles[0].nodeLabels["example.com/tier"]`: `nodePools[sys].nodeLabels["example.com/tier"]`,
		"properties.agentPoolProfiles[0].nodeTaints[0]":                  "nodePools[sys].nodeTaints",
		"properties.agentPoolProfiles[0].nodeImageVersion":               "",
		"properties.agentPoolProfiles[0].vnetSubnetID":                   "virtualNetworkResourceGroup virtualNetwork subnet nodePools[sys].vnetSubnetID",
		"tags.team": "tags.team",
		"tags":      "tags",
		"properties.apiServerAccessProfile.authorizedIPRanges[2]":                           "authorizedIpRanges",
		"properties.addonProfiles.omsagent.enabled":                                         "monitoring",
		"properties.addonProfiles.omsAgent.config.logAnalyticsWorkspaceResourceID":          "logAnalyticsWorkspaceGroup logAnalyticsWorkspaceName",
		"properties.linuxProfile":                                                           "linuxAdminUsername sshPublicKey",
		"properties.addonProfiles.azurepolicy.enabled":                                      "",
		`identity.userAssignedIdentities["/subscriptions/x/y"].clientId`:                    "userAssignedIdentity",
		"identity.userAssignedIdentities./subscriptions/x/resourceGroups/a.b/id-1.clientId": "userAssignedIdentity",
	} {
		if _, got := fieldsOf(key, doc); strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", key, got, want)
		}
	}
}

// A Config does not tell the subscription. One's own login finds it once.
func TestFindingTheSubscription(t *testing.T) {
	own := func(o *Options) { o.Login = ownLogin{} }
	req := request(t)
	req.Credential = nil

	r := newRig(t, own)
	for range 2 {
		mustRead(t, r, req)
	}
	if n := strings.Count(strings.Join(r.cloud.Visited(), "\n"), "ResourceGraph"); n != 1 {
		t.Errorf("asked %d times", n)
	}

	second := "00000000-0000-0000-0000-000000000001"
	elsewhere := object(t, demoCluster)
	elsewhere["location"] = "West US"
	r = newRig(t, own)
	r.cloud.AddAKS(second, "rg-demo", "demo-a", elsewhere)
	mustRead(t, r, req)
	elsewhere["location"] = "East US"
	r = newRig(t, own)
	r.cloud.AddAKS(second, "rg-demo", "demo-a", elsewhere)
	_, err := r.reader.Read(t.Context(), req)
	checkProblem(t, err, live.Unsupported, subscription+", "+second, "name the subscription")

	r = newRig(t, own)
	r.put(nil)
	_, err = r.reader.Read(t.Context(), req)
	checkProblem(t, err, live.Denied, "can see no cluster demo-a in resource group rg-demo", "Rancher's credential")

	r = newRig(t, own, func(o *Options) { o.Subscription = "a/b" })
	_, err = r.reader.Read(t.Context(), req)
	checkProblem(t, err, live.Unsupported, "no subscription id", "id")
}
