package gke

import (
	"context"

	"cloud.google.com/go/auth"
	container "cloud.google.com/go/container/apiv1"
	"google.golang.org/api/option"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// account is a login with its client.
type account struct {
	// ready is closed when the rest is known.
	ready   chan struct{}
	client  *container.ClusterManagerClient
	login   *auth.Credentials
	failure *live.Problem
	hide    live.Secrets
}

// account returns the client of a login, making it first if there is none yet, and
// logs in. Looking for the user's login can take a while on a computer in Google
// Cloud and cannot be interrupted, hence it goes on without a caller that gives up.
func (r *Reader) account(ctx context.Context, c *live.Credential) (*account, *live.Problem) {
	key := loginKey(c)
	r.mu.Lock()
	a := r.accounts[key]
	if a == nil {
		a = &account{ready: make(chan struct{})}
		r.accounts[key] = a
		go r.open(context.WithoutCancel(ctx), a, key, c)
	}
	r.mu.Unlock()
	select {
	case <-a.ready:
	case <-ctx.Done():
		return nil, a.problem(callLogin, "", ctx.Err())
	}
	if a.failure != nil {
		return nil, a.failure
	}
	return a, r.logIn(ctx, a)
}

// open makes the client. A failure is forgotten, so that the next reading tries
// again.
func (r *Reader) open(ctx context.Context, a *account, key string, c *live.Credential) {
	defer close(a.ready)
	if c != nil {
		a.login, a.failure = r.stored(c)
	} else {
		a.login, a.failure = r.own()
	}
	if a.failure == nil {
		a.hide.Add(secretsOf(a.login.JSON())...)
		a.failure = r.connect(ctx, a)
	}
	if a.failure != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.accounts, key)
	}
}

// connect makes the client of a login; it dials at the first call.
func (r *Reader) connect(ctx context.Context, a *account) *live.Problem {
	options := []option.ClientOption{option.WithAuthCredentials(a.login)}
	if r.options.Endpoint != "" {
		options = append(options, option.WithEndpoint(r.options.Endpoint))
	}
	client, err := container.NewClusterManagerClient(ctx, append(options, r.options.Client...)...)
	if err != nil {
		return a.problem("", "", err)
	}
	again := repeat(r.options.Pause)
	client.CallOptions.GetCluster = append(client.CallOptions.GetCluster, again)
	client.CallOptions.ListOperations = append(client.CallOptions.ListOperations, again)
	a.client = client
	return nil
}

// logIn gets a token, which the library keeps as long as it is valid. Doing so
// before a call tells a failed login from a failed call.
func (r *Reader) logIn(ctx context.Context, a *account) *live.Problem {
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	token, err := a.login.Token(ctx)
	if err != nil {
		return a.loginProblem(err)
	}
	if token.Value != "" {
		a.hide.Add(token.Value)
	}
	return nil
}
