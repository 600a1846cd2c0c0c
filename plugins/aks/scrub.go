package aks

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// secrets are values that no text may show.
type secrets []string

// shortest is the shortest value that is searched for: a shorter one is no secret, and
// taking it out would make texts unreadable.
const shortest = 6

// secretsOf are the values of Rancher's secret except the ids that name things.
func secretsOf(c *live.Credential) secrets {
	if c == nil {
		return nil
	}
	var out secrets
	for _, key := range hosted.SortedKeys(c.Data) {
		switch key {
		case keySubscription, keyClient, keyTenant, keyEnvironment:
		default:
			out = append(out, c.Data[key])
		}
	}
	return out
}

const hidden = "(secret)"

// text is s without the secrets, however they are written in it. A text that was cut
// may end in the beginning of one.
func (hide secrets) text(s string) string {
	for _, v := range hide {
		for _, w := range written(v) {
			s = strings.ReplaceAll(s, w, hidden)
			body, cut := strings.CutSuffix(s, ellipsis)
			for n := len(w) - 1; cut && n >= shortest; n-- {
				if head, ok := strings.CutSuffix(body, w[:n]); ok {
					s = head + hidden + ellipsis
					break
				}
			}
		}
	}
	return s
}

// written are the ways in which a value gets into texts: as it is, on one line, in
// JSON and in an address.
func written(v string) []string {
	if len(v) < shortest {
		return nil
	}
	escaped, _ := json.Marshal(v) // with < > & as numbers
	plain := hosted.Canonical(v)
	out := []string{v}
	for _, w := range []string{strings.Join(strings.Fields(v), " "), string(escaped[1 : len(escaped)-1]), plain[1 : len(plain)-1],
		url.QueryEscape(v), url.PathEscape(v)} {
		if w != v && len(w) >= shortest {
			out = append(out, w)
		}
	}
	return out
}

// problem is p without the secrets. An error that shows one becomes a mere text.
func (hide secrets) problem(p *live.Problem) *live.Problem {
	p.Text, p.Fix = hide.text(p.Text), hide.text(p.Fix)
	if p.Err != nil {
		if t := p.Err.Error(); hide.text(t) != t {
			p.Err = errors.New(hide.text(t))
		}
	}
	return p
}

func (hide secrets) updates(list []hosted.CloudUpdate) {
	for i := range list {
		u := &list[i]
		u.By = hide.text(u.By)
		for k := range u.Errors {
			u.Errors[k] = hide.text(u.Errors[k])
		}
		for k := range u.Params {
			u.Params[k].Value = hide.text(u.Params[k].Value)
		}
	}
}
