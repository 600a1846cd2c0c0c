package loopback

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/aks"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

// Server is the loopback cloud. Its methods may be called at any time, also while
// requests are served.
type Server struct {
	proxy  *proxy
	caFile string

	mu sync.Mutex
	// The EKS cluster that a request is about; SetEKS sets the one that answers when
	// no other of regions is asked for.
	*eksState
	eksWorld
	// arm is the answer of ManagedClusters.Get, nil without a cluster.
	arm   map[string]any
	at    aks.Endpoints
	azure azure

	takes    time.Duration
	due      time.Time
	calls    []operator.Call
	faults   []*operator.Faults
	unserved []string

	requests, open int
	last           time.Time
}

// New starts a loopback cloud for a test and closes it afterwards. A request that
// it does not know fails the test.
func New(tb testing.TB) *Server {
	tb.Helper()
	s, err := Start(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		s.Close()
		for _, r := range s.Unserved() {
			tb.Errorf("the loopback cloud does not serve %s", r)
		}
	})
	return s
}

// Start starts a loopback cloud that keeps its certificate in dir; Close must be
// called. It has no clusters.
func Start(dir string) (*Server, error) {
	s := &Server{caFile: filepath.Join(dir, "loopback-ca.pem"), eksState: &eksState{}}
	var err error
	if s.proxy, err = startProxy(s); err != nil {
		return nil, fmt.Errorf("start the loopback cloud: %w", err)
	}
	if err := os.WriteFile(s.caFile, s.proxy.authority.pem, 0o600); err != nil {
		s.proxy.close()
		return nil, fmt.Errorf("start the loopback cloud: %w", err)
	}
	if err := s.setEKS(eks.Cloud{}); err != nil {
		s.proxy.close()
		return nil, err
	}
	return s, nil
}

// Close ends all connections.
func (s *Server) Close() { s.proxy.close() }

// EnvFor is the environment in which a child process meets this cloud instead of
// the real ones. It is to be used instead of the parent's environment, whose own
// settings of certificates and proxies would win.
func (s *Server) EnvFor() []string {
	return []string{
		"HTTPS_PROXY=" + s.proxy.url(), "HTTP_PROXY=" + s.proxy.url(), "NO_PROXY=127.0.0.1,localhost",
		"SSL_CERT_FILE=" + s.caFile, "SSL_CERT_DIR=" + filepath.Dir(s.caFile), "AWS_CA_BUNDLE=" + s.caFile,
		"AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=" + os.DevNull, "AWS_SHARED_CREDENTIALS_FILE=" + os.DevNull,
	}
}

// Client is an HTTP client within this process that meets this cloud.
func (s *Server) Client() *http.Client { return s.proxy.client() }

// SetEKS replaces the EKS side, its faults included. Calls so far are kept.
func (s *Server) SetEKS(tb testing.TB, c eks.Cloud) {
	tb.Helper()
	if err := s.setEKS(c); err != nil {
		tb.Fatal(err)
	}
}

func (s *Server) setEKS(c eks.Cloud) error {
	own, err := newEKSState(c)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own.updates, own.templates = s.updates, s.templates
	s.eksState = own
	if len(own.eks.Faults) > 0 {
		s.faults = append(s.faults, operator.NewFaults(own.eks.Faults))
	}
	return nil
}

// EKS is a copy of the EKS side as it is now.
func (s *Server) EKS(tb testing.TB) eks.Cloud {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settleIfDue()
	c, err := copyEKS(s.eks)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// EditEKS changes the EKS side as a user of the console does: it is no Call, and
// it takes effect at once unless the change itself says that something is busy.
func (s *Server) EditEKS(change func(*eks.Cloud)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.eks)
}

// SetAKS replaces the Azure side. Calls so far are kept.
func (s *Server) SetAKS(c aks.Cloud) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arm, s.at = c.Document(), c.Endpoints
}

// AKS is the Azure side as it is now.
func (s *Server) AKS(tb testing.TB) aks.Cloud {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settleIfDue()
	c, err := aks.DecodeCloud([]byte(hosted.Canonical(s.arm)))
	if err != nil {
		tb.Fatal(err)
	}
	c.Endpoints = s.at
	return c
}

// EditAKS changes the answer of ManagedClusters.Get as a user of the portal does.
func (s *Server) EditAKS(change func(cluster map[string]any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.arm)
}

// Calls are the calls so far that change something, failed ones included.
func (s *Server) Calls() []operator.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Fail makes operations fail, reading ones included, in addition to the faults so
// far. A Fault's Target is matched for Azure only. SDKs repeat requests that fail
// with an HTTP status of 500 or more, and each repetition counts.
func (s *Server) Fail(faults ...operator.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, operator.NewFaults(faults))
}

// Takes says how long what a call begins is under way from now on: forever, that
// is until Settle, if d is 0.
func (s *Server) Takes(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takes = d
}

// Settle finishes everything that is under way.
func (s *Server) Settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
}

func (s *Server) settle() {
	s.due = time.Time{}
	s.eachEKS((*Server).settleEKS)
	s.settleARM()
}

// began notes that a call has begun something.
func (s *Server) began() {
	if s.takes > 0 {
		s.due = time.Now().Add(s.takes)
	}
}

func (s *Server) settleIfDue() {
	if !s.due.IsZero() && !time.Now().Before(s.due) {
		s.settle()
	}
}

// Unserved are requests that the cloud does not know.
func (s *Server) Unserved() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.unserved)
}

// Requests counts all requests so far, reading ones included.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// WaitIdle waits until there have been more than since requests and none for as
// long as quiet.
func (s *Server) WaitIdle(ctx context.Context, since int, quiet time.Duration) error {
	for {
		s.mu.Lock()
		idle := s.requests > since && s.open == 0 && time.Since(s.last) >= quiet
		n := s.requests
		s.mu.Unlock()
		if idle {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until the loopback cloud is idle, after %d requests of which %d are new: %w", n, n-since, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func copyEKS(c eks.Cloud) (eks.Cloud, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return eks.Cloud{}, fmt.Errorf("copy the EKS cloud: %w", err)
	}
	out, err := eks.DecodeCloud(text)
	if err != nil {
		return eks.Cloud{}, fmt.Errorf("copy the EKS cloud: %w", err)
	}
	if out.Nodegroups == nil {
		out.Nodegroups = map[string]map[string]any{}
	}
	if len(out.ListNodegroups) == 0 {
		out.ListNodegroups = [][]string{{}}
	}
	return out, nil
}
