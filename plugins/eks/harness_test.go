package eks_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	operator "github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
	"github.com/hostedsync/kubectl-hostedsync/plugins/eks"
)

// Values that no text may have.
const (
	secretID    = "AKIAPLANTED0000EXAMPLE"
	secretKey   = "planted/secret+key/0123456789abcdefEXAMPLE"
	secretToken = "planted-session-token-EXAMPLE"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// swift is the SDK's own retryer without its long pauses.
func swift() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return time.Millisecond, nil })
	})
}

// options are those of a reader that meets a loopback cloud.
func options(s *loopback.Server) eks.Options {
	client := s.Client()
	client.Transport.(*http.Transport).MaxIdleConnsPerHost = 64
	return eks.Options{Now: func() time.Time { return at }, HTTPClient: client, Retryer: swift,
		Login: credentials.NewStaticCredentialsProvider(secretID, secretKey, secretToken)}
}

// decode reads a JSON object.
func decode[T ~string | ~[]byte](tb testing.TB, text T) map[string]any {
	tb.Helper()
	v, err := hosted.Decode([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return hosted.Map(v)
}

func decodeCloud[T ~string | ~[]byte](tb testing.TB, text T) operator.Cloud {
	tb.Helper()
	c, err := operator.DecodeCloud([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// snapshot is a Rancher Cluster with a Config.
func snapshot(config map[string]any, managed string) *hosted.Snapshot {
	return &hosted.Snapshot{Name: "c-abc12", DisplayName: "Atlas", Provider: hosted.EKS, Config: config,
		Status: map[string]any{"managedLaunchTemplateID": managed}}
}

// atlas is the snapshot of atlasCloud.
func atlas() *hosted.Snapshot {
	return snapshot(map[string]any{"displayName": "atlas", "region": "us-west-2", "amazonCredentialSecret": "cattle-global-data:cc-aws"}, "lt-0rancher")
}

// atlasCloud has a group on Rancher's launch template, one on another, and on a
// second page one without.
const atlasCloud = `{
"cluster":{"cluster":{"name":"atlas","arn":"arn:aws:eks:us-west-2:123456789012:cluster/atlas","status":"ACTIVE","version":"1.31","createdAt":1750000000.25,
 "kubernetesNetworkConfig":{"ipFamily":"ipv4"},"roleArn":"arn:aws:iam::123456789012:role/cluster-role",
 "encryptionConfig":[{"resources":["secrets"],"provider":{"keyArn":"arn:aws:kms:us-west-2:123456789012:key/1"}}],
 "logging":{"clusterLogging":[{"enabled":false,"types":["scheduler"]},{"enabled":true,"types":["audit","api"]}]},
 "resourcesVpcConfig":{"endpointPublicAccess":true,"endpointPrivateAccess":false,"publicAccessCidrs":["203.0.113.0/24"],"subnetIds":["subnet-1","subnet-2"],"securityGroupIds":["sg-1"]},
 "tags":{"team":"blue"}}},
"listNodegroups":[["managed","custom"],["plain"]],
"addons":{"aws-ebs-csi-driver":{"addon":{"addonName":"aws-ebs-csi-driver","addonArn":"arn:aws:eks:us-west-2:123456789012:addon/atlas/aws-ebs-csi-driver/1","status":"DEGRADED","createdAt":1750000000.5,"modifiedAt":1750000000.5}}},
"nodegroups":{
 "managed":{"nodegroup":{"nodegroupName":"managed","clusterName":"atlas","status":"ACTIVE","version":"1.31","amiType":"AL2023_x86_64_STANDARD","capacityType":"ON_DEMAND",
  "nodegroupArn":"arn:aws:eks:us-west-2:123456789012:nodegroup/atlas/managed/1","launchTemplate":{"id":"lt-0rancher","name":"rancher-managed-lt-atlas","version":"2"},
  "scalingConfig":{"desiredSize":2,"minSize":1,"maxSize":4},"labels":{"role":"managed"},"tags":{"team":"blue"},"health":{"issues":[]},"createdAt":1750000000.5,"modifiedAt":1750000000.5,
  "nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1","subnet-2"]}},
 "custom":{"nodegroup":{"nodegroupName":"custom","clusterName":"atlas","status":"UPDATING","version":"1.30","amiType":"BOTTLEROCKET_ARM_64_NVIDIA","capacityType":"SPOT",
  "nodegroupArn":"arn:aws:eks:us-west-2:123456789012:nodegroup/atlas/custom/3","launchTemplate":{"id":"lt-0custom","name":"site-template","version":"$Latest"},"instanceTypes":["m7g.large","m6g.large"],
  "scalingConfig":{"desiredSize":2,"minSize":1,"maxSize":4},"health":{"issues":[]},"createdAt":1750000000.5,"modifiedAt":1750000000.5,
  "nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1"]}},
 "plain":{"nodegroup":{"nodegroupName":"plain","clusterName":"atlas","status":"ACTIVE","version":"1.31","amiType":"AL2_x86_64_GPU","capacityType":"ON_DEMAND",
  "nodegroupArn":"arn:aws:eks:us-west-2:123456789012:nodegroup/atlas/plain/2","instanceTypes":["t3.medium","t3.large"],"diskSize":30,"remoteAccess":{"ec2SshKey":"ops-key"},
  "scalingConfig":{"desiredSize":2,"minSize":1,"maxSize":4},"labels":{"role":"plain"},"tags":{"team":"blue"},"health":{"issues":[]},"createdAt":1750000000.5,"modifiedAt":1750000000.5,
  "nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1","subnet-2"]}}},
"launchTemplateVersions":[
 {"launchTemplateId":"lt-0rancher","launchTemplateName":"rancher-managed-lt-atlas","version":2,"launchTemplateData":{"instanceType":"m5.large","keyName":"ops-key","imageId":"ami-1",
  "userData":"ZWNobyBoaQ==","blockDeviceMappings":[{"deviceName":"/dev/xvda","ebs":{"volumeSize":20}}],"tagSpecifications":[{"resourceType":"volume","tags":[{"key":"x","value":"y"}]},{"resourceType":"instance","tags":[{"key":"team","value":"blue"}]}]}},
 {"launchTemplateId":"lt-0custom","launchTemplateName":"site-template","version":4,"launchTemplateData":{"keyName":"site-key","imageId":"ami-2",
  "blockDeviceMappings":[{"deviceName":"/dev/xvda","ebs":{"volumeSize":50}}]}}]}`

// newAtlas is a loopback cloud with atlasCloud and a reader of it.
func newAtlas(t *testing.T) (*loopback.Server, *eks.Reader) {
	t.Helper()
	s := loopback.New(t)
	s.SetEKS(t, decodeCloud(t, atlasCloud))
	return s, eks.New(options(s))
}

// must reads without a problem.
func must(t *testing.T, r *eks.Reader, req live.Request) hosted.Reading {
	t.Helper()
	got, err := r.Read(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// problemOf is the Problem of a reading that must fail.
func problemOf(t *testing.T, got hosted.Reading, err error) *live.Problem {
	t.Helper()
	var p *live.Problem
	if !errors.As(err, &p) {
		t.Fatalf("no problem: %v, the view is %v", err, hosted.Canonical(got.Spec))
	}
	if got.Spec != nil || p.Text == "" || p.Fix == "" || got.Error != p.Error() {
		t.Errorf("problem %+v with error %q and view %v", p, got.Error, got.Spec)
	}
	return p
}

// same compares two JSON values.
func same(t *testing.T, what string, got any, want string) {
	t.Helper()
	w, err := hosted.Decode([]byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if !hosted.Equal(got, w) {
		t.Errorf("%s is\n%s\nwant\n%s", what, hosted.Canonical(got), hosted.Canonical(w))
	}
}

func raw(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
