package gke

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// storeAccess takes note of how to reach the cluster's API.
func (r *run) storeAccess(c *cluster) error {
	if c.Endpoint == "" {
		return fmt.Errorf("cluster %s has no endpoint", r.id())
	}
	if c.MasterAuth == nil || c.MasterAuth.ClusterCaCertificate == "" {
		return fmt.Errorf("cluster %s has no CA", r.id())
	}
	r.setPhase(operator.PhaseActive)
	return nil
}

func (r *run) importCluster() error {
	c, err := r.google.get()
	if err != nil {
		return err
	}
	return r.storeAccess(c)
}

func (r *run) awaitCreation() error {
	c, err := r.google.get()
	switch {
	case err != nil:
		return err
	case c.Status == stateError:
		return fmt.Errorf("creation failed for cluster %s", r.id())
	case c.Status == stateRunning:
		return r.storeAccess(c)
	}
	r.later()
	return nil
}

// create begins an import or a creation.
func (r *run) create() error {
	if r.config.imported {
		r.setPhase(operator.PhaseImporting)
		return nil
	}
	if err := r.validate(); err != nil {
		return err
	}
	body, err := r.newCluster()
	if err != nil {
		return err
	}
	err = r.google.write(request{op: opCreate, target: r.google.place.parent(), body: createBody{body},
		cause: operator.Call{Effect: operator.Create}, apply: func() { r.google.applyCreate(body) }})
	if err != nil {
		return err
	}
	r.setPhase(operator.PhaseCreating)
	return nil
}

// validate is what the operator demands of a new Config (rancher/gke-operator,
// pkg/gke/create.go, validateCreateRequest).
func (r *run) validate() error {
	c := r.config
	switch {
	case c.project == "":
		return errors.New("project ID is required")
	case c.zone == "" && c.region == "":
		return errors.New("zone or region is required")
	case c.zone != "" && c.region != "":
		return errors.New("only one of zone or region must be specified")
	case c.clusterName == "":
		return errors.New("cluster name is required")
	case len(c.pools) != 0 && c.autopilot != nil && c.autopilot.Enabled:
		return errors.New("cannot create node pools for autopilot clusters")
	}
	if err := r.validateNames(); err != nil {
		return err
	}
	if k := c.bootKey; k != nil && (k.ring == "" || k.key == "") {
		return fmt.Errorf("ringName and keyName are required to enable boot disk encryption for Node Pools within the cluster %s", r.id())
	}
	exists, err := r.google.exists()
	if err != nil {
		return err
	}
	if exists {
		return fmt.Errorf("cannot create cluster %s because a cluster in GKE exists with the same name, please delete and recreate with a different name", r.id())
	}
	if err := r.validateComplete(); err != nil {
		return err
	}
	for i := range c.pools {
		if err := r.validatePool(&c.pools[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) validateNames() error {
	seen := map[string]bool{}
	for _, p := range r.config.pools {
		if p.name == nil {
			return r.missing("nodePool.name")
		}
		if seen[*p.name] {
			return fmt.Errorf("nodePool name [%s] is not unique within the cluster %s", *p.name, r.id())
		}
		seen[*p.name] = true
		if a := p.autoscaling; a != nil && a.Enabled && (a.MinNodeCount < 1 || a.MaxNodeCount < a.MinNodeCount) {
			return fmt.Errorf("minNodeCount in the NodePool [%s] must be >= 1 and <= maxNodeCount within the cluster %s", *p.name, r.id())
		}
	}
	return nil
}

func (r *run) missing(field string) error {
	return fmt.Errorf("field [%s] cannot be nil for non-import cluster %s", field, r.id())
}

// validateComplete names the first member that is null and must not be.
func (r *run) validateComplete() error {
	c := r.config
	for _, f := range []struct {
		name    string
		present bool
	}{
		{"enableKubernetesAlpha", c.alpha != nil}, {"kubernetesVersion", c.version != nil},
		{"clusterIpv4CidrBlock", c.clusterCIDR != nil}, {"clusterAddons", c.addons != nil},
		{"ipAllocationPolicy", c.ipAllocation != nil}, {"loggingService", c.logging != nil},
		{"network", c.network != nil}, {"subnetwork", c.subnetwork != nil},
		{"networkPolicyEnabled", c.networkPolicy != nil}, {"privateClusterConfig", c.private != nil},
	} {
		if !f.present {
			return r.missing(f.name)
		}
	}
	if c.private.EnablePrivateEndpoint && !c.private.EnablePrivateNodes {
		return fmt.Errorf("private endpoint requires private nodes for cluster %s", r.id())
	}
	for _, f := range []struct {
		name    string
		present bool
	}{
		{"masterAuthorizedNetworksConfig", c.authorized != nil}, {"monitoringService", c.monitoring != nil},
		{"locations", c.locations != nil}, {"maintenanceWindow", c.window != nil}, {"labels", c.labels != nil},
	} {
		if !f.present {
			return r.missing(f.name)
		}
	}
	return nil
}

// email is the operator's idea of a service account's address.
var email = regexp.MustCompile(`^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-z]{2,}$`)

// validatePool is what the operator demands of a new node pool
// (validateNodePoolCreateRequest).
func (r *run) validatePool(p *pool) error {
	if p.name == nil {
		return r.missing("nodePool.name")
	}
	for _, f := range []struct {
		name    string
		present bool
	}{
		{"version", p.version != nil}, {"autoscaling", p.autoscaling != nil}, {"initialNodeCount", p.count != nil},
		{"maxPodsConstraint", p.maxPods != nil || !r.aliases()}, {"config", p.config != nil}, {"management", p.management != nil},
	} {
		if !f.present {
			return fmt.Errorf("field [%s] cannot be nil for nodepool [%s] in non-nil cluster %s", f.name, *p.name, r.id())
		}
	}
	if a := p.config.ServiceAccount; a != "" && a != "default" && !email.MatchString(a) {
		return fmt.Errorf("field [serviceAccount] must either be an empty string, 'default' or set to a valid email address for nodepool [%s] in non-nil cluster %s", *p.name, r.id())
	}
	return nil
}

// aliases tells whether pods get addresses of the VPC, as the Config has it.
func (r *run) aliases() bool {
	return r.config.ipAllocation != nil && r.config.ipAllocation.UseIPAliases
}

// newPool is the node pool to ask for; validatePool has passed.
func (r *run) newPool(p *pool) *nodePool {
	config := *p.config
	config.BootDiskKmsKey = ""
	if k := r.config.bootKey; k != nil && k.ring != "" && k.key != "" {
		config.BootDiskKmsKey = r.google.place.diskKey(k)
	}
	out := &nodePool{Name: *p.name, Version: *p.version, InitialNodeCount: *p.count, Config: &config,
		Autoscaling: p.autoscaling, Management: p.management}
	if r.aliases() {
		out.MaxPodsConstraint = &podsConstraint{*p.maxPods}
	}
	return out
}

// newCluster is the cluster to ask for; validate has passed (NewClusterCreateRequest).
func (r *run) newCluster() (*cluster, error) {
	c := r.config
	out := &cluster{
		Name: c.clusterName, Description: c.description, ResourceLabels: c.labels, InitialClusterVersion: *c.version,
		EnableKubernetesAlpha: *c.alpha, ClusterIpv4Cidr: *c.clusterCIDR, LoggingService: *c.logging,
		MonitoringService: *c.monitoring, IPAllocationPolicy: c.ipAllocation, AddonsConfig: &addonsConfig{},
		Locations: c.locations, MaintenancePolicy: &maintenancePolicy{}, Network: *c.network, Subnetwork: *c.subnetwork,
		NetworkPolicy: &networkPolicy{Enabled: *c.networkPolicy},
	}
	if *c.window != "" {
		out.MaintenancePolicy.Window = &maintenanceWindow{&dailyWindow{*c.window}}
	}
	if c.private.EnablePrivateNodes {
		out.PrivateClusterConfig = c.private
	}
	if c.autopilot != nil && c.autopilot.Enabled {
		out.Autopilot = c.autopilot
		return out, nil
	}
	a := c.addons
	out.AddonsConfig = &addonsConfig{&switchedOff{!a.loadBalancing}, &switchedOff{!a.podAutoscaling}, &switchedOff{!a.networkPolicy}}
	for i := range c.pools {
		out.NodePools = append(out.NodePools, r.newPool(&c.pools[i]))
	}
	for _, b := range c.authorized.CidrBlocks {
		if b == nil {
			return nil, errNil
		}
	}
	out.AuthorizedNetworks = c.authorized
	return out, nil
}
