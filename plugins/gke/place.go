package gke

import (
	"fmt"
	"regexp"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// place is where a cluster lives.
type place struct{ project, location, name string }

func (p place) parent() string { return "projects/" + p.project + "/locations/" + p.location }

func (p place) cluster() string { return p.parent() + "/clusters/" + p.name }

// String is for people.
func (p place) String() string { return "GKE " + p.location + ", project " + p.project }

// Forms of the names that a Config gives. What goes into a resource name must not
// be able to name something else: "-" as a location is all of them.
var (
	formProject = regexp.MustCompile(`^([a-z0-9.-]+:)?[a-z][a-z0-9-]*$`)
	formName    = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

// placeOf reads the identity from the Config. A zone wins over a region, as in
// Rancher's operator (rancher/gke-operator, pkg/gke/relative_resource_name.go).
func placeOf(s *hosted.Snapshot) (place, *live.Problem) {
	if s == nil || s.Config == nil {
		return place{}, unusable("the cluster has no gkeConfig", "choose a cluster that Rancher manages on GKE")
	}
	p := place{}
	for _, f := range []struct {
		key  string
		at   *string
		form *regexp.Regexp
	}{{"projectID", &p.project, formProject}, {"clusterName", &p.name, formName}} {
		var problem *live.Problem
		if *f.at, problem = identity(s.Config, f.key, f.form); problem != nil {
			return place{}, problem
		}
	}
	key := "zone"
	if v, ok := s.Config["zone"].(string); s.Config["zone"] == nil || ok && v == "" {
		key = "region"
	}
	var problem *live.Problem
	p.location, problem = identity(s.Config, key, formName)
	return p, problem
}

// identity reads one name of the Config.
func identity(config map[string]any, key string, form *regexp.Regexp) (string, *live.Problem) {
	v, ok := config[key].(string)
	switch {
	case config[key] == nil || ok && v == "":
		return "", unusable("the Config does not say "+key, "set gkeConfig."+key+" to the cluster's own in Google Cloud")
	case !ok || !form.MatchString(v):
		return "", unusable(fmt.Sprintf("the Config's %s is not a name that Google Cloud could have: %.80q", key, fmt.Sprint(config[key])),
			"set gkeConfig."+key+" to the cluster's own in Google Cloud")
	}
	return v, nil
}

func unusable(text, fix string) *live.Problem {
	return &live.Problem{Kind: live.Unsupported, Text: text, Fix: fix}
}
