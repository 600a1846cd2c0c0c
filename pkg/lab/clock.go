package lab

import (
	"sync"
	"time"
)

// Clock is the server's time.
type Clock interface {
	// Now is the current time.
	Now() time.Time
	// After returns a channel that is closed once d has passed, and a function
	// that gives up waiting.
	After(d time.Duration) (fired <-chan struct{}, stop func())
}

// Manual is a Clock that stands still until it is moved. It is safe for
// concurrent use.
type Manual struct {
	mu     sync.Mutex
	now    time.Time
	timers map[chan struct{}]time.Time
}

// NewManual returns a clock that stands at start.
func NewManual(start time.Time) *Manual {
	return &Manual{now: start, timers: map[chan struct{}]time.Time{}}
}

// Now is where the clock stands.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// After waits for the clock to be moved by d.
func (m *Manual) After(d time.Duration) (<-chan struct{}, func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fired := make(chan struct{})
	if d <= 0 {
		close(fired)
		return fired, func() {}
	}
	m.timers[fired] = m.now.Add(d)
	return fired, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.timers, fired)
	}
}

// Advance moves the clock forward and wakes who waited for it.
func (m *Manual) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
	for fired, at := range m.timers {
		if !at.After(m.now) {
			close(fired)
			delete(m.timers, fired)
		}
	}
}

// Running is a Clock that starts at a time of its own and then moves as elapsed
// tells, which the caller takes from a real, monotonic clock.
type Running struct {
	start   time.Time
	elapsed func() time.Duration
}

// NewRunning returns a clock that shows start plus elapsed().
func NewRunning(start time.Time, elapsed func() time.Duration) *Running {
	return &Running{start: start, elapsed: elapsed}
}

// Now is the start plus what has elapsed since.
func (r *Running) Now() time.Time { return r.start.Add(r.elapsed()) }

// After waits for d of real time.
func (r *Running) After(d time.Duration) (<-chan struct{}, func()) {
	fired := make(chan struct{})
	t := time.AfterFunc(d, func() { close(fired) })
	return fired, func() { t.Stop() }
}
