package ack

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback/alibaba"
)

// short is an update in one line.
func short(u hosted.CloudUpdate) string {
	at := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.UTC().Format("15:04")
	}
	return fmt.Sprintf("%s %s/%s %s %s..%s %q %v by=%s %v", u.ID, u.Type, u.Status, u.State, at(u.Start), at(u.End), u.Target, u.Fields, u.By, u.Errors)
}

// upgrading is a request about a cluster with an upgrade by Rancher.
func upgrading(r *rig) live.Request {
	q := r.request()
	q.Snapshot.CR = &hosted.OperatorResource{Status: map[string]any{"upgradeTaskId": "T-1", "phase": "updating"}}
	return q
}

// TestHistory puts together what the answers tell.
func TestHistory(t *testing.T) {
	r := newRig(t)
	r.put(demoDetail, demoPools)
	r.cloud.PutTask("T-1", json.RawMessage(`{"task_id":"T-1","task_type":"cluster_upgrade","state":"fail","created":"2026-01-02T01:00:00Z",
		"updated":"2026-01-02T02:55:00Z","current_stage":"DrainNodes","error":{"message":"a node\nis stuck"}}`))
	got := r.must(upgrading(r))
	var lines []string
	for _, u := range got.Updates {
		lines = append(lines, short(u))
	}
	want := []string{
		`np-0 state of the node pool/deleting running -..- "nodePools[gone]" [nodePools[gone]] by= []`,
		`T-1 cluster_upgrade/fail failed 01:00..02:55 "" [kubernetesVersion] by=Rancher [a node is stuck]`,
		`np-1 state of the node pool/active done 02:40..02:40 "nodePools[workers]" [nodePools[workers]] by= []`,
		`c123 state of the cluster/running done 02:30..02:30 "" [] by= []`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("history:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if got.NoHistory != noTrail || fmt.Sprint(got.Updates[1].Params) != "[{stage DrainNodes}]" {
		t.Errorf("%q, %v", got.NoHistory, got.Updates[1].Params)
	}
}

// TestStates: what the states of clusters and tasks amount to.
func TestStates(t *testing.T) {
	for state, want := range map[string]hosted.UpdateState{
		"running": hosted.UpdateDone, "": hosted.UpdateDone, "updating": hosted.UpdateRunning, "upgrading": hosted.UpdateRunning,
		"failed": hosted.UpdateFailed, "update_failed": hosted.UpdateFailed,
	} {
		u := dated(hosted.CloudUpdate{Status: state}, "2026-01-02T02:30:00Z", "running")
		if u.State != want || u.Start.IsZero() != (want == hosted.UpdateRunning) {
			t.Errorf("%q: %s %v", state, u.State, u.Start)
		}
	}
	for state, want := range map[string]hosted.UpdateState{
		"running": hosted.UpdateRunning, "success": hosted.UpdateDone, "failed": hosted.UpdateFailed, "fail": hosted.UpdateFailed,
		"canceled": hosted.UpdateCancelled, "paused": hosted.UpdateRunning,
	} {
		r := newRig(t)
		r.put(demoDetail, demoPools)
		r.cloud.PutTask("T-1", map[string]any{"task_id": "T-1", "state": state, "created": "2026-01-02T02:59:00Z", "updated": "2026-01-02T02:59:30Z"})
		found := false
		for _, u := range r.must(upgrading(r)).Updates {
			if u.ID == "T-1" {
				found = true
				if u.State != want || u.End.IsZero() != (want == hosted.UpdateRunning) {
					t.Errorf("task %q: %s, end %v", state, u.State, u.End)
				}
			}
		}
		if !found {
			t.Errorf("task %q is missing", state)
		}
	}
}

// TestHistoryIsOptional: a reading without the upgrade is usable and says what is
// missing.
func TestHistoryIsOptional(t *testing.T) {
	r := newRig(t)
	r.put(demoDetail, demoPools)
	r.cloud.Fail(alibaba.Fault{Action: "DescribeTaskInfo", HTTP: 403, Code: "StatusForbidden", Message: "no"})
	got := r.must(upgrading(r))
	if !strings.HasPrefix(got.NoHistory, "the upgrade cannot be read (cs:DescribeTaskInfo: StatusForbidden: no); ") || len(got.Updates) != 3 {
		t.Errorf("%q, %d updates", got.NoHistory, len(got.Updates))
	}
	q := upgrading(r)
	q.Since = time.Time{}
	r.cloud.Forget()
	if got := r.must(q); got.NoHistory != "not asked for" || got.Updates != nil || slices.Contains(r.cloud.Actions(), "DescribeTaskInfo") {
		t.Errorf("%q, %v, %v", got.NoHistory, got.Updates, r.cloud.Actions())
	}
}
