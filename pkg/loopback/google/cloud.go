package google

import (
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/container/apiv1/containerpb"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// projectNumber stands for every project in an operation's target: Google puts
// the project's number there, not its id.
const projectNumber = "123456789012"

// Cloud is the API with its state. It is safe for concurrent use.
type Cloud struct {
	containerpb.UnimplementedClusterManagerServer

	server *httptest.Server
	grpc   *grpc.Server
	// released ends the calls that are held.
	released chan struct{}

	mu         sync.Mutex
	now        time.Time
	clusters   map[string]*containerpb.Cluster
	operations map[string][]*containerpb.Operation
	made       int
	trouble    trouble
	login      login
	calls      []Call
}

// Call is one call that arrived, whatever it was answered.
type Call struct {
	// Method is "GetCluster", "ListOperations" and so on, or "token" for a login;
	// Target the resource that the request's routing header names.
	Method, Target string
}

// Start starts the API with nothing in it. Its clock stands at the beginning of
// 2026.
func Start() *Cloud {
	c := &Cloud{
		now:      time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		clusters: map[string]*containerpb.Cluster{}, operations: map[string][]*containerpb.Operation{},
		released: make(chan struct{}),
	}
	c.grpc = grpc.NewServer()
	containerpb.RegisterClusterManagerServer(c.grpc, c)
	c.server = httptest.NewUnstartedServer(http.HandlerFunc(c.serve))
	// Callers that leave while a connection is made are part of the tests.
	c.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	c.server.EnableHTTP2 = true
	c.server.StartTLS()
	return c
}

// Close ends the calls that are under way and stops the API.
func (c *Cloud) Close() {
	close(c.released)
	c.server.Close()
	c.grpc.Stop()
}

// Endpoint is host and port.
func (c *Cloud) Endpoint() string { return c.server.Listener.Addr().(*net.TCPAddr).String() }

// ClusterName is a cluster's resource name.
func ClusterName(project, location, cluster string) string {
	return "projects/" + project + "/locations/" + location + "/clusters/" + cluster
}

// parentOf is the location of a resource name ("projects/p/locations/l").
func parentOf(name string) string {
	parts := strings.SplitN(name, "/", 5)
	if len(parts) < 4 {
		return name
	}
	return strings.Join(parts[:4], "/")
}

// SetTime moves the clock by which operations begin and end.
func (c *Cloud) SetTime(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// Put places a cluster under a resource name as it is; nil removes it.
func (c *Cloud) Put(name string, cluster *containerpb.Cluster) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cluster == nil {
		delete(c.clusters, name)
		return
	}
	c.clusters[name] = proto.Clone(cluster).(*containerpb.Cluster)
}

// Edit changes a cluster in place. It panics if there is none: the test is wrong.
func (c *Cloud) Edit(name string, change func(*containerpb.Cluster)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c.clusters[name])
}

// Begin records an operation on a cluster, or on one of its node pools, as running
// from now on. It returns the operation's id.
func (c *Cloud) Begin(name, pool string, kind containerpb.Operation_Type) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	op := &containerpb.Operation{
		Name:          fmt.Sprintf("operation-%d", c.made),
		OperationType: kind,
		Status:        containerpb.Operation_RUNNING,
		StartTime:     c.now.Format(time.RFC3339Nano),
		TargetLink:    targetLink(name, pool),
		Location:      strings.Split(name, "/")[3],
	}
	c.operations[parentOf(name)] = append(c.operations[parentOf(name)], op)
	return op.Name
}

// targetLink names the target as Google does: by the project's number, and a zone
// as a zone.
func targetLink(name, pool string) string {
	parts := strings.Split(name, "/")
	kind := "locations"
	if strings.Count(parts[3], "-") == 2 {
		kind = "zones"
	}
	link := fmt.Sprintf("https://container.googleapis.com/v1/projects/%s/%s/%s/clusters/%s", projectNumber, kind, parts[3], parts[5])
	if pool != "" {
		link += "/nodePools/" + pool
	}
	return link
}

// Finish ends an operation now; problem is nil if it succeeded.
func (c *Cloud) Finish(id string, problem *spb.Status) {
	c.Operation(id, func(op *containerpb.Operation) {
		op.Status = containerpb.Operation_DONE
		op.EndTime = c.now.Format(time.RFC3339Nano)
		op.Error = problem
	})
}

// Operation changes the record of an operation. An id that is not known changes
// nothing.
func (c *Cloud) Operation(id string, change func(*containerpb.Operation)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, all := range c.operations {
		for _, op := range all {
			if op.Name == id {
				change(op)
			}
		}
	}
}

// Calls are the calls that arrived so far.
func (c *Cloud) Calls() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.calls)
}

// Methods are the different methods that were called, sorted.
func (c *Cloud) Methods() []string {
	seen := map[string]bool{}
	for _, call := range c.Calls() {
		seen[call.Method] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// Forget empties the list of calls.
func (c *Cloud) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = nil
}
