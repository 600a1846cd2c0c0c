package eks

import (
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// States of node groups and add-ons.
const (
	creating     = "CREATING"
	updating     = "UPDATING"
	deleting     = "DELETING"
	createFailed = "CREATE_FAILED"
)

// truth is the cluster in the Config's words, nil if AWS told nothing of it. Unlike
// Rancher's view it has the node groups of all pages, the log types of all sets, an
// add-on that is degraded, and the networks and the role, which Rancher copies from
// the Config.
func (s *state) truth() map[string]any {
	c := s.cluster()
	if c == nil {
		return nil
	}
	out := map[string]any{"tags": orObject(c["tags"]), "loggingTypes": logTypes(c), "ebsCSIDriver": installed(s.addon())}
	put(out, "displayName", c["name"])
	put(out, "kubernetesVersion", c["version"])
	put(out, "serviceRole", c["roleArn"])
	put(out, "ipFamily", hosted.Map(c["kubernetesNetworkConfig"])["ipFamily"])
	if parts := strings.SplitN(hosted.Str(c["arn"]), ":", 6); len(parts) == 6 {
		put(out, "region", parts[3])
	}
	if vpc := hosted.Map(c["resourcesVpcConfig"]); vpc != nil {
		put(out, "publicAccess", vpc["endpointPublicAccess"])
		put(out, "privateAccess", vpc["endpointPrivateAccess"])
		out["publicAccessSources"] = orList(vpc["publicAccessCidrs"])
		out["subnets"], out["securityGroups"] = orList(vpc["subnetIds"]), orList(vpc["securityGroupIds"])
	}
	encryption := hosted.List(c["encryptionConfig"])
	out["secretsEncryption"] = len(encryption) > 0
	if len(encryption) == 0 {
		out["kmsKey"] = ""
	}
	for _, e := range encryption {
		if key := hosted.Str(hosted.Map(hosted.Map(e)["provider"])["keyArn"]); key != "" {
			out["kmsKey"] = key
			break
		}
	}
	groups := []any{}
	for _, name := range s.groups() {
		if g := s.group(name); g != nil && g["status"] != deleting {
			groups = append(groups, s.truthOf(g))
		}
	}
	out["nodeGroups"] = groups
	return out
}

// logTypes are the types that any set has switched on, each once.
func logTypes(cluster map[string]any) []any {
	out, seen := []any{}, map[any]bool{}
	for _, set := range hosted.List(hosted.Map(cluster["logging"])["clusterLogging"]) {
		if hosted.Map(set)["enabled"] != true {
			continue
		}
		for _, t := range hosted.List(hosted.Map(set)["types"]) {
			if !seen[t] {
				seen[t] = true
				out = append(out, t)
			}
		}
	}
	return out
}

// installed tells whether an add-on is there to stay. A degraded one is.
func installed(addon map[string]any) bool {
	return addon != nil && addon["status"] != createFailed && addon["status"] != deleting
}

// put sets what is told.
func put(out map[string]any, key string, v any) {
	if v != nil {
		out[key] = v
	}
}

// orList is a list, empty if it was left out: AWS leaves out what is empty.
func orList(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{}
}

// orObject is an object, empty if it was left out.
func orObject(v any) map[string]any {
	if m := hosted.Map(v); m != nil {
		return m
	}
	return map[string]any{}
}
