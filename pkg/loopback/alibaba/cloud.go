package alibaba

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Cluster is what the API answers about one cluster. The documents are anything
// that encoding/json can write; nil is an answer without a body.
type Cluster struct {
	Detail, NodePools any
	// Nodes are the answers about nodes by the node pool's id.
	Nodes map[string]any
}

// Cloud is the API with its state. It is safe for concurrent use.
type Cloud struct {
	server *httptest.Server
	// released ends the calls that are held.
	released chan struct{}

	mu       sync.Mutex
	clusters map[string]Cluster
	tasks    map[string]any
	// keys are the ids of the access keys that may log in, with the session token
	// that each needs.
	keys    map[string]string
	trouble trouble
	calls   []Call
}

// Call is one call that arrived, whatever it was answered.
type Call struct {
	// Action is the one that the request names ("DescribeClusterDetail"), Method and
	// Path those of HTTP.
	Action, Method, Path string
}

// Start starts the API with nothing in it. It knows no access key.
func Start() *Cloud {
	c := &Cloud{clusters: map[string]Cluster{}, tasks: map[string]any{}, keys: map[string]string{}, released: make(chan struct{})}
	c.server = httptest.NewServer(http.HandlerFunc(c.serve))
	return c
}

// Close ends the calls that are under way and stops the API.
func (c *Cloud) Close() {
	close(c.released)
	c.server.Close()
}

// Endpoint is host and port; it speaks plain HTTP.
func (c *Cloud) Endpoint() string { return strings.TrimPrefix(c.server.URL, "http://") }

// Client reaches it.
func (c *Cloud) Client() *http.Client { return c.server.Client() }

// Put places a cluster, nil removes it.
func (c *Cloud) Put(id string, k *Cluster) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.clusters, id)
	if k != nil {
		c.clusters[id] = *k
	}
}

// PutTask places the answer about a task.
func (c *Cloud) PutTask(id string, task any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tasks[id] = task
}

// Accept lets an access key log in; with a session token only together with it.
func (c *Cloud) Accept(keyID, token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys[keyID] = token
}

// Calls are the calls that arrived so far.
func (c *Cloud) Calls() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.calls)
}

// Actions are the different actions that were called, sorted.
func (c *Cloud) Actions() []string {
	seen := map[string]bool{}
	for _, call := range c.Calls() {
		seen[call.Action] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// Forget empties the list of calls.
func (c *Cloud) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = nil
}
