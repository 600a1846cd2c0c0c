package gke

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/container/apiv1/containerpb"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback/google"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// short is an update in one line.
func short(u hosted.CloudUpdate) string {
	end := "-"
	if !u.End.IsZero() {
		end = u.End.Format("15:04")
	}
	begin := "-"
	if !u.Start.IsZero() {
		begin = u.Start.Format("15:04")
	}
	return fmt.Sprintf("%s %s %s %s-%s %q %v none=%v by=%s %v", u.ID, u.Type, u.State, begin, end, u.Target, u.Fields, u.None, u.By, u.Errors)
}

// TestHistory plays operations on two clusters in two locations, one of them with
// the same name, and reads those of one.
func TestHistory(t *testing.T) {
	r := newRig(t)
	r.put(demo, demoCluster)
	minute := func(n int) { r.cloud.SetTime(start.Add(time.Duration(n) * time.Minute)) }
	const other, far = "projects/example-project-1/locations/europe-west1/clusters/other", "projects/example-project-1/locations/us-east1/clusters/demo-a"
	minute(-300)
	old := r.cloud.Begin(demo, "", containerpb.Operation_CREATE_CLUSTER)
	endless := r.cloud.Begin(demo, "workers", containerpb.Operation_UPGRADE_NODES)
	recent := r.cloud.Begin(demo, "", containerpb.Operation_UPGRADE_MASTER)
	minute(-200)
	r.cloud.Finish(old, nil)
	minute(-50)
	r.cloud.Finish(recent, nil)
	r.cloud.Begin(other, "", containerpb.Operation_UPDATE_CLUSTER)
	r.cloud.Begin(far, "", containerpb.Operation_UPDATE_CLUSTER)
	minute(-40)
	failed := r.cloud.Begin(demo, "spot", containerpb.Operation_CREATE_NODE_POOL)
	minute(-30)
	r.cloud.Finish(failed, &spb.Status{Code: int32(codes.ResourceExhausted), Message: "no machines\nleft"})
	stopped := r.cloud.Begin(demo, "workers", containerpb.Operation_SET_NODE_POOL_SIZE)
	minute(-20)
	r.cloud.Finish(stopped, &spb.Status{Code: int32(codes.Canceled), Message: "cancelled"})
	repair := r.cloud.Begin(demo, "workers", containerpb.Operation_AUTO_REPAIR_NODES)
	waiting := r.cloud.Begin(demo, "", containerpb.Operation_UPDATE_CLUSTER)
	r.cloud.Operation(waiting, func(op *containerpb.Operation) {
		op.Status, op.StartTime = containerpb.Operation_PENDING, ""
	})
	r.cloud.Operation(endless, func(op *containerpb.Operation) {
		op.Detail = "draining"
		op.Progress = &containerpb.OperationProgress{Name: "DRAINING", Metrics: []*containerpb.OperationProgress_Metric{
			{Name: "nodes done", Value: &containerpb.OperationProgress_Metric_IntValue{IntValue: 2}},
			{Name: "progress", Value: &containerpb.OperationProgress_Metric_DoubleValue{DoubleValue: 0.5}},
			{Name: "phase", Value: &containerpb.OperationProgress_Metric_StringValue{StringValue: "x"}},
		}}
	})
	r.cloud.Operation(repair, func(op *containerpb.Operation) { op.Status = containerpb.Operation_ABORTING })

	// A list that holds more than its location's operations is picked from as well.
	namesake := r.cloud.Begin(demo, "", containerpb.Operation_UPDATE_CLUSTER)
	r.cloud.Operation(namesake, func(op *containerpb.Operation) {
		op.TargetLink = strings.Replace(op.TargetLink, "locations/europe-west1", "zones/europe-west1-b", 1)
	})

	got := r.must()
	var lines []string
	for _, u := range got.Updates {
		lines = append(lines, short(u))
		if u.Source != "ListOperations" {
			t.Errorf("source %q", u.Source)
		}
	}
	want := []string{
		waiting + ` UPDATE_CLUSTER running --- "" [] none=false by= []`,
		repair + ` AUTO_REPAIR_NODES running 02:40-- "nodePools[workers]" [] none=true by=Google []`,
		stopped + ` SET_NODE_POOL_SIZE cancelled 02:30-02:40 "nodePools[workers]" [nodePools[workers].initialNodeCount] none=false by= [cancelled]`,
		failed + ` CREATE_NODE_POOL failed 02:20-02:30 "nodePools[spot]" [nodePools[spot]] none=false by= [no machines left]`,
		endless + ` UPGRADE_NODES running 22:00-- "nodePools[workers]" [nodePools[workers].version nodePools[workers].config] none=false by= []`,
		recent + ` UPGRADE_MASTER done 22:00-02:10 "" [kubernetesVersion] none=false by= []`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("history:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if p := fmt.Sprint(got.Updates[4].Params); p != "[{detail draining} {stage DRAINING} {nodes done 2} {progress 0.5} {phase x}]" {
		t.Errorf("params: %s", p)
	}
	if got.NoHistory != "" {
		t.Errorf("no history: %s", got.NoHistory)
	}
}

// TestEveryTypeOfOperation: each can change fields that exist, and says so by
// fields, by none, or by neither.
func TestEveryTypeOfOperation(t *testing.T) {
	table := schema.For(hosted.GKE)
	open := map[string]bool{"TYPE_UNSPECIFIED": true, "CREATE_CLUSTER": true, "DELETE_CLUSTER": true, "UPDATE_CLUSTER": true}
	for _, name := range containerpb.Operation_Type_name {
		for _, target := range []string{"", "nodePools[a]"} {
			paths, none := fields(name, target)
			if wide := len(paths) == 0 && !none; wide != (open[name] && target == "") || none && len(paths) > 0 {
				t.Errorf("%s on %q: %v, none %v", name, target, paths, none)
			}
			for _, p := range paths {
				path, err := hosted.ParsePath(p)
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := table.Lookup(path); !ok {
					t.Errorf("%s: there is no field %s", name, p)
				}
			}
		}
	}
	u := update(&containerpb.Operation{OperationType: 99, Status: containerpb.Operation_DONE, StatusMessage: "odd"}, "") //nolint:staticcheck // SA1019: old records have it
	if u.Type != "99" || u.State != hosted.UpdateFailed || len(u.Errors) != 1 || u.None || !u.Start.IsZero() {
		t.Errorf("unknown type: %+v", u)
	}
}

// TestLinks reads the ways in which Google writes a target.
func TestLinks(t *testing.T) {
	for address, want := range map[string]link{
		"https://container.googleapis.com/v1/projects/1/zones/us-central1-c/clusters/my/nodePools/np": {"1", "us-central1-c", "my", "np"},
		"https://container.googleapis.com/v1/projects/1/locations/us-central1/clusters/clusters":      {"1", "us-central1", "clusters", ""},
		"https://container.googleapis.com/v1/projects/1/zones/z/clusters/my/nodePools/np/node/n":      {"1", "z", "my", "np"},
		"https://compute.googleapis.com/v1/projects/p":                                                {"p", "", "", ""},
		"%zz": {}, "": {},
	} {
		if got := parseLink(address); got != want {
			t.Errorf("%s: %+v", address, got)
		}
	}
}

// TestHistoryIsOptional: a reading without history is usable and says what is
// missing.
func TestHistoryIsOptional(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*rig, *live.Request)
		says    string
	}{
		"not asked for": {func(_ *rig, q *live.Request) { q.Since = time.Time{} }, "not asked for"},
		"denied": {func(r *rig, _ *live.Request) {
			r.cloud.Fail(google.Fault{Method: "ListOperations", Code: codes.PermissionDenied, Message: "no"})
		}, "the login lacks the right container.operations.list: no"},
		"over quota": {func(r *rig, _ *live.Request) {
			r.cloud.Fail(google.Fault{Method: "ListOperations", Code: codes.ResourceExhausted, Message: "slow down"})
		}, "container:ListOperations: the project's quota for requests is used up: slow down"},
		"incomplete": {func(r *rig, _ *live.Request) { r.cloud.Incomplete("europe-west1-b", "europe-west1-c") },
			"Google could not tell the operations of europe-west1-b, europe-west1-c"},
		"who": {func(_ *rig, q *live.Request) { q.Who = true }, nobody},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.put(demo, demoCluster)
			q := r.request()
			c.prepare(r, &q)
			got, err := r.reader.Read(context.Background(), q)
			if err != nil || got.Spec == nil || got.NoHistory != c.says || got.Updates != nil {
				t.Errorf("%v, spec %v, %q, want %q", err, got.Spec != nil, got.NoHistory, c.says)
			}
			asked := slices.Contains(r.cloud.Methods(), "ListOperations")
			if asked == (name == "not asked for") {
				t.Errorf("ListOperations called: %v", asked)
			}
		})
	}
}
