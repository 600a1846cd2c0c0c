package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// dies and revives bound how long the API server takes to be gone and to be
	// back.
	dies    = 10 * time.Second
	revives = time.Minute
)

// launcher writes a script that becomes the API server, and before that notes its
// process, which the test framework keeps to itself.
func (s *Server) launcher(binary string) (path string, err error) {
	path = filepath.Join(s.dir, "kube-apiserver")
	text := fmt.Sprintf("#!/bin/sh\necho $$ >%s || exit 1\nexec %s \"$@\"\n", quote(s.pidFile()), quote(binary))
	return path, os.WriteFile(path, []byte(text), 0o700) //nolint:gosec // a program has to be executable
}

func (s *Server) pidFile() string { return filepath.Join(s.dir, "kube-apiserver.pid") }

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// KillAPIServer kills the API server at once, as a crash would: no request is
// finished and no connection is closed in order. The database goes on. It returns
// when the process is gone. Use it only on a server of the test's own.
func (s *Server) KillAPIServer(t testing.TB) {
	t.Helper()
	if err := s.kill(withoutCancel(t)); err != nil {
		t.Fatal("kill the test API server: ", err)
	}
}

func (s *Server) kill(ctx context.Context) error {
	process, err := s.apiServer()
	if err != nil {
		return err
	}
	if err := process.Kill(); err != nil {
		return err
	}
	// The framework waits for its child, after which there is no such process.
	err = wait.PollUntilContextTimeout(ctx, time.Millisecond, dies, true, func(context.Context) (bool, error) {
		err := process.Signal(syscall.Signal(0))
		return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH), nil
	})
	return errors.Join(err, os.Remove(s.pidFile()))
}

// apiServer is the process that this Server started, and no other.
func (s *Server) apiServer() (*os.Process, error) {
	text, err := os.ReadFile(s.pidFile())
	if err != nil {
		return nil, fmt.Errorf("it does not run: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("the launcher's note is not a process: %w", err)
	}
	// Where the system shows command lines, a number that was given to another
	// process meanwhile is noticed.
	if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && !strings.Contains(string(line), s.env.ControlPlane.GetAPIServer().CertDir) {
		return nil, fmt.Errorf("process %d is another one: the API server has ended by itself", pid)
	}
	return os.FindProcess(pid)
}

// StartAPIServer starts a killed API server again: same address, same
// certificates, same database. It returns once Rancher's resources are served,
// and says how long that took.
func (s *Server) StartAPIServer(t testing.TB) time.Duration {
	t.Helper()
	begin := time.Now()
	if err := s.env.ControlPlane.GetAPIServer().Start(); err != nil {
		t.Fatal("start the test API server again: ", err)
	}
	c := s.dynamic.Resource(resources()["Namespace"].GroupVersionResource)
	if len(s.env.CRDs) > 0 {
		c = s.dynamic.Resource(resources()["Cluster"].GroupVersionResource)
	}
	var last error
	err := wait.PollUntilContextTimeout(withoutCancel(t), 20*time.Millisecond, revives, true, func(ctx context.Context) (bool, error) {
		_, last = c.List(ctx, metav1.ListOptions{Limit: 1})
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("the test API server does not serve again: %v: %v", err, last)
	}
	return time.Since(begin)
}
