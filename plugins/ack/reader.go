package ack

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// Options are what a Reader takes from outside. All but Now and Getenv may be left
// out.
type Options struct {
	// Now is the clock that dates readings.
	Now func() time.Time
	// Getenv reads the environment, in which the user's login is.
	Getenv func(string) string
	// Endpoint is host and port of the API; "" is Alibaba Cloud's of the cluster's
	// region. Plain speaks HTTP with it, for tests.
	Endpoint string
	Plain    bool
	// HTTPClient carries the calls, nil is one that follows no redirection and uses
	// the proxy that the environment names.
	HTTPClient *http.Client
	// Timeout bounds each call, its repetitions included; 0 is 20 s.
	Timeout time.Duration
	// Pause is the pause before a call is repeated that came too often, in whole
	// seconds; 0 is 1 s, below 0 none.
	Pause time.Duration
}

// Reader reads ACK clusters. It implements live.Reader.
type Reader struct {
	options Options

	mu       sync.Mutex
	accounts map[string]*account
	// calls are under way, wanted or not.
	calls sync.WaitGroup
}

// New makes a Reader. It opens no connection and looks for no login yet.
func New(o Options) *Reader {
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	if o.Pause == 0 {
		o.Pause = time.Second
	}
	if o.HTTPClient == nil {
		o.HTTPClient = &http.Client{Transport: http.DefaultTransport}
	}
	return &Reader{options: o, accounts: map[string]*account{}}
}

// Provider is ACK.
func (r *Reader) Provider() hosted.Provider { return hosted.ACK }

// The calls that Read makes. Alibaba Cloud names the rights like the calls.
const (
	callDetail = "cs:DescribeClusterDetail"
	callPools  = "cs:DescribeClusterNodePools"
	callTask   = "cs:DescribeTaskInfo"
)

// Permissions are the rights of Alibaba Cloud's RAM that Read uses.
func (r *Reader) Permissions() []live.Permission {
	return []live.Permission{
		{Right: callDetail, Call: callDetail, For: "the cluster; without it nothing can be read"},
		{Right: callPools, Call: callPools, For: "the node pools; without it nothing can be read, as in Rancher"},
		{Right: callTask, Call: callTask, Optional: true,
			For: "how far the upgrade has come that Rancher asked for; without it only the cluster's state tells"},
	}
}

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
	a, problem := r.account(at.region, req.Credential)
	if problem != nil {
		return fail(problem)
	}
	reading.Origin = "ACK " + at.region + ", with " + a.name
	s, problem := r.state(ctx, a, at, req)
	if problem != nil {
		return fail(problem)
	}
	if problem := s.fill(&reading, req.Snapshot, at); problem != nil {
		return fail(problem)
	}
	reading.Updates, reading.NoHistory = s.history(req)
	return reading, nil
}

// Close waits for the calls that were given up on. They end at the latest a pause
// after their reading; a program that ends anyway need not wait for them.
func (r *Reader) Close() error {
	r.calls.Wait()
	return nil
}
