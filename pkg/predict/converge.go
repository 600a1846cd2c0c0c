package predict

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/ack"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/aks"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/gke"
)

// converge follows the provider's operator until it is quiet.
func converge(in PushInput) ([]operator.Pass, bool, error) {
	switch in.Provider {
	case hosted.AKS:
		return follow(in, aks.FromSpec, func(c aks.Cloud) ([]operator.Pass, bool) {
			return aks.Converge(aks.Input{Name: in.Name, Config: in.After, Status: in.Status, Cloud: c}, maxPasses)
		})
	case hosted.EKS:
		return follow(in, eks.FromSpec, func(c eks.Cloud) ([]operator.Pass, bool) {
			return eks.Converge(eks.Input{Name: in.Name, Config: in.After, Status: in.Status, Cloud: c}, maxPasses)
		})
	case hosted.GKE:
		return follow(in, gke.FromSpec, func(c gke.Cloud) ([]operator.Pass, bool) {
			return gke.Converge(gke.Input{Name: in.Name, Config: in.After, Status: in.Status, Cloud: c}, maxPasses)
		})
	case hosted.ACK:
		return follow(in, ack.FromSpec, func(c ack.Cloud) ([]operator.Pass, bool) {
			return ack.Converge(ack.Input{Name: in.Name, Config: in.After, Status: in.Status, Cloud: c}, maxPasses)
		})
	}
	return nil, false, fmt.Errorf("no operator is known for %q", in.Provider)
}

// follow builds the quiet cloud that reads as in.Cloud and runs the operator on it.
func follow[C any](in PushInput, fromSpec func(spec, config, status map[string]any) (C, error), run func(C) ([]operator.Pass, bool)) ([]operator.Pass, bool, error) {
	cloud, err := fromSpec(in.Cloud, in.After, in.Status)
	if err != nil {
		return nil, false, err
	}
	passes, gaveUp := run(cloud)
	return passes, gaveUp, nil
}
