package testbed

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// State is what is going on with an invented cluster.
type State string

// The states that Fleet cycles through.
const (
	// Imported: nothing but identity in the Config, everything unmanaged.
	Imported State = "imported"
	// Managed: the Config manages most fields, all copies agree.
	Managed State = "managed"
	// Drifted: the cloud was changed, the next refresh overwrites the Config.
	Drifted State = "drifted"
	// Frozen: Config and Applied differ while the operator is at work.
	Frozen State = "frozen"
	// Failing: frozen, and the operator reports an error.
	Failing State = "failing"
	// BadAnnotation: the refresh annotation is no number, so no refresh happens.
	BadAnnotation State = "bad-annotation"
	// NeverRefreshed: no refresh annotation.
	NeverRefreshed State = "never-refreshed"
	// Creating: no UpstreamSpec yet.
	Creating State = "creating"
	// Deleting: a deletionTimestamp and a finalizer.
	Deleting State = "deleting"
	// NotHosted: an RKE2 cluster.
	NotHosted State = "not-hosted"
	// LocalCluster: the management cluster itself.
	LocalCluster State = "local"
)

// States lists the states of hosted clusters in the order in which Fleet gives
// them out.
func States() []State {
	return []State{Managed, Imported, Drifted, Frozen, Failing, BadAnnotation, NeverRefreshed, Creating, Deleting}
}

// FleetTime is when an invented fleet was written down: the last refreshes lie
// within the five minutes before.
func FleetTime() time.Time { return time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC) }

// Objects is an invented management cluster in raw form.
type Objects struct {
	// Clusters and States go together. Resources has the operators' resource of
	// every hosted cluster, Settings the refresh intervals and the version.
	Clusters  []map[string]any
	States    []State
	Resources []map[string]any
	Settings  []map[string]any
}

// All is every object.
func (o Objects) All() []map[string]any {
	out := append([]map[string]any{}, o.Clusters...)
	return append(append(out, o.Resources...), o.Settings...)
}

// Fleet invents n Cluster objects and what belongs to them. The same seed gives
// the same objects. The first is the local cluster and every eleventh is not
// hosted; the others take turns through the providers and the states.
func Fleet(seed uint64, n int) Objects {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 42))}
	var out Objects
	for i := range n {
		var cluster, cr map[string]any
		state := g.state(i)
		switch state {
		case LocalCluster:
			cluster = g.local()
		case NotHosted:
			cluster = g.rke2(i)
		default:
			p := hosted.Providers()[i%4]
			cluster, cr = g.hosted(i, p, state)
			out.Resources = append(out.Resources, cr)
		}
		out.Clusters = append(out.Clusters, cluster)
		out.States = append(out.States, state)
	}
	out.Settings = settings()
	return out
}

func settings() []map[string]any {
	out := []map[string]any{
		setting(hosted.VersionSetting, "v2.15.1", "", "default"),
		setting("eks-refresh-cron", "", "*/5 * * * *", "default"),
	}
	for _, p := range hosted.Providers() {
		out = append(out, setting(p.SettingName(), "", "300", "default"))
	}
	return out
}

// setting leaves out empty values, as the server does with null ones.
func setting(name, value, fallback, source string) map[string]any {
	return map[string]any{
		"apiVersion": managementGroup + "/v3", "kind": "Setting",
		"metadata": map[string]any{"name": name},
		"value":    value, "default": fallback, "source": source, "customized": false,
	}
}

type generator struct{ rng *rand.Rand }

func (g *generator) state(i int) State {
	switch {
	case i == 0:
		return LocalCluster
	case i%11 == 0:
		return NotHosted
	}
	all := States()
	return all[(i/4)%len(all)]
}

// name makes the generated name of a Cluster, unique for i.
func (g *generator) name(i int) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	b := []byte("c-")
	for range 3 {
		b = append(b, letters[g.rng.IntN(len(letters))])
	}
	return fmt.Sprintf("%s%02x", b, i)
}

func (g *generator) displayName(i int) string {
	words := strings.Fields("harbor meadow granite juniper lantern orchard prairie saffron willow anchor")
	stages := strings.Fields("prod stage test")
	return fmt.Sprintf("%s-%s-%d", words[g.rng.IntN(len(words))], stages[g.rng.IntN(len(stages))], i)
}

func (g *generator) hosted(i int, p hosted.Provider, state State) (cluster, cr map[string]any) {
	name, display := g.name(i), g.displayName(i)
	sp := g.spec(p, display, state != Imported)
	sp.enter(g, state)
	phase, failure := "active", ""
	switch state {
	case Frozen:
		phase = "updating"
	case Failing:
		phase, failure = "updating", sp.failure
	case Creating:
		phase = "creating"
	}
	status := g.ballast()
	status["driver"] = string(p)
	status["provider"] = strings.ToLower(string(p))
	status["conditions"] = g.conditions(state, failure)
	status["appliedSpec"] = emptySpec(p.ConfigKey(), sp.applied)
	for _, other := range hosted.Providers() {
		status[other.StatusKey()] = map[string]any{"upstreamSpec": nil, "privateRequiresTunnel": nil}
	}
	status[p.StatusKey()] = sp.status()
	spec := emptySpec(p.ConfigKey(), sp.config)
	spec["displayName"] = display
	spec["agentEnvVars"] = []any{map[string]any{"name": "HTTP_PROXY", "value": "http://192.0.2.8:3128"}}
	cluster = map[string]any{
		"apiVersion": managementGroup + "/v3", "kind": "Cluster",
		"metadata": g.meta(name, i, state), "spec": spec, "status": status,
	}
	hosted.Map(cluster["metadata"])["managedFields"] = g.managedFields(p, sp, state)
	crStatus := map[string]any{"phase": phase, "failureMessage": failure}
	for k, v := range sp.crStatus {
		crStatus[k] = v
	}
	return cluster, map[string]any{
		"apiVersion": p.CRGroup() + "/v1", "kind": p.CRKind(),
		"metadata": map[string]any{"name": name, "namespace": GlobalNamespace},
		"spec":     hosted.CloneMap(sp.config),
		"status":   crStatus,
	}
}

// emptySpec is a Cluster's spec as Rancher's types write it, with one Config.
func emptySpec(key string, config map[string]any) map[string]any {
	out := map[string]any{
		"agentImageOverride": "", "clusterSecrets": map[string]any{}, "description": "", "desiredAgentImage": "",
		"desiredAuthImage": "", "displayName": "", "enableNetworkPolicy": nil, "internal": false,
		"localClusterAuthEndpoint": map[string]any{"enabled": false}, "windowsPreferedCluster": false,
	}
	if config != nil {
		out[key] = config
	}
	return out
}

func (g *generator) meta(name string, i int, state State) map[string]any {
	annotations := map[string]any{
		"authz.management.cattle.io/creator-role-bindings":            `{"created":["cluster-owner"],"required":["cluster-owner"]}`,
		"field.cattle.io/creatorId":                                   "user-" + name[2:],
		"lifecycle.cattle.io/create.cluster-agent-controller-cleanup": "true",
		"management.cattle.io/current-cluster-controllers-version":    "v1.34.2",
	}
	switch state {
	case NotHosted, LocalCluster, NeverRefreshed, Creating:
	case BadAnnotation:
		annotations[hosted.RefreshAnnotation] = "2026-01-05T09:58:00Z"
	default:
		last := FleetTime().Add(-time.Duration(1+g.rng.IntN(299)) * time.Second)
		annotations[hosted.RefreshAnnotation] = fmt.Sprint(last.Unix())
	}
	if i%5 == 1 {
		annotations["kubectl.kubernetes.io/last-applied-configuration"] = `{"apiVersion":"management.cattle.io/v3","kind":"Cluster",` +
			`"spec":{"importedConfig":{"kubeConfig":"not-to-be-shown"}},"note":"` + strings.Repeat("x", 2000) + `"}`
	}
	meta := map[string]any{
		"name": name, "annotations": annotations,
		"labels": map[string]any{"cattle.io/creator": "norman", "team": []any{"blue", "green", "red"}[i%3],
			"provider.cattle.io": "hosted"},
		"creationTimestamp": FleetTime().Add(-time.Duration(30+i) * 24 * time.Hour).Format(time.RFC3339),
		"finalizers":        []any{"controller.cattle.io/cluster-agent-controller-cleanup"},
		"generation":        int64(3 + i%7),
		"resourceVersion":   fmt.Sprint(100000 + i),
		"uid":               fmt.Sprintf("00000000-0000-4000-8000-%012x", i),
	}
	if state == Deleting {
		meta["deletionTimestamp"] = FleetTime().Add(-time.Minute).Format(time.RFC3339)
		meta["deletionGracePeriodSeconds"] = int64(0)
	}
	return meta
}

func (g *generator) local() map[string]any {
	status := g.ballast()
	status["driver"], status["provider"] = "k3s", "k3s"
	status["conditions"] = g.conditions(LocalCluster, "")
	spec := emptySpec("", nil)
	spec["displayName"], spec["internal"] = "local", true
	return map[string]any{
		"apiVersion": managementGroup + "/v3", "kind": "Cluster",
		"metadata": g.meta("local", 0, LocalCluster), "spec": spec, "status": status,
	}
}

func (g *generator) rke2(i int) map[string]any {
	status := g.ballast()
	status["driver"], status["provider"] = "rke2", "rke2"
	status["conditions"] = g.conditions(NotHosted, "")
	spec := emptySpec("", nil)
	spec["displayName"] = g.displayName(i)
	spec["rke2Config"] = map[string]any{"kubernetesVersion": "v1.34.2+rke2r1"}
	return map[string]any{
		"apiVersion": managementGroup + "/v3", "kind": "Cluster",
		"metadata": g.meta(g.name(i), i, NotHosted), "spec": spec, "status": status,
	}
}
