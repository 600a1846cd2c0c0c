package aks

import (
	"context"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/aks"
)

// Options are what a Reader is made of. All but Now may be left out.
type Options struct {
	// Now is the clock that readings are stamped with.
	Now func() time.Time
	// Subscription is where the user's own login looks for clusters. Rancher's
	// credential brings its own. Without either, Resource Graph is asked.
	Subscription string

	// Transport sends requests, nil for the SDK's. Login is the user's login, nil for
	// the SDK's default chain. Cloud returns the endpoints of an environment as a cloud
	// credential names it, nil for Azure's own. Retry is how the SDK repeats requests,
	// zero for its defaults.
	Transport policy.Transporter
	Login     azcore.TokenCredential
	Cloud     func(environment string) cloud.Configuration
	Retry     policy.RetryOptions
}

// Reader reads AKS clusters. It implements live.Reader.
type Reader struct {
	options Options

	mu       sync.Mutex
	sessions map[string]*session
	// found are the subscriptions that Resource Graph named, by cluster.
	found map[string]string
}

var _ live.Reader = (*Reader)(nil)

// New makes a Reader. It does nothing yet: no client, no request.
func New(o Options) *Reader {
	if o.Cloud == nil {
		o.Cloud = configurationOf
	}
	return &Reader{options: o, sessions: map[string]*session{}, found: map[string]string{}}
}

// Provider is AKS.
func (r *Reader) Provider() hosted.Provider { return hosted.AKS }

// String says what it is; what it holds is nobody's business.
func (r *Reader) String() string { return "reader of AKS clusters" }

// GoString is String.
func (r *Reader) GoString() string { return r.String() }

// Read reads one cluster. Where Rancher's own reading of the cluster fails although
// the cloud answered, the Reading that comes with the *live.Problem has a Truth.
func (r *Reader) Read(ctx context.Context, req live.Request) (hosted.Reading, error) {
	out := hosted.Reading{At: r.options.Now()}
	p := r.read(ctx, req, &out)
	if p == nil {
		return out, nil
	}
	out.Error = p.Error()
	return out, p
}

func (r *Reader) read(ctx context.Context, req live.Request, out *hosted.Reading) *live.Problem {
	hide := secretsOf(req.Credential)
	t, p := targetOf(req)
	if p != nil {
		return hide.problem(p)
	}
	out.Origin = hide.Hide(t.origin(req.Credential))
	s, p := r.session(t, req.Credential)
	if p != nil {
		return hide.problem(p)
	}
	p = r.locate(ctx, s, &t)
	if p == nil {
		p = s.read(ctx, t, req, out)
	}
	hide.Add(s.login.issued()...) // they are known only now
	hide.updates(out.Updates)
	out.NoHistory = hide.Hide(out.NoHistory)
	if p != nil {
		return hide.problem(p)
	}
	return nil
}

func (s *session) read(ctx context.Context, t target, req live.Request, out *hosted.Reading) *live.Problem {
	c, h, p := s.gather(ctx, t, req, out.At)
	if p != nil {
		return p
	}
	doc := c.Document()
	out.Truth, out.Sources = truthOf(doc, req.Snapshot.Config), sources()
	out.Updates, out.NoHistory = h.tell(doc, t, req.Since)
	out.Spec, p = viewOf(c, req.Snapshot.Config)
	return p
}

// gather makes the calls of one reading at the same time: one for the state and at
// most two for the past. If the state cannot be read, the past is not waited for.
func (s *session) gather(ctx context.Context, t target, req live.Request, at time.Time) (aks.Cloud, past, *live.Problem) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var h past
	var pending sync.WaitGroup
	if !req.Since.IsZero() {
		pending.Go(func() { h.events, h.noEvents = s.activity(ctx, t, req.Since, at) })
		if req.Who {
			pending.Go(func() { h.changes, h.noChanges = s.changes(ctx, t, req.Since, at) })
		}
	}
	c, p := s.state(ctx, t)
	if p != nil {
		cancel()
	}
	pending.Wait()
	return c, h, p
}
