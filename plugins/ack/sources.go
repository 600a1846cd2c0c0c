package ack

import "strings"

// sources says for every field that Alibaba Cloud tells from which member of which
// answer it comes, by the field's path without item names.
func sources() map[string]string {
	out := map[string]string{"nodePools": "DescribeClusterNodePools: nodepools"}
	for field, member := range clusterMembers {
		out[field] = "DescribeClusterDetail: " + member
	}
	for field, member := range poolMembers {
		out["nodePools[]."+field] = "DescribeClusterNodePools: nodepools[]." + member
	}
	return out
}

// dropPools removes the sources of node pools about which there was no answer.
func dropPools(from map[string]string) {
	for path := range from {
		if strings.HasPrefix(path, "nodePools") {
			delete(from, path)
		}
	}
}

// clusterMembers are the members of DescribeClusterDetail's answer.
var clusterMembers = map[string]string{
	"clusterName": "name", "clusterId": "cluster_id", "clusterType": "cluster_type", "clusterSpec": "cluster_spec",
	"kubernetesVersion": "current_version", "regionId": "region_id", "vpcId": "vpc_id", "containerCidr": "container_cidr",
	"serviceCidr": "service_cidr", "nodeCidrMask": "node_cidr_mask", "vswitchIds": "vswitch_ids",
	"podVswitchIds": "parameters.PodVswitchIds", "snatEntry": "parameters.SNatEntry", "proxyMode": "proxy_mode",
	"endpointPublicAccess": "master_url.api_server_endpoint", "securityGroupId": "security_group_id",
	"resourceGroupId": "resource_group_id",
}

// poolMembers are the members of a node pool in DescribeClusterNodePools' answer.
var poolMembers = map[string]string{
	"nodePoolId": "nodepool_info.nodepool_id", "name": "nodepool_info.name",
	"scalingType": "auto_scaling.type", "enableAutoScaling": "auto_scaling.enable",
	"minInstances": "auto_scaling.min_instances", "maxInstances": "auto_scaling.max_instances",
	"runtime": "kubernetes_config.runtime", "runtimeVersion": "kubernetes_config.runtime_version",
	"desiredSize": "scaling_group.desired_size", "autoRenew": "scaling_group.auto_renew",
	"autoRenewPeriod": "scaling_group.auto_renew_period", "instanceChargeType": "scaling_group.instance_charge_type",
	"instanceTypes": "scaling_group.instance_types", "keyPair": "scaling_group.key_pair", "period": "scaling_group.period",
	"periodUnit": "scaling_group.period_unit", "imageId": "scaling_group.image_id", "imageType": "scaling_group.image_type",
	"vswitchIds": "scaling_group.vswitch_ids", "systemDiskCategory": "scaling_group.system_disk_category",
	"systemDiskSize": "scaling_group.system_disk_size", "dataDisks": "scaling_group.data_disks",
	"dataDisks[].category": "scaling_group.data_disks[].category", "dataDisks[].size": "scaling_group.data_disks[].size",
	"dataDisks[].encrypted":            "scaling_group.data_disks[].encrypted",
	"dataDisks[].autoSnapshotPolicyId": "scaling_group.data_disks[].auto_snapshot_policy_id",
}
