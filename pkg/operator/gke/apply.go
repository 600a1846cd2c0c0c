package gke

import (
	"slices"
	"strconv"
	"strings"
)

// change stores a changed copy of the cluster. What the copy points to is shared
// with the cluster before: change replaces parts, it never writes into them.
func (g *google) change(edit func(*cluster)) {
	var c cluster
	if g.cloud.cluster != nil {
		c = *g.cloud.cluster
	}
	edit(&c)
	g.cloud.cluster = &c
}

// changePool stores a changed copy of the first node pool of that name.
func (g *google) changePool(name string, edit func(*nodePool)) {
	g.change(func(c *cluster) {
		i := slices.IndexFunc(c.NodePools, func(p *nodePool) bool { return p.Name == name })
		if i < 0 {
			return
		}
		c.NodePools = slices.Clone(c.NodePools)
		p := *c.NodePools[i]
		edit(&p)
		c.NodePools[i] = &p
	})
}

// applyCreate makes the cluster as it was asked for, at once, but without the
// endpoint and certificate that only Google Cloud knows.
func (g *google) applyCreate(body *cluster) {
	g.change(func(c *cluster) {
		*c = *body
		c.CurrentMasterVersion, c.Status = body.InitialClusterVersion, stateRunning
		c.NodePools = nil
		for _, p := range body.NodePools {
			c.NodePools = append(c.NodePools, runningPool(p))
		}
	})
}

func runningPool(p *nodePool) *nodePool {
	out := *p
	out.Status = stateRunning
	return &out
}

func (g *google) applyUpdate(u clusterUpdate) {
	g.change(func(c *cluster) {
		if u.MasterVersion != "" {
			c.CurrentMasterVersion = u.MasterVersion
		}
		if u.Addons != nil {
			c.AddonsConfig = mergedAddons(c.AddonsConfig, u.Addons)
		}
		if u.AuthorizedNetworks != nil {
			c.AuthorizedNetworks = u.AuthorizedNetworks
		}
		if u.LoggingService != "" {
			c.LoggingService = u.LoggingService
		}
		if u.MonitoringService != "" {
			c.MonitoringService = u.MonitoringService
		}
		if len(u.Locations) > 0 {
			c.Locations = u.Locations
		}
	})
}

// mergedAddons keeps the add-ons that a request does not name.
func mergedAddons(old, sent *addonsConfig) *addonsConfig {
	var out addonsConfig
	if old != nil {
		out = *old
	}
	if sent.HTTPLoadBalancing != nil {
		out.HTTPLoadBalancing = sent.HTTPLoadBalancing
	}
	if sent.HorizontalPodAutoscaling != nil {
		out.HorizontalPodAutoscaling = sent.HorizontalPodAutoscaling
	}
	if sent.NetworkPolicyConfig != nil {
		out.NetworkPolicyConfig = sent.NetworkPolicyConfig
	}
	return &out
}

// applyLabels replaces the labels and gives them a new fingerprint.
func (g *google) applyLabels(labels map[string]string) {
	g.change(func(c *cluster) {
		c.ResourceLabels, c.LabelFingerprint = labels, nextFingerprint(c.LabelFingerprint)
	})
}

// nextFingerprint counts up behind a prefix that cannot be one of Google's.
func nextFingerprint(old string) string {
	const prefix = "changed-"
	n, err := strconv.Atoi(strings.TrimPrefix(old, prefix))
	if err != nil {
		n = 0
	}
	return prefix + strconv.Itoa(n+1)
}

func (g *google) applyPoolCreate(p *nodePool) {
	g.change(func(c *cluster) { c.NodePools = append(slices.Clip(c.NodePools), runningPool(p)) })
}

func (g *google) applyPoolDelete(name string) {
	g.change(func(c *cluster) {
		c.NodePools = slices.DeleteFunc(slices.Clone(c.NodePools), func(p *nodePool) bool { return p.Name == name })
	})
}

func (g *google) applyPoolUpdate(name string, b poolUpdateBody) {
	g.changePool(name, func(p *nodePool) {
		if b.NodeVersion != "" {
			p.Version = b.NodeVersion
		}
		if b.ImageType == "" && b.Labels == nil {
			return
		}
		var c nodeConfig
		if p.Config != nil {
			c = *p.Config
		}
		if b.ImageType != "" {
			c.ImageType = b.ImageType
		}
		if b.Labels != nil {
			c.Labels = b.Labels.Labels
		}
		p.Config = &c
	})
}

// applyAutoscaling: enabled is always what was sent, the bounds are kept or
// zeroed when left out, as Omitted says.
func (g *google) applyAutoscaling(name string, sent autoscaling) {
	keep := g.cloud.Omitted == OmittedUnchanged
	g.changePool(name, func(p *nodePool) {
		if old := p.Autoscaling; keep && old != nil {
			if sent.MaxNodeCount == 0 {
				sent.MaxNodeCount = old.MaxNodeCount
			}
			if sent.MinNodeCount == 0 {
				sent.MinNodeCount = old.MinNodeCount
			}
		}
		p.Autoscaling = &sent
	})
}

func (g *google) applyManagement(name string, sent management) {
	keep := g.cloud.Omitted == OmittedUnchanged
	g.changePool(name, func(p *nodePool) {
		if old := p.Management; keep && old != nil {
			sent.AutoRepair = sent.AutoRepair || old.AutoRepair
			sent.AutoUpgrade = sent.AutoUpgrade || old.AutoUpgrade
		}
		p.Management = &sent
	})
}

// settle lets the cloud finish what it was doing: busy states end, pools that
// were being deleted are gone.
func (g *google) settle() {
	if !g.cloud.Exists() {
		return
	}
	g.change(func(c *cluster) {
		if c.Status == stateReconciling || c.Status == stateProvisioning {
			c.Status = stateRunning
		}
		var pools []*nodePool
		for _, p := range c.NodePools {
			switch {
			case p != nil && p.Status == stateStopping:
				continue
			case p != nil && (p.Status == stateReconciling || p.Status == stateProvisioning):
				p = runningPool(p)
			}
			pools = append(pools, p)
		}
		c.NodePools = pools
	})
}
