package eks

// sources says for every field that AWS tells from which member of which answer it
// comes, by the field's path without item names. Where two are named, the first is
// for node groups without a launch template.
func sources() map[string]string {
	out := map[string]string{}
	for path, member := range map[string]string{
		"displayName": "name", "region": "arn", "ipFamily": "kubernetesNetworkConfig.ipFamily", "kubernetesVersion": "version", "tags": "tags",
		"secretsEncryption": "encryptionConfig", "kmsKey": "encryptionConfig[].provider.keyArn", "serviceRole": "roleArn",
		"publicAccess":        "resourcesVpcConfig.endpointPublicAccess",
		"privateAccess":       "resourcesVpcConfig.endpointPrivateAccess",
		"publicAccessSources": "resourcesVpcConfig.publicAccessCidrs", "loggingTypes": "logging.clusterLogging[].types",
		"subnets": "resourcesVpcConfig.subnetIds", "securityGroups": "resourcesVpcConfig.securityGroupIds",
	} {
		out[path] = "DescribeCluster: cluster." + member
	}
	out["ebsCSIDriver"] = "DescribeAddon: addon.status"
	out["nodeGroups"] = "ListNodegroups: nodegroups"
	const group, template = "DescribeNodegroup: nodegroup.", "DescribeLaunchTemplateVersions: launchTemplateVersions[].launchTemplateData."
	for path, member := range map[string]string{
		"nodegroupName": "nodegroupName", "labels": "labels", "tags": "tags", "version": "version", "nodeRole": "nodeRole", "subnets": "subnets",
		"desiredSize": "scalingConfig.desiredSize", "minSize": "scalingConfig.minSize", "maxSize": "scalingConfig.maxSize",
		"requestSpotInstances": "capacityType", "spotInstanceTypes": "instanceTypes", "gpu": "amiType", "arm": "amiType",
		"launchTemplate": "launchTemplate", "launchTemplate.id": "launchTemplate.id", "launchTemplate.name": "launchTemplate.name",
		"launchTemplate.version": "launchTemplate.version",
	} {
		out["nodeGroups[]."+path] = group + member
	}
	for path, member := range map[string]string{
		"diskSize": "diskSize", "instanceType": "instanceTypes[0]", "ec2SshKey": "remoteAccess.ec2SshKey",
	} {
		out["nodeGroups[]."+path] = group + member + ", " + template + templateMembers[path]
	}
	for _, path := range []string{"imageId", "userData", "resourceTags"} {
		out["nodeGroups[]."+path] = template + templateMembers[path]
	}
	return out
}

// templateMembers are the fields that a launch template can set.
var templateMembers = map[string]string{
	"diskSize": "blockDeviceMappings[0].ebs.volumeSize", "instanceType": "instanceType", "ec2SshKey": "keyName", "imageId": "imageId",
	"userData": "userData", "resourceTags": "tagSpecifications[].tags",
}
