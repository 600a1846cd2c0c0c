package testbed

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// specs are one cluster's copies of its specification.
type specs struct {
	config, applied, upstream map[string]any
	// extra is the provider's status beside upstreamSpec, crStatus the
	// operator's beside phase and failureMessage.
	extra, crStatus map[string]any
	// edited are the Config keys that an edit changes, failure what the
	// operator says when it cannot carry it out.
	edited  []string
	failure string
	// labelsKey and versionKey name the provider's tags and version fields,
	// sizeKey a node group's size.
	labelsKey, sizeKey string
	nodes              string
}

func (s *specs) status() map[string]any {
	out := map[string]any{"privateRequiresTunnel": false}
	for k, v := range s.extra {
		out[k] = v
	}
	if s.upstream == nil {
		out["upstreamSpec"] = nil
		return out
	}
	out["upstreamSpec"] = s.upstream
	return out
}

// spec makes settled copies: with managed, the Config holds most of what the
// cloud reports, else identity only.
func (g *generator) spec(p hosted.Provider, display string, managed bool) *specs {
	s := &specs{nodes: p.NodeListKey(), labelsKey: "tags", sizeKey: "count"}
	var identity []string
	nullable := true
	switch p {
	case hosted.EKS:
		identity, s.sizeKey = []string{"amazonCredentialSecret", "displayName", "region", "imported"}, "desiredSize"
		s.upstream = g.eksUpstream(display, !managed)
		s.extra = map[string]any{"managedLaunchTemplateID": "lt-0123456789abcdef0", "generatedNodeRole": "",
			"managedLaunchTemplateVersions": map[string]any{"workers-0": "1"}, "virtualNetwork": "vpc-0a1b2c3d",
			"subnets": []any{"subnet-0a", "subnet-0b"}, "securityGroups": nil}
		s.crStatus = map[string]any{"managedLaunchTemplateID": "lt-0123456789abcdef0", "completedUpdateIDs": nil,
			"networkFieldsSource": "provided", "virtualNetwork": "vpc-0a1b2c3d"}
		s.failure = "invalid version format for cluster [" + display + " (id: c-demo1)]: unexpected version"
	case hosted.AKS:
		identity = []string{"azureCredentialSecret", "clusterName", "resourceGroup", "resourceLocation", "imported"}
		s.upstream, s.extra = g.aksUpstream(display, !managed), map[string]any{"rbacEnabled": true}
		s.crStatus = map[string]any{"rbacEnabled": true}
		s.failure = "PUT https://management.azure.example: RESPONSE 403: 403 Forbidden"
	case hosted.GKE:
		identity, s.labelsKey = []string{"clusterName", "region", "zone", "googleCredentialSecret", "projectID", "imported", "description"}, "labels"
		s.sizeKey = "initialNodeCount"
		s.upstream = g.gkeUpstream(display, !managed)
		s.failure = "googleapi: Error 400: Master version \"1.99\" is unsupported."
	default:
		identity, s.labelsKey = []string{"clusterName", "regionId", "alibabaCredentialSecret", "imported"}, ""
		s.sizeKey, nullable = "desiredSize", false
		s.upstream = g.ackUpstream(display, !managed)
		s.failure = "invalid phase: "
	}
	s.config = configOf(s.upstream, identity, managed, nullable)
	s.edited = []string{"kubernetesVersion", s.nodes}
	s.applied = hosted.CloneMap(s.config)
	return s
}

// configOf makes a Config from a reading. Fields that are not managed are null
// where the provider's types write null, else absent.
func configOf(upstream map[string]any, identity []string, managed, nullable bool) map[string]any {
	out := map[string]any{}
	for k, v := range upstream {
		switch {
		case managed:
			out[k] = hosted.Clone(v)
		case nullable:
			out[k] = nil
		}
	}
	for _, k := range identity {
		if v, ok := upstream[k]; ok {
			out[k] = v
		}
	}
	return out
}

// enter brings settled copies into a state.
func (s *specs) enter(g *generator, state State) {
	switch state {
	case Drifted:
		if s.labelsKey != "" {
			s.upstream[s.labelsKey] = map[string]any{"team": "blue", "changed-in": "console"}
		}
		s.resize(s.upstream, g)
	case Frozen, Failing:
		s.config["kubernetesVersion"] = "1.35"
		s.resize(s.config, g)
	case Creating:
		s.upstream, s.applied = nil, nil
	}
}

func (s *specs) resize(spec map[string]any, g *generator) {
	groups := hosted.List(spec[s.nodes])
	if len(groups) == 0 {
		return
	}
	i := g.rng.IntN(len(groups))
	hosted.Map(groups[i])[s.sizeKey] = int64(7 + g.rng.IntN(3))
}

// groups is how many node groups a cluster has: usually few, sometimes many.
func (g *generator) groups() int {
	if g.rng.IntN(12) == 0 {
		return 12 + g.rng.IntN(9)
	}
	return 1 + g.rng.IntN(5)
}

func (g *generator) size() int64 { return int64(1 + g.rng.IntN(5)) }

func (g *generator) pick(of ...string) string { return of[g.rng.IntN(len(of))] }

func (g *generator) tags() map[string]any {
	return map[string]any{"team": g.pick("blue", "green", "red"), "cost-center": fmt.Sprint(1000 + g.rng.IntN(40))}
}
