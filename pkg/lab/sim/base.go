package sim

import (
	"fmt"
	"strconv"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// base is a small cluster of one provider that the lab starts from.
type base struct {
	provider hosted.Provider
	spec     map[string]any
	status   map[string]any
	// identity are the keys that a Config always has.
	identity []string
	leaves   []Leaf
}

func bases() []base {
	return []base{eksBase(), aksBase(), gkeBase(), ackBase()}
}

// AtRest makes a cluster of a provider at rest: its Cluster, its custom resource,
// last refreshed at a time, and its cloud. managed chooses the merge units that the
// Config holds.
func AtRest(p hosted.Provider, name string, refreshed time.Time, managed func(unit string) bool) (cluster, resource map[string]any, cloud Cloud, err error) {
	for _, b := range bases() {
		if b.provider == p {
			if cloud, err = NewCloud(p, b.spec, b.spec, b.status); err != nil {
				return nil, nil, nil, err
			}
			cluster, resource = b.objects(cloud, name, refreshed, managed)
			return cluster, resource, cloud, nil
		}
	}
	return nil, nil, nil, fmt.Errorf("the lab has no cluster of %q", p)
}

// objects are the two objects of the cluster at rest.
func (b *base) objects(cloud Cloud, name string, refreshed time.Time, managed func(unit string) bool) (cluster, resource map[string]any) {
	p := b.provider
	read, _ := cloud.Read(Visit{Name: name, Config: b.spec, Status: b.status})
	raw := map[string]any{}
	for _, k := range b.identity {
		raw[k] = read[k]
	}
	for k, v := range read {
		if managed(k) {
			raw[k] = v
		}
	}
	table := schema.For(p)
	typed, err := table.Decode(raw)
	if err != nil {
		panic(err) // the lab's own table
	}
	config := table.Encode(typed)
	resource = map[string]any{
		"apiVersion": p.CRGroup() + "/v1", "kind": p.CRKind(), "spec": config, "status": b.status,
		"metadata": map[string]any{"name": name, "namespace": "cattle-global-data"},
	}
	cluster = map[string]any{
		"apiVersion": "management.cattle.io/v3", "kind": "Cluster",
		"metadata": map[string]any{"name": name, "annotations": map[string]any{hosted.RefreshAnnotation: strconv.FormatInt(refreshed.Unix(), 10)}},
		"spec":     map[string]any{"displayName": "lab", p.ConfigKey(): config},
		"status": map[string]any{"driver": string(p), "appliedSpec": map[string]any{p.ConfigKey(): config},
			p.StatusKey(): map[string]any{"upstreamSpec": read, "managedLaunchTemplateID": b.status["managedLaunchTemplateID"]},
			"conditions":  []any{map[string]any{"type": "Updated", "status": "True", "message": ""}}},
	}
	return cluster, resource
}

const credential = "cattle-global-data:cc-7hx2k"

func eksGroup(name string, size int64) map[string]any {
	return map[string]any{
		"nodegroupName": name, "instanceType": "m6i.large", "diskSize": int64(80), "version": "1.33", "gpu": false,
		"minSize": int64(1), "desiredSize": size, "maxSize": int64(500), "requestSpotInstances": false,
		"labels": map[string]any{"zone": "a"}, "tags": map[string]any{}, "subnets": []any{"subnet-0a1f3c5e7d9b20461"},
		"nodeRole": "arn:aws:iam::123456789012:role/hosted-nodes",
	}
}

func eksBase() base {
	group := leafAt("nodeGroups[extra]", flip)
	group.item = eksGroup("extra", 2)
	size := leafAt("nodeGroups[workers].desiredSize", number(10))
	size.size = true
	return base{
		provider: hosted.EKS,
		spec: map[string]any{
			"amazonCredentialSecret": credential, "displayName": "lab", "region": "eu-west-1", "imported": true,
			"ipFamily": "ipv4", "kubernetesVersion": "1.33", "tags": map[string]any{"team": "t", "env": "e"},
			"secretsEncryption": false, "kmsKey": "", "publicAccess": true, "privateAccess": false, "ebsCSIDriver": false,
			"publicAccessSources": []any{"203.0.113.0/24"}, "loggingTypes": []any{"api"},
			"nodeGroups": []any{eksGroup("workers", 3)},
		},
		status:   map[string]any{"phase": "active", "failureMessage": "", "managedLaunchTemplateID": "lt-0c47f2a95d7e9f1a3"},
		identity: []string{"amazonCredentialSecret", "displayName", "region", "imported"},
		leaves: []Leaf{
			leafAt("tags.team", text("t")), leafAt("tags.env", text("e")), leafAt("privateAccess", flip), size,
			leafAt("nodeGroups[workers].labels.zone", text("z")), group,
		},
	}
}

func aksPool(name, mode string, count int64) map[string]any {
	return map[string]any{
		"name": name, "mode": mode, "vmSize": "Standard_D4s_v5", "count": count, "maxPods": int64(110), "osType": "Linux",
		"osDiskSizeGB": int64(128), "osDiskType": "Managed", "orchestratorVersion": "1.33.0", "enableAutoScaling": false,
		"availabilityZones": []any{"1"}, "maxSurge": "10%", "nodeLabels": map[string]any{"zone": "a"},
	}
}

func aksBase() base {
	pool := leafAt("nodePools[extra]", flip)
	pool.item = aksPool("extra", "User", 2)
	size := leafAt("nodePools[workers].count", number(10))
	size.size = true
	return base{
		provider: hosted.AKS,
		spec: map[string]any{
			"azureCredentialSecret": credential, "clusterName": "lab", "resourceGroup": "rg-lab", "resourceLocation": "westeurope",
			"imported": true, "networkPlugin": "azure", "networkPolicy": "azure", "dnsServiceIp": "10.0.0.10", "serviceCidr": "10.0.0.0/16",
			"outboundType": "loadBalancer", "loadBalancerSku": "Standard", "linuxAdminUsername": "azureuser", "dnsPrefix": "lab",
			"kubernetesVersion": "1.33.0", "tags": map[string]any{"team": "t"}, "privateCluster": false,
			"authorizedIpRanges": []any{"198.51.100.0/24"}, "httpApplicationRouting": false, "managedIdentity": true,
			"nodePools": []any{aksPool("system", "System", 3), aksPool("workers", "User", 3)},
		},
		status:   map[string]any{"phase": "active", "failureMessage": "", "rbacEnabled": true},
		identity: []string{"azureCredentialSecret", "clusterName", "resourceGroup", "resourceLocation", "imported"},
		leaves: []Leaf{
			leafAt("tags.team", text("t")), size, leafAt("nodePools[workers].nodeLabels.zone", text("z")), pool,
			leafAt("httpApplicationRouting", flip),
			leafAt("kubernetesVersion", func(n int, _ any) any { return fmt.Sprintf("1.33.%d", n+1) }),
		},
	}
}

func gkePool(name string, nodes int64) map[string]any {
	return map[string]any{
		"name": name, "version": "1.33.1-gke.100", "initialNodeCount": nodes,
		"autoscaling": map[string]any{}, "management": map[string]any{"autoRepair": true, "autoUpgrade": true},
		"config": map[string]any{"machineType": "e2-standard-4", "diskSizeGb": int64(100), "diskType": "pd-balanced",
			"imageType": "COS_CONTAINERD", "labels": map[string]any{"zone": "a"}},
	}
}

func gkeBase() base {
	pool := leafAt("nodePools[extra]", flip)
	pool.item = gkePool("extra", 2)
	size := leafAt("nodePools[workers].initialNodeCount", number(10))
	size.size = true
	return base{
		provider: hosted.GKE,
		spec: map[string]any{
			"googleCredentialSecret": credential, "clusterName": "lab", "projectID": "example-project", "imported": true,
			"region": "europe-west4", "zone": "", "description": "", "labels": map[string]any{"team": "t", "env": "e"},
			"enableKubernetesAlpha": false, "clusterIpv4Cidr": "10.8.0.0/14", "kubernetesVersion": "1.33.1-gke.100",
			"clusterAddons":  map[string]any{"httpLoadBalancing": true, "horizontalPodAutoscaling": true},
			"loggingService": "logging.googleapis.com/kubernetes", "monitoringService": "monitoring.googleapis.com/kubernetes",
			"network": "default", "subnetwork": "default", "networkPolicyEnabled": false, "locations": []any{"europe-west4-a"},
			"maintenanceWindow": "03:00", "privateClusterConfig": map[string]any{},
			"nodePools": []any{gkePool("workers", 3)},
		},
		status:   map[string]any{"phase": "active", "failureMessage": ""},
		identity: []string{"googleCredentialSecret", "clusterName", "projectID", "region", "zone", "imported", "description"},
		leaves: []Leaf{
			leafAt("labels.team", text("t")), leafAt("labels.env", text("e")), size, pool,
			leafAt("maintenanceWindow", func(n int, _ any) any { return fmt.Sprintf("%02d:%02d", n/60%24, n%60) }),
			leafAt("nodePools[workers].config.labels.zone", text("z")),
		},
	}
}

func ackPool(id, name string, nodes int64) map[string]any {
	return map[string]any{
		"nodePoolId": id, "name": name, "desiredSize": nodes, "enableAutoScaling": false, "instanceTypes": []any{"ecs.g7.2xlarge"},
		"instanceChargeType": "PostPaid", "imageType": "AliyunLinux3", "vswitchIds": []any{"vsw-t4n0example0a"},
		"systemDiskCategory": "cloud_essd", "systemDiskSize": int64(120), "runtime": "containerd", "runtimeVersion": "1.6.38",
	}
}

func ackBase() base {
	size := leafAt("nodePools[workers].desiredSize", number(10))
	size.size = true
	second := leafAt("nodePools[batch].desiredSize", number(10))
	return base{
		provider: hosted.ACK,
		spec: map[string]any{
			"alibabaCredentialSecret": credential, "clusterName": "lab", "clusterId": "c0example", "regionId": "eu-central-1", "imported": true,
			"clusterType": "ManagedKubernetes", "clusterSpec": "ack.pro.small", "kubernetesVersion": "1.33.1-aliyun.1",
			"vpcId": "vpc-t4n0example01", "vswitchIds": []any{"vsw-t4n0example0a"}, "containerCidr": "172.20.0.0/16",
			"serviceCidr": "172.21.0.0/20", "nodeCidrMask": int64(25), "proxyMode": "ipvs", "endpointPublicAccess": true,
			"securityGroupId": "sg-t4n0example01", "zoneIds": []any{"eu-central-1-a"},
			"nodePools": []any{ackPool("np1", "workers", 3), ackPool("np2", "batch", 3)},
		},
		status:   map[string]any{"phase": "active", "failureMessage": "", "upgradeTaskId": ""},
		identity: []string{"alibabaCredentialSecret", "clusterName", "clusterId", "regionId", "imported"},
		leaves: []Leaf{
			size, second,
			leafAt("kubernetesVersion", func(n int, _ any) any { return fmt.Sprintf("1.33.%d-aliyun.1", n+2) }),
		},
	}
}
