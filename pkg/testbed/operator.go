package testbed

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// OperatorsEnv names the environment variable that points to a folder with the
// binaries of Rancher's operators.
const OperatorsEnv = "HOSTEDSYNC_OPERATORS"

const (
	operatorScript = "testdata/operators/build.sh"
	// stopTimeout is how long an operator may take to end when it is asked to.
	stopTimeout = 5 * time.Second
)

// Operators returns the folder that holds Rancher's real eks-operator and
// aks-operator: the one named by OperatorsEnv, else the project's cache, which is
// filled by building from source if it is empty. That first build takes minutes.
func Operators(ctx context.Context) (string, error) {
	if dir := os.Getenv(OperatorsEnv); dir != "" {
		return dir, nil
	}
	root, err := sourceRoot()
	if err != nil {
		return "", err
	}
	return runBuild(ctx, root, operatorScript)
}

// Operator is one of Rancher's real operators, running as a child process. It
// serves all resources of its kind on the server.
type Operator struct {
	// Name is the program, "eks-operator".
	Name string

	path, kubeconfig, home string
	env                    []string
	log                    buffer
	cmd                    *exec.Cmd
	ended                  chan struct{}
}

// StartOperator starts a provider's operator against a server and stops it when
// the test ends, and so before the server of a Bed. Besides a path and a home of
// its own its environment is env alone, so nothing of this machine's settings of
// proxies and certificates reaches it. What it wrote is shown if the test fails.
//
// Only the operators of EKS and AKS can be built.
func StartOperator(tb testing.TB, s *Server, p hosted.Provider, env []string) *Operator {
	tb.Helper()
	names := map[hosted.Provider]string{hosted.EKS: "eks-operator", hosted.AKS: "aks-operator"}
	dir, err := Operators(withoutCancel(tb))
	if err != nil {
		tb.Fatal(err)
	}
	o := &Operator{Name: names[p], kubeconfig: s.Kubeconfig, home: tb.TempDir(), env: env}
	o.path = filepath.Join(dir, o.Name)
	if _, err := os.Stat(o.path); o.Name == "" || err != nil {
		tb.Fatalf("there is no operator for %s in the folder of operators", p)
	}
	tb.Cleanup(func() {
		o.Stop(tb)
		if tb.Failed() {
			tb.Logf("%s wrote:\n%s", o.Name, tail(o.Log(), 80))
		}
	})
	o.Start(tb)
	return o
}

// Start starts the operator again after Stop. What is under way in the cloud it
// has to find out anew.
func (o *Operator) Start(tb testing.TB) {
	tb.Helper()
	if o.cmd != nil {
		tb.Fatalf("%s runs already", o.Name)
	}
	o.cmd = exec.Command(o.path, "-debug", "-kubeconfig", o.kubeconfig)
	o.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + o.home}, o.env...)
	o.cmd.Stdout, o.cmd.Stderr = &o.log, &o.log
	if err := o.cmd.Start(); err != nil {
		o.cmd = nil
		tb.Fatalf("start %s: %v", o.Name, err)
	}
	o.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) {
		defer close(ended)
		_ = cmd.Wait()
	}(o.cmd, o.ended)
}

// Stop ends the operator's process, by force if it does not end by itself, and
// returns when it is gone. Stopping twice is allowed.
func (o *Operator) Stop(tb testing.TB) {
	tb.Helper()
	if o.cmd == nil {
		return
	}
	if err := o.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		tb.Errorf("stop %s: %v", o.Name, err)
	}
	select {
	case <-o.ended:
	case <-time.After(stopTimeout):
		_ = o.cmd.Process.Kill()
		<-o.ended
	}
	o.cmd = nil
}

// Running tells whether the process is alive; an operator that crashed is not.
func (o *Operator) Running() bool {
	if o.cmd == nil {
		return false
	}
	select {
	case <-o.ended:
		return false
	default:
		return true
	}
}

// Log is what the operator has written so far.
func (o *Operator) Log() string { return o.log.String() }

// buffer keeps a child's output, which arrives while it is read.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
