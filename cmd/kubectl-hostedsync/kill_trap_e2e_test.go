//go:build e2e

package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// aim is one point of a client's life: a request's number among all, or among the
// writes of the Cluster, and whether it is just before it is passed on or just after
// the server has answered.
type aim struct {
	writes bool
	n      int
	sent   bool
}

func (a aim) String() string {
	what, when := "request", "before"
	if a.writes {
		what = "write"
	}
	if a.sent {
		when = "after"
	}
	return fmt.Sprintf("%s_%s_%02d", when, what, a.n)
}

// further is the aim some half requests later.
func (a aim) further(halves int) aim {
	at := 2*a.n + halves
	if a.sent {
		at++
	}
	a.n, a.sent = at/2, at%2 == 1
	return a
}

// trap does something to a client or to the server at one of the client's requests.
type trap struct {
	aim
	// strike does it. It returns whether the request goes on.
	strike func() (pass bool)
	// dead: from then on nothing more of the client gets to the server, and nothing
	// of the server's to anybody.
	dead bool

	mu sync.Mutex
	// seen counts the requests that are aimed at, by number their own.
	seen   int
	number map[int]int
	sprung string
}

func newTrap(a aim, strike func() (pass bool)) *trap {
	return &trap{aim: a, strike: strike, number: map[int]int{}}
}

func (k *trap) hook(n int, req *http.Request, sent bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !sent && (!k.writes || req.Method == http.MethodPatch) {
		k.seen++
		k.number[n] = k.seen
	}
	pass := k.sprung == "" || !k.dead
	if k.sprung == "" && k.n > 0 && k.number[n] == k.n && sent == k.sent {
		k.sprung = k.String() + ", " + kindOf(req)
		pass = k.strike()
	}
	if !pass {
		panic(http.ErrAbortHandler)
	}
}

// kindOf is what a request does, and to what.
func kindOf(req *http.Request) string {
	what := ""
	for _, resource := range []string{"clusters", "eksclusterconfigs", "settings", "deployments", "selfsubjectaccessreviews"} {
		if strings.Contains(req.URL.Path, "/"+resource) {
			what = resource
		}
	}
	if req.URL.Query().Has("watch") {
		return "WATCH " + what
	}
	return req.Method + " " + what
}
