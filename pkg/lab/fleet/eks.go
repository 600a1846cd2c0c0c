package fleet

import (
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// eksGroup is a node group on Rancher's launch template, as it is read: what the
// template holds stands in the group, and launchTemplate is null.
func eksGroup(name, instance string, least, wanted, most int64) map[string]any {
	return map[string]any{
		"nodegroupName": name, "instanceType": instance, "diskSize": int64(80), "gpu": false, "version": "1.34",
		"minSize": least, "desiredSize": wanted, "maxSize": most,
		"labels":       map[string]any{"pool": name},
		"tags":         map[string]any{"pool": name},
		"resourceTags": map[string]any{"managed-by": "rancher"},
		"subnets":      texts("subnet-0a1f3c5e7d9b20461", "subnet-0b2e4d6f8a1c30572"),
		"imageId":      "ami-0d15e3f7b2a94c681", "requestSpotInstances": false,
		"nodeRole": "arn:aws:iam::123456789012:role/hosted-nodes",
	}
}

// eksReading is a cluster with two node groups.
func eksReading(name, region string) map[string]any {
	return map[string]any{
		"amazonCredentialSecret": global + ":cc-7hx2k", "displayName": name, "region": region, "imported": false,
		"ipFamily": "ipv4", "kubernetesVersion": "1.34", "tags": map[string]any{"team": "platform", "cost-center": "4711"},
		"secretsEncryption": false, "kmsKey": "", "publicAccess": true, "privateAccess": false, "ebsCSIDriver": true,
		"publicAccessSources": texts("198.51.100.0/24", "203.0.113.0/24"), "loggingTypes": texts("api", "audit"),
		"subnets":        texts("subnet-0a1f3c5e7d9b20461", "subnet-0b2e4d6f8a1c30572"),
		"securityGroups": texts("sg-04c8e2a6b1d3f5970"), "serviceRole": "arn:aws:iam::123456789012:role/hosted-control-plane",
		"nodeGroups": []any{eksGroup("system", "m6i.large", 2, 2, 4), eksGroup("workers", "m6i.2xlarge", 2, 4, 12)},
	}
}

// eks fills in what the EKS clusters have in common.
func eks(p blueprint) blueprint {
	p.provider = hosted.EKS
	template := "lt-0" + uid("template " + p.name)[:8] + "5d7e9f1a3"
	versions := map[string]any{"system": "1", "workers": "3"}
	network := map[string]any{
		"virtualNetwork": "vpc-0f3a5b7c9d1e2468a", "subnets": p.upstream["subnets"], "securityGroups": p.upstream["securityGroups"],
		"managedLaunchTemplateID": template, "managedLaunchTemplateVersions": versions, "generatedNodeRole": "",
	}
	p.status = network
	p.operator = hosted.CloneMap(network)
	p.operator["networkFieldsSource"] = "provided"
	p.operator["templateVersionsToDelete"] = nil
	return p
}

func eksInSync() blueprint {
	cloud := eksReading("harbor-prod", "eu-central-1")
	return eks(blueprint{
		name: "c-4kq7x", display: "harbor-prod", state: InSync, age: 160 * day, refreshed: 100 * seconds,
		upstream: cloud, config: managed(cloud),
		shows: "Created in Rancher, so nearly every field is managed, and everything agrees: Config, Rancher's last reading and the cloud. " +
			"The next refresh overwrites nothing, and an edit pushes what it says and nothing else.",
		try: []string{"diff harbor-prod", "predict harbor-prod --set tags.team=search"},
	})
}

// eksArmed is the case of Rancher's own documentation.
func eksArmed() blueprint {
	cloud := eksReading("atlas-prod", "eu-west-1")
	return eks(blueprint{
		name: "c-9pd4w", display: "atlas-prod", state: Armed, age: 120 * day, refreshed: 3 * minutes,
		upstream: cloud, config: managed(cloud), live: but(cloud, "privateAccess", true),
		shows: "Two minutes ago somebody enabled private access in the AWS console; the last refresh was a minute before that. " +
			"Rancher still has privateAccess false and manages it. Any edit within the next two minutes, be it of a tag, switches private access off again; " +
			"without one the next refresh takes the change over.",
		try: []string{"diff atlas-prod", "risk atlas-prod", "predict atlas-prod --set tags.team=payments", "predict atlas-prod --unmanage privateAccess"},
	})
}

// eksFiring is the same two minutes later in the story: the edit was made.
func eksFiring() blueprint {
	before := eksReading("granite-stage", "eu-central-1")
	live := but(before, "loggingTypes", texts("api", "audit", "authenticator"))
	live = resized(live, "nodeGroups", "nodegroupName", "workers", "maxSize", int64(20))
	return eks(blueprint{
		name: "c-t6vbn", display: "granite-stage", state: Firing, age: 90 * day, refreshed: 200 * seconds,
		upstream: before, applied: managed(before), live: live,
		config: but(before, "tags", map[string]any{"team": "payments", "cost-center": "4711"}),
		phase:  "updating", updated: 40 * seconds,
		edits: []edit{{manager: rancher, ago: 40 * seconds, keys: []string{"tags"}}},
		shows: "Forty seconds ago a tag was edited in Rancher. A minute earlier somebody had raised the workers' maximum and switched on a log type in the AWS console. " +
			"The operator waits until AWS is done and then enforces the whole Config: the tag, and the old maximum and log types with it. " +
			"A refresh does not help any more, because Config and Applied differ.",
		try: []string{"risk granite-stage", "diff granite-stage"},
	})
}

func eksAutoscaled() blueprint {
	cloud := eksReading("anchor-prod", "us-east-1")
	return eks(blueprint{
		name: "c-h3zlp", display: "anchor-prod", state: Autoscaled, age: 45 * day, refreshed: 250 * seconds,
		upstream: cloud, config: managed(cloud),
		live: resized(cloud, "nodeGroups", "nodegroupName", "workers", "desiredSize", int64(9)),
		shows: "A cluster autoscaler has taken the workers from 4 to 9 nodes since the last refresh. Every refresh copies the current size into the Config, " +
			"but an edit in between sends the old one: five nodes are removed from under their pods.",
		try: []string{"risk anchor-prod", "predict anchor-prod --set 'nodeGroups[system].maxSize=5'"},
	})
}

// eksCosmetic has a twin: its display name is also that of an ACK cluster.
func eksCosmetic() blueprint {
	cloud := but(eksReading("willow-prod", "ap-southeast-1"), "publicAccessSources", texts("0.0.0.0/0"))
	return eks(blueprint{
		name: "c-d5nrg", display: "willow-prod", state: Cosmetic, age: 31 * day, refreshed: 170 * seconds,
		upstream: cloud, config: but(managed(cloud), "publicAccessSources", []any{}),
		edits: []edit{{manager: "terraform", ago: 2 * minutes, keys: []string{"publicAccessSources", "publicAccess", "privateAccess"}}},
		shows: "Terraform writes publicAccessSources [], AWS answers 0.0.0.0/0. To the operator that is the same, so nothing is pushed; to the refresh it is not, " +
			"so it rewrites the Config, and Terraform writes [] again: a stream of edits, each of which enforces every other field. " +
			"The display name is also that of an ACK cluster, so the object's name must be given.",
		try: []string{"diff c-d5nrg", "risk c-d5nrg", "get willow-prod"},
	})
}
