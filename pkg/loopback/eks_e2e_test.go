//go:build e2e

package loopback_test

import (
	"slices"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

// eksConfig manages everything and equals eksCloud: a group on Rancher's own
// launch template, one without any, and one on somebody's template.
const eksConfig = `{
"amazonCredentialSecret":"cattle-global-data:cc-aws","displayName":"atlas","region":"us-west-2","imported":true,
"ipFamily":"ipv4","kubernetesVersion":"1.31","kmsKey":"","secretsEncryption":false,"ebsCSIDriver":false,
"publicAccess":true,"privateAccess":false,"publicAccessSources":["0.0.0.0/0"],"loggingTypes":["audit"],
"serviceRole":"","subnets":[],"securityGroups":[],"tags":{"team":"blue","cost":"c1"},
"nodeGroups":[` + eksManaged + `,` + eksPlain + `,` + eksCustom + `]}`

const eksManaged = `{"nodegroupName":"managed","arm":null,"gpu":false,"version":"1.31","instanceType":"m5.large","diskSize":20,"ec2SshKey":"ops-key",
"desiredSize":2,"minSize":1,"maxSize":4,"labels":{"role":"managed"},"tags":{"team":"blue"},"resourceTags":{"team":"blue"},"imageId":null,"userData":null,
"launchTemplate":null,"requestSpotInstances":false,"spotInstanceTypes":null,"nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1","subnet-2"]}`

const eksPlain = `{"nodegroupName":"plain","arm":null,"gpu":false,"version":"1.31","instanceType":"t3.medium","diskSize":30,"ec2SshKey":null,
"desiredSize":2,"minSize":1,"maxSize":4,"labels":{"role":"plain"},"tags":{"team":"blue"},"resourceTags":null,"imageId":null,"userData":null,
"launchTemplate":null,"requestSpotInstances":false,"spotInstanceTypes":null,"nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1","subnet-2"]}`

const eksCustom = `{"nodegroupName":"custom","arm":null,"gpu":null,"version":"1.31","instanceType":"","diskSize":null,"ec2SshKey":null,
"desiredSize":2,"minSize":1,"maxSize":4,"labels":{"role":"custom"},"tags":{"team":"blue"},"resourceTags":null,"imageId":null,"userData":null,
"launchTemplate":{"id":"lt-0custom","name":"site-template","version":3},"requestSpotInstances":false,"spotInstanceTypes":null,
"nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1","subnet-2"]}`

// eksAdded is a group that the cloud does not have.
const eksAdded = `{"nodegroupName":"added","arm":false,"gpu":false,"version":"1.31","instanceType":"m5.xlarge","diskSize":50,"ec2SshKey":"ops-key",
"desiredSize":3,"minSize":1,"maxSize":5,"labels":{},"tags":{"team":"blue"},"resourceTags":{"team":"blue"},"imageId":null,"userData":null,
"launchTemplate":null,"requestSpotInstances":false,"spotInstanceTypes":null,"nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1"]}`

const eksStatus = `{"phase":"active","failureMessage":"","managedLaunchTemplateID":"lt-0rancher","managedLaunchTemplateVersions":{"managed":"2"},
"networkFieldsSource":"provided","subnets":["subnet-1","subnet-2"],"securityGroups":["sg-1"],"generatedNodeRole":"","virtualNetwork":""}`

const eksCloud = `{
"cluster":{"cluster":{"name":"atlas","arn":"arn:aws:eks:us-west-2:123456789012:cluster/atlas","status":"ACTIVE","version":"1.31","createdAt":1750000000.25,
 "certificateAuthority":{"data":"RVhBTVBMRQ=="},"endpoint":"https://atlas.example.com","kubernetesNetworkConfig":{"ipFamily":"ipv4"},
 "identity":{"oidc":{"issuer":"https://oidc.example.com/id/EXAMPLE"}},"roleArn":"arn:aws:iam::123456789012:role/cluster-role",
 "logging":{"clusterLogging":[{"enabled":true,"types":["audit"]},{"enabled":false,"types":["api","authenticator","controllerManager","scheduler"]}]},
 "resourcesVpcConfig":{"endpointPublicAccess":true,"endpointPrivateAccess":false,"publicAccessCidrs":["0.0.0.0/0"],"subnetIds":["subnet-1","subnet-2"],"securityGroupIds":["sg-1"]},
 "tags":{"team":"blue","cost":"c1"}}},
"listNodegroups":[["managed","plain","custom"]],
"nodegroups":{
 "managed":{"nodegroup":{"nodegroupName":"managed","clusterName":"atlas","status":"ACTIVE","version":"1.31","amiType":"AL2023_x86_64_STANDARD","capacityType":"ON_DEMAND",
  "nodegroupArn":"arn:aws:eks:us-west-2:123456789012:nodegroup/atlas/managed/1","launchTemplate":{"id":"lt-0rancher","name":"rancher-managed-lt-atlas","version":"2"},
  "scalingConfig":{"desiredSize":2,"minSize":1,"maxSize":4},"labels":{"role":"managed"},"tags":{"team":"blue"},"health":{"issues":[]},
  "nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1","subnet-2"]}},
 "plain":{"nodegroup":{"nodegroupName":"plain","clusterName":"atlas","status":"ACTIVE","version":"1.31","amiType":"AL2023_x86_64_STANDARD","capacityType":"ON_DEMAND",
  "nodegroupArn":"arn:aws:eks:us-west-2:123456789012:nodegroup/atlas/plain/2","instanceTypes":["t3.medium"],"diskSize":30,
  "scalingConfig":{"desiredSize":2,"minSize":1,"maxSize":4},"labels":{"role":"plain"},"tags":{"team":"blue"},"health":{"issues":[]},
  "nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1","subnet-2"]}},
 "custom":{"nodegroup":{"nodegroupName":"custom","clusterName":"atlas","status":"ACTIVE","version":"1.31","amiType":"CUSTOM","capacityType":"ON_DEMAND",
  "nodegroupArn":"arn:aws:eks:us-west-2:123456789012:nodegroup/atlas/custom/3","launchTemplate":{"id":"lt-0custom","name":"site-template","version":"3"},
  "scalingConfig":{"desiredSize":2,"minSize":1,"maxSize":4},"labels":{"role":"custom"},"tags":{"team":"blue"},"health":{"issues":[]},
  "nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1","subnet-2"]}}},
"launchTemplateVersions":[
 {"launchTemplateId":"lt-0rancher","launchTemplateName":"rancher-managed-lt-atlas","version":1,"launchTemplateData":{"userData":"cGxhY2Vob2xkZXIK"}},
 {"launchTemplateId":"lt-0rancher","launchTemplateName":"rancher-managed-lt-atlas","version":2,"launchTemplateData":{"instanceType":"m5.large","keyName":"ops-key",
  "blockDeviceMappings":[{"deviceName":"/dev/xvda","ebs":{"volumeSize":20}}],"tagSpecifications":[{"resourceType":"instance","tags":[{"key":"team","value":"blue"}]}]}},
 {"launchTemplateId":"lt-0custom","launchTemplateName":"site-template","version":3,"launchTemplateData":{"instanceType":"c5.xlarge"}},
 {"launchTemplateId":"lt-0custom","launchTemplateName":"site-template","version":4,"launchTemplateData":{"instanceType":"c5.xlarge"}}]}`

// eksCase is a change of the Config, in a cloud that somebody has changed before.
type eksCase struct {
	name    string
	console func(*eks.Cloud)
	change  string
	faults  []operator.Fault
	// meanwhile happens after the operator's first reaction.
	meanwhile func(*rig)
}

func eksCases() []eksCase {
	return []eksCase{
		{name: "tags", change: `{"tags":{"team":"green","owner":"ops","cost":null}}`},
		{name: "access, and the tags differ in the cloud", change: `{"privateAccess":true}`, console: func(c *eks.Cloud) {
			hosted.Map(c.Cluster["cluster"])["tags"] = map[string]any{"team": "console", "extra": "x", "cost": "c1"}
		}},
		{name: "public access sources", change: `{"publicAccessSources":["203.0.113.0/24"]}`},
		{name: "logging", change: `{"loggingTypes":["api","scheduler"]}`},
		{name: "version of cluster and groups", change: `{"kubernetesVersion":"1.32","nodeGroups":[` +
			with(eksManaged, `"version":"1.31"`, `"version":"1.32"`) + `,` + with(eksPlain, `"version":"1.31"`, `"version":"1.32"`) + `,` + eksCustom + `]}`},
		{name: "size of a group", change: groups(with(eksManaged, `"desiredSize":2`, `"desiredSize":3`), eksPlain, eksCustom)},
		{name: "size of two groups and labels", change: groups(with(eksManaged, `"maxSize":4`, `"maxSize":6`),
			with(eksPlain, `"labels":{"role":"plain"}`, `"labels":{"zone":"a"}`), eksCustom)},
		{name: "size, and the cloud scaled another group", change: groups(with(eksManaged, `"desiredSize":2`, `"desiredSize":3`), eksPlain, eksCustom),
			console: func(c *eks.Cloud) {
				hosted.Map(hosted.Map(c.Nodegroups["plain"]["nodegroup"])["scalingConfig"])["desiredSize"] = int64(4)
			}},
		{name: "data of Rancher's launch template", change: groups(with(eksManaged, `"diskSize":20`, `"diskSize":40`), eksPlain, eksCustom)},
		{name: "version of a launch template", change: groups(eksManaged, eksPlain, with(eksCustom, `"version":3`, `"version":4`))},
		{name: "tags of a group", change: groups(eksManaged, with(eksPlain, `"tags":{"team":"blue"}`, `"tags":{"team":"green"}`), eksCustom)},
		{name: "group deleted from the Config", change: groups(eksManaged, eksCustom)},
		{name: "group on Rancher's launch template deleted", change: groups(eksPlain, eksCustom)},
		{name: "group added", change: groups(eksManaged, eksPlain, eksCustom, eksAdded)},
		{name: "group missing in the cloud", change: `{"tags":{"team":"green"}}`, console: func(c *eks.Cloud) {
			delete(c.Nodegroups, "plain")
			c.ListNodegroups = [][]string{{"managed", "custom"}}
		}},
		{name: "update in progress", change: `{"tags":{"team":"green"}}`, console: func(c *eks.Cloud) {
			hosted.Map(c.Cluster["cluster"])["status"] = "UPDATING"
			c.Updates = append(c.Updates, map[string]any{"update": map[string]any{"id": "console-1", "status": "InProgress", "type": "ConfigUpdate"}})
		}},
		{name: "group in transition", change: `{"tags":{"team":"green"}}`, console: func(c *eks.Cloud) {
			hosted.Map(c.Nodegroups["plain"]["nodegroup"])["status"] = "UPDATING"
		}},
		{name: "resource in use", change: `{"privateAccess":true,"tags":{"team":"green"}}`,
			faults: []operator.Fault{{Op: "UpdateClusterConfig", Count: 1, HTTPStatus: 409, Code: "ResourceInUseException", Message: "Cluster is in use"}}},
		{name: "refused once", change: `{"privateAccess":true}`,
			faults: []operator.Fault{{Op: "UpdateClusterConfig", Count: 1, HTTPStatus: 400, Code: "InvalidParameterException", Message: "No"}}},
		{name: "operator restarted in between", change: `{"privateAccess":true,"tags":{"team":"green"}}`, meanwhile: func(r *rig) {
			r.operator.Stop(r.t)
			since := r.cloud.Requests()
			r.operator.Start(r.t)
			r.idle(since)
		}},
	}
}

// TestRealEKSOperatorDoesWhatIsPredicted runs each case twice: in a cloud that has
// done at once what it is asked for, as eks.Converge has it, and in one where it
// takes until the operator waits, as eks.Session has it.
func TestRealEKSOperatorDoesWhatIsPredicted(t *testing.T) {
	secret(t, "cc-aws", map[string]any{"amazonec2credentialConfig-accessKey": "EXAMPLE", "amazonec2credentialConfig-secretKey": "example"})
	for _, c := range eksCases() {
		t.Run(c.name+", done at once", func(t *testing.T) {
			r, in := runEKS(t, c, time.Nanosecond)
			passes, gaveUp := eks.Converge(in, passLimit)
			if gaveUp {
				t.Errorf("the restated operator gave up after %d passes", len(passes))
			}
			r.compare(passes)
		})
		t.Run(c.name+", taking time", func(t *testing.T) {
			r, in := runEKS(t, c, 0)
			session := eks.NewSession(in.Cloud)
			r.compare(timed(t, func() operator.Pass {
				p := session.Reconcile(in)
				session.Begin(p.Calls)
				in.Status = p.Status
				if slices.ContainsFunc(p.Calls, func(c operator.Call) bool { return c.Error != "" }) {
					in.Faults = nil // they strike once, and a session counts anew in each pass
				}
				return p
			}, session.Settle))
		})
	}
}

// runEKS lets the real operator carry out a case. It returns what the restated one
// is to start from.
func runEKS(t *testing.T, c eksCase, takes time.Duration) (*rig, eks.Input) {
	t.Helper()
	cloud := loopback.New(t)
	state, err := eks.DecodeCloud([]byte(eksCloud))
	if err != nil {
		t.Fatal(err)
	}
	cloud.SetEKS(t, state)
	cloud.Takes(takes)
	r := newRig(t, cloud, hosted.EKS, "c-abc12", value(t, eksConfig), value(t, eksStatus))
	if c.console != nil {
		cloud.EditEKS(c.console)
	}
	cloud.Fail(c.faults...)
	in := eks.Input{Name: "c-abc12", Status: hosted.Map(r.object()["status"]), Cloud: cloud.EKS(t), Faults: c.faults}
	in.Config = r.change(c.change)
	if c.meanwhile != nil {
		c.meanwhile(r)
	}
	r.converge()
	return r, in
}
