package gke

import (
	"regexp"
	"slices"
	"strings"

	"cloud.google.com/go/container/apiv1/containerpb"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// truth is the cluster as it is, in the Config's words: the operator's view with
// what that leaves out or copies from the Config. It also returns the sources of
// its fields. Fields that Google does not tell are left out, and so is a node pool
// that is being deleted: it is on its way to what the truth says.
func truth(seen map[string]any, c *containerpb.Cluster) (map[string]any, map[string]string, error) {
	t, from := hosted.CloneMap(seen), sources()
	for _, key := range []string{"imported", "googleCredentialSecret"} {
		delete(t, key)
	}
	identify(t, from, c)
	t["description"] = c.GetDescription()
	t["autopilotConfig"] = map[string]any{"enabled": c.GetAutopilot().GetEnabled()}
	if c.GetAddonsConfig() == nil {
		// The view has all of them off.
		delete(t, "clusterAddons")
	}
	window(t, from, c.GetMaintenancePolicy().GetWindow())
	endpoint(t, from, c)
	pools(t, c)
	diskKey(t, c)
	out, err := inTypes(t)
	for path := range from {
		if unit, _, _ := strings.Cut(strings.ReplaceAll(path, "[]", "."), "."); !has(t, unit) {
			delete(from, path)
		}
	}
	return out, from, err
}

func has(m map[string]any, key string) bool { _, ok := m[key]; return ok }

// inTypes gives the fields the form that they have in a Config, which passes
// through Rancher's types. A member that is null there is there no longer, and is
// put back: it says that the cloud has none.
func inTypes(t map[string]any) (map[string]any, error) {
	table := schema.For(hosted.GKE)
	typed, err := table.Decode(t)
	if err != nil {
		return nil, err
	}
	out := table.Encode(typed)
	for key := range out {
		if !has(t, key) {
			delete(out, key)
		}
	}
	for key := range t {
		if !has(out, key) {
			out[key] = nil
		}
	}
	return out, nil
}

// formZone is the name of a zone: a region's and a letter.
var formZone = regexp.MustCompile(`^[a-z]+-[a-z]+[0-9]+-[a-z]$`)

// identify replaces the identity by the cloud's own. Only one of region and zone
// is told: which of them a Config sets besides is its own affair. The project is in
// the cluster's own link; if it is there by number, a Config's cannot be compared.
func identify(t map[string]any, from map[string]string, c *containerpb.Cluster) {
	for _, key := range []string{"region", "zone", "projectID", "clusterName"} {
		delete(t, key)
	}
	if c.GetName() != "" {
		t["clusterName"] = c.GetName()
	}
	link := parseLink(c.GetSelfLink())
	location := c.GetLocation()
	if location == "" {
		location = link.location
		from["region"], from["zone"] = from["projectID"], from["projectID"]
	}
	switch {
	case location == "":
	case formZone.MatchString(location):
		t["zone"] = location
	default:
		t["region"] = location
	}
	if strings.ContainsFunc(link.project, func(r rune) bool { return r < '0' || r > '9' }) {
		t["projectID"] = link.project
	}
}

// pools fills in what the operator never reads of a node pool.
func pools(t map[string]any, c *containerpb.Cluster) {
	there := living(c)
	for i, item := range hosted.List(t["nodePools"]) {
		config := hosted.Map(hosted.Map(item)["config"])
		if scopes := there[i].GetConfig().GetOauthScopes(); config != nil && len(scopes) > 0 {
			config["oauthScopes"] = schema.ListOf(scopes)
		}
	}
}

// living are the node pools that the operator looks at, in its order.
func living(c *containerpb.Cluster) []*containerpb.NodePool {
	return slices.DeleteFunc(slices.Clone(c.GetNodePools()), func(np *containerpb.NodePool) bool {
		return np.GetStatus() == containerpb.NodePool_STOPPING
	})
}

var formKey = regexp.MustCompile(`^projects/([^/]+)/locations/([^/]+)/keyRings/([^/]+)/cryptoKeys/([^/]+)$`)

// diskKey tells the customer's key for boot disks, by which the operator encrypts
// every pool that it creates with the cluster (rancher/gke-operator, pkg/gke,
// GetBootDiskKmsKey). Where pools differ, no value of the Config is true.
func diskKey(t map[string]any, c *containerpb.Cluster) {
	keys := map[string]bool{}
	for _, np := range living(c) {
		keys[np.GetConfig().GetBootDiskKmsKey()] = true
	}
	if len(keys) != 1 {
		return
	}
	for key := range keys {
		switch m := formKey.FindStringSubmatch(key); {
		case key == "":
			t["customerManagedEncryptionKey"] = nil
		case m != nil:
			t["customerManagedEncryptionKey"] = map[string]any{"ringName": m[3], "keyName": m[4]}
		}
	}
}
