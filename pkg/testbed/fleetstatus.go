package testbed

import (
	"fmt"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// ballast is what a Cluster's status holds beside the sync: foreign to the
// program, and most of the object's size.
func (g *generator) ballast() map[string]any {
	resources := map[string]any{"cpu": "48", "memory": "196608Mi", "pods": "330"}
	components := []any{}
	for _, n := range []string{"controller-manager", "etcd-0", "scheduler"} {
		components = append(components, map[string]any{"name": n, "conditions": []any{
			map[string]any{"type": "Healthy", "status": "True", "message": "ok"}}})
	}
	return map[string]any{
		"agentImage":                 "example.com/rancher/rancher-agent:v2.15.1",
		"agentFeatures":              map[string]any{"embedded-cluster-api": false, "fleet": false, "monitoringv1": false},
		"allocatable":                resources,
		"apiEndpoint":                fmt.Sprintf("https://192.0.2.%d", 1+g.rng.IntN(250)),
		"appliedAgentEnvVars":        []any{map[string]any{"name": "CATTLE_SERVER_VERSION", "value": "v2.15.1"}},
		"appliedEnableNetworkPolicy": false,
		"authImage":                  "",
		"caCert":                     strings.Repeat("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=", 40),
		"capabilities":               map[string]any{"loadBalancerCapabilities": map[string]any{}},
		"capacity":                   resources,
		"componentStatuses":          components,
		"limits":                     resources,
		"linuxWorkerCount":           int64(3),
		"nodeCount":                  int64(3),
		"requested":                  resources,
		"serviceAccountTokenSecret":  "cluster-serviceaccounttoken-x",
		"version":                    map[string]any{"gitVersion": "v1.34.2", "major": "1", "minor": "34", "platform": "linux/amd64"},
	}
}

// conditions are those of a cluster that has been up for a while, with the
// state's own signs.
func (g *generator) conditions(state State, failure string) []any {
	var out []any
	at := FleetTime().Add(-time.Hour)
	add := func(kind, status, reason, message string) {
		at = at.Add(time.Duration(g.rng.IntN(60)) * time.Second)
		c := map[string]any{"type": kind, "status": status, "lastUpdateTime": at.Format(time.RFC3339)}
		if reason != "" {
			c["reason"] = reason
		}
		if message != "" {
			c["message"] = message
		}
		out = append(out, c)
	}
	for _, kind := range strings.Fields(`BackingNamespaceCreated DefaultProjectCreated SystemProjectCreated
		InitialRolesPopulated CreatorMadeOwner NoDiskPressure NoMemoryPressure SecretsMigrated
		ServiceAccountSecretsMigrated RKESecretsMigrated ACISecretsMigrated Connected SystemAccountCreated
		GlobalAdminsSynced ServiceAccountMigrated AgentDeployed Ready`) {
		add(kind, "True", "", "")
	}
	switch state {
	case NotHosted, LocalCluster:
	case Creating:
		add("Waiting", "Unknown", "", "Waiting for API to be available")
		add("Provisioned", "Unknown", "", "")
	case Frozen:
		add("Provisioned", "True", "", "")
		add("Updated", "Unknown", "", "")
	case Failing:
		add("Provisioned", "True", "", "")
		add("Updated", "False", "", failure)
	default:
		add("Pending", "True", "", "")
		add("Provisioned", "True", "", "")
		add("Updated", "True", "", "")
	}
	return out
}

// managedFields says that Rancher created the object and, where somebody
// interfered, that a client of theirs wrote since.
func (g *generator) managedFields(p hosted.Provider, sp *specs, state State) []any {
	entry := func(manager, subresource string, at time.Time, fields map[string]any) map[string]any {
		e := map[string]any{
			"manager": manager, "operation": "Update", "apiVersion": managementGroup + "/v3",
			"time": at.Format(time.RFC3339), "fieldsType": "FieldsV1", "fieldsV1": fields,
		}
		if subresource != "" {
			e["subresource"] = subresource
		}
		return e
	}
	created := FleetTime().Add(-30 * 24 * time.Hour)
	owned, edited := map[string]any{".": map[string]any{}}, map[string]any{}
	for k := range sp.config {
		owned["f:"+k] = map[string]any{}
	}
	manager := ""
	switch state {
	case Frozen:
		manager = "terraform-provider-rancher2"
	case Failing:
		manager = "kubectl-edit"
	}
	if manager != "" {
		for _, k := range sp.edited {
			delete(owned, "f:"+k)
			edited["f:"+k] = map[string]any{}
		}
	}
	config := func(m map[string]any) map[string]any {
		return map[string]any{"f:spec": map[string]any{"f:" + p.ConfigKey(): m}}
	}
	out := []any{entry("rancher", "", created, config(owned))}
	if len(edited) > 0 {
		out = append(out, entry(manager, "", FleetTime().Add(-20*time.Minute), config(edited)))
	}
	status := map[string]any{"f:status": map[string]any{
		".": map[string]any{}, "f:conditions": map[string]any{}, "f:driver": map[string]any{},
		"f:" + p.StatusKey(): map[string]any{"f:upstreamSpec": map[string]any{}},
	}}
	return append(out, entry("rancher", "status", FleetTime().Add(-time.Minute), status))
}
