package testbed

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	// GlobalNamespace is where Rancher keeps the operators' resources.
	GlobalNamespace = "cattle-global-data"
	// SystemNamespace is where the operators run.
	SystemNamespace = "cattle-system"
)

// Options choose what a server starts with.
type Options struct {
	// Bare leaves out Rancher's resource definitions and namespaces: the server
	// looks like a downstream cluster.
	Bare bool
}

// Server is a running API server.
type Server struct {
	// Config connects as an administrator, without any client-side rate limit.
	Config *rest.Config
	// Kubeconfig is a file that does the same.
	Kubeconfig string

	env     *envtest.Environment
	dynamic dynamic.Interface
	// dir holds kubeconfigs and what launcher puts there, certificates the API
	// server's own.
	dir, certificates string
}

// Start starts a server; Stop must be called. It takes about three seconds once
// the binaries exist.
func Start(ctx context.Context, o Options) (*Server, error) {
	log.SetLogger(logr.Discard())
	assets, err := Assets(ctx)
	if err != nil {
		return nil, err
	}
	s := &Server{env: &envtest.Environment{
		BinaryAssetsDirectory:   assets,
		ControlPlaneStopTimeout: time.Minute,
	}}
	if s.dir, err = os.MkdirTemp("", "hostedsync-testbed-"); err != nil {
		return nil, err
	}
	api := s.env.ControlPlane.GetAPIServer()
	if api.Path, err = s.launcher(filepath.Join(assets, "kube-apiserver")); err != nil {
		return nil, err
	}
	if !o.Bare {
		s.env.CRDs = CRDs()
	}
	if s.Config, err = s.env.Start(); err != nil {
		_ = os.RemoveAll(s.dir)
		return nil, fmt.Errorf("start the test API server: %w", err)
	}
	s.certificates = api.CertDir
	s.Config.QPS = -1
	if err := s.prepare(ctx, o); err != nil {
		_ = s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *Server) prepare(ctx context.Context, o Options) error {
	var err error
	if s.dynamic, err = dynamic.NewForConfig(s.Config); err != nil {
		return err
	}
	admin, err := s.env.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return err
	}
	if s.Kubeconfig, err = s.writeKubeconfig("admin", admin); err != nil {
		return err
	}
	if o.Bare {
		return nil
	}
	return s.addNamespaces(ctx)
}

// Install adds what a Bare server lacks.
func (s *Server) Install(ctx context.Context) error {
	if _, err := envtest.InstallCRDs(s.Config, envtest.CRDInstallOptions{CRDs: CRDs()}); err != nil {
		return fmt.Errorf("install the resource definitions: %w", err)
	}
	return s.addNamespaces(ctx)
}

func (s *Server) addNamespaces(ctx context.Context) error {
	for _, name := range []string{GlobalNamespace, SystemNamespace} {
		namespace := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}
		if err := s.ApplyAll(ctx, namespace); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

func (s *Server) writeKubeconfig(name string, u *envtest.AuthenticatedUser) (string, error) {
	data, err := u.KubeConfig()
	if err != nil {
		return "", fmt.Errorf("kubeconfig of %s: %w", name, err)
	}
	path := filepath.Join(s.dir, name+".kubeconfig")
	return path, os.WriteFile(path, data, 0o600)
}

// Stop stops the server and removes its files. Watches that are still open delay
// it by up to 20 s.
func (s *Server) Stop() error {
	err := s.env.Stop()
	// The framework removes the certificates only of a server that was started once.
	for _, dir := range []string{s.dir, s.certificates} {
		if dir != "" {
			_ = os.RemoveAll(dir)
		}
	}
	return err
}
