package aks

import (
	"maps"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Behaviour are facts about the surroundings and open questions about Azure
// that decide what follows from a call. The zero value is the recorded default.
type Behaviour struct {
	// PolicyTags are put back on the cluster by a cloud policy after each write.
	PolicyTags map[string]string
	// ResourceGroupMissing: the cluster's resource group does not exist.
	ResourceGroupMissing bool
	// OtherConfigWithClusterName is the Azure cluster name of another custom
	// resource, which forbids creating a cluster of that name.
	OtherConfigWithClusterName string
	// OmittedClears: members that an agent pool request leaves out are cleared
	// instead of kept (autoscaling and its bounds, labels, taints, zones,
	// surge).
	OmittedClears bool
	// LowerCaseAddonKeys: Azure stores addon keys in lower case instead of as
	// sent, where the operator does not find them again.
	LowerCaseAddonKeys bool
}

// with returns a copy of m with one member changed.
func with(m map[string]any, key string, v any) map[string]any {
	out := maps.Clone(m)
	if out == nil {
		out = map[string]any{}
	}
	out[key] = v
	return out
}

// applyCluster stores a cluster request: the body replaces the cluster, and
// whatever it creates is ready at once.
func (a *azure) applyCluster(body map[string]any) {
	properties := hosted.Map(body["properties"])
	properties = with(properties, "provisioningState", stateSucceeded)
	if a.behaviour.LowerCaseAddonKeys {
		properties = with(properties, "addonProfiles", lowerKeys(hosted.Map(properties["addonProfiles"])))
	}
	pools, _ := properties["agentPoolProfiles"].([]any)
	pools = slices.Clone(pools)
	for i, p := range pools {
		if m := hosted.Map(p); m["provisioningState"] == nil {
			pools[i] = with(m, "provisioningState", stateSucceeded)
		}
	}
	doc := with(body, "properties", with(properties, "agentPoolProfiles", pools))
	if doc["id"] == nil {
		doc["id"] = a.clusterPath()
	}
	a.cloud.doc = a.policed(doc)
}

func lowerKeys(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for _, k := range slices.Backward(hosted.SortedKeys(m)) {
		out[strings.ToLower(k)] = m[k]
	}
	return out
}

// policed puts the policy's tags back.
func (a *azure) policed(doc map[string]any) map[string]any {
	if len(a.behaviour.PolicyTags) == 0 {
		return doc
	}
	tags := maps.Clone(hosted.Map(doc["tags"]))
	if tags == nil {
		tags = map[string]any{}
	}
	for k, v := range a.behaviour.PolicyTags {
		tags[k] = v
	}
	return with(doc, "tags", tags)
}

func (a *azure) applyTags(tags map[string]any) {
	a.cloud.doc = a.policed(with(a.cloud.doc, "tags", tags))
}

func (a *azure) poolList() []any {
	return hosted.List(hosted.Map(a.cloud.doc["properties"])["agentPoolProfiles"])
}

func (a *azure) setPoolList(pools []any) {
	properties := with(hosted.Map(a.cloud.doc["properties"]), "agentPoolProfiles", pools)
	a.cloud.doc = with(a.cloud.doc, "properties", properties)
}

func poolIndex(pools []any, name string) int {
	return slices.IndexFunc(pools, func(p any) bool { return hosted.Str(hosted.Map(p)["name"]) == name })
}

// clearedByOmission are the members that OmittedClears is about.
var clearedByOmission = []string{
	"enableAutoScaling", "minCount", "maxCount", "nodeLabels", "nodeTaints", "availabilityZones", "upgradeSettings",
}

// applyPool stores an agent pool request: a new pool is added, an existing one
// keeps what the request leaves out or sends as "".
func (a *azure) applyPool(name string, properties map[string]any) {
	pools := slices.Clone(a.poolList())
	i := poolIndex(pools, name)
	if i < 0 {
		p := with(properties, "name", name)
		p["provisioningState"] = stateSucceeded
		a.setPoolList(append(pools, p))
		return
	}
	p := maps.Clone(hosted.Map(pools[i]))
	if a.behaviour.OmittedClears {
		for _, k := range clearedByOmission {
			delete(p, k)
		}
	}
	for k, v := range properties {
		if v != "" || p[k] == nil {
			p[k] = v
		}
	}
	p["provisioningState"] = stateSucceeded
	pools[i] = p
	a.setPoolList(pools)
}

func (a *azure) applyPoolDelete(name string) {
	pools := slices.Clone(a.poolList())
	a.setPoolList(slices.DeleteFunc(pools, func(p any) bool { return hosted.Str(hosted.Map(p)["name"]) == name }))
}

// States in which the operator waits. Every other state, even one in which
// Azure is at work, it takes for rest.
var (
	busyCluster = []string{"InProgress", "Updating"}
	busyPool    = []string{"Creating", "Scaling", "Deleting", "Upgrading"}
)

// movingPool are the states of a pool that end by themselves.
var movingPool = append([]string{"Updating"}, busyPool...)

const poolDeleting = "Deleting"

// settle lets the cloud finish what it was doing: busy states end, pools that
// were being deleted are gone. A failed cluster stays failed.
func (a *azure) settle() {
	if !a.cloud.Exists() {
		return
	}
	properties := hosted.Map(a.cloud.doc["properties"])
	if state := text(str(properties, "provisioningState")); slices.Contains(busyCluster, state) || state == "Creating" {
		properties = with(properties, "provisioningState", stateSucceeded)
		a.cloud.doc = with(a.cloud.doc, "properties", properties)
	}
	pools := slices.Clone(a.poolList())
	changed := false
	for i, p := range pools {
		if m := hosted.Map(p); slices.Contains(movingPool, text(str(m, "provisioningState"))) {
			changed = true
			if text(str(m, "provisioningState")) != poolDeleting {
				pools[i] = with(m, "provisioningState", stateSucceeded)
			}
		}
	}
	if changed {
		a.setPoolList(slices.DeleteFunc(pools, func(p any) bool {
			return text(str(hosted.Map(p), "provisioningState")) == poolDeleting
		}))
	}
}
