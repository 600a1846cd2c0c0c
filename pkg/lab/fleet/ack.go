package fleet

import (
	"strconv"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

func ackPool(id, name string, nodes int64) map[string]any {
	return map[string]any{
		"nodePoolId": id, "name": name, "desiredSize": nodes, "enableAutoScaling": false,
		"instanceTypes": texts("ecs.g7.2xlarge"), "instanceChargeType": "PostPaid", "imageType": "AliyunLinux3",
		"imageId": "aliyun_3_x64_20G_alibase_20250117.vhd", "vswitchIds": texts("vsw-t4n0example0a"),
		"systemDiskCategory": "cloud_essd", "systemDiskSize": int64(120), "runtime": "containerd", "runtimeVersion": "1.6.38",
		"dataDisks": []any{map[string]any{"category": "cloud_essd", "size": int64(100), "encrypted": "false", "autoSnapshotPolicyId": ""}},
	}
}

func ackReading(name, id, region string, pools ...any) map[string]any {
	return map[string]any{
		"alibabaCredentialSecret": global + ":cc-z6t5b", "clusterName": name, "clusterId": id, "regionId": region, "imported": false,
		"clusterType": "ManagedKubernetes", "clusterSpec": "ack.pro.small", "kubernetesVersion": "1.34.1-aliyun.1",
		"vpcId": "vpc-t4n0example01", "vswitchIds": texts("vsw-t4n0example0a"), "containerCidr": "172.20.0.0/16",
		"serviceCidr": "172.21.0.0/20", "nodeCidrMask": int64(25), "snatEntry": true, "proxyMode": "ipvs",
		"endpointPublicAccess": true, "securityGroupId": "sg-t4n0example01", "resourceGroupId": "rg-acfmexample01",
		"zoneIds": texts(region + "-a"), "isEnterpriseSecurityGroup": true, "nodePools": pools,
	}
}

func ack(p blueprint) blueprint {
	p.provider = hosted.ACK
	p.operator = map[string]any{"upgradeTaskId": ""}
	return p
}

// ackFlapping keeps its operator going over a size that it never sends.
func ackFlapping() blueprint {
	elastic := ackPool("np7e5d3c1b9a8f4620", "elastic", 4)
	elastic["enableAutoScaling"], elastic["scalingType"] = true, "cpu"
	elastic["minInstances"], elastic["maxInstances"] = int64(2), int64(10)
	cloud := ackReading("prairie-prod", "c1e2d3f4a5b697880", "ap-southeast-1", ackPool("np1a2b3c4d5e6f7080", "system", 3), elastic)
	return ack(blueprint{
		name: "c-v2gxl", display: "prairie-prod", state: Flapping, age: 35 * day, refreshed: 210 * seconds,
		upstream: cloud, config: managed(cloud), live: resized(cloud, "nodePools", "name", "elastic", "desiredSize", int64(7)),
		phase: "updating", updated: 2 * seconds,
		shows: "The pool elastic scales itself and has gone from 4 to 7 nodes. The operator counts that as a difference, finds that it must not set the size of such a pool, " +
			"and so goes from active to updating and back until a refresh has copied the size.",
		try: []string{"risk prairie-prod", "diff prairie-prod"},
	})
}

// ackFutureAnnotation has a twin: its display name is also that of an EKS
// cluster.
func ackFutureAnnotation() blueprint {
	cloud := but(ackReading("willow-prod", "cf0e1d2c3b4a59687", "cn-hongkong", ackPool("np9f8e7d6c5b4a3021", "workers", 5)), "imported", true)
	cloud["isEnterpriseSecurityGroup"] = nil // copied from the Config, which says nothing
	config := only(cloud, "alibabaCredentialSecret", "clusterName", "clusterId", "regionId", "nodePools")
	return ack(blueprint{
		name: "c-j4tzq", display: "willow-prod", state: FutureAnnotation, age: 15 * day, refreshed: 9 * hours,
		annotation: func(now time.Time) string { return strconv.FormatInt(now.Add(31*hours).Unix(), 10) },
		upstream:   cloud, config: config, live: resized(cloud, "nodePools", "name", "workers", "desiredSize", int64(8)),
		edits: []edit{{manager: "kubectl-edit", ago: 9 * hours, annotations: []string{hosted.RefreshAnnotation}}},
		shows: "The refresh annotation lies 31 hours ahead, so Rancher will not look at the cloud before. Only the node pools are managed, " +
			"and these were resized in the cloud: until then every edit sets them back. " +
			"The display name is also that of an EKS cluster, so the object's name must be given.",
		try: []string{"predict c-j4tzq", "risk c-j4tzq", "predict willow-prod"},
	})
}
