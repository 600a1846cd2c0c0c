package testbed

import "fmt"

func (g *generator) eksUpstream(display string, imported bool) map[string]any {
	version := g.pick("1.33", "1.34")
	var groups []any
	for i := range g.groups() {
		n := g.size()
		groups = append(groups, map[string]any{
			"nodegroupName": fmt.Sprintf("workers-%d", i), "gpu": false, "arm": false, "imageId": nil, "diskSize": int64(80),
			"instanceType": g.pick("m6i.large", "c6i.xlarge"), "labels": map[string]any{"pool": fmt.Sprintf("p%d", i)},
			"ec2SshKey": nil, "desiredSize": n, "maxSize": n + 3, "minSize": int64(1),
			"subnets": []any{"subnet-0a", "subnet-0b"}, "tags": map[string]any{"group": fmt.Sprint(i)},
			"resourceTags": map[string]any{"Owner": "platform"}, "userData": nil, "version": version,
			"launchTemplate":       map[string]any{"id": "lt-0123456789abcdef0", "name": "workers", "version": int64(1 + i)},
			"requestSpotInstances": false, "spotInstanceTypes": nil,
			"nodeRole": "arn:aws:iam::123456789012:role/nodes",
		})
	}
	return map[string]any{
		"amazonCredentialSecret": "cattle-global-data:cc-aws01", "displayName": display,
		"region": g.pick("eu-central-1", "us-east-1"), "imported": imported, "kubernetesVersion": version,
		"tags": g.tags(), "secretsEncryption": false, "kmsKey": "", "publicAccess": true, "privateAccess": true,
		"ebsCSIDriver": true, "publicAccessSources": []any{"198.51.100.0/24"}, "loggingTypes": []any{"api", "audit"},
		"subnets": []any{}, "securityGroups": []any{}, "serviceRole": "", "nodeGroups": groups, "ipFamily": "ipv4",
	}
}

func (g *generator) aksUpstream(display string, imported bool) map[string]any {
	version := g.pick("1.33.5", "1.34.1")
	var pools []any
	for i := range g.groups() {
		mode := "User"
		if i == 0 {
			mode = "System"
		}
		pools = append(pools, map[string]any{
			"name": fmt.Sprintf("pool%d", i), "count": g.size(), "maxPods": int64(110), "vmSize": "Standard_D4s_v5",
			"osDiskSizeGB": int64(128), "osDiskType": "Managed", "mode": mode, "osType": "Linux",
			"orchestratorVersion": version, "availabilityZones": []any{"1", "2"}, "maxSurge": "10%",
			"enableAutoScaling": false, "nodeLabels": map[string]any{"pool": fmt.Sprintf("p%d", i)}, "nodeTaints": []any{},
		})
	}
	return map[string]any{
		"imported": imported, "resourceLocation": "westeurope", "resourceGroup": "rg-" + display, "clusterName": display,
		"azureCredentialSecret": "cattle-global-data:cc-az01", "baseUrl": "https://management.azure.example/",
		"authBaseUrl": "https://login.azure.example/", "networkPlugin": "azure", "virtualNetworkResourceGroup": nil,
		"virtualNetwork": nil, "subnet": nil, "dnsServiceIp": "10.0.0.10", "serviceCidr": "10.0.0.0/16",
		"dockerBridgeCidr": nil, "podCidr": nil, "outboundType": "loadBalancer", "loadBalancerSku": "Standard",
		"networkPolicy": nil, "linuxAdminUsername": "azureuser", "dnsPrefix": display, "kubernetesVersion": version,
		"tags": g.tags(), "nodePools": pools, "privateCluster": false, "privateDnsZone": nil,
		"authorizedIpRanges": []any{"198.51.100.0/24"}, "httpApplicationRouting": false, "monitoring": nil,
		"logAnalyticsWorkspaceGroup": nil, "logAnalyticsWorkspaceName": nil, "managedIdentity": true,
		"userAssignedIdentity": nil,
	}
}

func (g *generator) gkeUpstream(display string, imported bool) map[string]any {
	version := g.pick("1.33.5-gke.1000", "1.34.1-gke.2000")
	var pools []any
	for i := range g.groups() {
		pools = append(pools, map[string]any{
			"name": fmt.Sprintf("pool-%d", i), "version": version, "initialNodeCount": g.size(), "maxPodsConstraint": int64(110),
			"autoscaling": map[string]any{"enabled": true, "minNodeCount": int64(1), "maxNodeCount": int64(9)},
			"config": map[string]any{"diskSizeGb": int64(100), "diskType": "pd-balanced", "imageType": "COS_CONTAINERD",
				"machineType": "e2-standard-4", "labels": map[string]any{"pool": fmt.Sprintf("p%d", i)},
				"tags": []any{"internal"}, "taints": []any{map[string]any{"effect": "NO_SCHEDULE", "key": "pool", "value": "x"}}},
			"management": map[string]any{"autoRepair": true, "autoUpgrade": false},
		})
	}
	return map[string]any{
		"region": "europe-west3", "zone": "", "imported": imported, "description": "", "labels": g.tags(),
		"enableKubernetesAlpha": false, "clusterAddons": map[string]any{"httpLoadBalancing": true, "horizontalPodAutoscaling": true},
		"clusterIpv4Cidr": "10.8.0.0/14", "projectID": "example-project", "googleCredentialSecret": "cattle-global-data:cc-gcp01",
		"clusterName": display, "kubernetesVersion": version, "loggingService": "logging.googleapis.com/kubernetes",
		"monitoringService": "monitoring.googleapis.com/kubernetes", "nodePools": pools, "network": "default",
		"subnetwork": "default", "networkPolicyEnabled": false,
		"privateClusterConfig":     map[string]any{"enablePrivateEndpoint": false, "enablePrivateNodes": false},
		"ipAllocationPolicy":       map[string]any{"useIpAliases": true, "clusterIpv4CidrBlock": "10.8.0.0/14"},
		"masterAuthorizedNetworks": map[string]any{"enabled": true, "cidrBlocks": []any{map[string]any{"cidrBlock": "198.51.100.0/24", "displayName": "office"}}},
		"locations":                []any{"europe-west3-a", "europe-west3-b"}, "maintenanceWindow": "03:00",
	}
}

func (g *generator) ackUpstream(display string, imported bool) map[string]any {
	var pools []any
	for i := range g.groups() {
		pools = append(pools, map[string]any{
			"nodePoolId": fmt.Sprintf("np%06d", i), "name": fmt.Sprintf("pool-%d", i), "desiredSize": g.size(),
			"enableAutoScaling": false, "instanceTypes": []any{"ecs.g7.xlarge"}, "imageType": "AliyunLinux3",
			"vswitchIds": []any{"vsw-0a"}, "systemDiskCategory": "cloud_essd", "systemDiskSize": int64(120),
			"instanceChargeType": "PostPaid", "runtime": "containerd", "runtimeVersion": "1.6.28",
			"dataDisks": []any{map[string]any{"category": "cloud_essd", "size": int64(40), "encrypted": "false", "autoSnapshotPolicyId": ""}},
		})
	}
	return map[string]any{
		"clusterName": display, "clusterId": "c0123456789", "alibabaCredentialSecret": "cattle-global-data:cc-ali01",
		"clusterType": "ManagedKubernetes", "clusterSpec": "ack.standard", "kubernetesVersion": g.pick("1.33.3-aliyun.1", "1.34.1-aliyun.1"),
		"regionId": "eu-central-1", "vpcId": "vpc-0a", "containerCidr": "10.32.0.0/16", "serviceCidr": "10.33.0.0/16",
		"nodeCidrMask": int64(25), "vswitchIds": []any{"vsw-0a"}, "snatEntry": true, "proxyMode": "ipvs",
		"endpointPublicAccess": true, "securityGroupId": "sg-0a", "resourceGroupId": "rg-0a", "imported": imported,
		"nodePools": pools,
	}
}
