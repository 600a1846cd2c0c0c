package testbed

import (
	"fmt"
	"io"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// Bed is the one server of a test package. A package declares a Bed, starts its
// tests through Run, and lets each test ask for the server:
//
//	var bed testbed.Bed
//
//	func TestMain(m *testing.M) { os.Exit(testbed.Run(m, &bed, os.Stderr)) }
//
//	func TestList(t *testing.T) { srv := bed.Server(t); … }
type Bed struct {
	Options Options

	once   sync.Once
	server *Server
	err    error
}

// Server returns the package's server and starts it on first use. A server that
// cannot be started fails the test.
func (b *Bed) Server(t testing.TB) *Server {
	t.Helper()
	// The server outlives the test that happens to start it.
	b.once.Do(func() { b.server, b.err = Start(withoutCancel(t), b.Options) })
	if b.err != nil {
		t.Fatal(b.err)
	}
	return b.server
}

// Run runs a package's tests, stops the Bed's server if one was started, and
// looks for leaked goroutines. It returns the exit code.
func Run(m *testing.M, b *Bed, stderr io.Writer) int {
	code := m.Run()
	if b.server != nil {
		if err := b.server.Stop(); err != nil {
			fmt.Fprintln(stderr, "stop the test API server:", err)
			code = max(code, 1)
		}
	}
	if code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(stderr, "leaked goroutines:", err)
		return 1
	}
	return 0
}
