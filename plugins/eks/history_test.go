package eks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	operatoreks "github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
	"github.com/hostedsync/kubectl-hostedsync/plugins/eks"
)

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// update is a record of the loopback cloud. params are pairs.
func update(id, kind, status string, created time.Time, params ...string) map[string]any {
	var list []any
	for i := 0; i+1 < len(params); i += 2 {
		list = append(list, map[string]any{"type": params[i], "value": params[i+1]})
	}
	return map[string]any{"id": id, "type": kind, "status": status, "createdAt": seconds(created), "params": list}
}

// brief are updates with what tells them apart.
func brief(updates []hosted.CloudUpdate) string {
	var out []string
	for _, u := range updates {
		text := fmt.Sprintf("%s %s %s %q %v none=%v", u.ID, u.Type, u.State, u.Target, u.Fields, u.None)
		out = append(out, strings.TrimSpace(text))
	}
	return strings.Join(out, "\n")
}

func TestHistory(t *testing.T) {
	s, r := newAtlas(t)
	s.MixUpdates()
	since := at.Add(-time.Hour)
	ago := func(minutes int) time.Time { return at.Add(-time.Duration(minutes) * time.Minute) }
	failed := update("c-3", "VpcConfigUpdate", "Failed", ago(30), "Subnets", "subnet-1,subnet-2")
	failed["errors"] = []any{map[string]any{"errorCode": "IpNotAvailable", "errorMessage": "no free addresses", "resourceIds": []any{"subnet-1"}}}
	s.AddUpdates(loopback.EKSName{},
		loopback.EKSUpdate{Body: update("c-1", "VersionUpdate", "InProgress", ago(90), "Version", "1.32", "PlatformVersion", "eks.1")},
		loopback.EKSUpdate{Body: update("c-2", "LoggingUpdate", "Successful", ago(50), "ClusterLogging", `{"clusterLogging":[]}`)},
		loopback.EKSUpdate{Body: failed},
		loopback.EKSUpdate{Body: update("c-4", "EndpointAccessUpdate", "Successful", ago(70), "EndpointPublicAccess", "true")}, // too old
		loopback.EKSUpdate{Body: update("c-5", "AutoModeUpdate", "Successful", ago(5), "ComputeConfig", "{}")},
		loopback.EKSUpdate{Body: update("c-6", "VersionUpdate", "Cancelled", ago(4))},
		loopback.EKSUpdate{Nodegroup: "managed", Body: update("g-1", "VersionUpdate", "Successful", ago(20), "LaunchTemplateVersion", "2", "ReleaseVersion", "x")},
		loopback.EKSUpdate{Nodegroup: "custom", Body: update("g-2", "ConfigUpdate", "InProgress", ago(10), "DesiredSize", "3", "MaxUnavailable", "1")},
		loopback.EKSUpdate{Nodegroup: "plain", Body: update("g-3", "ConfigUpdate", "Successful", ago(15), "TaintsToAdd", "[]")},
		loopback.EKSUpdate{Nodegroup: "plain", Body: update("g-4", "ConfigUpdate", "Successful", ago(14), "SomethingNew", "1")},
		loopback.EKSUpdate{Addon: "aws-ebs-csi-driver", Body: update("a-1", "AddonUpdate", "Successful", ago(3), "AddonVersion", "v2")},
	)
	s.EditEKS(func(c *operatoreks.Cloud) {
		hosted.Map(c.Nodegroups["managed"]["nodegroup"])["modifiedAt"] = seconds(ago(18))
	})
	got := must(t, r, live.Request{Snapshot: atlas(), Since: since})
	want := `a-1 AddonUpdate done "" [] none=true
c-6 VersionUpdate cancelled "" [kubernetesVersion] none=false
c-5 AutoModeUpdate done "" [] none=true
g-2 ConfigUpdate running "nodeGroups[custom]" [nodeGroups[custom].desiredSize] none=false
g-4 ConfigUpdate done "nodeGroups[plain]" [] none=false
g-3 ConfigUpdate done "nodeGroups[plain]" [] none=true
g-1 VersionUpdate done "nodeGroups[managed]" [nodeGroups[managed].diskSize nodeGroups[managed].ec2SshKey nodeGroups[managed].imageId nodeGroups[managed].instanceType nodeGroups[managed].resourceTags nodeGroups[managed].userData] none=false
c-3 VpcConfigUpdate failed "" [subnets] none=false
c-2 LoggingUpdate done "" [loggingTypes] none=false
c-1 VersionUpdate running "" [kubernetesVersion] none=false`
	if b := brief(got.Updates); b != want || got.NoHistory != "" {
		t.Errorf("history, without %q:\n%s\nwant\n%s", got.NoHistory, b, want)
	}
	if u := got.Updates[7]; len(u.Errors) != 1 || u.Errors[0] != "IpNotAvailable: no free addresses (subnet-1)" ||
		len(u.Params) != 1 || u.Params[0] != (hosted.CloudParam{Name: "Subnets", Value: "subnet-1,subnet-2"}) || !u.Start.Equal(ago(30)) || !u.End.IsZero() {
		t.Errorf("the failed update is %+v", u)
	}
	if u := got.Updates[6]; !u.End.Equal(ago(18)) || !strings.Contains(u.Source, "modifiedAt") {
		t.Errorf("the group's update ended at %v (%s)", u.End, u.Source)
	}
	if u := got.Updates[3]; !u.End.IsZero() {
		t.Errorf("a running update ended at %v", u.End)
	}
}

// What has ended is not asked for again, what runs is, and that an update ended is
// noticed, also if it began before the time that is asked for.
func TestRecordsAreKept(t *testing.T) {
	s, r := newAtlas(t)
	count := func() int {
		n := 0
		for _, op := range s.Seen() {
			if op == "eks:DescribeUpdate" {
				n++
			}
		}
		return n
	}
	old := at.Add(-24 * time.Hour)
	s.AddUpdates(loopback.EKSName{},
		loopback.EKSUpdate{Body: update("old-1", "LoggingUpdate", "Successful", old)},
		loopback.EKSUpdate{Body: update("old-2", "LoggingUpdate", "Failed", old)},
		loopback.EKSUpdate{Body: update("long", "VersionUpdate", "InProgress", old)},
	)
	req := live.Request{Snapshot: atlas(), Since: time.Now().Add(-time.Minute)} // the loopback server dates its answers
	first := must(t, r, req)
	if b := brief(first.Updates); b != `long VersionUpdate running "" [kubernetesVersion] none=false` || count() != 3 {
		t.Errorf("first, after %d calls: %s", count(), b)
	}
	s.Settle()
	second := must(t, r, req)
	if b := brief(second.Updates); b != `long VersionUpdate done "" [kubernetesVersion] none=false` || count() != 4 {
		t.Errorf("second, after %d calls: %s", count(), b)
	}
	if end := second.Updates[0].End; end.IsZero() || end.After(time.Now().Add(time.Second)) {
		t.Errorf("it was seen ended at %v", end)
	}
	third := must(t, r, req)
	if brief(third.Updates) != brief(second.Updates) || count() != 4 {
		t.Errorf("third, after %d calls: %s", count(), brief(third.Updates))
	}
	if other := must(t, eks.New(options(s)), req); len(other.Updates) != 0 {
		t.Errorf("who has not seen it run cannot know: %s", brief(other.Updates))
	}
}

// What leaves no record leaves a date.
func TestTraces(t *testing.T) {
	s, r := newAtlas(t)
	since := at.Add(-time.Hour)
	s.EditEKS(func(c *operatoreks.Cloud) {
		group := func(name string) map[string]any { return hosted.Map(c.Nodegroups[name]["nodegroup"]) }
		group("managed")["modifiedAt"] = seconds(at.Add(-10 * time.Minute)) // its tags
		group("plain")["createdAt"], group("plain")["modifiedAt"] = seconds(at.Add(-20*time.Minute)), seconds(at.Add(-19*time.Minute))
		group("plain")["status"] = "CREATE_FAILED"
		group("plain")["health"] = map[string]any{"issues": []any{map[string]any{"code": "AccessDenied", "message": "no"}}}
		group("custom")["status"], group("custom")["modifiedAt"] = "DELETING", seconds(at.Add(-5*time.Minute))
		hosted.Map(c.Addons["aws-ebs-csi-driver"]["addon"])["createdAt"] = seconds(at.Add(-2 * time.Minute))
	})
	s.AddUpdates(loopback.EKSName{}, loopback.EKSUpdate{Nodegroup: "managed", Body: update("g-0", "ConfigUpdate", "Successful", at.Add(-48*time.Hour))})
	got := must(t, r, live.Request{Snapshot: atlas(), Since: since})
	want := `CreateAddon done "" [ebsCSIDriver] none=false
DeleteNodegroup running "nodeGroups[custom]" [nodeGroups[custom]] none=false
NodegroupModified done "nodeGroups[managed]" [] none=false
CreateNodegroup failed "nodeGroups[plain]" [nodeGroups[plain]] none=false`
	if b := brief(got.Updates); b != want {
		t.Errorf("traces:\n%s\nwant\n%s", b, want)
	}
	if p := got.Updates[2].Params; len(p) != 1 || !strings.Contains(p[0].Value, "g-0") {
		t.Errorf("the modification names %v", p)
	}
	if e := got.Updates[3].Errors; len(e) != 1 || e[0] != "AccessDenied: no" {
		t.Errorf("the failed creation says %v", e)
	}
}

// A history that cannot be read leaves the reading usable and says what is missing.
func TestNoHistory(t *testing.T) {
	denied := operator.Fault{HTTPStatus: 403, Code: "AccessDeniedException", Message: "User is not authorized to perform that"}
	for _, c := range []struct{ op, want string }{
		{"ListUpdates", "grant the right eks:ListUpdates to the login"},
		{"DescribeUpdate", "grant the right eks:DescribeUpdate to the login"},
	} {
		s, r := newAtlas(t)
		s.AddUpdates(loopback.EKSName{}, loopback.EKSUpdate{Body: update("c-1", "LoggingUpdate", "InProgress", at)})
		f := denied
		f.Op = c.op
		s.Fail(f)
		got := must(t, r, live.Request{Snapshot: atlas(), Since: at.Add(-time.Hour)})
		if got.Spec == nil || got.Partial || got.Error != "" || !strings.Contains(got.NoHistory, c.want) || strings.Contains(got.NoHistory, "\n") {
			t.Errorf("%s: partial %v %q, no history %q", c.op, got.Partial, got.Error, got.NoHistory)
		}
	}
	// One page of one list fails: the rest is told, and that it is not all.
	s, r := newAtlas(t)
	for i := range 7 {
		s.AddUpdates(loopback.EKSName{}, loopback.EKSUpdate{Nodegroup: "plain", Body: update(fmt.Sprint("g-", i), "ConfigUpdate", "Successful", at)})
	}
	s.AddUpdates(loopback.EKSName{}, loopback.EKSUpdate{Body: update("c-1", "LoggingUpdate", "InProgress", at)})
	s.Break("ListUpdates", 6, 0, loopback.HalfBody)
	got := must(t, r, live.Request{Snapshot: atlas(), Since: at.Add(-time.Hour)})
	if len(got.Updates) == 0 || !strings.HasPrefix(got.NoHistory, "eks:ListUpdates: ") || !strings.Contains(got.NoHistory, "not what AWS's API sends") {
		t.Errorf("%d updates, no history %q", len(got.Updates), got.NoHistory)
	}
}

// A change that is made through EKS's API shows in the next reading, although the
// state lags behind.
func TestHistoryOfRealCalls(t *testing.T) {
	s, r := newAtlas(t)
	s.Clock(func() time.Time { return at })
	s.LagEKS(100)
	client := sdk(s, "us-west-2")
	if err := scale(t.Context(), client, "atlas", "plain", 5); err != nil {
		t.Fatal(err)
	}
	got := must(t, r, live.Request{Snapshot: atlas(), Since: at.Add(-time.Minute), Who: true})
	if len(got.Updates) != 1 {
		t.Fatalf("updates %s", brief(got.Updates))
	}
	u := got.Updates[0]
	if u.State != hosted.UpdateRunning || fmt.Sprint(u.Fields) != "[nodeGroups[plain].desiredSize]" || !u.Start.Equal(at) ||
		u.By != "arn:aws:sts::123456789012:assumed-role/console/operator-1" {
		t.Errorf("update %+v", u)
	}
	if v := pick(got.Truth, "nodeGroups[].desiredSize"); raw(v) != "[2,2,5]" {
		t.Errorf("sizes %v", v)
	}
}

// The SDK's names of params and types are all known here.
func TestEveryParamIsKnown(t *testing.T) {
	for _, p := range types.UpdateParamType("").Values() {
		if _, ok := eks.ParamFields()[string(p)]; !ok {
			t.Errorf("param %s is not known", p)
		}
	}
	for _, k := range types.UpdateType("").Values() {
		if _, ok := eks.TypeFields()[string(k)]; !ok && k != types.UpdateTypeConfigUpdate { // a node group's only
			t.Errorf("type %s is not known", k)
		}
	}
}
