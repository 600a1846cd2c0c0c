package ack

import (
	"slices"
	"strings"
	"time"

	cs "github.com/rancher/muchang/cs/client"
	"github.com/rancher/muchang/utils/tea"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// noTrail is what is always missing.
const noTrail = "Alibaba Cloud's API tells only the present state, when the cluster and each node pool last changed, and the upgrade that Rancher asked for; " +
	"what else changed, and who asked for it, is in ActionTrail, which is not read"

// history is what the answers tell of the past.
func (s *state) history(req live.Request) ([]hosted.CloudUpdate, string) {
	if req.Since.IsZero() {
		return nil, "not asked for"
	}
	all := []hosted.CloudUpdate{s.clusterUpdate()}
	if s.pools != nil {
		for _, np := range s.pools.Nodepools {
			all = append(all, poolUpdate(np))
		}
	}
	missing := noTrail
	if s.taskProblem != nil {
		missing = "the upgrade cannot be read (" + s.taskProblem.Error() + "); " + missing
	}
	if s.task != nil {
		all = append(all, s.taskUpdate())
	}
	var out []hosted.CloudUpdate
	for _, u := range all {
		if u.State == hosted.UpdateRunning || u.Start.After(req.Since) || u.End.After(req.Since) {
			out = append(out, u)
		}
	}
	slices.SortStableFunc(out, later)
	return out, missing
}

// later puts the latest first: what goes on without a known beginning, then by the
// latest known moment.
func later(a, b hosted.CloudUpdate) int {
	return moment(b).Compare(moment(a))
}

// moment is the latest moment that an update tells. What goes on without telling
// any is later than all.
func moment(u hosted.CloudUpdate) time.Time {
	switch {
	case u.State == hosted.UpdateRunning && u.Start.IsZero():
		return time.Unix(1<<40, 0)
	case u.End.After(u.Start):
		return u.End
	}
	return u.Start
}

// clusterUpdate is what the cluster's state amounts to. The API says when the
// cluster last changed, not when what goes on began, nor which fields changed.
func (s *state) clusterUpdate() hosted.CloudUpdate {
	c := s.cluster
	u := hosted.CloudUpdate{
		ID: tea.StringValue(c.ClusterId), Type: "state of the cluster", Status: tea.StringValue(c.State), Source: "DescribeClusterDetail",
	}
	return dated(u, tea.StringValue(c.Updated), "running")
}

// poolUpdate is what a node pool's state amounts to.
func poolUpdate(np *cs.DescribeClusterNodePoolsResponseBodyNodepools) hosted.CloudUpdate {
	u := hosted.CloudUpdate{Type: "state of the node pool", Status: poolState(np), Source: "DescribeClusterNodePools"}
	updated := ""
	if np != nil && np.NodepoolInfo != nil {
		u.ID, updated = tea.StringValue(np.NodepoolInfo.NodepoolId), tea.StringValue(np.NodepoolInfo.Updated)
		u.Target = hosted.Path{}.Key("nodePools").Item(tea.StringValue(np.NodepoolInfo.Name)).String()
		u.Fields = []string{u.Target}
	}
	return dated(u, updated, "active")
}

func poolState(np *cs.DescribeClusterNodePoolsResponseBodyNodepools) string {
	if np == nil || np.Status == nil {
		return ""
	}
	return tea.StringValue(np.Status.State)
}

// dated completes an update that is known by its present state. In a state of rest
// the last change is over since the moment that the API tells; in a failed one too;
// in any other something goes on. No state at all is taken for rest.
func dated(u hosted.CloudUpdate, updated, rest string) hosted.CloudUpdate {
	at := parse(updated)
	switch {
	case u.Status == rest || u.Status == "":
		u.State, u.Start, u.End = hosted.UpdateDone, at, at
	case strings.Contains(u.Status, "fail"):
		u.State, u.Start, u.End = hosted.UpdateFailed, at, at
	default:
		u.State = hosted.UpdateRunning
	}
	if updated != "" {
		u.Params = []hosted.CloudParam{{Name: "updated", Value: live.OneLine(updated)}}
	}
	return u
}

// taskUpdate is the upgrade that Rancher asked for.
func (s *state) taskUpdate() hosted.CloudUpdate {
	t := s.task
	u := hosted.CloudUpdate{
		ID: tea.StringValue(t.TaskId), Type: tea.StringValue(t.TaskType), Status: tea.StringValue(t.State), Start: parse(tea.StringValue(t.Created)),
		Fields: []string{"kubernetesVersion"}, By: "Rancher", Source: "DescribeTaskInfo",
	}
	switch u.Status {
	case "success":
		u.State = hosted.UpdateDone
	case "fail", "failed":
		u.State = hosted.UpdateFailed
	case "canceled", "cancelled":
		u.State = hosted.UpdateCancelled
	default:
		u.State = hosted.UpdateRunning
	}
	if u.State != hosted.UpdateRunning {
		u.End = parse(tea.StringValue(t.Updated))
	}
	if stage := tea.StringValue(t.CurrentStage); stage != "" {
		u.Params = []hosted.CloudParam{{Name: "stage", Value: live.OneLine(stage)}}
	}
	if t.Error != nil && tea.StringValue(t.Error.Message) != "" {
		u.Errors = []string{live.OneLine(tea.StringValue(t.Error.Message))}
	}
	return u
}

// parse is a time as Alibaba Cloud writes it, zero if it is not one.
func parse(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
