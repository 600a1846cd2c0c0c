package gke

import (
	"errors"
)

// View is what one reading of the cloud yields.
type View struct {
	// Operator is what the operator compares with, Rancher what the refresher
	// stores as UpstreamSpec: the same with the identity of the Config. Both
	// are nil if Error is set.
	Operator, Rancher map[string]any
	// Error is the reader's error, "" if it succeeded. Panic is set where the
	// real reader crashes; Error then starts with "panic: ".
	Error string
	Panic bool
}

// panicError stands for a crash of the real code.
type panicError struct{ text string }

func (e *panicError) Error() string { return "panic: runtime error: " + e.text }

var errNil = &panicError{"invalid memory address or nil pointer dereference"}

func isPanic(err error) bool {
	var p *panicError
	return errors.As(err, &p)
}

// Read reads the cloud as the operator and Rancher's refresher do, with the
// Config, credential, cloud and faults of in (rancher/gke-operator,
// controller/gke-cluster-config-handler.go, buildUpstreamClusterState;
// rancher/rancher, pkg/controllers/management/clusterupstreamrefresher,
// BuildGKEUpstreamSpec).
func Read(in Input) View {
	r, err := newRun(in)
	if err != nil {
		return View{Error: err.Error()}
	}
	s, err := r.read()
	if err != nil {
		return View{Error: err.Error(), Panic: isPanic(err)}
	}
	v := View{Operator: s.encode()}
	c := r.config
	s.clusterName, s.region, s.zone, s.project = c.clusterName, c.region, c.zone, c.project
	s.credential, s.imported = c.credential, c.imported
	v.Rancher = s.encode()
	return v
}

func (r *run) read() (*spec, error) {
	if err := r.credential.check(r.config.credential); err != nil {
		return nil, err
	}
	c, err := r.google.get()
	if err != nil {
		return nil, err
	}
	return readCluster(c)
}

// readCluster makes the operator's view of a cluster. Every member of the view
// that is a pointer is filled in, whatever the cloud leaves out.
func readCluster(c *cluster) (*spec, error) {
	s := &spec{
		version: &c.CurrentMasterVersion, alpha: &c.EnableKubernetesAlpha, clusterCIDR: &c.ClusterIpv4Cidr,
		logging: &c.LoggingService, monitoring: &c.MonitoringService, network: &c.Network, subnetwork: &c.Subnetwork,
		locations: c.Locations, labels: c.ResourceLabels, addons: readAddons(c.AddonsConfig),
		private: &privateConfig{}, ipAllocation: &ipAllocation{}, window: new(string), networkPolicy: new(bool),
	}
	if s.labels == nil {
		s.labels = map[string]string{}
	}
	*s.networkPolicy = c.NetworkPolicy != nil && c.NetworkPolicy.Enabled
	if c.PrivateClusterConfig != nil {
		s.private = c.PrivateClusterConfig
	}
	if c.IPAllocationPolicy != nil {
		s.ipAllocation = c.IPAllocationPolicy
	}
	if c.Autopilot != nil && c.Autopilot.Enabled {
		s.autopilot = c.Autopilot
	}
	if p := c.MaintenancePolicy; p != nil && p.Window != nil && p.Window.DailyMaintenanceWindow != nil {
		s.window = &p.Window.DailyMaintenanceWindow.StartTime
	}
	var err error
	if s.authorized, err = readAuthorized(c.AuthorizedNetworks); err != nil {
		return nil, err
	}
	s.pools, err = readPools(c.NodePools)
	return s, err
}

// readAddons: without any add-on configuration all are off, with one those that
// it does not name are on.
func readAddons(c *addonsConfig) *addons {
	if c == nil {
		return &addons{}
	}
	on := func(s *switchedOff) bool { return s == nil || !s.Disabled }
	return &addons{on(c.HTTPLoadBalancing), on(c.HorizontalPodAutoscaling), on(c.NetworkPolicyConfig)}
}

// readAuthorized reads the blocks only while the feature is on.
func readAuthorized(c *authorizedNetworks) (*authorizedNetworks, error) {
	out := &authorizedNetworks{}
	if c == nil || !c.Enabled {
		return out, nil
	}
	out.Enabled = true
	for _, b := range c.CidrBlocks {
		if b == nil {
			return nil, errNil
		}
		out.CidrBlocks = append(out.CidrBlocks, b)
	}
	return out, nil
}

// readPools leaves out pools that are being deleted.
func readPools(all []*nodePool) ([]pool, error) {
	out := make([]pool, 0, len(all))
	for _, np := range all {
		if np == nil {
			return nil, errNil
		}
		if np.Status == stateStopping {
			continue
		}
		p := pool{name: &np.Name, version: &np.Version, count: &np.InitialNodeCount,
			autoscaling: np.Autoscaling, management: np.Management}
		if np.MaxPodsConstraint != nil {
			p.maxPods = &np.MaxPodsConstraint.MaxPodsPerNode
		}
		if np.Config != nil {
			c := *np.Config
			c.OauthScopes = nil // the operator never reads them
			for _, t := range c.Taints {
				if t == nil {
					return nil, errNil
				}
			}
			p.config = &c
		}
		out = append(out, p)
	}
	return out, nil
}
