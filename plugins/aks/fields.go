package aks

import "strings"

// tells says from which member of ManagedClusters.Get a field of the Config comes.
// Paths have no item names. Several members may make one field, and one member several.
type tells struct{ field, member string }

const (
	poolsMember = "properties.agentPoolProfiles[]"
	poolsField  = "nodePools[]"
)

// told lists every field of the Config that Azure tells of a cluster. Rancher's table
// of the same (pkg/schema) has besides what is Rancher's own: imported,
// azureCredentialSecret, baseUrl and authBaseUrl; and dockerBridgeCidr, which is no
// longer in Azure's API.
var told = []tells{
	{"clusterName", "name"},
	{"resourceGroup", "id"},
	{"resourceLocation", "location"},
	{"tags", "tags"},
	{"managedIdentity", "identity.type"},
	{"userAssignedIdentity", "identity.userAssignedIdentities"},
	{"kubernetesVersion", "properties.kubernetesVersion"},
	{"dnsPrefix", "properties.dnsPrefix"},
	{"nodeResourceGroup", "properties.nodeResourceGroup"},
	{"networkPlugin", "properties.networkProfile.networkPlugin"},
	{"networkPolicy", "properties.networkProfile.networkPolicy"},
	{"dnsServiceIp", "properties.networkProfile.dnsServiceIP"},
	{"serviceCidr", "properties.networkProfile.serviceCidr"},
	{"podCidr", "properties.networkProfile.podCidr"},
	{"outboundType", "properties.networkProfile.outboundType"},
	{"loadBalancerSku", "properties.networkProfile.loadBalancerSku"},
	{"linuxAdminUsername", "properties.linuxProfile.adminUsername"},
	{"sshPublicKey", "properties.linuxProfile.ssh.publicKeys[].keyData"},
	{"privateCluster", "properties.apiServerAccessProfile.enablePrivateCluster"},
	{"privateDnsZone", "properties.apiServerAccessProfile.privateDNSZone"},
	{"authorizedIpRanges", "properties.apiServerAccessProfile.authorizedIPRanges"},
	{"httpApplicationRouting", "properties.addonProfiles.httpApplicationRouting.enabled"},
	{"monitoring", "properties.addonProfiles.omsAgent.enabled"},
	{"logAnalyticsWorkspaceGroup", "properties.addonProfiles.omsAgent.config.logAnalyticsWorkspaceResourceID"},
	{"logAnalyticsWorkspaceName", "properties.addonProfiles.omsAgent.config.logAnalyticsWorkspaceResourceID"},
	{"virtualNetworkResourceGroup", poolsMember + ".vnetSubnetID"},
	{"virtualNetwork", poolsMember + ".vnetSubnetID"},
	{"subnet", poolsMember + ".vnetSubnetID"},
	{poolsField + ".name", poolsMember + ".name"},
	{poolsField + ".count", poolsMember + ".count"},
	{poolsField + ".maxPods", poolsMember + ".maxPods"},
	{poolsField + ".vmSize", poolsMember + ".vmSize"},
	{poolsField + ".osDiskSizeGB", poolsMember + ".osDiskSizeGB"},
	{poolsField + ".osDiskType", poolsMember + ".osDiskType"},
	{poolsField + ".mode", poolsMember + ".mode"},
	{poolsField + ".osType", poolsMember + ".osType"},
	{poolsField + ".orchestratorVersion", poolsMember + ".orchestratorVersion"},
	{poolsField + ".availabilityZones", poolsMember + ".availabilityZones"},
	{poolsField + ".maxSurge", poolsMember + ".upgradeSettings.maxSurge"},
	{poolsField + ".maxCount", poolsMember + ".maxCount"},
	{poolsField + ".minCount", poolsMember + ".minCount"},
	{poolsField + ".enableAutoScaling", poolsMember + ".enableAutoScaling"},
	{poolsField + ".vnetSubnetID", poolsMember + ".vnetSubnetID"},
	{poolsField + ".nodeLabels", poolsMember + ".nodeLabels"},
	{poolsField + ".nodeTaints", poolsMember + ".nodeTaints"},
}

// sources is the table in the form of a Reading.
func sources() map[string]string {
	out := make(map[string]string, len(told))
	for _, t := range told {
		out[t.field] = callState + ": " + t.member
	}
	return out
}

// unseen are members that no Config holds and that change by themselves or with
// another member: a change of these alone changes nothing of a Config.
var unseen = []string{
	"properties.provisioningState", "properties.currentKubernetesVersion", "properties.powerState", "properties.maxAgentPools",
	"properties.resourceUID", "properties.fqdn", "properties.azurePortalFQDN", "properties.status", "etag", "systemData",
	poolsMember + ".provisioningState", poolsMember + ".currentOrchestratorVersion", poolsMember + ".nodeImageVersion",
	poolsMember + ".powerState", poolsMember + ".eTag",
}

func isUnseen(member string) bool {
	for _, u := range unseen {
		if under(member, u) {
			return true
		}
	}
	return false
}

// under tells whether a member is another one or lies below it. Azure does not mind
// upper case.
func under(member, parent string) bool {
	if len(member) < len(parent) || !strings.EqualFold(member[:len(parent)], parent) {
		return false
	}
	rest := member[len(parent):]
	return rest == "" || rest[0] == '.' || rest[0] == '['
}
