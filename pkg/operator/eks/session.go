package eks

import (
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// Session is one cluster in AWS over time. Unlike Converge it leaves it to the
// caller when the operator runs, what others change in between, and when the cloud
// has finished what it was asked for. It is not safe for concurrent use.
type Session struct {
	a *api
	// The Config that was decoded last, and what came of it: most readings are made
	// with the same one.
	config  map[string]any
	decoded *spec
}

// NewSession starts with a cloud, which it copies.
func NewSession(c Cloud) *Session { return &Session{a: newAPI(c, nil)} }

// Reconcile is one pass of the operator on the cloud as it is now; the cloud keeps
// what the pass changes.
func (s *Session) Reconcile(in Input) operator.Pass {
	s.a.faults = operator.NewFaults(in.Faults)
	p, _ := reconcile(s.a, in)
	return p
}

// Read is what Rancher's refresher stores as UpstreamSpec, nil with an error's
// text if the read fails. With a usable spec the text is about unhealthy groups.
func (s *Session) Read(in Input) (view map[string]any, problem string) {
	var v View
	if s.decoded == nil || !hosted.Same(in.Config, s.config) {
		if s.config, s.decoded = in.Config, decoded(in.Config); s.decoded == nil {
			return nil, "the config cannot be read"
		}
	}
	s.a.faults = operator.NewFaults(in.Faults)
	name := RancherCluster{in.Name, in.Name}
	template := hosted.Str(in.Status["managedLaunchTemplateID"])
	if problem = guarded(func() error { return v.refresher(name, *s.decoded, template, s.a) }); problem != "" {
		return nil, problem
	}
	return v.RancherView, strings.Join(v.HealthErrors, "; ")
}

// decoded is a Config in typed form, nil if it cannot be.
func decoded(config map[string]any) *spec {
	var out spec
	if decode("config", config, &out) != nil {
		return nil
	}
	return &out
}

// Begin makes what the calls asked for take time: the node groups, or else the
// cluster, are updating until Settle. Tags are set at once.
func (s *Session) Begin(calls []operator.Call) {
	for _, c := range calls {
		switch {
		case c.Error != "" || strings.HasSuffix(c.Op, "Resource"):
		case strings.Contains(c.Op, "Nodegroup"):
			name := hosted.Str(hosted.Map(c.Input)["nodegroupName"])
			if ng := hosted.Map(s.a.Nodegroups[name]["nodegroup"]); ng != nil && ng["status"] == "ACTIVE" {
				ng["status"] = "UPDATING"
			}
		case strings.HasPrefix(c.Op, "UpdateCluster"):
			if cluster := hosted.Map(s.a.Cluster["cluster"]); cluster != nil {
				cluster["status"] = "UPDATING"
			}
		}
	}
}

// Settle lets the cloud finish everything that is under way.
func (s *Session) Settle() { s.a.settle() }
