package aks

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/aks"
)

// Keys of Rancher's secret, and the annotation in which Rancher keeps the tenant that
// it found out (rancher/aks-operator, pkg/aks/client.go).
const (
	keyPrefix        = "azurecredentialConfig-"
	keySubscription  = keyPrefix + "subscriptionId"
	keyClient        = keyPrefix + "clientId"
	keySecret        = keyPrefix + "clientSecret"
	keyTenant        = keyPrefix + "tenantId"
	keyEnvironment   = keyPrefix + "environment"
	tenantAnnotation = "cluster.management.cattle.io/azure-tenant-id"
)

// session is one login in one environment. Its clients share connections and the token.
type session struct {
	login   *login
	options *arm.ClientOptions
	// subscription is Rancher's credential's, or the one set for the user's login.
	subscription string
}

// session returns the session of a credential, made when it is first needed. One that
// cannot be made is tried anew the next time.
func (r *Reader) session(t target, c *live.Credential) (*session, *live.Problem) {
	if c != nil {
		if p := incomplete(c); p != nil {
			return nil, p
		}
	}
	key := t.environment + "\x00" + fingerprint(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sessions[key]; s != nil {
		return s, nil
	}
	options := azcore.ClientOptions{Cloud: r.options.Cloud(t.environment), Transport: r.options.Transport, Retry: r.options.Retry}
	s := &session{subscription: r.options.Subscription,
		// The SDK would answer some refusals by registering a provider, which is a change.
		options: &arm.ClientOptions{ClientOptions: options, DisableRPRegistration: true}}
	inner := r.options.Login
	var err error
	options.PerRetryPolicies = []policy.Policy{watcher{}}
	switch {
	case c != nil:
		s.subscription = c.Data[keySubscription]
		inner, err = azidentity.NewClientSecretCredential(tenantOf(c), c.Data[keyClient], c.Data[keySecret],
			&azidentity.ClientSecretCredentialOptions{ClientOptions: options})
	case inner == nil:
		inner, err = azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{ClientOptions: options})
	}
	if err != nil {
		return nil, &live.Problem{Kind: live.Login, Text: "no login can be made: " + live.OneLine(err.Error()), Fix: fixLogin(c), Err: err}
	}
	s.login = &login{inner: inner}
	r.sessions[key] = s
	return s, nil
}

// fingerprint tells credentials apart without keeping them.
func fingerprint(c *live.Credential) string {
	if c == nil {
		return "own"
	}
	sum := sha256.New()
	for _, v := range []string{tenantOf(c), c.Data[keyClient], c.Data[keySecret], c.Data[keySubscription]} {
		fmt.Fprintf(sum, "%d:%s", len(v), v)
	}
	return string(sum.Sum(nil))
}

// incomplete is what a secret lacks. Of a key that is not there the text is
// Rancher's, which fails over it in the same way.
func incomplete(c *live.Credential) *live.Problem {
	fix := "complete the cloud credential in Rancher, or read with your own Azure login"
	for _, key := range []string{keySubscription, keyClient, keySecret} {
		if _, ok := c.Data[key]; ok {
			continue
		}
		v := aks.Read(aks.Input{Config: map[string]any{"azureCredentialSecret": "one"},
			Credential: aks.Credential{Without: key[len(keyPrefix):]}})
		return &live.Problem{Kind: live.Login, Text: v.Error, Fix: fix, Err: errors.New(v.Error)}
	}
	for _, key := range []string{keySubscription, keyClient, keySecret} {
		if c.Data[key] == "" {
			return &live.Problem{Kind: live.Login, Text: c.String() + " has an empty " + key, Fix: fix}
		}
	}
	if !plainID.MatchString(c.Data[keySubscription]) {
		return &live.Problem{Kind: live.Login, Text: c.String() + ": " + keySubscription + " is no subscription id", Fix: fix}
	}
	if tenantOf(c) == "" {
		return &live.Problem{Kind: live.Login, Text: c.String() + " does not tell the tenant",
			Fix: "add the tenant id to the cloud credential in Rancher, refresh a cluster that uses it (Rancher then notes the tenant at the secret), " +
				"or read with your own Azure login"}
	}
	return nil
}

// tenantOf is the tenant of a credential: the secret's key, or else what Rancher noted
// at the secret. Rancher finds it out anew each hour and writes it down; a reader does
// neither, because a subscription stays in its tenant and writing is not its business.
func tenantOf(c *live.Credential) string {
	if t := c.Data[keyTenant]; t != "" {
		return t
	}
	return c.Annotations[tenantAnnotation]
}

// login hands out tokens. It marks what fails as failing to log in, and remembers
// tokens, so that they can be kept out of texts.
type login struct {
	inner azcore.TokenCredential

	mu     sync.Mutex
	tokens []string
}

// loginError is a token that was not to be had. Net is the network's error, if that
// was the last thing that happened. The SDK is not to repeat the request: the
// credential has tried as often as it makes sense.
type loginError struct{ err, net error }

func (e *loginError) Error() string { return e.err.Error() }
func (e *loginError) Unwrap() error { return e.err }

// NonRetriable tells azcore so.
func (*loginError) NonRetriable() {}

// GetToken asks the credential.
func (l *login) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	w := &watched{}
	token, err := l.inner.GetToken(context.WithValue(ctx, watchedKey{}, w), o)
	if err != nil {
		return token, &loginError{err, w.last()}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.tokens); n == 0 || l.tokens[n-1] != token.Token {
		l.tokens = append(l.tokens[max(0, n-1):], token.Token)
	}
	return token, nil
}

// issued are the latest tokens.
func (l *login) issued() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.tokens...)
}

// watched keeps the outcome of a login's last request: azidentity makes text of
// errors, and a dead network is not a refused login.
type watched struct {
	mu  sync.Mutex
	err error
}

type watchedKey struct{}

func (w *watched) last() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// watcher is the policy that fills watched in.
type watcher struct{}

// Do passes the request on.
func (watcher) Do(req *policy.Request) (*http.Response, error) {
	resp, err := req.Next()
	if w, ok := req.Raw().Context().Value(watchedKey{}).(*watched); ok {
		w.mu.Lock()
		w.err = err
		w.mu.Unlock()
	}
	return resp, err
}
