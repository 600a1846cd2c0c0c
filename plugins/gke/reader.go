package gke

import (
	"context"
	"net/http"
	"sync"
	"time"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/container/apiv1/containerpb"
	"google.golang.org/api/option"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// Options are what a Reader takes from outside. All but Now may be left out.
type Options struct {
	// Now is the clock that dates readings.
	Now func() time.Time
	// Endpoint is host and port of the API, "" for Google's.
	Endpoint string
	// HTTPClient exchanges credentials for tokens, nil for the library's own.
	HTTPClient *http.Client
	// Login replaces the user's own login, nil for Application Default Credentials.
	Login *auth.Credentials
	// Client are further options of Google's client library.
	Client []option.ClientOption
	// Timeout bounds each call, its repetitions included; 0 is 20 s, as in Google's
	// library. An earlier deadline of the context wins.
	Timeout time.Duration
	// Pause is the first pause before a call is repeated that was over the quota;
	// 0 is 500 ms. Later ones are longer.
	Pause time.Duration
}

// Reader reads GKE clusters. It implements live.Reader.
type Reader struct {
	options Options

	mu       sync.Mutex
	accounts map[string]*account
}

// New makes a Reader. It opens no connection and looks for no login yet.
func New(o Options) *Reader {
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	if o.Pause == 0 {
		o.Pause = 500 * time.Millisecond
	}
	return &Reader{options: o, accounts: map[string]*account{}}
}

// Provider is GKE.
func (r *Reader) Provider() hosted.Provider { return hosted.GKE }

// Permissions are the rights of Google Cloud's IAM that Read uses; the role Kubernetes
// Engine Viewer (roles/container.viewer) has both.
func (r *Reader) Permissions() []live.Permission {
	return []live.Permission{
		{Right: rightGet, Call: callGet, For: "the cluster and its node pools; without it nothing can be read"},
		{Right: rightOperations, Call: callOperations, Optional: true,
			For: "what Google changed lately and is changing now; without it the history is unknown"},
	}
}

// The calls that Read makes, and the rights that they need.
const (
	callGet         = "container:GetCluster"
	callOperations  = "container:ListOperations"
	callLogin       = "oauth2:token"
	rightGet        = "container.clusters.get"
	rightOperations = "container.operations.list"
)

// Read reads one cluster. See live.Reader.
func (r *Reader) Read(ctx context.Context, req live.Request) (hosted.Reading, error) {
	reading := hosted.Reading{At: r.options.Now()}
	fail := func(p *live.Problem) (hosted.Reading, error) {
		reading.Error = p.Error()
		return reading, p
	}
	at, problem := placeOf(req.Snapshot)
	if problem != nil {
		return fail(problem)
	}
	reading.Origin = at.String() + ", with " + loginName(req.Credential)
	a, problem := r.account(ctx, req.Credential)
	if problem != nil {
		return fail(problem)
	}
	// Who cannot read the cluster need not wait for its history.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	told := make(chan history, 1)
	go func() { told <- r.history(ctx, a, at, req) }()
	c, problem := r.cluster(ctx, a, at)
	if problem != nil {
		cancel()
		<-told
		return fail(problem)
	}
	if problem := fill(&reading, req.Snapshot, c); problem != nil {
		cancel()
		<-told
		return fail(problem)
	}
	h := <-told
	reading.Updates, reading.NoHistory = h.updates, h.missing
	return reading, nil
}

// cluster asks for the cluster.
func (r *Reader) cluster(ctx context.Context, a *account, at place) (*containerpb.Cluster, *live.Problem) {
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	c, err := a.client.GetCluster(ctx, &containerpb.GetClusterRequest{Name: at.cluster()})
	if err != nil {
		return nil, a.problem(callGet, rightGet, err)
	}
	return c, nil
}

// fill makes view, truth and sources of the cluster.
func fill(reading *hosted.Reading, s *hosted.Snapshot, c *containerpb.Cluster) *live.Problem {
	v, unknown, err := view(s, c)
	if err != nil {
		return &live.Problem{Kind: live.Garbled, Call: callGet, Text: err.Error(), Err: err,
			Fix: "update this program: Google's answer has a form that it does not know"}
	}
	if v.Error != "" {
		return &live.Problem{Kind: live.Unsupported, Call: callGet, Text: "Rancher itself cannot read this cluster: " + live.OneLine(v.Error),
			Fix: "correct the Config; Rancher's refresh fails for the same reason"}
	}
	reading.Spec = v.Rancher
	reading.Truth, reading.Sources, err = truth(v.Operator, c)
	if err != nil {
		return &live.Problem{Kind: live.Garbled, Call: callGet, Text: "the answer does not fit the Config's types: " + err.Error(), Err: err,
			Fix: "update this program: Google's answer has a form that it does not know"}
	}
	if unknown != "" {
		reading.Partial, reading.Error = true, unknown
	}
	return nil
}

// Close closes the connections. A Reader that is closed must not be used again.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var first error
	for key, a := range r.accounts {
		delete(r.accounts, key)
		<-a.ready
		if a.client == nil {
			continue
		}
		if err := a.client.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
