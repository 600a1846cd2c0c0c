package fleet

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

const (
	day = 24 * time.Hour
	// global is where Rancher keeps the operators' resources.
	global = "cattle-global-data"
	// managementAPI is the version of Rancher's own objects.
	managementAPI = "management.cattle.io/v3"
	// firstRevision is the first object's, pace the step to the next.
	firstRevision, pace = 184200, 7
)

// blueprint is a cluster before it becomes objects. Times are distances back from
// the moment of the World.
type blueprint struct {
	name, display string
	provider      hosted.Provider
	state         State
	shows         string
	try           []string

	// upstream is what Rancher last read of the cloud, live what the cloud has
	// now; live is upstream if it is nil. config is the Config, applied the one
	// that Rancher last saw carried out; applied is config if it is nil.
	upstream, live, config, applied map[string]any
	// refreshed is how long ago the last refresh ended. annotation replaces the
	// refresh annotation, given the moment; nil leaves what follows from refreshed.
	refreshed  time.Duration
	annotation func(now time.Time) string
	// phase and failure are the operator's; phase is active if "".
	phase, failure string
	// updated is how long ago the Updated condition last changed.
	updated time.Duration
	// status is the provider's status beside upstreamSpec and
	// privateRequiresTunnel, operator the operator's beside phase and
	// failureMessage.
	status, operator map[string]any
	// edits are writes since the creation by somebody else than the refresher.
	edits []edit
	// age is how long ago the object was created.
	age time.Duration
	// distribution is the driver of a cluster that is not hosted.
	distribution string
}

// edit is a write to the Cluster object: Config keys, or annotations if there are
// no keys.
type edit struct {
	manager     string
	ago         time.Duration
	keys        []string
	annotations []string
}

type builder struct{ now time.Time }

// build makes the objects of the i-th cluster.
func (b builder) build(i int, p blueprint) Cluster {
	if p.live == nil {
		p.live = p.upstream
	}
	if p.applied == nil {
		p.applied = p.config
	}
	if p.phase == "" {
		p.phase = "active"
	}
	if p.provider != hosted.None {
		table := schema.For(p.provider)
		for _, spec := range []*map[string]any{&p.upstream, &p.live, &p.config, &p.applied} {
			*spec = written(table, *spec)
		}
	}
	revision := firstRevision + int64(i)*2*pace
	c := Cluster{Name: p.name, DisplayName: p.display, Provider: p.provider, State: p.state, Live: p.live, Shows: p.shows, Try: p.try}
	c.Object = map[string]any{
		"apiVersion": managementAPI, "kind": "Cluster",
		"metadata": b.metadata(p, revision), "spec": clusterSpec(p), "status": b.clusterStatus(i, p),
	}
	hosted.Map(c.Object["metadata"])["managedFields"] = b.clusterWriters(p, c.Object)
	if p.provider != hosted.None {
		c.Resource = b.resource(p, revision+pace)
	}
	return c
}

// written is a spec as the provider's type writes it.
func written(table schema.Spec, spec map[string]any) map[string]any {
	typed, err := table.Decode(spec)
	if err != nil {
		return spec // only a wrong blueprint; the tests decode every spec
	}
	return hosted.CloneMap(table.Encode(typed))
}

func (b builder) ago(d time.Duration) string { return b.now.Add(-d).Format(time.RFC3339) }

// uid makes a stable identifier of a name.
func uid(of string) string {
	h := sha256.Sum256([]byte(of))
	return fmt.Sprintf("%x-%x-4%03x-a%03x-%x", h[0:4], h[4:6], int(h[6])<<4|int(h[7])>>4, int(h[8])<<4|int(h[9])>>4, h[10:16])
}

func (b builder) metadata(p blueprint, revision int64) map[string]any {
	annotations := map[string]any{
		"authz.management.cattle.io/creator-role-bindings":            `{"created":["cluster-owner"],"required":["cluster-owner"]}`,
		"field.cattle.io/creatorId":                                   "user-7b2kd",
		"lifecycle.cattle.io/create.cluster-agent-controller-cleanup": "true",
		"lifecycle.cattle.io/create.cluster-scoped-gc":                "true",
		"lifecycle.cattle.io/create.mgmt-cluster-rbac-remove":         "true",
		"management.cattle.io/current-cluster-controllers-version":    "v1.34.2",
	}
	switch {
	case p.annotation != nil:
		annotations[hosted.RefreshAnnotation] = p.annotation(b.now)
	case p.provider != hosted.None:
		annotations[hosted.RefreshAnnotation] = strconv.FormatInt(b.now.Add(-p.refreshed).Unix(), 10)
	}
	return map[string]any{
		"name": p.name, "uid": uid(p.name), "annotations": annotations,
		"labels":            map[string]any{"cattle.io/creator": "norman", "provider.cattle.io": kind(p), "team": team(p.display), "env": env(p.display)},
		"creationTimestamp": b.ago(p.age),
		"finalizers": []any{
			"controller.cattle.io/cluster-agent-controller-cleanup", "controller.cattle.io/cluster-scoped-gc",
			"controller.cattle.io/mgmt-cluster-rbac-remove", "wrangler.cattle.io/mgmt-cluster-remove",
		},
		"generation":      int64(2 + 3*len(p.edits)),
		"resourceVersion": strconv.FormatInt(revision, 10),
	}
}

// kind is Rancher's lower-case name of what the cluster is.
func kind(p blueprint) string {
	switch p.provider {
	case hosted.None:
		return p.distribution
	case hosted.ACK:
		return "alibaba"
	}
	return map[hosted.Provider]string{hosted.AKS: "aks", hosted.EKS: "eks", hosted.GKE: "gke"}[p.provider]
}

// team spreads the clusters over three teams, for selectors.
func team(display string) string {
	return []string{"platform", "payments", "search"}[len(display)%3]
}

// env is what the name ends in.
func env(display string) string {
	return display[strings.LastIndexAny(display, "- ")+1:]
}

// clusterSpec is a Cluster's spec as Rancher's type writes it.
func clusterSpec(p blueprint) map[string]any {
	out := map[string]any{
		"agentImageOverride": "", "clusterSecrets": map[string]any{}, "description": "", "desiredAgentImage": "",
		"desiredAuthImage": "", "displayName": p.display, "enableNetworkPolicy": nil,
		"fleetWorkspaceName": "fleet-default", "internal": false,
		"localClusterAuthEndpoint": map[string]any{"enabled": false}, "windowsPreferedCluster": false,
	}
	switch {
	case p.provider != hosted.None:
		out[p.provider.ConfigKey()] = hosted.CloneMap(p.config)
	case p.state == Management:
		out["internal"], out["fleetWorkspaceName"] = true, "fleet-local"
	}
	return out
}

// resource is the operator's custom resource, whose spec Rancher keeps equal to
// the Config.
func (b builder) resource(p blueprint, revision int64) map[string]any {
	status := map[string]any{"phase": p.phase, "failureMessage": p.failure}
	for k, v := range p.operator {
		status[k] = v
	}
	obj := map[string]any{
		"apiVersion": p.provider.CRGroup() + "/v1", "kind": p.provider.CRKind(),
		"metadata": map[string]any{
			"name": p.name, "namespace": global, "uid": uid(p.provider.CRKind() + p.name),
			"creationTimestamp": b.ago(p.age - 2*time.Second),
			"finalizers":        []any{"wrangler.cattle.io/" + operatorName(p.provider) + "-controller-remove"},
			"generation":        int64(2 + len(p.edits)),
			"ownerReferences": []any{map[string]any{
				"apiVersion": managementAPI, "kind": "Cluster", "name": p.name, "uid": uid(p.name),
			}},
			"resourceVersion": strconv.FormatInt(revision, 10),
		},
		"spec":   hosted.CloneMap(p.config),
		"status": status,
	}
	hosted.Map(obj["metadata"])["managedFields"] = b.resourceWriters(p, obj)
	return obj
}

// operatorName is the prefix of the operator's names: eks, aks, gke, ali.
func operatorName(p hosted.Provider) string {
	group := p.CRGroup()
	return group[:3]
}
