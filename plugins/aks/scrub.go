package aks

import (
	"errors"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// secrets are values that no text may show.
type secrets struct{ live.Secrets }

// secretsOf are the values of Rancher's secret except the ids that name things.
func secretsOf(c *live.Credential) *secrets {
	out := &secrets{}
	if c == nil {
		return out
	}
	for _, key := range hosted.SortedKeys(c.Data) {
		switch key {
		case keySubscription, keyClient, keyTenant, keyEnvironment:
		default:
			out.Add(c.Data[key])
		}
	}
	return out
}

// problem is p without the secrets. An error that shows one becomes a mere text.
func (hide *secrets) problem(p *live.Problem) *live.Problem {
	p.Text, p.Fix = hide.Hide(p.Text), hide.Hide(p.Fix)
	if p.Err != nil {
		if t := p.Err.Error(); hide.Hide(t) != t {
			p.Err = errors.New(hide.Hide(t))
		}
	}
	return p
}

func (hide *secrets) updates(list []hosted.CloudUpdate) {
	for i := range list {
		u := &list[i]
		u.By = hide.Hide(u.By)
		for k := range u.Errors {
			u.Errors[k] = hide.Hide(u.Errors[k])
		}
		for k := range u.Params {
			u.Params[k].Value = hide.Hide(u.Params[k].Value)
		}
	}
}
