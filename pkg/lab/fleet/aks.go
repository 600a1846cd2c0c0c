package fleet

import (
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

func aksPool(name, mode, size string, count int64) map[string]any {
	return map[string]any{
		"name": name, "mode": mode, "vmSize": size, "count": count, "maxPods": int64(110), "osType": "Linux",
		"osDiskSizeGB": int64(128), "osDiskType": "Managed", "orchestratorVersion": "1.34.0",
		"availabilityZones": texts("1", "2", "3"), "maxSurge": "10%", "enableAutoScaling": false,
		"nodeLabels": map[string]any{"pool": name}, "nodeTaints": []any{},
	}
}

// aksReading is a cluster with a system and a user pool. The four network fields
// that Rancher never reads back are null.
func aksReading(name, location string) map[string]any {
	return map[string]any{
		"azureCredentialSecret": global + ":cc-m4v9s", "clusterName": name, "resourceGroup": "rg-" + name,
		"resourceLocation": location, "imported": false,
		"baseUrl": "https://management.azure.com/", "authBaseUrl": "https://login.microsoftonline.com/",
		"networkPlugin": "azure", "networkPolicy": "azure", "dnsServiceIp": "10.0.0.10", "serviceCidr": "10.0.0.0/16",
		"outboundType": "loadBalancer", "loadBalancerSku": "Standard", "linuxAdminUsername": "azureuser",
		"dnsPrefix": name, "kubernetesVersion": "1.34.0", "tags": map[string]any{"team": "platform"},
		"nodePools": []any{
			aksPool("system", "System", "Standard_D4s_v5", 3),
			aksPool("batch", "User", "Standard_D8s_v5", 3),
		},
		"privateCluster": false, "authorizedIpRanges": texts("198.51.100.0/24"),
		"httpApplicationRouting": false, "managedIdentity": true,
	}
}

// aks fills in what the AKS clusters have in common.
func aks(p blueprint) blueprint {
	p.provider = hosted.AKS
	p.status = map[string]any{"rbacEnabled": true}
	p.operator = map[string]any{"rbacEnabled": true}
	return p
}

func aksUnmanaged() blueprint {
	cloud := but(aksReading("meadow-prod", "westeurope"), "imported", true)
	live := but(cloud, "tags", map[string]any{"team": "platform", "audited": "yes"})
	live = resized(live, "nodePools", "name", "batch", "count", int64(6))
	return aks(blueprint{
		name: "c-7m2zt", display: "meadow-prod", state: Unmanaged, age: 30 * day, refreshed: 220 * seconds,
		upstream: cloud, live: live,
		config: only(cloud, "azureCredentialSecret", "clusterName", "resourceGroup", "resourceLocation"),
		shows: "Imported, and never edited in Rancher: the Config holds the cluster's identity and null for the rest. " +
			"Tags and a pool's size were changed in Azure since the last refresh, and nothing is at risk: what is null is neither overwritten nor pushed. " +
			"Setting a single key below tags would make all tags managed.",
		try: []string{"diff meadow-prod", "risk meadow-prod", "predict meadow-prod --set tags.team=search"},
	})
}

// aksFrozen waits with a Config that is three days old.
func aksFrozen() blueprint {
	old := aksReading("juniper-prod", "northeurope")
	cloud := plus(old, "nodePools", aksPool("gpu", "User", "Standard_NC24ads_A100_v4", 2))
	cloud["tags"] = map[string]any{"team": "platform", "audited": "yes"}
	return aks(blueprint{
		name: "c-w8h2c", display: "juniper-prod", state: Frozen, age: 190 * day, refreshed: 110 * seconds,
		upstream: cloud, applied: managed(old),
		config: resized(managed(old), "nodePools", "name", "batch", "count", int64(40)),
		phase:  "updating", updated: 3 * day,
		failure: "failed to update cluster [juniper-prod (id: c-w8h2c)]: PUT https://management.azure.com/subscriptions/00000000-0000-0000-0000-000000000000/" +
			"resourceGroups/rg-juniper-prod/providers/Microsoft.ContainerService/managedClusters/juniper-prod/agentPools/batch RESPONSE 400: 400 Bad Request " +
			"ERROR CODE: ErrCode_InsufficientVCPUQuota: Insufficient vcpu quota requested 320, remaining 96 for family standardDSv5Family for region northeurope.",
		edits: []edit{{manager: "kubectl-edit", ago: 3*day + 20*seconds, keys: []string{"nodePools"}}},
		shows: "Three days ago the batch pool was set to 40 nodes, which the quota refuses; since then Rancher's sync stands still. " +
			"The day after somebody created the pool gpu in Azure. The Config does not know it: the moment the quota is raised, the operator carries out the old Config, " +
			"and deletes the pool.",
		try: []string{"risk juniper-prod", "diff juniper-prod", "predict juniper-prod"},
	})
}

// aksBlankTags was created by a client that leaves tags and address ranges null.
func aksBlankTags() blueprint {
	cloud := but(aksReading("data-platform-prod", "japaneast"), "tags", map[string]any{"team": "data", "owner": "platform@example.com"})
	return aks(blueprint{
		name: "c-r2fkw", display: "データ基盤 🚀 prod", state: BlankTags, age: 20 * day, refreshed: 130 * seconds,
		upstream: cloud, config: without(managed(cloud), "tags", "authorizedIpRanges"),
		live: but(cloud, "kubernetesVersion", "1.34.1"),
		shows: "Created by Rancher with tags and authorizedIpRanges left null, which looks unmanaged. But a new version, among others, makes the operator send the whole cluster, " +
			"and for a created cluster null goes out as empty: the tags are wiped, and the API server is open to the Internet. " +
			"Azure upgraded the cluster a minute ago, so that the next edit of anything sets it off.",
		try: []string{"risk c-r2fkw", "diff 'データ基盤 🚀 prod'", "predict c-r2fkw --set kubernetesVersion=1.34.2"},
	})
}
