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

// groupUpdate is an update of a node group or an add-on, which EKS does not list
// among the cluster's.
type groupUpdate struct {
	group, addon string
	body         map[string]any
}

// updatesOf are the updates of a node group or an add-on or, without a name, of the
// cluster.
func (s *Server) updatesOf(group, addon string) []map[string]any {
	var out []map[string]any
	if group == "" && addon == "" {
		for _, u := range s.eks.Updates {
			out = append(out, hosted.Map(u["update"]))
		}
		return out
	}
	for _, u := range s.groupUpdates {
		if u.group == group && u.addon == addon {
			out = append(out, u.body)
		}
	}
	return out
}

// begin starts an update of a node group or, without a name, of the cluster,
// which is busy with it from now on.
func (s *Server) begin(group, kind string, params ...any) map[string]any {
	s.updates++
	s.behind = s.lag
	if params == nil {
		params = []any{}
	}
	update := map[string]any{
		"id": fmt.Sprintf("00000000-0000-4000-8000-%012d", s.updates), "status": inProgress, "type": kind,
		"params": params, "errors": []any{}, "createdAt": s.now(),
	}
	if group == "" {
		s.eks.Updates = append(s.eks.Updates, map[string]any{"update": update})
		hosted.Map(s.eks.Cluster["cluster"])["status"] = updating
	} else {
		s.groupUpdates = append(s.groupUpdates, groupUpdate{group, "", update})
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
			if s.clock != nil {
				ng["modifiedAt"] = s.now()
			}
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

// late is an answer in which what is busy is still called active, if the state
// lags behind.
func (s *Server) late(body map[string]any, what string) map[string]any {
	if s.behind <= 0 || hosted.Map(body[what])["status"] != updating {
		return body
	}
	s.behind--
	body = hosted.CloneMap(body)
	hosted.Map(body[what])["status"] = active
	return body
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
