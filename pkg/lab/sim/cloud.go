package sim

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/ack"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/aks"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/gke"
)

// Visit is one call on the cloud by an operator or the refresher.
type Visit struct {
	Name           string
	Config, Status map[string]any
	Faults         []operator.Fault
}

// Cloud is one cluster in its cloud over time: what the operators' restated code
// reads and changes there, with the provider's own idea of what is under way.
type Cloud interface {
	// Reconcile is one pass of the operator.
	Reconcile(Visit) operator.Pass
	// Read is the refresher's reading, nil with the error's text if it fails.
	Read(Visit) (spec map[string]any, problem string)
	// Begin puts the cloud into the state of working on calls, Settle ends it.
	Begin([]operator.Call)
	Settle()
}

// NewCloud makes the quiet cloud that reads as spec.
func NewCloud(p hosted.Provider, spec, config, status map[string]any) (Cloud, error) {
	switch p {
	case hosted.EKS:
		c, err := eks.FromSpec(spec, config, status)
		return eksCloud{eks.NewSession(c)}, err
	case hosted.AKS:
		c, err := aks.FromSpec(spec, config, status)
		return aksCloud{aks.NewSession(c)}, err
	case hosted.GKE:
		c, err := gke.FromSpec(spec, config, status)
		return gkeCloud{gke.NewSession(c)}, err
	case hosted.ACK:
		c, err := ack.FromSpec(spec, config, status)
		return ackCloud{ack.NewSession(c)}, err
	}
	return nil, fmt.Errorf("there is no cloud for %q", p)
}

type eksCloud struct{ *eks.Session }

func (c eksCloud) Reconcile(v Visit) operator.Pass {
	return c.Session.Reconcile(eks.Input{Name: v.Name, Config: v.Config, Status: v.Status, Faults: v.Faults})
}

func (c eksCloud) Read(v Visit) (map[string]any, string) {
	return c.Session.Read(eks.Input{Name: v.Name, Config: v.Config, Status: v.Status, Faults: v.Faults})
}

type aksCloud struct{ *aks.Session }

func (c aksCloud) Reconcile(v Visit) operator.Pass {
	return c.Session.Reconcile(aks.Input{Name: v.Name, Config: v.Config, Status: v.Status, Faults: v.Faults})
}

func (c aksCloud) Read(v Visit) (map[string]any, string) {
	return c.Session.Read(aks.Input{Name: v.Name, Config: v.Config, Status: v.Status, Faults: v.Faults})
}

type gkeCloud struct{ *gke.Session }

func (c gkeCloud) Reconcile(v Visit) operator.Pass {
	return c.Session.Reconcile(gke.Input{Name: v.Name, Config: v.Config, Status: v.Status, Faults: v.Faults})
}

func (c gkeCloud) Read(v Visit) (map[string]any, string) {
	return c.Session.Read(gke.Input{Name: v.Name, Config: v.Config, Status: v.Status, Faults: v.Faults})
}

type ackCloud struct{ *ack.Session }

func (c ackCloud) Reconcile(v Visit) operator.Pass {
	return c.Session.Reconcile(ack.Input{Name: v.Name, Config: v.Config, Status: v.Status, Faults: v.Faults})
}

func (c ackCloud) Read(v Visit) (map[string]any, string) {
	return c.Session.Read(ack.Input{Name: v.Name, Config: v.Config, Status: v.Status, Faults: v.Faults})
}
