package gke

import (
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// tries bounds how often a call is made in all.
const tries = 5

// repeat is the rule for repeating a call. Google's library repeats one that got
// no answer until its deadline, and none that was over the quota
// (cloud.google.com/go/container v1.56.1, defaultClusterManagerCallOptions). Here
// both are repeated, a few times.
func repeat(pause time.Duration) gax.CallOption {
	return gax.WithRetry(func() gax.Retryer {
		return &patience{
			quota:   gax.Backoff{Initial: pause, Max: 8 * pause, Multiplier: 2},
			outages: gax.Backoff{Initial: 100 * time.Millisecond, Max: time.Second, Multiplier: 1.3},
		}
	})
}

// patience is the state of one call.
type patience struct {
	quota, outages gax.Backoff
	failed         int
}

// Retry implements gax.Retryer.
func (p *patience) Retry(err error) (time.Duration, bool) {
	p.failed++
	code := status.Code(err)
	switch {
	case p.failed == tries || fromProxy(err):
		return 0, false
	case code == codes.ResourceExhausted:
		return p.quota.Pause(), true
	case code == codes.Unavailable || code == codes.DeadlineExceeded:
		return p.outages.Pause(), true
	}
	return 0, false
}
