//go:build e2e

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// outcome is what a plugin that came to its end says.
type outcome struct {
	code   int
	stderr string
	resync.Result
}

// mayBe: it says itself that the write may have been stored.
func (o *outcome) mayBe() bool {
	return strings.Contains(strings.Join(o.Unknown, "\n")+o.Error, "may have been stored")
}

func (o *outcome) name() string {
	return strings.TrimSpace(fmt.Sprintf("exit code %d %s", o.code, o.Outcome))
}

func outcomeOf(t *testing.T, p *process) outcome {
	t.Helper()
	o := outcome{code: p.wait(t), stderr: p.errs.String()}
	if p.out.Len() == 0 {
		return o
	}
	var r struct{ Items []resync.Result }
	if err := json.Unmarshal(p.out.Bytes(), &r); err != nil || len(r.Items) != 1 {
		t.Fatalf("not the result of one cluster: %v: %s", err, p.out.String())
	}
	o.Result = r.Items[0]
	return o
}

// holds checks that what the plugin says is so.
func (o *outcome) holds(t *testing.T, inConfig, inCloud bool) {
	t.Helper()
	ok := o.Outcome == "" || o.code == report.ExitOf(o.Outcome)
	switch o.Outcome {
	case "": // an error before anything was begun, in one line
		last := strings.TrimSpace(o.stderr)
		ok = ok && o.code == report.ExitError && !inConfig && last != "" && !strings.Contains(last, "\n")
	case resync.Verified:
		ok = ok && inConfig && inCloud
	case resync.Refused:
		ok = ok && !inConfig && len(o.Refusals) > 0
	case resync.Unverified:
		ok = ok && (inConfig || o.mayBe()) && len(o.Unknown) > 0
	case resync.TimedOut:
		ok = ok && !inConfig && len(o.Unknown) > 0
	case resync.Failed:
		ok = ok && (!inConfig || o.mayBe()) && o.Error != ""
	default: // nobody else writes, so that nothing can be overtaken or taken back
		ok = false
	}
	if !ok {
		t.Errorf("exit code %d, outcome %q, unknown %q, refusals %v, error %q; in the Config: %t, in the cloud: %t\n%s",
			o.code, o.Outcome, o.Unknown, o.Refusals, o.Error, inConfig, inCloud, o.stderr)
	}
}

// journalled checks that the journal says the same, or has nothing where nothing
// was written.
func (l *living) journalled(t *testing.T, dir string, o *outcome, before, now state) {
	t.Helper()
	c, any := onlyChange(t, dir)
	if !any {
		if o.Outcome != "" && o.Outcome != resync.Refused && o.Outcome != resync.Failed && o.Outcome != resync.TimedOut || now.annotation != before.annotation {
			t.Errorf("%s, and nothing in the journal; the annotation is %q, before %q", o.Outcome, now.annotation, before.annotation)
		}
		return
	}
	said, text := l.explained(t, dir, c.ID)
	if !c.Ended() || c.Last().Outcome != o.Outcome || said != string(o.Outcome) {
		t.Errorf("it ended as %q; the journal says %q: %s\n%s", o.Outcome, said, text, journalText(dir, c.ID))
	}
}

// lookedUp checks that the journal says what became of a write that was not answered.
func (l *living) lookedUp(t *testing.T, dir string, stored bool) {
	t.Helper()
	c, _ := onlyChange(t, dir)
	said, text := l.explained(t, dir, c.ID)
	if stored != strings.Contains(text, "it was stored") || stored == strings.Contains(text, "it was not stored") {
		t.Errorf("the tag is stored: %t; the journal says %q: %s", stored, said, text)
	}
}

// ownServer is one that a test may kill.
func ownServer(t *testing.T) *testbed.Server {
	t.Helper()
	srv, err := testbed.Start(t.Context(), testbed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Stop(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// strikes are moments at which a change is most easily misjudged: around its writes.
var strikes = []aim{
	{writes: true, n: 2, sent: true}, {writes: true, n: 2}, {writes: true, n: 1, sent: true},
	{writes: true, n: 1}, {writes: true, n: 3, sent: true}, {writes: true, n: 3},
}

// TestKillServer: the API server is killed at some moment of a guarded change, and
// comes back. The change ends, what it says is true, and no object is half-written.
// Every other kill is aimed at a write of the change; one that came after the change
// had ended is made again and does not count.
func TestKillServer(t *testing.T) {
	wanted := killsWanted(t, 6)
	l := newLiving(t, ownServer(t), "c-kill-server")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	usual := l.usual(t)
	c := struct {
		outcomes, when tally
		restarts, runs []time.Duration
	}{outcomes: tally{}, when: tally{}}
	failures, hits := 0, 0
	for round := 0; hits < wanted && round < 2*wanted; round++ {
		o := outage{edit: tag{fmt.Sprintf("s%d", round), fmt.Sprintf("v%d", round)}, timeout: "60s"}
		if o.moment = time.Duration(random.Int64N(int64(usual))); round%2 == 1 {
			o.at = strikes[round/2%len(strikes)]
		}
		if !t.Run(fmt.Sprintf("%03d_%s", round, o.name()), func(t *testing.T) {
			began := time.Now()
			r, when, took := l.outage(t, o)
			c.runs, c.restarts = append(c.runs, time.Since(began)), append(c.restarts, took)
			if when == late {
				return
			}
			hits++
			c.when[when]++
			c.outcomes[r.name()]++
		}) {
			if failures++; failures > 3 {
				t.Fatal("giving up")
			}
		}
	}
	if hits < wanted {
		t.Errorf("only %d of %d kills came during a change", hits, wanted)
	}
	t.Logf("killed the API server during %d changes (%s; a change takes %s): outcomes: %s; median restart %s, median round %s", hits, c.when,
		usual.Round(time.Millisecond), c.outcomes, middle(c.restarts).Round(time.Millisecond), middle(c.runs).Round(time.Millisecond))
}

// TestServerStaysAway: the API server is killed around the write of a change and
// comes back only after the change has run out of time. It does not claim then that
// nothing was written, if something may have been.
func TestServerStaysAway(t *testing.T) {
	l := newLiving(t, ownServer(t), "c-away")
	for i, at := range strikes {
		o := outage{edit: tag{fmt.Sprintf("a%d", i), "x"}, at: at, timeout: "4s", away: true}
		t.Run(o.name(), func(t *testing.T) { l.outage(t, o) })
	}
}

// late is a kill that no change was under way for any more.
const late = "after the end"

// outage is one kill of the API server during a guarded set.
type outage struct {
	edit tag
	// at is the request at which the server is killed; if that is none, it is
	// killed after some time.
	at     aim
	moment time.Duration
	// away: the server comes back only after the change has ended.
	away    bool
	timeout string
}

func (o *outage) name() string {
	if o.at.n > 0 {
		return o.at.String()
	}
	return "after_" + o.moment.Round(time.Millisecond).String()
}

func (l *living) outage(t *testing.T, o outage) (r outcome, when string, restart time.Duration) {
	t.Helper()
	before, dir := l.level(t), t.TempDir()
	struck, gone := make(chan struct{}), make(chan struct{})
	kubeconfig := l.kubeconfig
	var timer <-chan time.Time
	if o.at.n > 0 {
		k := newTrap(o.at, func() bool { close(struck); <-gone; return false })
		kubeconfig = l.Server.Tripwire(t, l.Server.Config, k.hook).Kubeconfig()
	} else {
		timer = time.After(o.moment)
	}
	p := l.start(t, kubeconfig, "set", l.Name, o.edit.String(), "--yes", "--timeout", o.timeout, "-o", "json", "--journal-dir", dir)
	select {
	case <-struck:
		when = "at a write"
	case <-timer:
		when = "some time after the start"
	case <-p.ended:
		when = late
	}
	l.Server.KillAPIServer(t)
	close(gone)
	if o.away {
		p.wait(t)
	}
	restart = l.Server.StartAPIServer(t)
	r = outcomeOf(t, p)
	now := l.rest(t)
	stored := o.edit.whole(t, before, now)
	r.holds(t, stored, o.edit.in(l.Live(t)))
	l.journalled(t, dir, &r, before, now)
	if r.mayBe() {
		l.lookedUp(t, dir, stored)
	}
	t.Logf("stored %t; %s; error %q, unknown %q, refusals %v\n%s", stored, r.name(), r.Error, r.Unknown, r.Refusals, r.stderr)
	return r, when, restart
}

// usual is how long a guarded change takes that nothing happens to.
func (l *living) usual(t *testing.T) time.Duration {
	t.Helper()
	edit, before, begun := tag{"usual", "x"}, l.rest(t), time.Now()
	o := outcomeOf(t, l.start(t, l.kubeconfig, "set", l.Name, edit.String(), "--yes", "-o", "json", "--journal-dir", t.TempDir()))
	took := time.Since(begun)
	if o.Outcome != resync.Verified || !edit.whole(t, before, l.rest(t)) {
		t.Fatalf("left alone, it ends as %s: %s", o.Outcome, o.stderr)
	}
	return took
}
