package eks

import "slices"

// The params of an update by name, each with the fields that it can change; of a
// node group's without the group. An empty list says that no Config can hold it.
// The names are the enumeration UpdateParamType of the SDK. What type of update
// comes with which params is not documented, hence they decide, and the type only
// where there are none.
var paramFields = map[string][]string{
	"Version": {"kubernetesVersion"}, "PlatformVersion": {},
	"EndpointPublicAccess": {"publicAccess"}, "EndpointPrivateAccess": {"privateAccess"}, "PublicAccessCidrs": {"publicAccessSources"},
	"ClusterLogging": {"loggingTypes"}, "Subnets": {"subnets"}, "SecurityGroups": {"securityGroups"},
	"EncryptionConfig": {"kmsKey", "secretsEncryption"},
	"MinSize":          {"minSize"}, "MaxSize": {"maxSize"}, "DesiredSize": {"desiredSize"}, "LabelsToAdd": {"labels"}, "LabelsToRemove": {"labels"},
	"ReleaseVersion":     {},
	"LaunchTemplateName": {"launchTemplate"}, "LaunchTemplateVersion": {"launchTemplate"},
	"TaintsToAdd": {}, "TaintsToRemove": {}, "MaxUnavailable": {}, "MaxUnavailablePercentage": {}, "UpdateStrategy": {},
	"NodeRepairEnabled": {}, "NodeRepairConfig": {}, "WarmPoolEnabled": {}, "WarmPoolMaxGroupPreparedCapacity": {}, "WarmPoolMinSize": {},
	"WarmPoolState": {}, "WarmPoolReuseOnScaleIn": {},
	"AddonVersion": {}, "ServiceAccountRoleArn": {}, "ResolveConflicts": {}, "ConfigurationValues": {}, "PodIdentityAssociations": {},
	"IdentityProviderConfig": {}, "AuthenticationMode": {}, "UpgradePolicy": {}, "ZonalShiftConfig": {}, "ComputeConfig": {}, "StorageConfig": {},
	"KubernetesNetworkConfig": {}, "RemoteNetworkConfig": {}, "DeletionProtection": {}, "RoleArn": {}, "RoleMappingsToAddOrUpdate": {},
	"RoleMappingsToRemove": {}, "NetworkAccess": {}, "VendedLogs": {}, "UpdatedTier": {}, "PreviousTier": {}, "EnableCrossNamespace": {},
	"DisabledServices": {}, "ControlPlaneEgressMode": {}, "KubeApiServerConfig": {}, "KubeSchedulerConfig": {}, "KubeControllerManagerConfig": {},
	"ActiveCertificateAuthority": {}, "TrustedCertificateAuthorities": {}, "CertificateAuthorityId": {}, "SigningStatus": {},
}

// typeFields are the fields by the type of the update, for those without params.
var typeFields = map[string][]string{
	"VersionUpdate": {"kubernetesVersion"}, "VersionRollback": {"kubernetesVersion"},
	"EndpointAccessUpdate": {"privateAccess", "publicAccess", "publicAccessSources"}, "LoggingUpdate": {"loggingTypes"},
	"VpcConfigUpdate": {"securityGroups", "subnets"}, "AssociateEncryptionConfig": {"kmsKey", "secretsEncryption"},
	"AddonUpdate": {}, "AccessConfigUpdate": {}, "UpgradePolicyUpdate": {}, "ZonalShiftConfigUpdate": {}, "AutoModeUpdate": {},
	"RemoteNetworkConfigUpdate": {}, "DeletionProtectionUpdate": {}, "CapabilityUpdate": {}, "ControlPlaneScalingConfigUpdate": {},
	"VendedLogsUpdate": {}, "ControlPlaneEgressUpdate": {}, "ControlPlaneComponentConfigUpdate": {}, "CertificateAuthorityUpdate": {},
	"AssociateIdentityProviderConfig": {}, "DisassociateIdentityProviderConfig": {},
}

// groupTypeFields are the same for a node group.
var groupTypeFields = map[string][]string{
	"VersionUpdate": {"launchTemplate", "version"}, "ConfigUpdate": {"desiredSize", "labels", "maxSize", "minSize"},
}

// fieldsOf are the Config's paths that an update can have changed, sorted. none says
// that it changes nothing that a Config can hold; if there are no paths and none is
// false, the record does not tell. managed is whether the node group has Rancher's
// own launch template, which the Config knows by its contents.
func fieldsOf(t target, managed bool, kind string, params []string) (fields []string, none bool) {
	none = true
	add := func(of []string, known bool) {
		none = none && known && len(of) == 0
		for _, f := range of {
			switch {
			case t.group == "":
				fields = append(fields, f)
			case f == "kubernetesVersion":
				fields = append(fields, t.path()+".version")
			case f == "launchTemplate" && managed:
				for member := range templateMembers {
					fields = append(fields, t.path()+"."+member)
				}
			default:
				fields = append(fields, t.path()+"."+f)
			}
		}
	}
	if len(params) == 0 {
		table := typeFields
		if t.group != "" {
			table = groupTypeFields
		}
		of, known := table[kind]
		add(of, known)
	}
	for _, p := range params {
		of, known := paramFields[p]
		if t.addon != "" && known {
			of = nil // only whether an add-on is there matters
		}
		add(of, known)
	}
	slices.Sort(fields)
	return slices.Compact(fields), none
}
