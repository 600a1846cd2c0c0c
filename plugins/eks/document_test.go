package eks

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

func TestDocument(t *testing.T) {
	created := time.UnixMilli(1750000000500)
	for _, c := range []struct {
		in   any
		want string
	}{
		{&awseks.DescribeClusterOutput{}, `{}`},
		{(*awseks.DescribeClusterOutput)(nil), `null`},
		{&awseks.DescribeClusterOutput{Cluster: &types.Cluster{Name: aws.String(""), CreatedAt: &created, Tags: map[string]string{"A": ""},
			ResourcesVpcConfig: &types.VpcConfigResponse{SubnetIds: []string{}, EndpointPublicAccess: true}}},
			`{"cluster":{"name":"","createdAt":1750000000.5,"tags":{"A":""},"resourcesVpcConfig":{"subnetIds":[],"endpointPublicAccess":true,"endpointPrivateAccess":false}}}`},
		{&types.Nodegroup{Status: "ACTIVE", DiskSize: aws.Int32(0), InstanceTypes: []string{"a", ""}, RemoteAccess: &types.RemoteAccessConfig{Ec2SshKey: aws.String("k")}},
			`{"status":"ACTIVE","diskSize":0,"instanceTypes":["a",""],"remoteAccess":{"ec2SshKey":"k"}}`},
		{&ec2types.ResponseLaunchTemplateData{InstanceType: "m5.large", EbsOptimized: aws.Bool(false),
			BlockDeviceMappings: []ec2types.LaunchTemplateBlockDeviceMapping{{Ebs: &ec2types.LaunchTemplateEbsBlockDevice{VolumeSize: aws.Int32(20)}}}},
			`{"instanceType":"m5.large","ebsOptimized":false,"blockDeviceMappings":[{"ebs":{"volumeSize":20}}]}`},
	} {
		var got any
		if d := document(c.in); d != nil {
			got = d
		}
		want, err := hosted.Decode([]byte(c.want))
		if err != nil {
			t.Fatal(err)
		}
		if !hosted.Equal(got, want) {
			t.Errorf("%T: got %s, want %s", c.in, hosted.Canonical(got), c.want)
		}
	}
	for _, v := range []any{map[string]any(nil), 5, func() {}} {
		if d := document(v); d != nil {
			t.Errorf("%T is %v", v, d)
		}
	}
}

// Every member that the SDK writes of a request comes out under the same name: the
// types of requests and answers share their members, and the SDK writes requests
// itself.
func TestDocumentHasTheAPIsNames(t *testing.T) {
	text := `{"amiType":"CUSTOM","capacityType":"SPOT","clusterName":"c","diskSize":1,"instanceTypes":["a"],"labels":{"a":"b"},"modifiedAt":1750000000.5,` +
		`"launchTemplate":{"id":"lt-1","name":"n","version":"1"},"nodeRole":"r","nodegroupArn":"x","nodegroupName":"n","releaseVersion":"v",` +
		`"remoteAccess":{"ec2SshKey":"k","sourceSecurityGroups":["s"]},"scalingConfig":{"desiredSize":1,"maxSize":2,"minSize":0},"status":"ACTIVE",` +
		`"subnets":["s"],"tags":{"t":"u"},"taints":[{"effect":"NO_EXECUTE","key":"k","value":"v"}],"updateConfig":{"maxUnavailable":1},"version":"1.31"}`
	var n types.Nodegroup
	fields := map[string]any{}
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "modifiedAt") // encoding/json reads no seconds
	plain, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(plain, &n); err != nil { // which does not mind the case of members
		t.Fatal(err)
	}
	n.ModifiedAt = aws.Time(time.UnixMilli(1750000000500))
	want, err := hosted.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := document(&n); !hosted.Equal(got, want) {
		t.Errorf("got %s\nwant %s", hosted.Canonical(got), fmt.Sprint(text))
	}
}
