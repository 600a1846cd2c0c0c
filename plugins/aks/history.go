package aks

import (
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/monitor/armmonitor"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// past is what was read of a cluster's past. A problem may stand beside what was read
// before it.
type past struct {
	events    []*armmonitor.EventData
	noEvents  *live.Problem
	changes   []map[string]any
	noChanges *live.Problem
}

// tell makes one history, the latest first, of what is under way, what ended after
// since and what the audit trail adds. What is under way is the cluster's state and
// told in any case. The Activity Log is minutes late (3 to 20, says Azure), so that
// what is not in it may have happened all the same.
func (h past) tell(doc map[string]any, t target, since time.Time) ([]hosted.CloudUpdate, string) {
	running := runningOf(doc)
	if since.IsZero() {
		return running, "the history was not asked for"
	}
	list := withRunning(updatesOf(h.events, t), running, doc)
	list = withChanges(list, h.changes, doc)
	list = withLastModified(list, doc)
	list = slices.DeleteFunc(list, func(u hosted.CloudUpdate) bool {
		return u.State != hosted.UpdateRunning && !u.Start.After(since) && !u.End.After(since)
	})
	slices.SortStableFunc(list, func(a, b hosted.CloudUpdate) int { return moment(b).Compare(moment(a)) })
	var lacks []string
	for _, p := range []*live.Problem{h.noEvents, h.noChanges} {
		if p != nil {
			lacks = append(lacks, p.Error()+"; "+p.Fix)
		}
	}
	return list, strings.Join(lacks, "; ")
}

// farFuture sorts what is under way since an unknown time before everything else.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

func moment(u hosted.CloudUpdate) time.Time {
	switch {
	case !u.Start.IsZero():
		return u.Start
	case !u.End.IsZero():
		return u.End
	}
	return farFuture
}

// withRunning settles the updates whose end the log does not have by the state of
// their pool or cluster: it is under way if that is busy, and has ended if not, which
// the log will tell later. A state that no such update explains is told by itself.
func withRunning(list, running []hosted.CloudUpdate, doc map[string]any) []hosted.CloudUpdate {
	explained := map[string]bool{}
	for i := range list {
		u := &list[i]
		if u.State != hosted.UpdateRunning {
			continue
		}
		at := slices.IndexFunc(running, func(r hosted.CloudUpdate) bool { return r.Target == u.Target })
		if at >= 0 && !explained[u.Target] {
			explained[u.Target] = true
			u.Params = append(u.Params, hosted.CloudParam{Name: "provisioningState", Value: running[at].Status})
			continue
		}
		u.State = restOf(doc, u.Target)
	}
	for _, r := range running {
		if !explained[r.Target] {
			list = append(list, r)
		}
	}
	return list
}

// restOf is how an update of a pool or of the cluster must have ended.
func restOf(doc map[string]any, target string) hosted.UpdateState {
	state := hosted.Str(hosted.Map(doc["properties"])["provisioningState"])
	for _, p := range poolsOf(doc) {
		if poolPath(hosted.Str(p["name"])) == target {
			state = hosted.Str(p["provisioningState"])
		}
	}
	switch {
	case strings.EqualFold(state, "Failed"):
		return hosted.UpdateFailed
	case strings.EqualFold(state, "Canceled"):
		return hosted.UpdateCancelled
	}
	return hosted.UpdateDone
}

// sameChange is how far apart two records of one change can lie.
const sameChange = 2 * time.Minute

// withLastModified adds the mark of the last change that Azure keeps at some
// resources, unless a better record of it is there already.
func withLastModified(list []hosted.CloudUpdate, doc map[string]any) []hosted.CloudUpdate {
	mark := hosted.Map(doc["systemData"])
	at, err := time.Parse(time.RFC3339Nano, hosted.Str(mark["lastModifiedAt"]))
	if err != nil {
		return list
	}
	for _, u := range list {
		if u.State == hosted.UpdateRunning && u.Start.IsZero() || u.Start.Sub(at).Abs() <= sameChange || u.End.Sub(at).Abs() <= sameChange {
			return list
		}
	}
	u := hosted.CloudUpdate{ID: "systemData", Type: "lastModified", Status: hosted.Str(hosted.Map(doc["properties"])["provisioningState"]),
		State: restOf(doc, ""), Start: at, By: hosted.Str(mark["lastModifiedBy"]), Source: callState + ": systemData"}
	if kind := hosted.Str(mark["lastModifiedByType"]); kind != "" {
		u.Params = append(u.Params, hosted.CloudParam{Name: "lastModifiedByType", Value: kind})
	}
	if tag := hosted.Str(doc["eTag"]); tag != "" {
		u.Params = append(u.Params, hosted.CloudParam{Name: "eTag", Value: tag})
	}
	return append(list, u)
}
