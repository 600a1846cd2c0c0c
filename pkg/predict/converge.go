package predict

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// converge follows the provider's operator until it is quiet.
func converge(in PushInput) ([]operator.Pass, bool, error) {
	return nil, false, fmt.Errorf("no operator is known for %q", in.Provider)
}
