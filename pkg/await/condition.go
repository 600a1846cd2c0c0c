package await

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Condition is what can be waited for.
type Condition string

// The conditions.
const (
	// Settled: the last edit has been carried out, and nothing fails.
	Settled Condition = "settled"
	// Refreshed: a refresh has ended since the wait began, and it did not fail.
	Refreshed Condition = "refreshed"
	// Synced: settled, and a reading that is younger than the last write confirms
	// every managed field.
	Synced Condition = "synced"
	// Safe: settled, the cloud was read just now, no finding is a warning or
	// worse, and no refresh is about to happen.
	Safe Condition = "safe"
)

// Conditions lists the conditions, from the least to the most demanding.
func Conditions() []Condition { return []Condition{Settled, Refreshed, Synced, Safe} }

// ParseCondition reads a condition's name.
func ParseCondition(s string) (Condition, error) {
	if c := Condition(strings.ToLower(s)); slices.Contains(Conditions(), c) {
		return c, nil
	}
	return "", fmt.Errorf("unknown condition %q: use settled, refreshed, synced or safe", s)
}

// The defaults of Options.
const (
	DefaultFresh  = 60 * time.Second
	DefaultMargin = 10 * time.Second
)

// Options say how strictly to judge.
type Options struct {
	// Since is the server's time when the wait began and Annotation the refresh
	// annotation at that moment; Refreshed is judged by both.
	Since      time.Time
	Annotation string
	// Fresh is how old the reading of the cloud may be for Safe, Margin how far
	// away the next refresh must be.
	Fresh, Margin time.Duration
	// Memory is what a follower has seen of the cluster; nil without one.
	Memory *Memory
}

// Verdict is whether a condition holds.
type Verdict struct {
	Met bool
	// Unknown: something that the condition needs could not be read. It is then
	// not met, and a reason says what is missing.
	Unknown bool
	// Reasons say what is missing, one sentence each; empty if it is met.
	Reasons []string
	// Notes are doubts that do not decide.
	Notes []string
	// Next is when to judge again although nothing has happened, zero if only a
	// change can alter the verdict.
	Next time.Time
}

// Judge tells whether a cluster meets a condition at a time of the management
// server's clock.
func Judge(s *hosted.Snapshot, c Condition, o Options, now time.Time) Verdict {
	j := &judge{s: s, o: o, now: now.UTC()}
	switch {
	case !s.Hosted():
		j.missing("the cluster has no hosted config (EKS, AKS, GKE or ACK)")
	case s.Deleting:
		j.missing("the cluster is being deleted")
	default:
		j.prepare()
		j.condition(c)
	}
	j.v.Met = len(j.v.Reasons) == 0
	return j.v
}

func (j *judge) condition(c Condition) {
	switch c {
	case Settled:
		j.settled()
	case Refreshed:
		j.refreshed()
	case Synced:
		j.settled()
		j.synced()
	case Safe:
		j.settled()
		j.safe()
	default:
		j.missing("the condition %q is not known", string(c))
	}
}
