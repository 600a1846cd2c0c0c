package ack

import (
	"fmt"
	"regexp"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// place is where a cluster lives, and the task of its last upgrade by Rancher, ""
// if there was none.
type place struct{ region, id, task string }

// Forms of the names that objects give. The region becomes part of the host's name
// and the others of the path: none may lead elsewhere.
var (
	formRegion = regexp.MustCompile(`^[a-z]{2,}(-[a-z0-9]+)+$`)
	formID     = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

// placeOf reads the identity. The id that the operator's custom resource has wins
// over the Config's, which Rancher completes later (rancher/rancher,
// pkg/controllers/management/alibaba, fixAliConfig).
func placeOf(s *hosted.Snapshot) (place, *live.Problem) {
	if s == nil || s.Config == nil {
		return place{}, unusable("the cluster has no aliConfig", "choose a cluster that Rancher manages on ACK")
	}
	var p place
	ids := s.Config
	if s.CR != nil {
		if hosted.Str(s.CR.Spec["clusterId"]) != "" {
			ids = s.CR.Spec
		}
		if task := hosted.Str(s.CR.Status["upgradeTaskId"]); formID.MatchString(task) {
			p.task = task
		}
	}
	var problem *live.Problem
	if p.region, problem = identity(s.Config, "regionId", formRegion); problem != nil {
		return place{}, problem
	}
	p.id, problem = identity(ids, "clusterId", formID)
	return p, problem
}

// identity reads one name.
func identity(from map[string]any, key string, form *regexp.Regexp) (string, *live.Problem) {
	v, ok := from[key].(string)
	switch {
	case from[key] == nil || ok && v == "":
		return "", unusable("the Config does not say "+key, "set aliConfig."+key+" to the cluster's own in Alibaba Cloud")
	case !ok || !form.MatchString(v):
		return "", unusable(fmt.Sprintf("%s is not a name that Alibaba Cloud could have: %.80q", key, fmt.Sprint(from[key])),
			"set aliConfig."+key+" to the cluster's own in Alibaba Cloud")
	}
	return v, nil
}

func unusable(text, fix string) *live.Problem {
	return &live.Problem{Kind: live.Unsupported, Text: text, Fix: fix}
}
