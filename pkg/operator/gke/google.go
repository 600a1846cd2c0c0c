package gke

import (
	"fmt"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// Operations, in the vectors' spelling: the REST methods of container/v1.
const (
	opGet            = "projects.locations.clusters.get"
	opList           = "projects.locations.clusters.list"
	opCreate         = "projects.locations.clusters.create"
	opUpdate         = "projects.locations.clusters.update"
	opNetworkPolicy  = "projects.locations.clusters.setNetworkPolicy"
	opMaintenance    = "projects.locations.clusters.setMaintenancePolicy"
	opLabels         = "projects.locations.clusters.setResourceLabels"
	opPoolCreate     = "projects.locations.clusters.nodePools.create"
	opPoolUpdate     = "projects.locations.clusters.nodePools.update"
	opPoolDelete     = "projects.locations.clusters.nodePools.delete"
	opPoolSize       = "projects.locations.clusters.nodePools.setSize"
	opPoolAutoscale  = "projects.locations.clusters.nodePools.setAutoscaling"
	opPoolManagement = "projects.locations.clusters.nodePools.setManagement"
)

// google is the cloud as the operator's client meets it: it answers reads, takes
// writes, and fails where a fault says so.
type google struct {
	cloud  Cloud
	place  place
	faults *operator.Faults
	calls  []operator.Call
}

// place is where a cluster lives; it makes resource names (rancher/gke-operator,
// pkg/gke/relative_resource_name.go).
type place struct{ project, location, name string }

func placeOf(s *spec) place {
	location := s.zone
	if location == "" {
		location = s.region
	}
	return place{s.project, location, s.clusterName}
}

func (p place) parent() string { return "projects/" + p.project + "/locations/" + p.location }

func (p place) cluster() string { return p.parent() + "/clusters/" + p.name }

func (p place) pool(name string) string { return p.cluster() + "/nodePools/" + name }

// diskKey names a customer's key for boot disks.
func (p place) diskKey(k *bootKey) string {
	return p.parent() + "/keyRings/" + k.ring + "/cryptoKeys/" + k.key
}

// apiError is a failed call as Google's Go client words it.
type apiError struct {
	status                int
	code, reason, message string
}

func (e *apiError) Error() string {
	s := fmt.Sprintf("googleapi: Error %d: %s", e.status, e.message)
	if e.reason != "" {
		s += ", " + e.reason
	}
	return s
}

// Parts of error texts by which the operator tells errors apart.
const (
	textBusy        = "Please wait and try again once it is done"
	textNotFound    = "notFound"
	textFingerprint = "Labels could not be set due to fingerprint mismatch"
)

func says(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }

// strike returns the error of a fault that hits a call, nil if none does.
func (g *google) strike(op, target string) *apiError {
	f := g.faults.Strike(op, target)
	if f == nil {
		return nil
	}
	return &apiError{f.Answer(), f.Code, f.Reason, f.Message}
}

// get is clusters.get.
func (g *google) get() (*cluster, error) {
	if err := g.strike(opGet, g.place.cluster()); err != nil {
		return nil, err
	}
	if !g.cloud.Exists() {
		return nil, &apiError{404, "NOT_FOUND", textNotFound, "Not found: " + g.place.cluster() + "."}
	}
	return g.cloud.cluster, nil
}

// exists is clusters.list, of which only the own name matters.
func (g *google) exists() (bool, error) {
	if err := g.strike(opList, g.place.parent()); err != nil {
		return false, err
	}
	return g.cloud.Exists() && g.cloud.cluster.Name == g.place.name, nil
}

// request is one mutating call: refusal is what the cloud itself says against
// it, apply what it does when it succeeds.
type request struct {
	op, target string
	body       any
	cause      operator.Call
	refusal    *apiError
	apply      func()
}

// write sends a request and records it.
func (g *google) write(r request) error {
	c := r.cause
	c.Op, c.Target = r.op, r.target
	if c.Effect == "" {
		c.Effect = operator.Update
	}
	if c.Fields == nil {
		c.Fields = []string{}
	}
	if r.body != nil {
		var err error
		if c.Input, err = jsonBody(r.body); err != nil {
			return err
		}
	}
	failed := g.strike(r.op, r.target)
	if failed == nil {
		failed = r.refusal
	}
	if failed != nil {
		c.Error, c.HTTPStatus = failed.code, failed.status
	}
	g.calls = append(g.calls, c)
	if failed != nil {
		return failed
	}
	r.apply()
	return nil
}

// clusterUpdate is ClusterUpdate, of which every request sets one kind.
type clusterUpdate struct {
	MasterVersion      string              `json:"desiredMasterVersion,omitempty"`
	Addons             *addonsConfig       `json:"desiredAddonsConfig,omitempty"`
	AuthorizedNetworks *authorizedNetworks `json:"desiredMasterAuthorizedNetworksConfig,omitempty"`
	LoggingService     string              `json:"desiredLoggingService,omitempty"`
	MonitoringService  string              `json:"desiredMonitoringService,omitempty"`
	Locations          []string            `json:"desiredLocations,omitempty"`
}

// empty tells whether nothing of the update is left on the wire.
func (u clusterUpdate) empty() bool {
	return u.MasterVersion == "" && u.Addons == nil && u.AuthorizedNetworks == nil &&
		u.LoggingService == "" && u.MonitoringService == "" && len(u.Locations) == 0
}

// Bodies of the other requests.
type (
	updateBody struct {
		Update clusterUpdate `json:"update"`
	}
	createBody struct {
		Cluster *cluster `json:"cluster"`
	}
	networkPolicyBody struct {
		NetworkPolicy *networkPolicy `json:"networkPolicy"`
	}
	maintenanceBody struct {
		MaintenancePolicy *maintenancePolicy `json:"maintenancePolicy"`
	}
	labelsBody struct {
		LabelFingerprint string            `json:"labelFingerprint,omitempty"`
		ResourceLabels   map[string]string `json:"resourceLabels,omitempty"`
	}
	poolCreateBody struct {
		Parent   string    `json:"parent,omitempty"`
		NodePool *nodePool `json:"nodePool"`
	}
	poolUpdateBody struct {
		NodeVersion string      `json:"nodeVersion,omitempty"`
		ImageType   string      `json:"imageType,omitempty"`
		Labels      *nodeLabels `json:"labels,omitempty"`
	}
	nodeLabels struct {
		Labels map[string]string `json:"labels,omitempty"`
	}
	sizeBody struct {
		NodeCount int64 `json:"nodeCount,omitempty"`
	}
	autoscalingBody struct {
		Autoscaling *autoscaling `json:"autoscaling"`
	}
	managementBody struct {
		Management *management `json:"management"`
	}
)

// sendUpdate is clusters.update. An update of which nothing is left is refused.
func (g *google) sendUpdate(u clusterUpdate, cause operator.Call) error {
	r := request{op: opUpdate, target: g.place.cluster(), body: updateBody{u}, cause: cause,
		apply: func() { g.applyUpdate(u) }}
	if u.empty() {
		r.refusal = &apiError{400, "INVALID_ARGUMENT", "badRequest", "Must specify a field to update."}
	}
	return g.write(r)
}
