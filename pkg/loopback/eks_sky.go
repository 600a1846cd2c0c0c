package loopback

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// sky is what stands between a client and AWS.
type sky struct {
	latency  time.Duration
	throttle float64
	dice     *rand.Rand
	dead     map[string]bool
	broken   []breakage
}

// Weather is how AWS answers in general.
type Weather struct {
	// Latency is how long each answer takes. A client that goes away ends the wait.
	Latency time.Duration
	// Throttle is the share of requests that are refused as too many, from 0 to 1;
	// Seed says which ones.
	Throttle float64
	Seed     uint64
}

// SetWeather changes how AWS answers from now on.
func (s *Server) SetWeather(w Weather) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latency, s.throttle, s.dice = w.Latency, w.Throttle, rand.New(rand.NewPCG(w.Seed, w.Seed))
}

// KillRegion makes a region's hosts close every connection without an answer.
func (s *Server) KillRegion(region string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead == nil {
		s.dead = map[string]bool{}
	}
	s.dead[region] = true
}

// How is how an answer is broken.
type How string

// The ways.
const (
	// CutOff: the connection ends in the middle of the answer.
	CutOff How = "cut off"
	// HalfBody: the answer is complete for HTTP, but only half a document.
	HalfBody How = "half a body"
	// Page: a proxy's page in HTML, with the answer's own status.
	Page How = "page"
	// ErrorPage: a proxy's page in HTML with status 502.
	ErrorPage How = "error page"
)

type breakage struct {
	how     How
	strikes *operator.Faults
}

// Break breaks the answers to an operation: count of them, all if 0, from the nth.
func (s *Server) Break(op string, nth, count int, how How) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = append(s.broken, breakage{how, operator.NewFaults([]operator.Fault{{Op: op, Nth: nth, Count: count}})})
}

// Seen are the operations of AWS that were asked so far, reading ones included,
// each with its service: "eks:DescribeCluster".
func (s *Server) Seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// weather is what happens to a request before it is answered.
func (s *Server) weather(ctx context.Context, r request) {
	s.mu.Lock()
	latency, dead := s.latency, s.dead[regionOf(r.host)]
	s.mu.Unlock()
	if dead {
		panic(http.ErrAbortHandler) // closes the connection
	}
	if latency > 0 {
		select {
		case <-time.After(latency):
		case <-ctx.Done():
		}
	}
}

// asAWS answers an operation of AWS, unless too much was asked, and may break the
// answer.
func (s *Server) asAWS(d dialect, service, op string, do func() answer) answer {
	s.seen = append(s.seen, service+":"+op)
	if s.throttle > 0 && s.dice.Float64() < s.throttle {
		f := failure{http.StatusTooManyRequests, "ThrottlingException", "Rate exceeded"}
		if service == "ec2" {
			f = failure{http.StatusServiceUnavailable, "RequestLimitExceeded", "Request limit exceeded."}
		}
		return d.fail(f)
	}
	a, how := do(), How("")
	for _, b := range s.broken { // each counts the call
		if b.strikes.Strike(op, "") != nil && how == "" {
			how = b.how
		}
	}
	if how == "" {
		return a
	}
	return how.apply(a)
}

const proxyPage = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>This network is for guests.</body></html>\n"

func (h How) apply(a answer) answer {
	if h == Page || h == ErrorPage {
		out := answer{a.status, map[string]string{"Content-Type": "text/html; charset=utf-8"}, proxyPage}
		if h == ErrorPage {
			out.status = http.StatusBadGateway
		}
		return out
	}
	text, raw := a.body.(string)
	kind := a.header["Content-Type"]
	if !raw {
		whole, err := json.Marshal(a.body)
		if err != nil {
			return a
		}
		text, kind = string(whole), "application/json"
	}
	half := answer{a.status, map[string]string{"Content-Type": kind}, text[:len(text)/2]}
	if h == CutOff {
		half.header["Content-Length"] = strconv.Itoa(len(text))
	}
	return half
}
