package schema

import "github.com/hostedsync/kubectl-hostedsync/pkg/hosted"

var gkeSpec = Spec{
	Provider: hosted.GKE,
	GoType:   "GKEClusterConfigSpec",
	Root: field("", Object, members(
		field("region", String, noUpdate, from(FromConfig), push(PushNever), doc("Region of a regional cluster.")),
		field("zone", String, noUpdate, from(FromConfig), push(PushNever), doc("Zone of a zonal cluster.")),
		field("imported", Bool, noUpdate, from(FromConfig), push(PushNever),
			doc("The cluster existed before Rancher knew it; deleting it in Rancher leaves it in Google Cloud.")),
		field("description", String, from(NotRead), push(PushNever), doc("Never read back: a refresh resets it to \"\".")),
		stringMap("labels", doc("Resource labels of the cluster. The set is enforced whole.")),
		field("enableKubernetesAlpha", Bool, ptr, push(PushNever), doc("Alpha features; fixed at creation.")),
		field("clusterAddons", Object, ptr, members(
			field("httpLoadBalancing", Bool, omit, doc("HTTP load balancing add-on.")),
			field("horizontalPodAutoscaling", Bool, omit, doc("Horizontal pod autoscaling add-on.")),
			field("networkPolicyConfig", Bool, omit, doc("Network policy add-on.")),
		), doc("Add-ons; replaced as one.")),
		field("clusterIpv4Cidr", String, ptr, push(PushNever), doc("Pod network; fixed at creation.")),
		field("projectID", String, from(FromConfig), push(PushNever), doc("Google Cloud project.")),
		field("googleCredentialSecret", String, from(FromConfig), push(PushAuth),
			doc("Cloud credential that Rancher and the operator use.")),
		field("clusterName", String, from(FromConfig), push(PushNever), doc("Name of the cluster in Google Cloud.")),
		field("kubernetesVersion", String, ptr, push(PushNoMinorDowngrade),
			doc("Control plane version. A lower minor version is an error, a lower patch is sent.")),
		field("loggingService", String, ptr, doc("Logging service; sent together with monitoringService.")),
		field("monitoringService", String, ptr, doc("Monitoring service; sent together with loggingService.")),
		field("nodePools", List, identity("name"), unordered, of(gkeNodePool),
			doc("Node pools. A non-null list is the complete wish: pools that are not in it are deleted.")),
		field("network", String, ptr, omit, push(PushNever), doc("VPC network; fixed at creation.")),
		field("subnetwork", String, ptr, omit, push(PushNever), doc("Subnetwork; fixed at creation.")),
		field("networkPolicyEnabled", Bool, ptr, omit, doc("Network policy enforcement (Calico).")),
		field("privateClusterConfig", Object, ptr, omit, push(PushNever), members(
			field("enablePrivateEndpoint", Bool, omit, push(PushNever)),
			field("enablePrivateNodes", Bool, omit, push(PushNever)),
			field("masterIpv4CidrBlock", String, omit, push(PushNever)),
		), doc("Private cluster; fixed at creation.")),
		field("ipAllocationPolicy", Object, ptr, omit, push(PushNever), members(
			field("clusterIpv4CidrBlock", String, omit, push(PushNever)),
			field("clusterSecondaryRangeName", String, omit, push(PushNever)),
			field("createSubnetwork", Bool, omit, push(PushNever)),
			field("nodeIpv4CidrBlock", String, omit, push(PushNever)),
			field("servicesIpv4CidrBlock", String, omit, push(PushNever)),
			field("servicesSecondaryRangeName", String, omit, push(PushNever)),
			field("subnetworkName", String, omit, push(PushNever)),
			field("useIpAliases", Bool, omit, push(PushNever)),
		), doc("IP allocation; fixed at creation.")),
		field("masterAuthorizedNetworks", Object, ptr, omit, members(
			field("cidrBlocks", List, omit, identity("cidrBlock"), unordered, of(field("", Object, ptr, members(
				field("cidrBlock", String, omit, doc("Network that may reach the API server.")),
				field("displayName", String, omit, doc("Name of the network.")),
			))), compare(CompareSet)),
			field("enabled", Bool, omit),
		), doc("Networks that may reach the API server; blocks count only while enabled.")),
		stringList("locations", unordered, compare(CompareSet),
			doc("Zones of the nodes. On a zonal cluster null and [] are pushed too, as an empty update that Google refuses.")),
		field("maintenanceWindow", String, ptr, omit,
			doc("Start of the daily window, HH:MM. A recurring window reads as \"\".")),
		field("autopilotConfig", Object, ptr, omit, push(PushNever), members(
			field("enabled", Bool, omit, push(PushNever)),
		), doc("Autopilot; read only while it is enabled.")),
		field("customerManagedEncryptionKey", Object, ptr, omit, from(Retained), push(PushNever), members(
			field("keyName", String, omit, from(Retained), push(PushNever)),
			field("ringName", String, omit, from(Retained), push(PushNever)),
		), doc("Boot disk key at creation; never read back, kept.")),
	)),
}

var gkeNodePool = field("", Object, members(
	field("autoscaling", Object, ptr, omit, members(
		field("enabled", Bool, omit, doc("Autoscaling of the pool.")),
		field("maxNodeCount", Int64, omit, doc("Upper bound.")),
		field("minNodeCount", Int64, omit, doc("Lower bound.")),
	)),
	field("config", Object, ptr, omit, members(
		field("bootDiskKmsKey", String, omit, push(PushNever)),
		field("diskSizeGb", Int64, omit, push(PushNever)),
		field("diskType", String, omit, push(PushNever)),
		field("imageType", String, omit, doc("Node image; pushed together with the version.")),
		stringMap("labels", omit, doc("Kubernetes labels of the nodes. {} is dropped on the way and clears nothing.")),
		field("localSsdCount", Int64, omit, push(PushNever)),
		field("machineType", String, omit, push(PushNever)),
		stringList("oauthScopes", omit, unordered, from(Retained), push(PushNever),
			doc("Never read back: lost when the list is replaced.")),
		field("preemptible", Bool, omit, push(PushNever)),
		stringList("tags", omit, unordered, push(PushNever)),
		field("taints", List, omit, unordered, identity("key"), push(PushNever), of(field("", Object, members(
			field("effect", String, omit, push(PushNever)),
			field("key", String, omit, push(PushNever)),
			field("value", String, omit, push(PushNever)),
		)))),
		field("serviceAccount", String, omit, push(PushNever)),
	)),
	field("initialNodeCount", Int64, ptr, omit, doc("Compared with the pool's initial size, not with its current one.")),
	field("maxPodsConstraint", Int64, ptr, omit, push(PushNever)),
	field("name", String, ptr, omit, doc("Name and identity of the pool.")),
	field("version", String, ptr, omit, doc("Kubernetes version of the pool. null hides an image change too.")),
	field("management", Object, ptr, omit, members(
		field("autoRepair", Bool, omit, doc("Automatic repair. A request names only what changed.")),
		field("autoUpgrade", Bool, omit, doc("Automatic upgrade. A request names only what changed.")),
	)),
))
