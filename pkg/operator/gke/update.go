package gke

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// outcome is what one step of a pass came to.
type outcome int

const (
	// unchanged: nothing to send, or the cloud has it already.
	unchanged outcome = iota
	// changed: sent.
	changed
	// refused: the cloud is not ready for it; the operator tries again at once.
	refused
	// postponed: as refused, but it tries again later.
	postponed
)

// update pushes the differences between the Config and the view (rancher/
// gke-operator, controller/gke-cluster-config-handler.go,
// updateUpstreamClusterState): the first kind of difference of the cluster, or
// else those of all node pools.
func (r *run) update(upstream *spec) error {
	steps := []func(*spec) (outcome, error){
		r.updateVersion, r.updateAddons, r.updateAuthorized, r.updateLogging, r.updateNetworkPolicy,
		r.updateLocations, r.updateWindow, r.updateLabels, r.updatePools,
	}
	for _, step := range steps {
		o, err := step(upstream)
		switch {
		case err != nil:
			return err
		case o == postponed:
			r.later()
			return nil
		case o != unchanged:
			r.again()
			return nil
		}
	}
	r.settled = true
	if r.phase != operator.PhaseActive {
		r.setPhase(operator.PhaseActive)
	}
	return nil
}

// sendUpdate sends a cluster update that fields caused.
func (r *run) sendUpdate(u clusterUpdate, fields ...string) (outcome, error) {
	if err := r.google.sendUpdate(u, operator.Call{Fields: fields}); err != nil {
		return unchanged, err
	}
	return changed, nil
}

// updateVersion sends any other version, except one whose minor number is lower.
func (r *run) updateVersion(upstream *spec) (outcome, error) {
	want := schema.OrZero(r.config.version)
	if want == "" || want == *upstream.version {
		return unchanged, nil
	}
	w, err := parseVersion(want)
	if err != nil {
		return unchanged, err
	}
	h, err := parseVersion(*upstream.version)
	if err != nil {
		return unchanged, err
	}
	if w.major == h.major && w.minor < h.minor {
		return unchanged, fmt.Errorf("upstream version %q is higher than spec version %q and downgrades of minor versions"+
			" are not supported in GKE, consider updating spec version to match upstream version", h, w)
	}
	return r.sendUpdate(clusterUpdate{MasterVersion: want}, "kubernetesVersion")
}

// updateAddons sends the add-ons that differ. The network policy add-on is not
// switched off while its enforcement is still on and about to be switched off.
func (r *run) updateAddons(upstream *spec) (outcome, error) {
	want, have := r.config.addons, upstream.addons
	if want == nil {
		return unchanged, nil
	}
	var sent addonsConfig
	var fields []string
	if want.loadBalancing != have.loadBalancing {
		sent.HTTPLoadBalancing = &switchedOff{!want.loadBalancing}
		fields = append(fields, "clusterAddons.httpLoadBalancing")
	}
	if want.podAutoscaling != have.podAutoscaling {
		sent.HorizontalPodAutoscaling = &switchedOff{!want.podAutoscaling}
		fields = append(fields, "clusterAddons.horizontalPodAutoscaling")
	}
	if want.networkPolicy != have.networkPolicy {
		if !want.networkPolicy && r.config.networkPolicy == nil {
			return unchanged, errNil
		}
		if want.networkPolicy || *r.config.networkPolicy || !*upstream.networkPolicy {
			sent.NetworkPolicyConfig = &switchedOff{!want.networkPolicy}
			fields = append(fields, "clusterAddons.networkPolicyConfig")
		}
	}
	if len(fields) == 0 {
		return unchanged, nil
	}
	slices.Sort(fields)
	o, err := r.sendUpdate(clusterUpdate{Addons: &sent}, fields...)
	if err != nil && recreation.MatchString(err.Error()) {
		return postponed, nil
	}
	return o, err
}

// recreation is how Google Cloud says that a node pool is about to be replaced.
var recreation = regexp.MustCompile(`Node pool "\S+" requires recreation`)

// updateAuthorized sends the switch and, if the blocks differ, all blocks.
func (r *run) updateAuthorized(upstream *spec) (outcome, error) {
	want, have := r.config.authorized, upstream.authorized
	if want == nil {
		return unchanged, nil
	}
	sent := &authorizedNetworks{Enabled: want.Enabled}
	cause := operator.Call{}
	if want.Enabled != have.Enabled {
		cause.Fields = append(cause.Fields, authorizedField+".enabled")
	}
	if want.Enabled && !sameBlocks(have.CidrBlocks, want.CidrBlocks) {
		for _, b := range want.CidrBlocks {
			if b == nil {
				return unchanged, errNil
			}
			sent.CidrBlocks = append(sent.CidrBlocks, b)
		}
		cause.Fields = append(cause.Fields, blockFields(want.CidrBlocks, have.CidrBlocks)...)
	}
	if len(cause.Fields) == 0 {
		return unchanged, nil
	}
	if !want.Enabled && len(have.CidrBlocks) > 0 {
		cause.Carried = []string{authorizedField + ".cidrBlocks"}
	}
	slices.Sort(cause.Fields)
	if err := r.google.sendUpdate(clusterUpdate{AuthorizedNetworks: sent}, cause); err != nil {
		return unchanged, err
	}
	return changed, nil
}

// sameBlocks is the operator's comparison: the same number, and every wanted
// block known. A block that is listed twice can hide one that is gone.
func sameBlocks(have, want []*cidrBlock) bool {
	if len(have) != len(want) {
		return false
	}
	known := map[cidrBlock]bool{}
	for _, b := range have {
		known[*b] = true
	}
	for _, b := range want {
		if b != nil && !known[*b] {
			return false
		}
	}
	return true
}

// What an empty logging or monitoring service in the Config stands for.
const (
	defaultLogging    = "logging.googleapis.com/kubernetes"
	defaultMonitoring = "monitoring.googleapis.com/kubernetes"
)

// updateLogging sends whichever of the two services differs.
func (r *run) updateLogging(upstream *spec) (outcome, error) {
	var u clusterUpdate
	var fields []string
	if w := r.config.logging; w != nil && orDefault(*w, defaultLogging) != *upstream.logging {
		u.LoggingService = orDefault(*w, defaultLogging)
		fields = append(fields, "loggingService")
	}
	if w := r.config.monitoring; w != nil && orDefault(*w, defaultMonitoring) != *upstream.monitoring {
		u.MonitoringService = orDefault(*w, defaultMonitoring)
		fields = append(fields, "monitoringService")
	}
	if len(fields) == 0 {
		return unchanged, nil
	}
	return r.sendUpdate(u, fields...)
}

func orDefault(s, or string) string {
	if s == "" {
		return or
	}
	return s
}

func (r *run) updateNetworkPolicy(upstream *spec) (outcome, error) {
	want := r.config.networkPolicy
	if want == nil || *want == *upstream.networkPolicy {
		return unchanged, nil
	}
	sent := &networkPolicy{Enabled: *want, Provider: "CALICO"}
	return r.send(request{op: opNetworkPolicy, body: networkPolicyBody{sent},
		cause: operator.Call{Fields: []string{"networkPolicyEnabled"}},
		apply: func() { r.google.change(func(c *cluster) { c.NetworkPolicy = sent }) }})
}

// send sends a request to the cluster itself.
func (r *run) send(q request) (outcome, error) {
	q.target = r.google.place.cluster()
	if err := r.google.write(q); err != nil {
		return unchanged, err
	}
	return changed, nil
}

// updateLocations compares the zones of a zonal cluster, managed or not. Null or
// an empty list is equal only to the one zone that the cluster lives in; else it
// makes an update without content.
func (r *run) updateLocations(upstream *spec) (outcome, error) {
	if r.config.zone == "" {
		return unchanged, nil
	}
	want, have := slices.Sorted(slices.Values(r.config.locations)), slices.Sorted(slices.Values(upstream.locations))
	if len(want) == 0 && len(have) == 1 && strings.HasPrefix(have[0], r.config.zone) {
		return unchanged, nil
	}
	if slices.Equal(want, have) && (r.config.locations == nil) == (upstream.locations == nil) {
		return unchanged, nil
	}
	return r.sendUpdate(clusterUpdate{Locations: want}, locationFields(want, have)...)
}

// updateWindow replaces the whole maintenance policy, exclusions included.
func (r *run) updateWindow(upstream *spec) (outcome, error) {
	want := r.config.window
	if want == nil || *want == *upstream.window {
		return unchanged, nil
	}
	sent := &maintenancePolicy{}
	if *want != "" {
		sent.Window = &maintenanceWindow{&dailyWindow{*want}}
	}
	return r.send(request{op: opMaintenance, body: maintenanceBody{sent},
		cause: operator.Call{Fields: []string{"maintenanceWindow"}},
		apply: func() { r.google.change(func(c *cluster) { c.MaintenancePolicy = sent }) }})
}

// updateLabels replaces the labels, with the fingerprint of a fresh reading.
func (r *run) updateLabels(upstream *spec) (outcome, error) {
	want := r.config.labels
	if want == nil || maps.Equal(want, upstream.labels) {
		return unchanged, nil
	}
	c, err := r.google.get()
	if err != nil {
		return unchanged, err
	}
	o, err := r.send(request{op: opLabels, body: labelsBody{c.LabelFingerprint, want},
		cause: operator.Call{Fields: keyFields(hosted.Path{}.Key("labels"), want, upstream.labels)},
		apply: func() { r.google.applyLabels(want) }})
	if says(err, textFingerprint) {
		return refused, nil
	}
	return o, err
}
