package eks_test

import (
	"os"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

var bed testbed.Bed

func TestMain(m *testing.M) { os.Exit(testbed.Run(m, &bed, os.Stderr)) }
