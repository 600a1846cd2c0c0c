package aks

import (
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// poolPath is the path of a pool in the Config.
func poolPath(name string) string { return hosted.Path{}.Key("nodePools").Item(name).String() }

// atRest are the states in which nothing is under way. Azure's API fixes no list of
// states, so that every other one counts as being under way.
var atRest = []string{"", "Succeeded", "Failed", "Canceled"}

func isMoving(state string) bool {
	return !slices.ContainsFunc(atRest, func(s string) bool { return strings.EqualFold(s, state) })
}

// runningOf is what the states of a cluster and of its pools tell: that something is
// under way, and for some of them what. When it began they do not tell.
func runningOf(doc map[string]any) []hosted.CloudUpdate {
	properties := hosted.Map(doc["properties"])
	var out []hosted.CloudUpdate
	if state := hosted.Str(properties["provisioningState"]); isMoving(state) {
		u := hosted.CloudUpdate{ID: "provisioningState", Source: callState + ": properties.provisioningState"}
		u.Fields, u.None = clusterEffect(state)
		for _, name := range []string{"lastModifiedAt", "lastModifiedBy"} {
			if v := hosted.Str(hosted.Map(doc["systemData"])[name]); v != "" {
				u.Params = append(u.Params, hosted.CloudParam{Name: name, Value: v})
			}
		}
		out = append(out, underWay(u, state, properties))
	}
	for _, p := range poolsOf(doc) {
		if state := hosted.Str(p["provisioningState"]); isMoving(state) {
			name := hosted.Str(p["name"])
			u := hosted.CloudUpdate{ID: "provisioningState/" + name, Target: poolPath(name), Source: callState + ": " + poolsMember + ".provisioningState"}
			u.Fields, u.None = poolEffect(state, name)
			out = append(out, underWay(u, state, p))
		}
	}
	return out
}

func underWay(u hosted.CloudUpdate, state string, of map[string]any) hosted.CloudUpdate {
	u.Type, u.Status, u.State = "provisioningState", state, hosted.UpdateRunning
	if power := hosted.Str(hosted.Map(of["powerState"])["code"]); power != "" {
		u.Params = append(u.Params, hosted.CloudParam{Name: "powerState", Value: power})
	}
	return u
}

// clusterEffect is what a state says about the Config's fields. Updating can be any of
// them.
func clusterEffect(state string) (fields []string, none bool) {
	switch strings.ToLower(state) {
	case "upgrading":
		return []string{"kubernetesVersion"}, false
	case "starting", "stopping", "rotatingclustercertificates", "rotatingserviceaccountsigningkeys", "migrating":
		return nil, true
	}
	return nil, false
}

func poolEffect(state, name string) (fields []string, none bool) {
	path := poolPath(name)
	switch strings.ToLower(state) {
	case "scaling":
		return []string{path + ".count"}, false
	case "upgrading":
		return []string{path + ".orchestratorVersion"}, false
	case "starting", "stopping", "upgradingnodeimageversion", "migrating":
		return nil, true
	}
	return []string{path}, false
}
