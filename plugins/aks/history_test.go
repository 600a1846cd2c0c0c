package aks

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
)

// event is an event of the Activity Log, some minutes before the clock of the tests.
func event(correlation string, minutesAgo float64, operation, below, status string, more ...map[string]any) map[string]any {
	at := clock.Add(-time.Duration(minutesAgo * float64(time.Minute)))
	e := map[string]any{
		"correlationId": correlation, "eventTimestamp": at.Format(time.RFC3339Nano), "resourceGroupName": "RG-Demo",
		"resourceId": clusterID + below, "operationName": map[string]any{"value": operation}, "status": map[string]any{"value": status},
		"caller": "ops@example.com",
	}
	for _, m := range more {
		for k, v := range m {
			e[k] = v
		}
	}
	return e
}

const (
	clusterWrite = "Microsoft.ContainerService/managedClusters/write"
	poolWrite    = "Microsoft.ContainerService/managedClusters/agentPools/write"
)

// past reads the history of the last half hour.
func readPast(t *testing.T, r *rig, change ...func(*live.Request)) hosted.Reading {
	t.Helper()
	req := request(t)
	req.Since = clock.Add(-30 * time.Minute)
	for _, c := range change {
		c(&req)
	}
	return mustRead(t, r, req)
}

func who(req *live.Request) { req.Who = true }

// line is an update in short.
func line(u hosted.CloudUpdate) string {
	short := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.Format("15:04:05")
	}
	return fmt.Sprintf("%s %s %s %s..%s [%s] %v none=%v by=%s", u.Type[strings.LastIndex(u.Type, "/")+1:], u.Status, u.State,
		short(u.Start), short(u.End), u.Target, u.Fields, u.None, u.By)
}

func sameLines(t *testing.T, list []hosted.CloudUpdate, want ...string) {
	t.Helper()
	var got []string
	for _, u := range list {
		got = append(got, line(u))
		if u.Source == "" || u.ID == "" {
			t.Errorf("no source or id: %+v", u)
		}
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("updates\n got\n%s\nwant\n%s", g, w)
	}
}

func TestHistory(t *testing.T) {
	failed := map[string]any{"properties": map[string]any{"statusMessage": `{"status":"Failed","error":{"code":"QuotaExceeded","message":"no\ncores"}}`},
		"claims": map[string]any{"appid": clientID}, "subStatus": map[string]any{"value": "Conflict"}}
	r := newRig(t)
	r.cloud.SetActivityLog(
		event("c5", 1, "Microsoft.ContainerService/managedClusters/stop/action", "", "Succeeded"),
		event("c5", 2, "Microsoft.ContainerService/managedClusters/stop/action", "", "Started"),
		event("c4", 4, "Microsoft.Resources/tags/write", "/providers/Microsoft.Resources/tags/default", "Succeeded"),
		event("c3", 5, poolWrite, "/agentPools/work", "Failed", failed),
		event("c3", 6, poolWrite, "/agentPools/work", "Accepted"),
		event("c3", 6.5, poolWrite, "/agentPools/work", "Started"),
		event("c2", 10, clusterWrite, "", "Succeeded"),
		event("cx", 12, clusterWrite, "b", "Succeeded"),
		event("cx", 12, "Microsoft.ContainerService/managedClusters/listClusterAdminCredential/action", "", "Succeeded"),
		event("cx", 12, "Microsoft.Authorization/locks/write", "", "Succeeded"),
		event("c1", 20, "Microsoft.ContainerService/managedClusters/agentPools/delete", "/agentPools/old", "Succeeded"),
		event("c0", 35, clusterWrite, "", "Succeeded"),
		event("c2", 40, clusterWrite, "", "Started"),
		event("c0", 45, clusterWrite, "", "Started"),
	)
	for _, size := range []int{0, 1, 3} {
		r.cloud.PageAzure(size)
		got := readPast(t, r)
		sameLines(t, got.Updates,
			"action Succeeded done 09:58:00..09:59:00 [] [] none=true by=ops@example.com",
			"write Succeeded done -..09:56:00 [] [tags] none=false by=ops@example.com",
			"write Failed failed 09:53:30..09:55:00 [nodePools[work]] [nodePools[work]] none=false by=ops@example.com",
			"delete Succeeded done -..09:40:00 [nodePools[old]] [nodePools[old]] none=false by=ops@example.com",
			"write Succeeded done 09:20:00..09:50:00 [] [] none=false by=ops@example.com",
		)
		if got.NoHistory != "" {
			t.Errorf("history lacks: %s", got.NoHistory)
		}
		f := got.Updates[2]
		same(t, "errors", f.Errors, []string{"QuotaExceeded: no cores"})
		same(t, "params", f.Params, []hosted.CloudParam{{Name: "application", Value: clientID}, {Name: "subStatus", Value: "Conflict"}})
		if f.ID != "c3/work" || f.Source != callActivity {
			t.Errorf("id %s from %s", f.ID, f.Source)
		}
	}
}

// What the log has not ended yet is under way only if the state says so too.
func TestUnderWay(t *testing.T) {
	started := []map[string]any{
		event("c2", 1, poolWrite, "/agentPools/sys", "Accepted"),
		event("c1", 2, clusterWrite, "", "Started"),
	}
	for _, c := range []struct {
		name   string
		change func(doc, p map[string]any)
		log    []map[string]any
		want   []string
	}{
		{"at rest", nil, nil, nil},
		{"at rest, and the log is late", nil, started, []string{
			"write Accepted done 09:59:00..- [nodePools[sys]] [nodePools[sys]] none=false by=ops@example.com",
			"write Started done 09:58:00..- [] [] none=false by=ops@example.com"}},
		{"failed", func(_, p map[string]any) {
			p["provisioningState"] = "Failed"
			pool(p, 0)["provisioningState"] = "Canceled"
		}, started, []string{
			"write Accepted cancelled 09:59:00..- [nodePools[sys]] [nodePools[sys]] none=false by=ops@example.com",
			"write Started failed 09:58:00..- [] [] none=false by=ops@example.com"}},
		{"pool scales", func(_, p map[string]any) { pool(p, 0)["provisioningState"] = "Scaling" }, nil, []string{
			"provisioningState Scaling running -..- [nodePools[sys]] [nodePools[sys].count] none=false by="}},
		{"pool scales, logged", func(_, p map[string]any) { pool(p, 0)["provisioningState"] = "Scaling" }, started[:1], []string{
			"write Accepted running 09:59:00..- [nodePools[sys]] [nodePools[sys]] none=false by=ops@example.com"}},
		{"an unknown state", func(_, p map[string]any) { p["provisioningState"] = "Pondering" }, nil, []string{
			"provisioningState Pondering running -..- [] [] none=false by="}},
		{"the cluster upgrades and a pool is being made", func(_, p map[string]any) {
			p["provisioningState"], pool(p, 1)["provisioningState"] = "Upgrading", "Creating"
		}, nil, []string{
			"provisioningState Upgrading running -..- [] [kubernetesVersion] none=false by=",
			"provisioningState Creating running -..- [nodePools[work]] [nodePools[work]] none=false by="}},
		{"starting", func(_, p map[string]any) {
			p["provisioningState"], pool(p, 0)["provisioningState"] = "Starting", "Starting"
		}, nil, []string{
			"provisioningState Starting running -..- [] [] none=true by=",
			"provisioningState Starting running -..- [nodePools[sys]] [] none=true by="}},
		{"a pool upgrades", func(_, p map[string]any) { pool(p, 0)["provisioningState"] = "Upgrading" }, nil, []string{
			"provisioningState Upgrading running -..- [nodePools[sys]] [nodePools[sys].orchestratorVersion] none=false by="}},
		{"the mark of the last change", func(d, _ map[string]any) {
			d["systemData"] = map[string]any{"lastModifiedAt": "2026-05-04T09:57:00Z", "lastModifiedBy": "someone@example.com", "lastModifiedByType": "User"}
			d["eTag"] = "tag-1"
		}, nil, []string{"lastModified Succeeded done 09:57:00..- [] [] none=false by=someone@example.com"}},
		{"the mark of a logged change", func(d, _ map[string]any) {
			d["systemData"] = map[string]any{"lastModifiedAt": "2026-05-04T09:57:00Z", "lastModifiedBy": "someone@example.com"}
		}, started[1:], []string{"write Started done 09:58:00..- [] [] none=false by=ops@example.com"}},
		{"an old mark", func(d, _ map[string]any) {
			d["systemData"] = map[string]any{"lastModifiedAt": "2026-05-04T09:00:00Z"}
		}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			if c.change != nil {
				r.edit(c.change)
			}
			r.cloud.SetActivityLog(c.log...)
			sameLines(t, readPast(t, r).Updates, c.want...)
		})
	}
}

// Without a time only the state is told, and no call is made for the past.
func TestNoHistoryAskedFor(t *testing.T) {
	r := newRig(t)
	r.edit(func(_, p map[string]any) { p["provisioningState"] = "Updating" })
	r.cloud.SetActivityLog(event("c1", 2, clusterWrite, "", "Started"))
	req := request(t)
	req.Who = true
	got := mustRead(t, r, req)
	sameLines(t, got.Updates, "provisioningState Updating running -..- [] [] none=false by=")
	same(t, "params", got.Updates[0].Params, []hosted.CloudParam{{Name: "powerState", Value: "Running"}})
	if got.NoHistory != "the history was not asked for" {
		t.Errorf("history: %q", got.NoHistory)
	}
	for _, v := range r.cloud.Visited() {
		if strings.Contains(v, "Insights") || strings.Contains(v, "ResourceGraph") {
			t.Errorf("visited %s", v)
		}
	}
}

// A history that cannot be read leaves the reading usable and says why.
func TestHistoryThatCannotBeRead(t *testing.T) {
	denied := func(path string) loopback.Quirk {
		return loopback.Quirk{Path: path, Status: http.StatusForbidden, Header: map[string]string{"Content-Type": "application/json"},
			Body: `{"error":{"code":"AuthorizationFailed","message":"no"}}`}
	}
	two := []map[string]any{event("c2", 1, clusterWrite, "", "Succeeded"), event("c1", 2, clusterWrite, "", "Succeeded")}
	for _, c := range []struct {
		name    string
		quirk   loopback.Quirk
		since   time.Duration
		says    []string
		updates int
	}{
		{"log denied", denied("eventtypes"), 0, []string{"ActivityLogs.List: not allowed", "Microsoft.Insights/eventtypes/values/read"}, 0},
		{"graph denied", denied("ResourceGraph"), 0, []string{"ResourceGraph.Resources: not allowed", "Microsoft.ResourceGraph/resources/read"}, 2},
		{"second page fails", loopback.Quirk{Path: "eventtypes", First: 2, Status: 400, Body: "{}"}, 0, []string{"ActivityLogs.List: Azure answered 400"}, 1},
		{"second page cut off", loopback.Quirk{Path: "eventtypes", First: 2, Cut: true}, 0, []string{"cut off"}, 1},
		{"a page instead of the log", loopback.Quirk{Path: "eventtypes", Status: 200, Body: htmlPage}, 0, []string{"web page"}, 0},
		{"rows of another form", loopback.Quirk{Path: "ResourceGraph", Status: 200, Body: `{"data":{"rows":[]}}`}, 0, []string{"not the list of rows"}, 2},
		{"before the log", loopback.Quirk{Path: "never"}, 100 * 24 * time.Hour, []string{"90 days only", "14 days only"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.cloud.SetActivityLog(two...)
			r.cloud.PageAzure(1)
			r.cloud.Misbehave(c.quirk)
			got := readPast(t, r, who, func(req *live.Request) {
				if c.since > 0 {
					req.Since = clock.Add(-c.since)
				}
			})
			for _, s := range c.says {
				if !strings.Contains(got.NoHistory, s) {
					t.Errorf("history: %q, want …%s…", got.NoHistory, s)
				}
			}
			if strings.ContainsAny(got.NoHistory, "\n\r") || len(got.Updates) != c.updates || got.Spec == nil || got.Error != "" || got.Partial {
				t.Errorf("history %q, updates %v, error %q", got.NoHistory, got.Updates, got.Error)
			}
		})
	}
}

// Azure sorts events, and two of one moment may come in any order.
func TestEventsInAnyOrder(t *testing.T) {
	r := newRig(t)
	events := []map[string]any{
		event("c1", 1, clusterWrite, "", "Succeeded"), event("c1", 3, clusterWrite, "", "Failed"),
		event("c1", 4, clusterWrite, "", "Started"), event("c1", 2, clusterWrite, "", "Accepted"),
	}
	for range events {
		r.cloud.SetActivityLog(events...)
		sameLines(t, readPast(t, r).Updates, "write Succeeded done 09:56:00..09:59:00 [] [] none=false by=ops@example.com")
		events = append(events[1:], events[0])
	}
}

// A past that is slow is not waited for where there is no state.
func TestFailingIsQuick(t *testing.T) {
	r := newRig(t)
	r.cloud.Misbehave(jsonError(403, "AuthorizationFailed"), loopback.Quirk{Path: "eventtypes", Hang: true})
	req := request(t)
	req.Since = clock.Add(-time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err := r.reader.Read(ctx, req)
	checkProblem(t, err, live.Denied, "not allowed", "grant")
	if ctx.Err() != nil {
		t.Error("the history was waited for")
	}
}

// An endless list of pages ends.
func TestPageLimit(t *testing.T) {
	r := newRig(t)
	var events []map[string]any
	for i := range pageLimit + 5 {
		events = append(events, event(fmt.Sprint("c", i), float64(i)/10, clusterWrite, "", "Succeeded"))
	}
	r.cloud.SetActivityLog(events...)
	r.cloud.PageAzure(1)
	got := readPast(t, r)
	if len(got.Updates) != pageLimit || !strings.Contains(got.NoHistory, "more than 50 pages") {
		t.Errorf("%d updates, %q", len(got.Updates), got.NoHistory)
	}
}
