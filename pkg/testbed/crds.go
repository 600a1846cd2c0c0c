package testbed

import (
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

const managementGroup = "management.cattle.io"

// CRDs returns the definitions of Rancher's Cluster and Setting and of the four
// operators' resources.
func CRDs() []*apiextv1.CustomResourceDefinition {
	out := []*apiextv1.CustomResourceDefinition{clusterCRD(), settingCRD()}
	for _, p := range hosted.Providers() {
		out = append(out, OperatorCRD(p))
	}
	return out
}

// clusterCRD has no schema below spec and status and keeps every field there,
// explicit nulls included (rancher/rancher, pkg/crds/dashboard/crds.go).
func clusterCRD() *apiextv1.CustomResourceDefinition {
	anything := apiextv1.JSONSchemaProps{XPreserveUnknownFields: ptr(true)}
	schema := apiextv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextv1.JSONSchemaProps{
		"spec": anything, "status": anything,
	}}
	return definition(managementGroup, "v3", "Cluster", "clusters", apiextv1.ClusterScoped, schema, true)
}

func settingCRD() *apiextv1.CustomResourceDefinition {
	schema := object(texts("value default source"), plainFlags("customized"))
	return definition(managementGroup, "v3", "Setting", "settings", apiextv1.ClusterScoped, schema, false)
}

// OperatorCRD returns the definition of a provider's operator resource.
func OperatorCRD(p hosted.Provider) *apiextv1.CustomResourceDefinition {
	schema := apiextv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextv1.JSONSchemaProps{
		"spec": operatorSpec(p), "status": operatorStatus(p),
	}}
	return definition(p.CRGroup(), "v1", p.CRKind(), p.CRResource(), apiextv1.NamespaceScoped, schema, true)
}

func operatorSpec(p hosted.Provider) apiextv1.JSONSchemaProps {
	switch p {
	case hosted.AKS:
		return aksSpec()
	case hosted.EKS:
		return eksSpec()
	case hosted.GKE:
		return gkeSpec()
	}
	return ackSpec()
}

func operatorStatus(p hosted.Provider) apiextv1.JSONSchemaProps {
	common := texts("phase failureMessage")
	switch p {
	case hosted.AKS:
		return object(common, flags("rbacEnabled"))
	case hosted.EKS:
		return object(common,
			texts("virtualNetwork managedLaunchTemplateID networkFieldsSource generatedNodeRole"),
			textLists("subnets securityGroups templateVersionsToDelete completedUpdateIDs"),
			textMaps("managedLaunchTemplateVersions"))
	case hosted.ACK:
		return object(common, texts("upgradeTaskId"))
	}
	return object(common)
}

func eksSpec() apiextv1.JSONSchemaProps {
	return object(
		texts("amazonCredentialSecret displayName region ipFamily kubernetesVersion kmsKey serviceRole"),
		plainFlags("imported"),
		flags("secretsEncryption publicAccess privateAccess ebsCSIDriver"),
		textLists("publicAccessSources loggingTypes subnets securityGroups"),
		textMaps("tags"),
		requiredItems("nodeGroups", []string{"nodegroupName"},
			texts("nodegroupName imageId instanceType ec2SshKey userData version nodeRole"),
			flags("gpu arm requestSpotInstances"),
			ints("diskSize desiredSize maxSize minSize"),
			textLists("subnets spotInstanceTypes"),
			textMaps("labels tags resourceTags"),
			nested("launchTemplate", texts("id name"), ints("version"))))
}

func aksSpec() apiextv1.JSONSchemaProps {
	return object(
		texts(`resourceLocation resourceGroup clusterName azureCredentialSecret baseUrl authBaseUrl networkPlugin
			virtualNetworkResourceGroup virtualNetwork subnet dnsServiceIp serviceCidr dockerBridgeCidr podCidr
			nodeResourceGroup outboundType loadBalancerSku networkPolicy linuxAdminUsername sshPublicKey dnsPrefix
			kubernetesVersion privateDnsZone logAnalyticsWorkspaceGroup logAnalyticsWorkspaceName userAssignedIdentity`),
		plainFlags("imported"),
		flags("privateCluster httpApplicationRouting monitoring managedIdentity"),
		textLists("authorizedIpRanges"),
		textMaps("tags"),
		items("nodePools",
			texts("name vmSize osDiskType mode osType orchestratorVersion maxSurge vnetSubnetID"),
			ints("count maxPods osDiskSizeGB maxCount minCount"),
			flags("enableAutoScaling"),
			textLists("availabilityZones nodeTaints"),
			textMaps("nodeLabels")))
}

func gkeSpec() apiextv1.JSONSchemaProps {
	return object(
		texts(`region zone description clusterIpv4Cidr projectID googleCredentialSecret clusterName kubernetesVersion
			loggingService monitoringService network subnetwork maintenanceWindow`),
		plainFlags("imported"),
		flags("enableKubernetesAlpha networkPolicyEnabled"),
		textLists("locations"),
		textMaps("labels"),
		nested("clusterAddons", plainFlags("httpLoadBalancing horizontalPodAutoscaling networkPolicyConfig")),
		nested("privateClusterConfig", plainFlags("enablePrivateEndpoint enablePrivateNodes"), texts("masterIpv4CidrBlock")),
		nested("ipAllocationPolicy", plainFlags("createSubnetwork useIpAliases"),
			texts(`clusterIpv4CidrBlock clusterSecondaryRangeName nodeIpv4CidrBlock servicesIpv4CidrBlock
				servicesSecondaryRangeName subnetworkName`)),
		nested("masterAuthorizedNetworks", plainFlags("enabled"), items("cidrBlocks", texts("cidrBlock displayName"))),
		nested("autopilotConfig", plainFlags("enabled")),
		nested("customerManagedEncryptionKey", texts("keyName ringName")),
		items("nodePools",
			texts("name version"),
			ints("initialNodeCount maxPodsConstraint"),
			nested("autoscaling", plainFlags("enabled"), plainInts("maxNodeCount minNodeCount")),
			nested("management", plainFlags("autoRepair autoUpgrade")),
			nested("config",
				texts("bootDiskKmsKey diskType imageType machineType serviceAccount"),
				plainInts("diskSizeGb localSsdCount"), plainFlags("preemptible"),
				textLists("oauthScopes tags"), textMaps("labels"),
				items("taints", texts("effect key value")))))
}

func ackSpec() apiextv1.JSONSchemaProps {
	return object(
		texts(`clusterName clusterId alibabaCredentialSecret clusterType clusterSpec kubernetesVersion regionId vpcId
			containerCidr serviceCidr proxyMode securityGroupId resourceGroupId`),
		plainFlags("imported"),
		plainInts("nodeCidrMask"),
		flags("snatEntry endpointPublicAccess isEnterpriseSecurityGroup"),
		textLists("vswitchIds podVswitchIds zoneIds"),
		items("addons", texts("name config")),
		items("nodePools",
			texts(`nodePoolId name scalingType instanceChargeType keyPair periodUnit imageId imageType
				systemDiskCategory runtime runtimeVersion`),
			ints("desiredSize minInstances maxInstances"),
			plainInts("autoRenewPeriod period systemDiskSize"),
			flags("enableAutoScaling"), plainFlags("autoRenew"),
			textLists("instanceTypes vswitchIds"),
			items("dataDisks", texts("category encrypted autoSnapshotPolicyId"), plainInts("size"))))
}

func definition(group, version, kind, plural string, scope apiextv1.ResourceScope,
	schema apiextv1.JSONSchemaProps, status bool,
) *apiextv1.CustomResourceDefinition {
	v := apiextv1.CustomResourceDefinitionVersion{
		Name: version, Served: true, Storage: true,
		Schema: &apiextv1.CustomResourceValidation{OpenAPIV3Schema: &schema},
	}
	if status {
		v.Subresources = &apiextv1.CustomResourceSubresources{Status: &apiextv1.CustomResourceSubresourceStatus{}}
	}
	return &apiextv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + group},
		Spec: apiextv1.CustomResourceDefinitionSpec{
			Group: group, Scope: scope,
			Names: apiextv1.CustomResourceDefinitionNames{
				Kind: kind, ListKind: kind + "List", Plural: plural, Singular: strings.ToLower(kind),
			},
			Versions: []apiextv1.CustomResourceDefinitionVersion{v},
		},
	}
}

func ptr[T any](v T) *T { return &v }
