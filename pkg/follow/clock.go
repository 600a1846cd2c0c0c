package follow

import "time"

// clock estimates the server's time.
type clock struct {
	elapsed func() time.Duration
	// base is the server's time when elapsed stood at at; zero before the first
	// sample.
	base time.Time
	at   time.Duration
	// given: the start was handed in, and the server is not asked.
	given bool
}

func newClock(elapsed func() time.Duration, start time.Time) *clock {
	return &clock{elapsed: elapsed, base: start.UTC(), at: elapsed(), given: !start.IsZero()}
}

// sample takes in the Date of an answer. The server cuts it to the second and it
// may have come a while ago, so it is a lower bound, and the highest counts.
func (c *clock) sample(date time.Time) {
	if !c.given && (c.base.IsZero() || date.After(c.now())) {
		c.base, c.at = date.UTC(), c.elapsed()
	}
}

// now is the server's time, never later than it really is by more than the drift
// of the monotonic clock; zero before the first sample.
func (c *clock) now() time.Time {
	if c.base.IsZero() {
		return time.Time{}
	}
	return c.base.Add(c.elapsed() - c.at)
}
