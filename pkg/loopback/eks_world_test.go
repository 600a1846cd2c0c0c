package loopback_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

func TestUpdatesOfEachTarget(t *testing.T) {
	s, a := newEKS(t)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s.Clock(func() time.Time { return now })
	s.AddUpdates(loopback.EKSName{},
		loopback.EKSUpdate{Body: map[string]any{"id": "c"}}, loopback.EKSUpdate{Nodegroup: "a", Body: map[string]any{"id": "g", "errors": []any{map[string]any{"errorCode": "E"}}}},
		loopback.EKSUpdate{Addon: "x", Body: map[string]any{"id": "x1"}}, loopback.EKSUpdate{Addon: "x", Body: map[string]any{"id": "x2"}},
		loopback.EKSUpdate{Addon: "x", Body: map[string]any{"id": "x3"}}, loopback.EKSUpdate{Addon: "x", Body: map[string]any{"id": "x4"}})
	updates := eksURL + "/clusters/atlas/updates"
	a.want(200, `{"updateIds":["c"]}`, "GET", updates, "")
	a.want(200, `{"updateIds":["g"]}`, "GET", updates+"?nodegroupName=a", "")
	a.want(200, `{"nextToken":"3","updateIds":["x1","x2","x3"]}`, "GET", updates+"?addonName=x", "")
	a.want(200, `{"updateIds":["x4"]}`, "GET", updates+"?addonName=x&nextToken=3", "")
	a.want(404, "No update found", "GET", updates+"/g", "")
	a.want(200, `"errorCode":"E"`, "GET", updates+"/g?nodegroupName=a", "")
	a.want(200, `"id":"x2"`, "GET", updates+"/x2?addonName=x", "")
	s.MixUpdates()
	_, text, _ := a.send("GET", updates+"?addonName=x", "")
	if strings.Contains(text, `["x1","x2","x3"]`) {
		t.Errorf("mixed: %s", text)
	}
	a.want(200, `"createdAt":1772366400,"errors":[],"id":"00000000-0000-4000-8000-000000000001","params":[{"type":"MaxSize","value":"5"}]`,
		"POST", eksURL+"/clusters/atlas/node-groups/a/update-config", `{"scalingConfig":{"maxSize":5}}`)
	now = now.Add(time.Minute)
	s.Settle()
	a.want(200, `"modifiedAt":1772366460`, "GET", eksURL+"/clusters/atlas/node-groups/a", "")
}

func TestStateLagsBehind(t *testing.T) {
	s, a := newEKS(t)
	s.LagEKS(1)
	a.want(200, `"InProgress"`, "POST", eksURL+"/clusters/atlas/updates", `{"version":"1.32"}`)
	a.want(200, `"status":"ACTIVE"`, "GET", eksURL+"/clusters/atlas", "")
	a.want(200, `"status":"UPDATING"`, "GET", eksURL+"/clusters/atlas", "")
}

func TestManyClustersInManyRegions(t *testing.T) {
	s, a := newEKS(t)
	names := s.AddEKSFleet(t, 4, "eu-west-1", "eu-central-1")
	if len(names) != 4 || names[3] != (loopback.EKSName{Region: "eu-central-1", Name: "fleet-003"}) {
		t.Fatalf("names %v", names)
	}
	other := func(region string) string { return "https://eks." + region + ".amazonaws.com/clusters/" }
	a.want(200, `"name":"fleet-003"`, "GET", other("eu-central-1")+"fleet-003", "")
	a.want(404, "No cluster found", "GET", other("eu-west-1")+"fleet-003", "")
	a.want(404, "No cluster found", "GET", eksURL+"/clusters/fleet-003", "")
	a.want(200, `"desiredSize":4`, "GET", other("eu-central-1")+"fleet-003/node-groups/pool-0", "")
	a.want(200, `"InProgress"`, "POST", other("eu-central-1")+"fleet-003/updates", `{"version":"1.32"}`)
	a.want(200, `"status":"ACTIVE"`, "GET", other("eu-west-1")+"fleet-002", "")
	a.want(200, `"status":"UPDATING"`, "GET", other("eu-central-1")+"fleet-003", "")
	s.Settle()
	a.want(200, `"status":"ACTIVE"`, "GET", other("eu-central-1")+"fleet-003", "")
	s.EditEKSOf(names[0], func(c *eks.Cloud) { hosted.Map(c.Cluster["cluster"])["version"] = "1.30" })
	a.want(200, `"version":"1.30"`, "GET", other("eu-west-1")+"fleet-000", "")
	a.want(200, `"name":"atlas"`, "GET", eksURL+"/clusters/atlas", "")
	s.KillRegion("eu-west-1")
	if _, err := a.client.Get(other("eu-west-1") + "fleet-000"); err == nil {
		t.Error("a dead region answered")
	}
	a.want(200, `"name":"fleet-003"`, "GET", other("eu-central-1")+"fleet-003", "")
}

func TestBadWeather(t *testing.T) {
	s, a := newEKS(t)
	s.SetWeather(loopback.Weather{Throttle: 0.5, Seed: 3, Latency: time.Millisecond})
	refused := 0
	for range 40 {
		if status, _, header := a.send("GET", eksURL+"/clusters/atlas", ""); status == 429 && header.Get("X-Amzn-ErrorType") == "ThrottlingException" {
			refused++
		}
	}
	if refused < 8 || refused > 32 {
		t.Errorf("%d of 40 were refused", refused)
	}
	if seen := s.Seen(); len(seen) != 40 || seen[0] != "eks:DescribeCluster" {
		t.Errorf("seen %d: %v", len(seen), seen[0])
	}
	s.SetWeather(loopback.Weather{})
	s.Break("DescribeCluster", 1, 1, loopback.HalfBody)
	s.Break("DescribeCluster", 2, 1, loopback.Page)
	s.Break("DescribeCluster", 3, 1, loopback.ErrorPage)
	s.Break("DescribeCluster", 4, 1, loopback.CutOff)
	url := eksURL + "/clusters/atlas"
	if _, text, _ := a.send("GET", url, ""); strings.HasSuffix(text, "}") || !strings.HasPrefix(text, `{"cluster"`) {
		t.Errorf("half a body: %s", text)
	}
	a.want(200, "<!DOCTYPE html>", "GET", url, "")
	a.want(502, "<!DOCTYPE html>", "GET", url, "")
	res, err := a.client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) || res.StatusCode != http.StatusOK {
		t.Errorf("cut off: %d %v", res.StatusCode, err)
	}
	res.Body.Close()
	a.want(200, `"name":"atlas"`, "GET", url, "")
}

func TestAuditTrailOfCalls(t *testing.T) {
	s, a := newEKS(t)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s.Clock(func() time.Time { return now })
	a.want(200, "", "POST", eksURL+"/clusters/atlas/updates", `{"version":"1.32"}`)
	for _, name := range []string{"A", "A", "A", "B"} {
		s.AddTrail(loopback.TrailEvent{Region: "us-west-2", Name: name, Time: now})
	}
	s.AddTrail(loopback.TrailEvent{Region: "eu-west-1", Name: "A", Time: now}, loopback.TrailEvent{Region: "us-west-2", Name: "A", Time: now.Add(-time.Hour)})
	const url = "https://cloudtrail.us-west-2.amazonaws.com/"
	ask := func(more string) string { return `{"StartTime":1772366399,"EndTime":1772366401` + more + `}` }
	named := func(name string) string {
		return `,"LookupAttributes":[{"AttributeKey":"EventName","AttributeValue":"` + name + `"}]`
	}
	a.want(200, `"NextToken":"2"`, "POST", url, ask(named("A")))
	_, text, _ := a.send("POST", url, ask(named("A")+`,"NextToken":"2"`))
	if strings.Count(text, "CloudTrailEvent") != 1 || strings.Contains(text, "NextToken") {
		t.Errorf("second page %s", text)
	}
	_, text, _ = a.send("POST", url, ask(named("UpdateClusterVersion")))
	for _, part := range []string{`\"id\":\"00000000-0000-4000-8000-000000000001\"`, `\"arn\":\"arn:aws:sts::123456789012:assumed-role/console/operator-1\"`, `\"version\":\"1.32\"`} {
		if !strings.Contains(text, part) {
			t.Errorf("the update's event lacks %s: %s", part, text)
		}
	}
	if !slices.Contains(s.Seen(), "cloudtrail:LookupEvents") {
		t.Errorf("seen %v", s.Seen())
	}
}
