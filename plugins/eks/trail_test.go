package eks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	operatoreks "github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

const (
	console = "arn:aws:sts::123456789012:assumed-role/console/operator-1"
	robot   = "arn:aws:iam::123456789012:user/robot"
)

func TestAuditTrail(t *testing.T) {
	s, r := newAtlas(t)
	ago := func(minutes int) time.Time { return at.Add(-time.Duration(minutes) * time.Minute) }
	s.AddUpdates(loopback.EKSName{},
		loopback.EKSUpdate{Body: update("c-1", "VersionUpdate", "InProgress", ago(90), "Version", "1.32")},
		loopback.EKSUpdate{Body: update("c-2", "LoggingUpdate", "Successful", ago(9), "ClusterLogging", "{}")},
		loopback.EKSUpdate{Nodegroup: "plain", Body: update("g-1", "ConfigUpdate", "Successful", ago(8), "MaxSize", "4")},
	)
	s.EditEKS(func(c *operatoreks.Cloud) {
		hosted.Map(c.Nodegroups["custom"]["nodegroup"])["createdAt"] = seconds(ago(7))
	})
	of := func(id string) map[string]any { return map[string]any{"update": map[string]any{"id": id}} }
	event := func(name, user string, minutes int, request, response map[string]any) loopback.TrailEvent {
		return loopback.TrailEvent{Region: "us-west-2", Name: name, User: user, Time: ago(minutes), Request: request, Response: response}
	}
	s.AddTrail(
		event("UpdateClusterVersion", console, 90, nil, of("c-1")),
		event("UpdateClusterConfig", robot, 9, nil, of("c-2")),
		event("UpdateNodegroupConfig", console, 8, nil, of("g-1")),
		event("UpdateNodegroupConfig", robot, 8, nil, of("somebody-else's")),
		event("CreateNodegroup", robot, 7, map[string]any{"clusterName": "atlas", "nodegroupName": "custom"}, nil),
		event("CreateNodegroup", robot, 7, map[string]any{"clusterName": "other", "nodegroupName": "custom"}, nil),
		event("TagResource", console, 6, map[string]any{"resourceArn": "arn%3Aaws%3Aeks%3Aus-west-2%3A123456789012%3Acluster%2Fatlas"}, nil),
		event("UntagResource", robot, 5, map[string]any{"resourceArn": "arn:aws:eks:us-west-2:123456789012:nodegroup/atlas/plain/2"}, nil),
		event("TagResource", robot, 5, map[string]any{"resourceArn": "arn:aws:eks:us-west-2:123456789012:cluster/other"}, nil),
		event("TagResource", robot, 70, map[string]any{"resourceArn": "arn:aws:eks:us-west-2:123456789012:cluster/atlas"}, nil), // too old
		event("DeleteNodegroup", console, 4, map[string]any{"name": "atlas", "nodegroupName": "gone"}, nil),
		event("DeleteAddon", console, 3, map[string]any{"clusterName": "atlas", "addonName": "vpc-cni"}, nil), // no field
	)
	got := must(t, r, live.Request{Snapshot: atlas(), Since: at.Add(-time.Hour), Who: true})
	var told []string
	for _, u := range got.Updates {
		told = append(told, fmt.Sprintf("%s%s %v %s", u.ID, u.Type, u.Fields, u.By[strings.LastIndex(u.By, "/")+1:]))
	}
	want := `DeleteNodegroup [nodeGroups[gone]] operator-1
UntagResource [nodeGroups[plain].tags] robot
TagResource [tags] operator-1
CreateNodegroup [nodeGroups[custom]] robot
g-1ConfigUpdate [nodeGroups[plain].maxSize] operator-1
c-2LoggingUpdate [loggingTypes] robot
c-1VersionUpdate [kubernetesVersion] operator-1`
	if b := strings.Join(told, "\n"); b != want || got.NoHistory != "" {
		t.Errorf("without %q:\n%s\nwant\n%s", got.NoHistory, b, want)
	}
	// Nobody is asked for unless it is wanted.
	quiet := must(t, r, live.Request{Snapshot: atlas(), Since: at.Add(-time.Hour)})
	for _, u := range quiet.Updates {
		if u.By != "" {
			t.Errorf("%s is by %s", u.ID, u.By)
		}
	}
}

func TestAuditTrailFails(t *testing.T) {
	s, r := newAtlas(t)
	s.AddUpdates(loopback.EKSName{}, loopback.EKSUpdate{Body: update("c-1", "VersionUpdate", "InProgress", at, "Version", "1.32")})
	s.Fail(operator.Fault{Op: "LookupEvents", HTTPStatus: 400, Code: "AccessDeniedException", Message: "no"})
	got := must(t, r, live.Request{Snapshot: atlas(), Since: at.Add(-time.Hour), Who: true})
	if len(got.Updates) != 1 || got.Updates[0].By != "" || !strings.Contains(got.NoHistory, "grant the right cloudtrail:LookupEvents") {
		t.Errorf("updates %s, no history %q", brief(got.Updates), got.NoHistory)
	}
	// A trail that is too long says so.
	s, r = newAtlas(t)
	for i := range 50 {
		s.AddTrail(loopback.TrailEvent{Region: "us-west-2", Name: "TagResource", User: robot, Time: at.Add(-time.Duration(i) * time.Second),
			Request: map[string]any{"resourceArn": "arn:aws:eks:us-west-2:123456789012:cluster/other"}})
	}
	got = must(t, r, live.Request{Snapshot: atlas(), Since: at.Add(-time.Hour), Who: true})
	if !strings.Contains(got.NoHistory, "too many events of TagResource") {
		t.Errorf("no history %q", got.NoHistory)
	}
}
