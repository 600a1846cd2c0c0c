package loopback

import (
	"maps"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// idleCluster is the cluster, or an error if it is busy.
func (s *Server) idleCluster(in map[string]any) (map[string]any, *failure) {
	c, f := s.cluster(in["name"])
	if f == nil && c["status"] != active {
		f = inUse("Cannot update the cluster: it currently has an update in progress or is not active")
	}
	return c, f
}

// idleGroup is a node group, or an error if it is busy.
func (s *Server) idleGroup(in map[string]any) (map[string]any, *failure) {
	ng, f := s.group(in)
	if f == nil && ng["status"] != active {
		f = inUse("Nodegroup cannot be updated as it is currently not in Active State")
	}
	return ng, f
}

// updateClusterConfig merges the VPC settings and the log sets that it is given.
func (s *Server) updateClusterConfig(_ request, in map[string]any) (any, *failure) {
	c, f := s.idleCluster(in)
	if f != nil {
		return nil, f
	}
	kind := "EndpointAccessUpdate"
	params := updateParams(hosted.Map(in["resourcesVpcConfig"]), map[string]string{
		"endpointPublicAccess": "EndpointPublicAccess", "endpointPrivateAccess": "EndpointPrivateAccess", "publicAccessCidrs": "PublicAccessCidrs",
		"subnetIds": "Subnets", "securityGroupIds": "SecurityGroups"})
	if vpc := hosted.Map(in["resourcesVpcConfig"]); vpc != nil {
		maps.Copy(member(c, "resourcesVpcConfig"), hosted.CloneMap(vpc))
	}
	if sets := hosted.List(hosted.Map(in["logging"])["clusterLogging"]); sets != nil {
		kind = "LoggingUpdate"
		s.setLogging(c, sets)
		params = append(params, updateParams(hosted.Map(in), map[string]string{"logging": "ClusterLogging"})...)
	}
	return s.begin("", kind, params...), nil
}

// updateParams are the params of an update that sets members of its input. Values
// are text; what is not is JSON.
func updateParams(in map[string]any, names map[string]string) []any {
	var out []any
	for _, k := range hosted.SortedKeys(names) {
		v, ok := in[k]
		if !ok {
			continue
		}
		text, isText := v.(string)
		if !isText {
			text = hosted.Canonical(v)
		}
		out = append(out, map[string]any{"type": names[k], "value": text})
	}
	return out
}

// setLogging turns log types on and off and writes the two sets as EKS does.
func (s *Server) setLogging(c map[string]any, sets []any) {
	known := []string{"api", "audit", "authenticator", "controllerManager", "scheduler"}
	on := map[string]bool{}
	for _, set := range slices.Concat(hosted.List(hosted.Map(c["logging"])["clusterLogging"]), sets) {
		for _, t := range hosted.List(hosted.Map(set)["types"]) {
			on[hosted.Str(t)] = hosted.Map(set)["enabled"] == true
			if !slices.Contains(known, hosted.Str(t)) {
				known = append(known, hosted.Str(t))
			}
		}
	}
	var enabled, disabled []any
	for _, t := range known {
		if on[t] {
			enabled = append(enabled, t)
		} else {
			disabled = append(disabled, t)
		}
	}
	var out []any
	if enabled != nil {
		out = append(out, map[string]any{"enabled": true, "types": enabled})
	}
	if disabled != nil {
		out = append(out, map[string]any{"enabled": false, "types": disabled})
	}
	if s.eks.Behaviour.LoggingDisabledFirst {
		slices.Reverse(out)
	}
	c["logging"] = map[string]any{"clusterLogging": out}
}

func (s *Server) updateClusterVersion(_ request, in map[string]any) (any, *failure) {
	c, f := s.idleCluster(in)
	if f != nil {
		return nil, f
	}
	c["version"] = in["version"]
	return s.begin("", "VersionUpdate", updateParams(in, map[string]string{"version": "Version"})...), nil
}

// createNodegroup adds a group, which is being created from now on.
func (s *Server) createNodegroup(r request, in map[string]any) (any, *failure) {
	c, f := s.cluster(in["clusterName"])
	if f != nil {
		return nil, f
	}
	name := hosted.Str(in["nodegroupName"])
	if _, ok := s.eks.Nodegroups[name]; ok {
		return nil, inUse("NodeGroup already exists with name " + name + " and cluster name " + hosted.Str(in["clusterName"]))
	}
	ng := hosted.CloneMap(in)
	ng["status"], ng["health"] = creating, map[string]any{"issues": []any{}}
	ng["nodegroupArn"] = "arn:aws:eks:" + regionOf(r.host) + ":" + account + ":nodegroup/" + hosted.Str(c["name"]) + "/" + name + "/new"
	if ng["version"] == nil {
		ng["version"] = c["version"]
	}
	if lt := hosted.Map(ng["launchTemplate"]); lt != nil {
		s.completeTemplate(lt)
	}
	if s.clock != nil {
		ng["createdAt"], ng["modifiedAt"] = s.now(), s.now()
	}
	s.eks.Nodegroups[name] = map[string]any{"nodegroup": ng}
	last := len(s.eks.ListNodegroups) - 1
	s.eks.ListNodegroups[last] = append(s.eks.ListNodegroups[last], name)
	s.began()
	return s.eks.Nodegroups[name], nil
}

// regionOf takes the region out of a host such as "eks.eu-west-1.api.aws".
func regionOf(host string) string {
	if parts := strings.Split(host, "."); len(parts) > 2 {
		return parts[1]
	}
	return ""
}

// completeTemplate fills in what EKS knows of a launch template.
func (s *Server) completeTemplate(lt map[string]any) {
	if lt["version"] == nil {
		lt["version"] = "1"
	}
	for _, v := range s.eks.LaunchTemplateVersions {
		if v.ID == lt["id"] {
			lt["name"] = v.Name
		}
	}
}

func (s *Server) deleteNodegroup(_ request, in map[string]any) (any, *failure) {
	ng, f := s.group(in)
	if f != nil {
		return nil, f
	}
	ng["status"] = deleting
	if s.clock != nil {
		ng["modifiedAt"] = s.now()
	}
	s.began()
	return map[string]any{"nodegroup": ng}, nil
}

// updateNodegroupConfig changes labels and the sizes that it is given.
func (s *Server) updateNodegroupConfig(_ request, in map[string]any) (any, *failure) {
	ng, f := s.idleGroup(in)
	if f != nil {
		return nil, f
	}
	labels, change := member(ng, "labels"), hosted.Map(in["labels"])
	for _, k := range hosted.List(change["removeLabels"]) {
		delete(labels, hosted.Str(k))
	}
	maps.Copy(labels, hosted.Map(change["addOrUpdateLabels"]))
	maps.Copy(member(ng, "scalingConfig"), hosted.Map(in["scalingConfig"]))
	params := updateParams(change, map[string]string{"addOrUpdateLabels": "LabelsToAdd", "removeLabels": "LabelsToRemove"})
	params = append(params, updateParams(hosted.Map(in["scalingConfig"]), map[string]string{"desiredSize": "DesiredSize", "minSize": "MinSize", "maxSize": "MaxSize"})...)
	return s.begin(hosted.Str(in["nodegroupName"]), "ConfigUpdate", params...), nil
}

func (s *Server) updateNodegroupVersion(_ request, in map[string]any) (any, *failure) {
	ng, f := s.idleGroup(in)
	if f != nil {
		return nil, f
	}
	if v, ok := in["version"]; ok {
		ng["version"] = v
	}
	if lt := hosted.Map(in["launchTemplate"]); lt != nil {
		running := member(ng, "launchTemplate")
		maps.Copy(running, lt)
		s.completeTemplate(running)
	}
	params := updateParams(in, map[string]string{"version": "Version"})
	params = append(params, updateParams(hosted.Map(in["launchTemplate"]), map[string]string{"name": "LaunchTemplateName", "version": "LaunchTemplateVersion"})...)
	return s.begin(hosted.Str(in["nodegroupName"]), "VersionUpdate", params...), nil
}

// member is an object's member that is an object, made if it is missing.
func member(m map[string]any, key string) map[string]any {
	if o := hosted.Map(m[key]); o != nil {
		return o
	}
	o := map[string]any{}
	m[key] = o
	return o
}

// tagged finds the cluster or node group with an ARN.
func (s *Server) tagged(arn any) (map[string]any, *failure) {
	if c := hosted.Map(s.eks.Cluster["cluster"]); c != nil && c["arn"] == arn {
		return c, nil
	}
	for _, body := range s.eks.Nodegroups {
		if ng := hosted.Map(body["nodegroup"]); ng["nodegroupArn"] == arn {
			return ng, nil
		}
	}
	return nil, &failure{404, "NotFoundException", "Resource was not found: " + hosted.Str(arn)}
}

// tagResource and untagResource take effect at once and keep nobody busy.
func (s *Server) tagResource(_ request, in map[string]any) (any, *failure) {
	owner, f := s.tagged(in["resourceArn"])
	if f != nil {
		return nil, f
	}
	maps.Copy(member(owner, "tags"), hosted.Map(in["tags"]))
	return map[string]any{}, nil
}

func (s *Server) untagResource(_ request, in map[string]any) (any, *failure) {
	owner, f := s.tagged(in["resourceArn"])
	if f != nil {
		return nil, f
	}
	for _, k := range hosted.List(in["tagKeys"]) {
		delete(member(owner, "tags"), hosted.Str(k))
	}
	return map[string]any{}, nil
}
