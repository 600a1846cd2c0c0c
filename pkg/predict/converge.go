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
		cloud, err := aks.FromSpec(in.Cloud, in.After, in.Status)
		if err != nil {
			return nil, false, err
		}
		passes, gaveUp := aks.Converge(aks.Input{Name: in.Name, Config: in.After, Status: in.Status, Cloud: cloud}, maxPasses)
		return passes, gaveUp, nil
	case hosted.EKS:
		cloud, err := eks.FromSpec(in.Cloud, in.After, in.Status)
		if err != nil {
			return nil, false, err
		}
		passes, gaveUp := eks.Converge(eks.Input{Name: in.Name, Config: in.After, Status: in.Status, Cloud: cloud}, maxPasses)
		return passes, gaveUp, nil
	case hosted.GKE:
		cloud, err := gke.FromSpec(in.Cloud, in.After, in.Status)
		if err != nil {
			return nil, false, err
		}
		passes, gaveUp := gke.Converge(gke.Input{Name: in.Name, Config: in.After, Status: in.Status, Cloud: cloud}, maxPasses)
		return passes, gaveUp, nil
	case hosted.ACK:
		cloud, err := ack.FromSpec(in.Cloud, in.After, in.Status)
		if err != nil {
			return nil, false, err
		}
		passes, gaveUp := ack.Converge(ack.Input{Name: in.Name, Config: in.After, Status: in.Status, Cloud: cloud}, maxPasses)
		return passes, gaveUp, nil
	}
	return nil, false, fmt.Errorf("no operator is known for %q", in.Provider)
}
