package gke

// sources says for every field that Google tells from which member of the answer
// it comes, by the field's path without item names. A cluster whose settings lie
// elsewhere replaces some of them (window.go, endpoint.go).
func sources() map[string]string {
	out := map[string]string{}
	add := func(path, member string) { out[path] = "GetCluster: " + member }
	for path, member := range renamed {
		add(path, member)
	}
	for _, path := range same {
		add(path, path)
	}
	for _, name := range []string{"clusterIpv4CidrBlock", "clusterSecondaryRangeName", "createSubnetwork", "nodeIpv4CidrBlock",
		"servicesIpv4CidrBlock", "servicesSecondaryRangeName", "subnetworkName", "useIpAliases"} {
		add("ipAllocationPolicy."+name, "ipAllocationPolicy."+name)
	}
	for _, name := range []string{"bootDiskKmsKey", "diskSizeGb", "diskType", "imageType", "labels", "localSsdCount", "machineType",
		"oauthScopes", "preemptible", "tags", "taints", "taints[].effect", "taints[].key", "taints[].value", "serviceAccount"} {
		add("nodePools[].config."+name, "nodePools[].config."+name)
	}
	authorizedFrom(out, "GetCluster: masterAuthorizedNetworksConfig")
	return out
}

// same are the paths that the answer spells like the Config.
var same = []string{
	"description", "enableKubernetesAlpha", "clusterIpv4Cidr", "loggingService", "monitoringService",
	"network", "subnetwork", "locations", "ipAllocationPolicy",
	"privateClusterConfig", "privateClusterConfig.enablePrivateEndpoint", "privateClusterConfig.enablePrivateNodes",
	"privateClusterConfig.masterIpv4CidrBlock",
	"nodePools", "nodePools[].name", "nodePools[].version", "nodePools[].initialNodeCount", "nodePools[].config",
	"nodePools[].autoscaling", "nodePools[].autoscaling.enabled", "nodePools[].autoscaling.maxNodeCount",
	"nodePools[].autoscaling.minNodeCount",
	"nodePools[].management", "nodePools[].management.autoRepair", "nodePools[].management.autoUpgrade",
}

// renamed are the paths that it spells otherwise.
var renamed = map[string]string{
	"region":                                 "location",
	"zone":                                   "location",
	"projectID":                              "selfLink",
	"clusterName":                            "name",
	"labels":                                 "resourceLabels",
	"kubernetesVersion":                      "currentMasterVersion",
	"clusterAddons":                          "addonsConfig",
	"clusterAddons.httpLoadBalancing":        "addonsConfig.httpLoadBalancing.disabled",
	"clusterAddons.horizontalPodAutoscaling": "addonsConfig.horizontalPodAutoscaling.disabled",
	"clusterAddons.networkPolicyConfig":      "addonsConfig.networkPolicyConfig.disabled",
	"networkPolicyEnabled":                   "networkPolicy.enabled",
	"maintenanceWindow":                      "maintenancePolicy.window.dailyMaintenanceWindow.startTime",
	"autopilotConfig":                        "autopilot",
	"autopilotConfig.enabled":                "autopilot.enabled",
	"customerManagedEncryptionKey":           "nodePools[].config.bootDiskKmsKey",
	"customerManagedEncryptionKey.keyName":   "nodePools[].config.bootDiskKmsKey",
	"customerManagedEncryptionKey.ringName":  "nodePools[].config.bootDiskKmsKey",
	"nodePools[].maxPodsConstraint":          "nodePools[].maxPodsConstraint.maxPodsPerNode",
}
