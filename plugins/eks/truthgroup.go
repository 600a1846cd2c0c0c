package eks

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// truthOf is a node group in the Config's words. Unlike Rancher's view it has the
// version of a group that is being updated, what a launch template of other people
// sets, and the machine kinds of all images.
func (s *state) truthOf(g map[string]any) map[string]any {
	scaling, lt := hosted.Map(g["scalingConfig"]), hosted.Map(g["launchTemplate"])
	spot := g["capacityType"] == "SPOT"
	out := map[string]any{"labels": orObject(g["labels"]), "tags": orObject(g["tags"]), "requestSpotInstances": spot}
	for _, key := range []string{"nodegroupName", "diskSize", "nodeRole", "subnets", "version"} {
		put(out, key, g[key])
	}
	for _, key := range []string{"desiredSize", "minSize", "maxSize"} {
		put(out, key, scaling[key])
	}
	put(out, "ec2SshKey", hosted.Map(g["remoteAccess"])["ec2SshKey"])
	switch types := hosted.List(g["instanceTypes"]); {
	case spot && len(types) > 0:
		out["spotInstanceTypes"] = types
	case len(types) > 0:
		out["instanceType"] = types[0] // there is no word for further ones
	}
	machine(out, hosted.Str(g["amiType"]))
	if lt != nil {
		s.fold(out, lt)
	}
	return out
}

// machine says what an image is made for. The Config has no word for an own image,
// and "arm: false" goes without saying.
func machine(out map[string]any, ami string) {
	nvidia := strings.Contains(ami, "NVIDIA") || strings.HasSuffix(ami, "_GPU")
	switch {
	case strings.Contains(ami, "ARM_64"):
		out["arm"] = true
		if nvidia {
			out["gpu"] = true
		}
	case strings.Contains(ami, "x86_64"):
		out["gpu"] = nvidia
	}
}

// fold adds what a launch template sets. Rancher's own is not named: for the Config
// a group with that has none.
func (s *state) fold(out, lt map[string]any) {
	id, version := hosted.Str(lt["id"]), hosted.Str(lt["version"])
	found, ok := s.templates[templateKey{id, version}]
	if own := s.managed != "" && id == s.managed; !own {
		named := map[string]any{}
		put(named, "id", lt["id"])
		put(named, "name", lt["name"])
		if n, err := strconv.ParseInt(version, 10, 64); err == nil {
			named["version"] = n
		} else if ok { // "$Latest" and "$Default"
			named["version"] = found.Version
		}
		out["launchTemplate"] = named
	} else if ok {
		out["resourceTags"] = map[string]any{}
	}
	data := found.Data
	put(out, "imageId", data["imageId"])
	put(out, "ec2SshKey", data["keyName"])
	put(out, "instanceType", data["instanceType"])
	if disks := hosted.List(data["blockDeviceMappings"]); len(disks) > 0 {
		put(out, "diskSize", hosted.Map(hosted.Map(disks[0])["ebs"])["volumeSize"])
	}
	if raw, err := base64.StdEncoding.DecodeString(hosted.Str(data["userData"])); err == nil && len(raw) > 0 {
		out["userData"] = string(raw)
	}
	if tags := instanceTags(data); len(tags) > 0 {
		out["resourceTags"] = tags
	}
}

// instanceTags are the tags that a launch template gives to instances.
func instanceTags(data map[string]any) map[string]any {
	out := map[string]any{}
	for _, spec := range hosted.List(data["tagSpecifications"]) {
		if hosted.Map(spec)["resourceType"] != "instance" {
			continue
		}
		for _, tag := range hosted.List(hosted.Map(spec)["tags"]) {
			out[hosted.Str(hosted.Map(tag)["key"])] = hosted.Str(hosted.Map(tag)["value"])
		}
	}
	return out
}
