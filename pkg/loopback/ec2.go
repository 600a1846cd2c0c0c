package loopback

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

// serveEC2 serves launch templates and images.
func (s *Server) serveEC2(r request) answer {
	form, err := url.ParseQuery(string(r.body))
	if err != nil {
		return s.unknown(r, ec2XML(""))
	}
	action, in := form.Get("Action"), queryInput(form)
	d := ec2XML(action)
	reads := map[string]func(map[string]any) (any, *failure){
		"DescribeLaunchTemplates": s.describeTemplates, "DescribeLaunchTemplateVersions": s.describeTemplateVersions,
		"DescribeImages": s.describeImages,
	}
	defer s.asked(func(name EKSName, state *eksState) bool {
		return name.Region == regionOf(r.host) && slices.ContainsFunc(state.eks.LaunchTemplateVersions, func(v eks.LaunchTemplateVersion) bool {
			return v.ID == in["launchTemplateId"]
		})
	})()
	if do, ok := reads[action]; ok {
		return s.asAWS(d, "ec2", action, func() answer {
			return s.read(d, action, "", func() (any, *failure) { return do(in) })
		})
	}
	writes := map[string]func(map[string]any) (any, *failure){
		"CreateLaunchTemplate": s.createTemplate, "CreateLaunchTemplateVersion": s.createTemplateVersion,
		"DeleteLaunchTemplateVersions": s.deleteTemplateVersions,
	}
	do, ok := writes[action]
	if !ok {
		r.query.Set("Action", action)
		return s.unknown(r, d)
	}
	if v, ok := in["versions"]; ok {
		var texts []string
		for _, t := range hosted.List(v) {
			texts = append(texts, hosted.Str(t))
		}
		in["versions"] = sortedList(texts) // they come in random order
	}
	return s.asAWS(d, "ec2", action, func() answer {
		return s.write(d, operator.Call{Service: "ec2", Op: action, Input: in, Effect: operator.Update}, func() (int, any, *failure) {
			body, f := do(in)
			return http.StatusOK, body, f
		})
	})
}

func noTemplate(id string) *failure {
	return &failure{http.StatusBadRequest, "InvalidLaunchTemplateId.NotFound", "The specified launch template, with template ID " + id + ", does not exist."}
}

// describeTemplates finds templates by ID or name; one that is missing is an
// error.
func (s *Server) describeTemplates(in map[string]any) (any, *failure) {
	var found []any
	add := func(wanted func(eks.LaunchTemplateVersion) bool) bool {
		i := slices.IndexFunc(s.eks.LaunchTemplateVersions, wanted)
		if i >= 0 {
			found = append(found, s.template(s.eks.LaunchTemplateVersions[i]))
		}
		return i >= 0
	}
	for _, id := range hosted.List(in["launchTemplateIds"]) {
		if !add(func(v eks.LaunchTemplateVersion) bool { return v.ID == id }) {
			return nil, noTemplate(hosted.Str(id))
		}
	}
	for _, name := range hosted.List(in["launchTemplateNames"]) {
		if !add(func(v eks.LaunchTemplateVersion) bool { return v.Name == name }) {
			return nil, &failure{http.StatusBadRequest, "InvalidLaunchTemplateName.NotFoundException",
				"At least one of the launch templates specified in the request does not exist."}
		}
	}
	return map[string]any{"launchTemplates": found}, nil
}

func (s *Server) template(v eks.LaunchTemplateVersion) map[string]any {
	return map[string]any{"launchTemplateId": v.ID, "launchTemplateName": v.Name,
		"defaultVersionNumber": int64(1), "latestVersionNumber": s.highest[v.ID]}
}

func templateVersion(v eks.LaunchTemplateVersion) map[string]any {
	out := map[string]any{"launchTemplateId": v.ID, "launchTemplateName": v.Name, "versionNumber": v.Version}
	if v.Data != nil {
		out["launchTemplateData"] = v.Data
	}
	return out
}

func (s *Server) describeTemplateVersions(in map[string]any) (any, *failure) {
	id := hosted.Str(in["launchTemplateId"])
	var all []eks.LaunchTemplateVersion
	for _, v := range s.eks.LaunchTemplateVersions {
		if v.ID == id {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return nil, noTemplate(id)
	}
	slices.SortFunc(all, func(x, y eks.LaunchTemplateVersion) int { return cmp.Compare(x.Version, y.Version) })
	var found []any
	for _, wanted := range hosted.List(in["versions"]) {
		i := slices.IndexFunc(all, func(v eks.LaunchTemplateVersion) bool {
			return strconv.FormatInt(v.Version, 10) == wanted
		})
		switch wanted {
		case "$Latest":
			i = len(all) - 1
		case "$Default":
			i = 0
		}
		if i < 0 {
			return nil, &failure{http.StatusBadRequest, "InvalidLaunchTemplateId.VersionNotFound", "Could not find launch template version " + hosted.Str(wanted)}
		}
		found = append(found, templateVersion(all[i]))
	}
	return map[string]any{"launchTemplateVersionSet": found}, nil
}

func (s *Server) describeImages(in map[string]any) (any, *failure) {
	var found []any
	for _, id := range hosted.List(in["imageIds"]) {
		root, ok := s.eks.Images[hosted.Str(id)]
		if !ok {
			return nil, &failure{http.StatusBadRequest, "InvalidAMIID.NotFound", "The image id '[" + hosted.Str(id) + "]' does not exist"}
		}
		image := map[string]any{"imageId": id}
		if root != nil {
			image["rootDeviceName"] = *root
		}
		found = append(found, image)
	}
	return map[string]any{"imagesSet": found}, nil
}

func (s *Server) createTemplate(in map[string]any) (any, *failure) {
	name := hosted.Str(in["launchTemplateName"])
	if slices.ContainsFunc(s.eks.LaunchTemplateVersions, func(v eks.LaunchTemplateVersion) bool { return v.Name == name }) {
		return nil, &failure{http.StatusBadRequest, "InvalidLaunchTemplateName.AlreadyExistsException", "Launch template name already in use."}
	}
	s.templates++
	v := eks.LaunchTemplateVersion{ID: fmt.Sprintf("lt-0new%013d", s.templates), Name: name, Version: 1,
		Data: hosted.CloneMap(hosted.Map(in["launchTemplateData"]))}
	s.highest[v.ID] = 1
	s.eks.LaunchTemplateVersions = append(s.eks.LaunchTemplateVersions, v)
	return map[string]any{"launchTemplate": s.template(v)}, nil
}

func (s *Server) createTemplateVersion(in map[string]any) (any, *failure) {
	id := hosted.Str(in["launchTemplateId"])
	i := slices.IndexFunc(s.eks.LaunchTemplateVersions, func(v eks.LaunchTemplateVersion) bool { return v.ID == id })
	if i < 0 {
		return nil, noTemplate(id)
	}
	s.highest[id]++
	v := eks.LaunchTemplateVersion{ID: id, Name: s.eks.LaunchTemplateVersions[i].Name, Version: s.highest[id],
		Data: hosted.CloneMap(hosted.Map(in["launchTemplateData"]))}
	s.eks.LaunchTemplateVersions = append(s.eks.LaunchTemplateVersions, v)
	return map[string]any{"launchTemplateVersion": templateVersion(v)}, nil
}

func (s *Server) deleteTemplateVersions(in map[string]any) (any, *failure) {
	id := in["launchTemplateId"]
	s.eks.LaunchTemplateVersions = slices.DeleteFunc(s.eks.LaunchTemplateVersions, func(v eks.LaunchTemplateVersion) bool {
		return v.ID == id && slices.Contains(hosted.List(in["versions"]), any(strconv.FormatInt(v.Version, 10)))
	})
	return map[string]any{}, nil
}
