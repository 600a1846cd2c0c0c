package eks

import (
	"regexp"
	"strconv"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// place is where a cluster is in AWS.
type place struct {
	region, name string
	// managed is the id of the launch template that Rancher made for the cluster, ""
	// if there is none.
	managed string
}

// The forms of AWS's regions and of EKS's names (CreateCluster's documentation). A
// region becomes part of a host's name, so nothing else may pass.
var (
	regionForm = regexp.MustCompile(`^[a-z]{2,}(-[a-z]+)+-[0-9]{1,2}$`)
	nameForm   = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$`)
)

// placeOf finds the cluster that a Config is about.
func placeOf(s *hosted.Snapshot) (place, *live.Problem) {
	unsupported := func(text, fix string) (place, *live.Problem) {
		return place{}, &live.Problem{Kind: live.Unsupported, Text: text, Fix: fix}
	}
	if s == nil || s.Config == nil {
		return unsupported("the cluster has no eksConfig", "read only clusters that Rancher hosts in EKS")
	}
	at := place{managed: hosted.Str(s.Status["managedLaunchTemplateID"])}
	for _, m := range []struct {
		key, what string
		form      *regexp.Regexp
		to        *string
	}{
		{"region", "an AWS region", regionForm, &at.region},
		{"displayName", "the name of an EKS cluster", nameForm, &at.name},
	} {
		fix := "set eksConfig." + m.key + " to " + m.what
		switch v := s.Config[m.key].(type) {
		case nil:
			return unsupported("eksConfig."+m.key+" is missing", fix)
		case string:
			if !m.form.MatchString(v) {
				return unsupported("eksConfig."+m.key+" is not "+m.what+": "+strconv.Quote(live.OneLine(v)), fix)
			}
			*m.to = v
		default:
			return unsupported("eksConfig."+m.key+" is no text", fix)
		}
	}
	return at, nil
}
