package eks

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// target is what an update is about: a node group, an add-on or, without either
// name, the cluster.
type target struct{ group, addon string }

// path is the target in the Config, "" for the cluster; an add-on is a part of it.
func (t target) path() string {
	if t.group == "" {
		return ""
	}
	return hosted.Path{}.Key("nodeGroups").Item(t.group).String()
}

// String names the target in messages.
func (t target) String() string {
	switch {
	case t.group != "":
		return "node group " + t.group
	case t.addon != "":
		return "add-on " + t.addon
	}
	return "the cluster"
}

// record is an update with what this program has seen of it itself.
type record struct {
	update types.Update
	// running is when it was last seen running, over when it was first seen ended
	// after that; both by AWS's clock, zero if never.
	running, over time.Time
}

// stateOf is what a status amounts to. One that is not known may still go on.
func stateOf(s types.UpdateStatus) hosted.UpdateState {
	switch s {
	case types.UpdateStatusSuccessful:
		return hosted.UpdateDone
	case types.UpdateStatusFailed:
		return hosted.UpdateFailed
	case types.UpdateStatusCancelled:
		return hosted.UpdateCancelled
	}
	return hosted.UpdateRunning
}

// told is a record in the words of package hosted. Its End is when it was first seen
// ended, which is at or after the real one.
func (s *state) told(t target, r *record) hosted.CloudUpdate {
	u := r.update
	out := hosted.CloudUpdate{ID: aws.ToString(u.Id), Type: string(u.Type), Status: string(u.Status), State: stateOf(u.Status),
		Start: aws.ToTime(u.CreatedAt).UTC(), End: r.over, Target: t.path(), Source: "ListUpdates, DescribeUpdate"}
	var names []string
	for _, p := range u.Params {
		names = append(names, string(p.Type))
		out.Params = append(out.Params, hosted.CloudParam{Name: string(p.Type), Value: aws.ToString(p.Value)})
	}
	for _, e := range u.Errors {
		text := string(e.ErrorCode) + ": " + aws.ToString(e.ErrorMessage)
		if len(e.ResourceIds) > 0 {
			text += " (" + strings.Join(e.ResourceIds, ", ") + ")"
		}
		out.Errors = append(out.Errors, text)
	}
	lt := hosted.Str(hosted.Map(s.group(t.group)["launchTemplate"])["id"])
	out.Fields, out.None = fieldsOf(t, lt != "" && lt == s.managed, out.Type, names)
	return out
}

// lately tells whether an update is under way, or began or certainly ended after a
// time.
func lately(u hosted.CloudUpdate, r *record, since time.Time) bool {
	return u.State == hosted.UpdateRunning || u.Start.After(since) || !r.over.IsZero() && !r.running.Before(since)
}
