package rancher_test

import (
	"os"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

var bed testbed.Bed

func TestMain(m *testing.M) {
	if readOnce() {
		return
	}
	os.Exit(testbed.Run(m, &bed, os.Stderr))
}

// fleetSize and seed are those of the fleet that all tests share.
const (
	fleetSize = 300
	seed      = 11
)

var stored sync.Once

// fleet stores the shared fleet on the package's server, once. Tests do not
// change it.
func fleet(t testing.TB) (*testbed.Server, testbed.Objects) {
	t.Helper()
	srv := bed.Server(t)
	objects := testbed.Fleet(seed, fleetSize)
	stored.Do(func() { srv.Apply(t, objects.All()...) })
	return srv, objects
}

// client makes a Client that is closed after the test.
func client(t testing.TB, cfg *rest.Config) *rancher.Client {
	t.Helper()
	c, err := rancher.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
