//go:build e2e

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

// set runs a guarded set and kills it at one of its requests. All of them have ended
// when it returns.
func (l *living) set(t *testing.T, at aim, edit tag, dir string) (*trap, *process) {
	t.Helper()
	client := make(chan *process, 1)
	k := newTrap(at, func() bool { (<-client).kill(); return false })
	k.dead = true
	var p *process
	t.Run("run", func(t *testing.T) {
		w := l.Server.Tripwire(t, l.Server.Config, k.hook)
		p = l.start(t, w.Kubeconfig(), "set", l.Name, edit.String(), "--yes", "-o", "json", "--journal-dir", dir)
		client <- p
		p.wait(t)
	})
	return k, p
}

// TestKillPlugin: killed at whatever request, the plugin leaves a whole object, a
// journal that explains it, and a cluster on which the next guarded change works.
//
// First it is left alone, to count. Then it is killed around each of its writes,
// and then around all requests in turn, over and over; if that is more than the
// kills that are wanted, only around some of them.
func TestKillPlugin(t *testing.T) {
	wanted := killsWanted(t, 24)
	l := newLiving(t, bed.Server(t), "c-kill-plugin")
	c := killed{at: tally{}, found: tally{}, alone: tally{}, next: tally{}}
	stride, at := 1, aim{}
	for round := 0; c.kills < wanted; round++ {
		var k *trap
		if !t.Run(fmt.Sprintf("%03d_%s", round, at), func(t *testing.T) { k = l.round(t, at, round, &c) }) {
			if c.failures++; c.failures > 3 || k == nil {
				t.Fatal("giving up")
			}
		}
		switch {
		case round == 0:
			at = aim{writes: true, n: 1}
			stride = max(1, 2*k.seen/max(wanted-6, 1)) | 1
			c.requests = k.seen
		case k.sprung == "" && k.seen < at.n:
			at = aim{n: 1}
		case at.writes:
			at = at.further(1)
		default:
			at = at.further(stride)
		}
	}
	t.Logf("killed the plugin %d times (%d requests when left alone): %s; found: %s; not killed: %s; next: %s", c.kills, c.requests, c.at, c.found, c.alone, c.next)
}

// killed counts what came of the rounds.
type killed struct {
	kills, requests, failures int

	at, found, alone, next tally
}

// round is one run of the plugin and all that is checked afterwards.
func (l *living) round(t *testing.T, at aim, round int, c *killed) *trap {
	t.Helper()
	before, dir := l.level(t), t.TempDir()
	edit := tag{fmt.Sprintf("k%d", round), fmt.Sprintf("v%d", round)}
	k, p := l.set(t, at, edit, dir)
	if k.sprung == "" {
		l.finished(t, p, edit, before, dir)
		c.alone["verified"]++
		return k
	}
	_, kind, _ := strings.Cut(k.sprung, ", ")
	when := "before "
	if k.sent {
		when = "after "
	}
	c.kills++
	c.at[when+kind]++
	far := l.killed(t, edit, before, dir)
	c.found[far]++
	t.Logf("%s: %s", k.sprung, far)
	if c.kills%7 == 0 || k.writes {
		c.next[l.next(t, far, edit, before, dir)]++
	}
	return k
}

// finished checks a run that was not killed.
func (l *living) finished(t *testing.T, p *process, edit tag, before state, dir string) {
	t.Helper()
	now := l.rest(t)
	c, _ := onlyChange(t, dir)
	if code := p.cmd.ProcessState.ExitCode(); code != 0 || !edit.whole(t, before, now) || !edit.in(l.Live(t)) || c.Last().Outcome != resync.Verified {
		t.Errorf("left alone, the plugin ends with exit code %d: %s\n%s", code, p.errs.String(), p.out.String())
	}
}

// killed checks what a killed plugin leaves, at once and when Rancher has come to
// rest, and says how far it had come.
func (l *living) killed(t *testing.T, edit tag, before state, dir string) string {
	t.Helper()
	now := l.state(t)
	stored := edit.whole(t, before, now)
	far := l.cutOff(t, dir, before, now, stored)
	quiet := l.rest(t)
	if edit.whole(t, before, quiet) != stored {
		t.Errorf("the tag was stored after the kill: %t; at rest it is the other way round", stored)
	}
	if edit.in(l.Live(t)) != stored {
		t.Errorf("the tag is stored: %t; in the cloud it is the other way round", stored)
	}
	if again := l.cutOff(t, dir, before, quiet, stored); again != far {
		t.Errorf("first %s, then %s", far, again)
	}
	return far
}

// next checks that another process can go on: undo the change if it may have been
// stored, or make another.
func (l *living) next(t *testing.T, far string, edit tag, before state, dir string) string {
	t.Helper()
	l.level(t)
	if strings.HasPrefix(far, "writ") {
		out, stderr, code := l.plugin(t, "restore", l.Name, "--yes", "--journal-dir", dir)
		if now := l.rest(t); code != 0 || edit.whole(t, before, now) || edit.in(l.Live(t)) {
			t.Errorf("restore: exit code %d: %s\n%s", code, stderr, out)
		}
		return "restore"
	}
	other := tag{edit.key + "-next", edit.value}
	out, stderr, code := l.plugin(t, "set", l.Name, other.String(), "--yes", "--journal-dir", dir)
	if now := l.rest(t); code != 0 || !other.whole(t, before, now) || !other.in(l.Live(t)) {
		t.Errorf("set: exit code %d: %s\n%s", code, stderr, out)
	}
	return "set"
}

// TestInterruptPlugin: interrupted around its write, the plugin says what it leaves,
// the journal says the same, and what may have been stored can be undone.
func TestInterruptPlugin(t *testing.T) {
	l := newLiving(t, bed.Server(t), "c-interrupt")
	for i, at := range strikes {
		t.Run(at.String(), func(t *testing.T) {
			before, dir := l.level(t), t.TempDir()
			edit := tag{fmt.Sprintf("i%d", i), "x"}
			client := make(chan *process, 1)
			k := newTrap(at, func() bool { return (<-client).cmd.Process.Signal(os.Interrupt) == nil })
			p := l.start(t, l.Server.Tripwire(t, l.Server.Config, k.hook).Kubeconfig(), "set", l.Name, edit.String(), "--yes", "-o", "json", "--journal-dir", dir)
			client <- p
			r := outcomeOf(t, p)
			stored := edit.whole(t, before, l.rest(t))
			t.Logf("stored: %t; exit code %d %s: %q %s", stored, r.code, r.Outcome, r.Unknown, r.Error)
			if r.code != report.ExitInterrupted || r.Outcome != resync.Interrupted || stored && len(r.Unknown) == 0 {
				t.Errorf("exit code %d, %s: %q", r.code, r.Outcome, r.Unknown)
			}
			now := l.level(t)
			l.journalled(t, dir, &r, before, now)
			if !stored {
				return
			}
			out, stderr, code := l.plugin(t, "restore", l.Name, "--yes", "--journal-dir", dir)
			if now := l.rest(t); code != 0 || edit.whole(t, before, now) {
				t.Errorf("restore: exit code %d: %s\n%s", code, stderr, out)
			}
		})
	}
}
