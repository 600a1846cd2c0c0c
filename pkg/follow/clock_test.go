package follow

import (
	"testing"
	"time"
)

// TestClock: the Date is a lower bound that may come late, so the estimate only
// ever rises, and runs on by the monotonic clock.
func TestClock(t *testing.T) {
	var mono time.Duration
	noon := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	c := newClock(func() time.Duration { return mono }, time.Time{})
	expect := func(want time.Time) {
		t.Helper()
		if got := c.now(); !got.Equal(want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	expect(time.Time{})
	mono = 5 * time.Second
	c.sample(noon)
	expect(noon)
	mono += 10 * time.Second
	expect(noon.Add(10 * time.Second))
	c.sample(noon.Add(3 * time.Second)) // an answer that came a while ago
	expect(noon.Add(10 * time.Second))
	c.sample(noon.Add(time.Hour)) // the monotonic clock slept
	expect(noon.Add(time.Hour))
	mono += time.Second
	expect(noon.Add(time.Hour + time.Second))
	given := newClock(func() time.Duration { return mono }, noon)
	given.sample(noon.Add(time.Hour))
	mono += time.Second
	if got := given.now(); !got.Equal(noon.Add(time.Second)) {
		t.Errorf("a clock that was set says %s", got)
	}
}
