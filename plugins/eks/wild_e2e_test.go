//go:build e2e

package eks_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	operator "github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

// wild is a random cluster. What EKS leaves out at times is left out at times, and
// some clusters are such that Rancher's code fails or crashes.
type wild struct {
	*rand.Rand
	name, region, managed string
	cloud                 operator.Cloud
}

func newWild(seed uint64) *wild {
	w := &wild{Rand: rand.New(rand.NewPCG(seed, 0x656b73))}
	w.name = []string{"atlas", "birch_2", "Cedar-West", "x"}[w.IntN(4)]
	w.region = []string{"us-west-2", "eu-central-1", "us-gov-west-1"}[w.IntN(3)]
	if w.often(8) {
		w.managed = "lt-0rancher"
	}
	w.templates()
	w.cloud.Cluster = map[string]any{"cluster": w.cluster()}
	w.cloud.Addons = w.addons()
	w.cloud.Nodegroups = map[string]map[string]any{}
	w.cloud.ListNodegroups = [][]string{{}}
	for i := range w.IntN(6) {
		name := fmt.Sprintf("pool-%d", i)
		if i > 0 && w.often(1) {
			w.cloud.ListNodegroups = append(w.cloud.ListNodegroups, nil)
		}
		last := len(w.cloud.ListNodegroups) - 1
		w.cloud.ListNodegroups[last] = append(w.cloud.ListNodegroups[last], name)
		w.cloud.Nodegroups[name] = map[string]any{"nodegroup": w.group(name)}
	}
	return w
}

// often is true in n of 10 cases.
func (w *wild) often(n int) bool { return w.IntN(10) < n }

// seldom is true in 1 of 60 cases.
func (w *wild) seldom() bool { return w.IntN(60) == 0 }

func (w *wild) one(of ...any) any { return of[w.IntN(len(of))] }

// maybe sets a member in most cases.
func (w *wild) maybe(m map[string]any, key string, v any) {
	if w.often(7) {
		m[key] = v
	}
}

// texts is a list of up to 3 texts.
func (w *wild) texts(prefix string) []any {
	out := []any{}
	for range w.IntN(4) {
		out = append(out, prefix+strconv.Itoa(w.IntN(9)))
	}
	return out
}

func (w *wild) pairs() map[string]any {
	out := map[string]any{}
	for range w.IntN(3) {
		out["k"+strconv.Itoa(w.IntN(5))] = w.one("", "v", "ü ☃", "a=b")
	}
	return out
}

func (w *wild) cluster() map[string]any {
	c := map[string]any{"name": w.name, "arn": "arn:aws:eks:" + w.region + ":123456789012:cluster/" + w.name,
		"status": w.one("ACTIVE", "UPDATING", "CREATING", "FAILED", "PENDING"), "createdAt": 1750000000.25}
	if !w.seldom() {
		c["version"] = w.one("1.29", "1.30", "1.31")
	}
	vpc := map[string]any{}
	w.maybe(vpc, "endpointPublicAccess", w.often(5))
	w.maybe(vpc, "endpointPrivateAccess", w.often(5))
	w.maybe(vpc, "publicAccessCidrs", w.texts("203.0.113."))
	w.maybe(vpc, "subnetIds", w.texts("subnet-"))
	w.maybe(vpc, "securityGroupIds", w.texts("sg-"))
	if !w.seldom() {
		c["resourcesVpcConfig"] = vpc
	}
	w.maybe(c, "kubernetesNetworkConfig", w.one(map[string]any{}, map[string]any{"ipFamily": "ipv6"}, map[string]any{"ipFamily": "ipv4", "serviceIpv4Cidr": "192.0.2.0/24"}))
	w.maybe(c, "tags", w.pairs())
	w.maybe(c, "roleArn", "arn:aws:iam::123456789012:role/cluster")
	w.maybe(c, "logging", map[string]any{"clusterLogging": w.logSets()})
	switch w.IntN(30) {
	case 0, 1, 2, 3, 4, 5:
		c["encryptionConfig"] = []any{map[string]any{"resources": []any{"secrets"}, "provider": map[string]any{"keyArn": "arn:aws:kms:key"}}}
	case 6:
		c["encryptionConfig"] = []any{map[string]any{"resources": []any{"secrets"}, "provider": map[string]any{}}}
	case 7:
		c["encryptionConfig"] = []any{map[string]any{"resources": []any{"secrets"}}} // crashes
	case 8:
		c["encryptionConfig"] = []any{}
	}
	return c
}

func (w *wild) logSets() []any {
	out := []any{}
	for range w.IntN(3) {
		set := map[string]any{}
		w.maybe(set, "enabled", w.often(6))
		w.maybe(set, "types", []any{w.one("api", "audit"), w.one("scheduler", "somethingNew")})
		out = append(out, set)
	}
	return out
}

func (w *wild) addons() map[string]map[string]any {
	if w.often(5) {
		return nil
	}
	a := map[string]any{"addonName": "aws-ebs-csi-driver", "status": w.one("ACTIVE", "ACTIVE", "DEGRADED", "CREATE_FAILED", "UPDATING", "DELETING", "CREATING")}
	if !w.seldom() {
		a["addonArn"] = w.one("arn:aws:eks:us-west-2:123456789012:addon/atlas/aws-ebs-csi-driver/1", "arn:aws:eks:us-west-2:123456789012:addon/atlas/other/1")
	}
	body := map[string]any{"addon": a}
	if w.seldom() {
		body = map[string]any{}
	}
	return map[string]map[string]any{"aws-ebs-csi-driver": body}
}

func (w *wild) group(name string) map[string]any {
	g := map[string]any{"nodegroupName": name, "clusterName": w.name, "nodegroupArn": "arn:aws:eks:::nodegroup/" + w.name + "/" + name + "/1",
		"status": w.one("ACTIVE", "ACTIVE", "ACTIVE", "UPDATING", "CREATING", "DELETING", "CREATE_FAILED", "DELETE_FAILED", "DEGRADED"),
		"health": map[string]any{"issues": []any{}}, "modifiedAt": 1750000000.5}
	if w.often(1) {
		g["health"] = map[string]any{"issues": []any{map[string]any{"code": "AccessDenied", "message": "no"}}}
	}
	scaling := map[string]any{}
	for _, key := range []string{"desiredSize", "minSize", "maxSize"} {
		w.maybe(scaling, key, int64(w.IntN(9)))
	}
	if !w.seldom() {
		g["scalingConfig"] = scaling
	}
	w.maybe(g, "version", w.one("1.29", "1.30", "1.31"))
	w.maybe(g, "amiType", w.one("AL2_x86_64", "AL2_x86_64_GPU", "AL2_ARM_64", "CUSTOM", "BOTTLEROCKET_ARM_64", "AL2023_x86_64_STANDARD",
		"AL2023_ARM_64_STANDARD", "AL2023_x86_64_NVIDIA", "AL2023_ARM_64_NVIDIA", "AL2023_x86_64_NEURON", "SOMETHING_NEW"))
	w.maybe(g, "capacityType", w.one("SPOT", "ON_DEMAND", "CAPACITY_BLOCK"))
	w.maybe(g, "labels", w.pairs())
	w.maybe(g, "tags", w.pairs())
	w.maybe(g, "subnets", w.texts("subnet-"))
	w.maybe(g, "nodeRole", "arn:aws:iam::123456789012:role/node")
	w.maybe(g, "instanceTypes", w.texts("m5."))
	w.maybe(g, "diskSize", int64(w.IntN(100)))
	if w.often(3) {
		g["remoteAccess"] = w.one(map[string]any{}, map[string]any{"ec2SshKey": "ops-key", "sourceSecurityGroups": []any{"sg-1"}})
	}
	if w.often(6) {
		g["launchTemplate"] = w.template()
	}
	return g
}

// template names a launch template: Rancher's or another one, which may be gone.
func (w *wild) template() map[string]any {
	lt := map[string]any{}
	switch w.IntN(12) {
	case 0, 1, 2, 3, 4, 5:
		lt["id"], lt["name"] = "lt-0rancher", "rancher-managed-lt-atlas"
	case 6:
		lt["name"] = "without-an-id"
	default:
		lt["id"] = w.one("lt-0site", "lt-0gone")
		w.maybe(lt, "name", "site")
	}
	switch w.IntN(25) {
	case 0:
		lt["version"] = "9" // gone
	case 1:
	case 2:
		lt["version"] = "$Latest"
	default:
		lt["version"] = strconv.Itoa(w.IntN(3) + 1)
	}
	return lt
}

// templates are the versions of launch templates that there are.
func (w *wild) templates() {
	for _, lt := range []string{"lt-0rancher", "lt-0site"} {
		if lt == "lt-0rancher" && w.seldom() {
			continue
		}
		for v := range int64(3) {
			w.cloud.LaunchTemplateVersions = append(w.cloud.LaunchTemplateVersions,
				operator.LaunchTemplateVersion{ID: lt, Name: lt + "-name", Version: v + 1, Data: w.templateData()})
		}
	}
}

func (w *wild) templateData() map[string]any {
	d := map[string]any{}
	if !w.seldom() { // else malformed
		disk := map[string]any{"deviceName": "/dev/xvda"}
		ebs := map[string]any{}
		w.maybe(ebs, "volumeSize", int64(w.IntN(100)))
		if !w.seldom() { // else it crashes
			disk["ebs"] = ebs
		}
		d["blockDeviceMappings"] = []any{disk}
		if w.often(2) {
			d["blockDeviceMappings"] = []any{disk, map[string]any{"deviceName": "/dev/xvdb", "ebs": map[string]any{"volumeSize": int64(1)}}}
		}
	}
	w.maybe(d, "keyName", "site-key")
	w.maybe(d, "imageId", "ami-0"+strconv.Itoa(w.IntN(9)))
	w.maybe(d, "instanceType", w.one("m5.large", "x99.huge"))
	w.maybe(d, "userData", w.one("ZWNobyBoaQo=", "not base64!", "", "PHhtbD4mYW1wOzwveG1sPg=="))
	if w.often(6) {
		d["tagSpecifications"] = []any{
			map[string]any{"resourceType": w.one("volume", "instance"), "tags": []any{map[string]any{"key": "a<b", "value": "1"}, map[string]any{"key": "c", "value": ""}}},
			map[string]any{"resourceType": "instance", "tags": []any{map[string]any{"key": "d", "value": "2"}}},
		}
	}
	return d
}
