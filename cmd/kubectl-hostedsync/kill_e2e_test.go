//go:build e2e

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/journal"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed/rig"
)

// killsWanted is how many kills a test makes: HOSTEDSYNC_KILLS, or a few.
func killsWanted(t *testing.T, few int) int {
	t.Helper()
	text, ok := os.LookupEnv("HOSTEDSYNC_KILLS")
	if !ok {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("HOSTEDSYNC_KILLS=%s is not a number of kills", text)
	}
	return n
}

// living is a cluster with Rancher and its operator at work, and the real plugin.
type living struct {
	*rig.Rig
	binary, kubeconfig, home string
}

func newLiving(t *testing.T, srv *testbed.Server, name string) *living {
	t.Helper()
	// Other tests use the server too. By then the cluster's life has ended.
	t.Cleanup(func() {
		meta := map[string]any{"name": name, "namespace": testbed.GlobalNamespace}
		srv.Remove(t, map[string]any{"kind": "Cluster", "metadata": map[string]any{"name": name}},
			map[string]any{"kind": hosted.EKS.CRKind(), "metadata": meta})
	})
	l := &living{Rig: rig.New(t, srv, rig.Options{Name: name}), binary: build(t).binary, kubeconfig: srv.Kubeconfig, home: t.TempDir()}
	l.rest(t)
	return l
}

// process is a plugin that runs.
type process struct {
	cmd       *exec.Cmd
	out, errs bytes.Buffer
	ended     chan struct{}
}

func (l *living) start(t *testing.T, kubeconfig string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(l.binary, args...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.errs
	p.cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+l.home)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is in ProcessState
		close(p.ended)
	}()
	return p
}

// kill kills the process as a crash would, and returns when it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// wait waits for the process's own end and returns its exit code, -1 if it was
// killed.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 7*time.Minute)
	defer cancel()
	select {
	case <-p.ended:
	case <-ctx.Done():
		p.kill()
		t.Fatalf("the plugin does not end: %s", p.errs.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// plugin runs the plugin to its end, directly at the server.
func (l *living) plugin(t *testing.T, args ...string) (out, stderr string, code int) {
	t.Helper()
	p := l.start(t, l.kubeconfig, args...)
	code = p.wait(t)
	return p.out.String(), p.errs.String(), code
}

// state is what is stored of the cluster at one moment.
type state struct {
	spec, config map[string]any
	annotation   string
	version      string
	// read: Rancher's reading of the cloud has the Config's tags.
	read bool
}

func (l *living) state(t *testing.T) state {
	t.Helper()
	return l.stateOf(t, l.Server.Get(t, "Cluster", "", l.Name))
}

// stateOf checks that the Cluster can still be decoded.
func (l *living) stateOf(t *testing.T, obj map[string]any) state {
	t.Helper()
	obj = hosted.Map(hosted.Normalize(obj))
	if _, problems := hosted.FromObjects(obj, nil); len(problems) > 0 {
		t.Errorf("the Cluster cannot be read any more: %v", problems)
	}
	spec := hosted.CloneMap(hosted.Map(obj["spec"]))
	config := hosted.Map(spec[l.Provider.ConfigKey()])
	delete(spec, l.Provider.ConfigKey())
	if _, err := schema.For(l.Provider).Decode(config); err != nil {
		t.Errorf("the Config cannot be decoded any more: %v", err)
	}
	meta := hosted.Map(obj["metadata"])
	upstream, _ := hosted.Dig(obj, "status", l.Provider.StatusKey(), "upstreamSpec")
	return state{
		spec: spec, config: config, version: hosted.Str(meta["resourceVersion"]),
		annotation: hosted.Str(hosted.Map(meta["annotations"])[hosted.RefreshAnnotation]),
		read:       hosted.Equal(hosted.Map(upstream)["tags"], config["tags"]),
	}
}

// level is at rest, and Rancher has read the cloud since the last edit: it does so
// by itself some minutes later, which a guarded change would wait for.
func (l *living) level(t *testing.T) state {
	t.Helper()
	now := l.rest(t)
	if !now.read {
		l.Server.Merge(t, "Cluster", "", l.Name, `{"metadata":{"annotations":{"`+hosted.RefreshAnnotation+`":null}}}`, false)
		now = l.rest(t)
	}
	if !now.read {
		t.Fatal("Rancher has read the cloud, and does not see the Config's tags in it")
	}
	return now
}

// rest waits until Rancher and the operator have carried everything out and have
// nothing left to do.
func (l *living) rest(t *testing.T) state {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		l.AwaitQuiet(t)
		obj := l.Server.Get(t, "Cluster", "", l.Name)
		resource := l.Server.Get(t, l.Provider.CRKind(), testbed.GlobalNamespace, l.Name)
		now := l.stateOf(t, obj)
		open := ""
		status := hosted.Map(obj["status"])
		switch {
		case now.annotation == "":
			open = "the refresh annotation is missing"
		case !hosted.Equal(hosted.Normalize(hosted.Map(status["appliedSpec"])[l.Provider.ConfigKey()]), now.config):
			open = "Applied is not the Config"
		case !hosted.Equal(hosted.Normalize(resource["spec"]), now.config):
			open = "the operator has another Config"
		case hosted.Map(resource["status"])["phase"] != "active":
			open = "the operator is at work"
		case !updated(status):
			open = "the condition Updated is not True"
		default:
			return now
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the cluster never came to rest: %s", open)
		}
	}
}

func updated(status map[string]any) bool {
	return slices.ContainsFunc(hosted.List(status["conditions"]), func(c any) bool {
		return hosted.Map(c)["type"] == "Updated" && hosted.Map(c)["status"] == "True"
	})
}

// tag is the edit that a killed plugin was to make.
type tag struct{ key, value string }

func (g tag) String() string { return "tags." + g.key + "=" + g.value }

func (g tag) in(config map[string]any) bool { return hosted.Map(config["tags"])[g.key] == g.value }

// whole checks that a state is the one before, or the one before and the tag, and
// nothing in between, and tells which.
func (g tag) whole(t *testing.T, before, now state) (stored bool) {
	t.Helper()
	after := hosted.CloneMap(before.config)
	tags := hosted.CloneMap(hosted.Map(after["tags"]))
	tags[g.key] = g.value
	after["tags"] = tags
	stored = hosted.Equal(now.config, after)
	if !stored && !hosted.Equal(now.config, before.config) {
		t.Errorf("the Config is neither as before nor with %s:\nbefore %s\nnow    %s", g, hosted.Canonical(before.config), hosted.Canonical(now.config))
	}
	if !hosted.Equal(now.spec, before.spec) {
		t.Errorf("the rest of the spec has changed:\nbefore %s\nnow    %s", hosted.Canonical(before.spec), hosted.Canonical(now.spec))
	}
	if now.annotation != "" {
		was, err := strconv.ParseInt(before.annotation, 10, 64)
		is, err2 := strconv.ParseInt(now.annotation, 10, 64)
		if err != nil || err2 != nil || is < was {
			t.Errorf("the refresh annotation went from %q to %q", before.annotation, now.annotation)
		}
	}
	return stored
}

// onlyChange is the one change that a journal folder of a test's own can hold.
func onlyChange(t *testing.T, dir string) (journal.Change, bool) {
	t.Helper()
	all, err := journal.List(dir, "")
	if err != nil {
		t.Errorf("the journal cannot be read: %v", err)
	}
	if len(all) > 1 {
		t.Errorf("one change, %d in the journal", len(all))
	}
	if len(all) == 0 {
		return journal.Change{}, false
	}
	return all[0], true
}

// explained is what the plugin's journal verb says of a change.
func (l *living) explained(t *testing.T, dir, id string) (state, text string) {
	t.Helper()
	out, stderr, code := l.plugin(t, "journal", id, "-o", "json", "--journal-dir", dir)
	if code != 0 {
		t.Fatalf("journal %s: exit code %d: %s", id, code, stderr)
	}
	var list struct {
		Items []struct{ Change, State, Text string }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Items) != 1 || list.Items[0].Change != id {
		t.Fatalf("journal %s: %v: %s", id, err, out)
	}
	return list.Items[0].State, list.Items[0].Text
}

// cutOff checks that the journal explains a change that was cut off, given what is
// stored, and says how far the change had come.
func (l *living) cutOff(t *testing.T, dir string, before, now state, stored bool) string {
	t.Helper()
	c, any := onlyChange(t, dir)
	if !any {
		if now.version != before.version {
			t.Errorf("nothing is journalled, and the Cluster was written: version %s, before %s", now.version, before.version)
		}
		return "nothing journalled"
	}
	if c.Ended() {
		t.Errorf("killed in the middle, and the journal has the end: %+v", c.Last())
	}
	write, wrote := c.Write()
	said, text := l.explained(t, dir, c.ID)
	var far, want string
	ok := said == "cut off"
	switch {
	case !wrote && len(c.Entries) == 0:
		far, want = "torn", "before anything was done"
		ok = ok && now.version == before.version
	case !wrote:
		far, want = "refresh", "the Config was not written"
		ok = ok && !stored
	case stored && c.Stored():
		far, want = "written", "after the write was stored, before it was seen to arrive; it was stored: the Config has tags as it was to become"
	case stored:
		far, want = "write, stored", "it may have been stored; it was stored: the Config has tags as it was to become"
	default:
		far, want = "write, not stored", "it was not stored"
		ok = ok && !c.Stored() && !strings.Contains(text, "it was stored")
	}
	if wrote {
		ok = ok && write.Precondition != "" && len(write.Units) == 1 && write.Units[0].Unit == "tags"
	}
	if !ok || !strings.Contains(text, want) {
		t.Errorf("the tag is stored: %t; the journal says %q: %s; want %q\n%s", stored, said, text, want, journalText(dir, c.ID))
	}
	return far
}

func journalText(dir, id string) string {
	text, err := os.ReadFile(filepath.Join(dir, id+".jsonl"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// tally counts.
type tally map[string]int

func (c tally) String() string {
	var out []string
	for _, k := range hosted.SortedKeys(c) {
		out = append(out, fmt.Sprintf("%s: %d", k, c[k]))
	}
	return strings.Join(out, ", ")
}

func middle(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
