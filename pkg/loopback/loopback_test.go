package loopback_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/aks"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

const (
	eksURL = "https://eks.us-west-2.api.aws"
	ec2URL = "https://ec2.us-west-2.api.aws/"
	armURL = "https://management.azure.com/subscriptions/0/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/demo"
)

// asker sends requests through the proxy.
type asker struct {
	t      *testing.T
	client *http.Client
}

func (a asker) send(method, url, body string) (int, string, http.Header) {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	res, err := a.client.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return res.StatusCode, string(text), res.Header
}

// want sends a request and expects a status and a part of the answer.
func (a asker) want(status int, part, method, url, body string) {
	a.t.Helper()
	if got, text, _ := a.send(method, url, body); got != status || !strings.Contains(text, part) {
		a.t.Errorf("%s %s: %d %s, want %d and %q", method, url, got, text, status, part)
	}
}

func newEKS(t *testing.T) (*loopback.Server, asker) {
	t.Helper()
	c, err := eks.DecodeCloud([]byte(`{
"cluster":{"cluster":{"name":"atlas","arn":"arn:aws:eks:us-west-2:123456789012:cluster/atlas","status":"ACTIVE","version":"1.31","resourcesVpcConfig":{"endpointPublicAccess":true}}},
"listNodegroups":[["a"],["b"]],"nodegroups":{"a":{"nodegroup":{"nodegroupName":"a","status":"ACTIVE","scalingConfig":{"minSize":1,"maxSize":3}}}},
"launchTemplateVersions":[{"launchTemplateId":"lt-1","launchTemplateName":"one","version":1,"launchTemplateData":{"instanceType":"m5.large"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s := loopback.New(t)
	s.SetEKS(t, c)
	return s, asker{t, s.Client()}
}

func newAKS(t *testing.T) (*loopback.Server, asker) {
	t.Helper()
	c, err := aks.DecodeCloud([]byte(`{"name":"demo","location":"eastus","tags":{"a":"1"},"properties":{"provisioningState":"Succeeded","agentPoolProfiles":[{"name":"p","count":1,"provisioningState":"Succeeded"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	s := loopback.New(t)
	s.SetAKS(c)
	return s, asker{t, s.Client()}
}

// one checks that there was one call so far, and which.
func one(t *testing.T, s *loopback.Server, want string) {
	t.Helper()
	var got []string
	for _, c := range s.Calls() {
		got = append(got, fmt.Sprintf("%s %s %s %s %s%s", c.Service, c.Op, c.Target, hosted.Canonical(c.Input), c.Effect, c.Error))
	}
	if len(got) != 1 || got[0] != want {
		t.Errorf("calls %q, want %q", got, want)
	}
}

func TestClusterIsBusyUntilItIsSettled(t *testing.T) {
	s, a := newEKS(t)
	update := eksURL + "/clusters/atlas/update-config"
	a.want(200, `"InProgress"`, "POST", update, `{"resourcesVpcConfig":{"endpointPrivateAccess":true},"clientRequestToken":"x"}`)
	one(t, s, `eks UpdateClusterConfig  {"name":"atlas","resourcesVpcConfig":{"endpointPrivateAccess":true}} update`)
	a.want(200, `"status":"UPDATING"`, "GET", eksURL+"/clusters/atlas", "")
	a.want(409, "update in progress", "POST", update, `{"logging":{}}`)
	a.want(200, `{"updateIds":["00000000-0000-4000-8000-000000000001"]}`, "GET", eksURL+"/clusters/atlas/updates", "")
	s.Settle()
	a.want(200, `"status":"ACTIVE"`, "GET", eksURL+"/clusters/atlas", "")
	a.want(200, `"Successful"`, "GET", eksURL+"/clusters/atlas/updates/00000000-0000-4000-8000-000000000001", "")
	if v, _ := hosted.Dig(s.EKS(t).Cluster, "cluster", "resourcesVpcConfig"); hosted.Canonical(v) != `{"endpointPrivateAccess":true,"endpointPublicAccess":true}` {
		t.Errorf("the VPC settings are %v", v)
	}
}

func TestTimeSettlesToo(t *testing.T) {
	s, a := newEKS(t)
	const takes = 20 * time.Millisecond
	s.Takes(takes)
	a.want(200, `"InProgress"`, "POST", eksURL+"/clusters/atlas/node-groups/a/update-config", `{"scalingConfig":{"maxSize":5}}`)
	if err := s.WaitIdle(t.Context(), 0, takes); err != nil {
		t.Fatal(err)
	}
	a.want(200, `"scalingConfig":{"maxSize":5,"minSize":1},"status":"ACTIVE"`, "GET", eksURL+"/clusters/atlas/node-groups/a", "")
}

func TestTagsAreSetAtOnce(t *testing.T) {
	s, a := newEKS(t)
	arn := eksURL + "/tags/arn%3Aaws%3Aeks%3Aus-west-2%3A123456789012%3Acluster%2Fatlas"
	a.want(200, "", "POST", arn, `{"tags":{"a":"1","b":"2","c":"3"}}`)
	a.want(200, "", "DELETE", arn+"?tagKeys=c&tagKeys=a", "")
	a.want(200, `"status":"ACTIVE","tags":{"b":"2"}`, "GET", eksURL+"/clusters/atlas", "")
	if c := s.Calls()[1]; hosted.Canonical(c.Input) != `{"resourceArn":"arn:aws:eks:us-west-2:123456789012:cluster/atlas","tagKeys":["a","c"]}` {
		t.Errorf("recorded %s", hosted.Canonical(c.Input))
	}
}

func TestGroupsComeAndGo(t *testing.T) {
	s, a := newEKS(t)
	groups := eksURL + "/clusters/atlas/node-groups"
	a.want(200, `{"nextToken":"1","nodegroups":["a"]}`, "GET", groups, "")
	a.want(200, `{"nodegroups":["b"]}`, "GET", groups+"?nextToken=1", "")
	a.want(409, "already exists", "POST", groups, `{"nodegroupName":"a"}`)
	a.want(200, `"CREATING"`, "POST", groups, `{"nodegroupName":"c","launchTemplate":{"id":"lt-1"}}`)
	a.want(200, `"DELETING"`, "DELETE", groups+"/a", "")
	a.want(404, "No node group found", "DELETE", groups+"/none", "")
	s.Settle()
	a.want(404, "No node group found", "GET", groups+"/a", "")
	a.want(200, `"launchTemplate":{"id":"lt-1","name":"one","version":"1"}`, "GET", groups+"/c", "")
}

func TestLaunchTemplates(t *testing.T) {
	s, a := newEKS(t)
	a.want(200, "<versionNumber>2</versionNumber>", "POST", ec2URL, "Action=CreateLaunchTemplateVersion&LaunchTemplateId=lt-1&ClientToken=x&Version=2016-11-15"+
		"&LaunchTemplateData.BlockDeviceMapping.1.DeviceName=d&LaunchTemplateData.BlockDeviceMapping.1.Ebs.VolumeSize=20"+
		"&LaunchTemplateData.TagSpecification.1.ResourceType=instance&LaunchTemplateData.TagSpecification.1.Tag.1.Key=k&LaunchTemplateData.TagSpecification.1.Tag.1.Value=v")
	one(t, s, `ec2 CreateLaunchTemplateVersion  {"launchTemplateData":{"blockDeviceMappings":[{"deviceName":"d","ebs":{"volumeSize":20}}],`+
		`"tagSpecifications":[{"resourceType":"instance","tags":[{"key":"k","value":"v"}]}]},"launchTemplateId":"lt-1"} update`)
	a.want(200, "<ebs><volumeSize>20</volumeSize></ebs>", "POST", ec2URL, "Action=DescribeLaunchTemplateVersions&LaunchTemplateId=lt-1&LaunchTemplateVersion.1=2")
	a.want(200, "", "POST", ec2URL, "Action=DeleteLaunchTemplateVersions&LaunchTemplateId=lt-1&LaunchTemplateVersion.1=2")
	a.want(400, "VersionNotFound", "POST", ec2URL, "Action=DescribeLaunchTemplateVersions&LaunchTemplateId=lt-1&LaunchTemplateVersion.1=2")
	a.want(400, "NotFound", "POST", ec2URL, "Action=DescribeLaunchTemplates&LaunchTemplateName.1=none")
}

func TestFaultsStrikeAndAreRecorded(t *testing.T) {
	s, a := newEKS(t)
	s.Fail(operator.Fault{Op: "UpdateClusterVersion", Count: 1, HTTPStatus: 409, Code: "ResourceInUseException", Message: "busy"})
	a.want(409, "busy", "POST", eksURL+"/clusters/atlas/updates", `{"version":"1.32"}`)
	one(t, s, `eks UpdateClusterVersion  {"name":"atlas","version":"1.32"} updateResourceInUseException`)
	a.want(200, "VersionUpdate", "POST", eksURL+"/clusters/atlas/updates", `{"version":"1.32"}`)
}

func TestManagedCluster(t *testing.T) {
	s, a := newAKS(t)
	a.want(200, `"provisioningState":"Updating"`, "PATCH", armURL, `{"tags":{"b":"2"}}`)
	one(t, s, ` ManagedClusters.BeginUpdateTags rg/demo {"tags":{"b":"2"}} update`)
	a.want(409, "in progress", "PUT", armURL, `{"location":"eastus"}`)
	s.Settle()
	a.want(200, `"provisioningState":"Succeeded"},"tags":{"b":"2"}}`, "GET", armURL, "")
	a.want(200, "", "PUT", armURL, `{"location":"eastus","properties":{"agentPoolProfiles":[]}}`)
	s.Settle()
	if got := hosted.Canonical(s.AKS(t).Document()["properties"]); got != `{"agentPoolProfiles":[],"provisioningState":"Succeeded"}` {
		t.Errorf("after a request for the whole cluster: %s", got)
	}
}

func TestAgentPools(t *testing.T) {
	s, a := newAKS(t)
	a.want(200, `"Scaling"`, "PUT", armURL+"/agentPools/p", `{"properties":{"count":2}}`)
	a.want(201, `"Creating"`, "PUT", armURL+"/agentPools/q", `{"properties":{"count":1}}`)
	s.Settle()
	status, _, header := a.send("DELETE", armURL+"/agentPools/p", "")
	if status != 202 {
		t.Fatalf("a pool's deletion was answered with %d", status)
	}
	a.want(202, "", "GET", header.Get("Location"), "")
	s.Settle()
	a.want(204, "", "GET", header.Get("Location"), "")
	a.want(200, `"agentPoolProfiles":[{"count":1,"name":"q","provisioningState":"Succeeded"}]`, "GET", armURL, "")
}

func TestConsoleEditsAreNoCalls(t *testing.T) {
	s, a := newEKS(t)
	s.EditEKS(func(c *eks.Cloud) { hosted.Map(c.Cluster["cluster"])["version"] = "1.32" })
	a.want(200, `"version":"1.32"`, "GET", eksURL+"/clusters/atlas", "")
	if len(s.Calls()) > 0 {
		t.Error("an edit was recorded as a call")
	}
}

func TestWhatIsNotServedIsReported(t *testing.T) {
	s, err := loopback.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a := asker{t, s.Client()}
	a.want(501, "does not serve", "GET", "https://iam.example.com/", "")
	a.want(501, "does not serve", "DELETE", eksURL+"/clusters/atlas", "")
	if got := s.Unserved(); len(got) != 2 {
		t.Errorf("reported %q", got)
	}
}
