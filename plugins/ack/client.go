package ack

import (
	"context"
	"time"

	cs "github.com/rancher/muchang/cs/client"
	openapi "github.com/rancher/muchang/darabonba-openapi/models"
	"github.com/rancher/muchang/utils/tea/dara"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// account is a login in a region with its client.
type account struct {
	name   string
	hide   live.Secrets
	client *cs.Client
}

// account returns the client of a login in a region, making it first if there is
// none yet.
func (r *Reader) account(region string, c *live.Credential) (*account, *live.Problem) {
	k, problem := r.keysOf(c)
	if problem != nil {
		return nil, problem
	}
	key := region + " " + k.fingerprint()
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.accounts[key]; a != nil {
		return a, nil
	}
	a := &account{name: k.name}
	a.hide.Add(k.secret, k.token, k.id)
	client, err := cs.NewClient(r.config(region, k))
	if err != nil {
		return nil, a.problem("", err)
	}
	a.client = client
	r.accounts[key] = a
	return a, nil
}

// config is the client library's. The endpoint is the operator's, not the library's
// own choice, which is another one for some regions (rancher/ali-operator,
// pkg/alibaba/services/cs.go, NewClustersClient).
func (r *Reader) config(region string, k keys) *openapi.Config {
	endpoint, protocol := r.options.Endpoint, "https"
	if endpoint == "" {
		endpoint = "cs." + region + ".aliyuncs.com"
	}
	if r.options.Plain {
		protocol = "http"
	}
	config := &openapi.Config{
		AccessKeyId: &k.id, AccessKeySecret: &k.secret, RegionId: &region, Endpoint: &endpoint, Protocol: &protocol,
		RetryOptions: retries(r.options.Pause), HttpClient: transport{r.options.HTTPClient},
	}
	if k.token != "" {
		config.SecurityToken = &k.token
	}
	return config
}

// retries lets the library make a call up to three times that came too often. Its
// pauses are whole seconds.
func retries(pause time.Duration) *dara.RetryOptions {
	seconds := max(0, int(pause/time.Second))
	return &dara.RetryOptions{Retryable: true, RetryCondition: []*dara.RetryCondition{{
		MaxAttempts: 3, MaxDelay: seconds, Backoff: &dara.FixedBackoffPolicy{Period: seconds},
		ErrorCode: []string{"Throttling", "Throttling.User", "Throttling.Api", "ServiceUnavailable"},
	}}}
}

// ask makes one call. The library sleeps between two tries whatever the context
// says, hence a caller that has no more time does not wait for it.
func ask[T any](ctx context.Context, r *Reader, a *account, call string, send func(context.Context) (T, error)) (T, *live.Problem) {
	type answer struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	done := make(chan answer, 1)
	r.calls.Go(func() {
		v, err := send(ctx)
		done <- answer{v, err}
	})
	var got answer
	select {
	case got = <-done:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		// Whatever else the library makes of it.
		got.err = ctx.Err()
	}
	if got.err != nil {
		var none T
		return none, a.problem(call, got.err)
	}
	return got.value, nil
}
