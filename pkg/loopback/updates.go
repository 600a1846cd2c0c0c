package loopback

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

// States of EKS.
const (
	active     = "ACTIVE"
	updating   = "UPDATING"
	creating   = "CREATING"
	deleting   = "DELETING"
	inProgress = "InProgress"
	successful = "Successful"
)

// groupUpdate is an update of a node group, which EKS does not list among the
// cluster's.
type groupUpdate struct {
	group string
	body  map[string]any
}

// updatesOf are the updates of a node group or, without a name, of the cluster.
func (s *Server) updatesOf(group string) []map[string]any {
	var out []map[string]any
	if group == "" {
		for _, u := range s.eks.Updates {
			out = append(out, hosted.Map(u["update"]))
		}
		return out
	}
	for _, u := range s.groupUpdates {
		if u.group == group {
			out = append(out, u.body)
		}
	}
	return out
}

// begin starts an update of a node group or, without a name, of the cluster,
// which is busy with it from now on.
func (s *Server) begin(group, kind string) map[string]any {
	s.updates++
	update := map[string]any{
		"id": fmt.Sprintf("00000000-0000-4000-8000-%012d", s.updates), "status": inProgress, "type": kind,
		"params": []any{}, "errors": []any{}, "createdAt": 1750000000.5,
	}
	if group == "" {
		s.eks.Updates = append(s.eks.Updates, map[string]any{"update": update})
		hosted.Map(s.eks.Cluster["cluster"])["status"] = updating
	} else {
		s.groupUpdates = append(s.groupUpdates, groupUpdate{group, update})
		hosted.Map(s.eks.Nodegroups[group]["nodegroup"])["status"] = updating
	}
	s.began()
	return map[string]any{"update": update}
}

// settleEKS ends what is under way: updates succeed, and what was being deleted
// is gone.
func (s *Server) settleEKS() {
	if c := hosted.Map(s.eks.Cluster["cluster"]); c["status"] == updating || c["status"] == creating {
		c["status"] = active
	}
	for _, u := range s.eks.Updates {
		succeed(hosted.Map(u["update"]))
	}
	for _, u := range s.groupUpdates {
		succeed(u.body)
	}
	for _, name := range hosted.SortedKeys(s.eks.Nodegroups) {
		switch ng := hosted.Map(s.eks.Nodegroups[name]["nodegroup"]); ng["status"] {
		case updating, creating:
			ng["status"] = active
		case deleting:
			removeGroup(&s.eks, name)
		}
	}
	for _, body := range s.eks.Addons {
		if a := hosted.Map(body["addon"]); a["status"] == updating || a["status"] == creating {
			a["status"] = active
		}
	}
}

func succeed(update map[string]any) {
	if update["status"] == inProgress {
		update["status"] = successful
	}
}

func removeGroup(c *eks.Cloud, name string) {
	delete(c.Nodegroups, name)
	for i, page := range c.ListNodegroups {
		kept := []string{}
		for _, n := range page {
			if n != name {
				kept = append(kept, n)
			}
		}
		c.ListNodegroups[i] = kept
	}
}
