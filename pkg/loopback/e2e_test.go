//go:build e2e

package loopback_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

const (
	// quiet is how long no request may come before the operator counts as done.
	quiet = 250 * time.Millisecond
	// passLimit bounds how often the operator, or its restatement, is run.
	passLimit = 20
)

// rig is one custom resource, the real operator and the loopback cloud.
type rig struct {
	t        *testing.T
	srv      *testbed.Server
	cloud    *loopback.Server
	operator *testbed.Operator
	provider hosted.Provider
	name     string
	phases   *phases
	touches  int
}

// newRig stores a custom resource in phase active, starts the operator on it and
// waits for its first pass, which must find nothing to do.
func newRig(t *testing.T, cloud *loopback.Server, p hosted.Provider, name string, spec, status map[string]any) *rig {
	t.Helper()
	r := &rig{t: t, srv: bed.Server(t), cloud: cloud, provider: p, name: name}
	resource := map[string]any{
		"apiVersion": p.CRGroup() + "/v1", "kind": p.CRKind(),
		"metadata": map[string]any{"name": name, "namespace": testbed.GlobalNamespace}, "spec": spec, "status": status,
	}
	r.srv.Apply(t, resource)
	t.Cleanup(func() { r.srv.Remove(t, resource) }) // after the operator is gone
	r.phases = watchPhases(t, r)
	r.operator = testbed.StartOperator(t, r.srv, p, cloud.EnvFor())
	r.idle(0)
	if calls := cloud.Calls(); len(calls) > 0 || r.phase() != operator.PhaseActive {
		t.Fatalf("before any change the operator went to phase %q and sent\n%s", r.phase(), lines(calls))
	}
	r.phases.forget()
	return r
}

// idle waits until the operator has reacted and is done for now.
func (r *rig) idle(since int) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	if err := r.cloud.WaitIdle(ctx, since, quiet); err != nil {
		r.t.Fatalf("%v\n%s", err, r.operator.Log())
	}
}

func (r *rig) object() map[string]any {
	r.t.Helper()
	return r.srv.Get(r.t, r.provider.CRKind(), testbed.GlobalNamespace, r.name)
}

func (r *rig) phase() string {
	v, _ := hosted.Dig(r.object(), "status", "phase")
	return hosted.Str(v)
}

// change patches the resource's spec and returns the whole new one.
func (r *rig) change(patch string) map[string]any {
	r.t.Helper()
	since := r.cloud.Requests()
	out := r.srv.Merge(r.t, r.provider.CRKind(), testbed.GlobalNamespace, r.name, `{"spec":`+patch+`}`, false)
	r.idle(since)
	return hosted.Map(out["spec"])
}

// again makes the operator look again, which by itself it does after 30 seconds.
func (r *rig) again() {
	r.t.Helper()
	r.touches++
	since := r.cloud.Requests()
	r.srv.Merge(r.t, r.provider.CRKind(), testbed.GlobalNamespace, r.name,
		fmt.Sprintf(`{"metadata":{"annotations":{"test/touched":"%d"}}}`, r.touches), false)
	r.idle(since)
}

// converge lets the cloud finish and the operator look again until the operator
// has nothing left to do.
func (r *rig) converge() {
	r.t.Helper()
	for range passLimit {
		before := len(r.cloud.Calls())
		r.cloud.Settle()
		r.again()
		if len(r.cloud.Calls()) == before && r.phase() == operator.PhaseActive {
			return
		}
	}
	r.t.Fatalf("the operator is not done after %d passes:\n%s", passLimit, lines(r.cloud.Calls()))
}

// compare compares what the real operator did with the restated one's passes.
func (r *rig) compare(passes []operator.Pass) {
	r.t.Helper()
	var want []operator.Call
	expected := []string{operator.PhaseActive}
	for _, p := range passes {
		want = append(want, p.Calls...)
		expected = append(expected, p.Phase)
	}
	expected = slices.Compact(expected)
	got, seen := r.cloud.Calls(), r.phases.list()
	if g, w := lines(got), lines(want); g != w {
		r.t.Errorf("calls of the real operator\n%s\nof the restated one\n%s", g, w)
	}
	if !slices.Equal(seen, expected) {
		r.t.Errorf("the real operator wrote the phases %v, the restated one %v", seen, expected)
	}
	if !r.operator.Running() {
		r.t.Errorf("the operator has crashed")
	}
	r.t.Logf("%d calls, phases %v", len(got), seen)
}

// timed runs a restated operator as converge runs the real one: it comes back by
// itself as its passes say, and when it waits or rests, the cloud finishes and it
// is made to look again, until it has nothing to do.
func timed(t *testing.T, pass func() operator.Pass, settle func()) []operator.Pass {
	t.Helper()
	var passes []operator.Pass
	calls := 1 // of the round; the first begins with the change itself
	for range passLimit {
		p := pass()
		passes = append(passes, p)
		calls += len(p.Calls)
		if p.Requeue == "now" || p.Requeue == "statusEvent" {
			continue
		}
		if calls == 0 && p.Phase == operator.PhaseActive {
			return passes
		}
		calls = 0
		settle()
	}
	t.Errorf("the restated operator is not done after %d passes, the last with error %q", passLimit, passes[passLimit-1].Error)
	return passes
}

// lines are calls one a line, without what only a restatement knows.
func lines(calls []operator.Call) string {
	var b strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&b, "  %s %s %s %s %s\n", c.Service, c.Op, c.Target, hosted.Canonical(c.Input), c.Error)
	}
	return b.String()
}

// phases are the phases that a resource has had.
type phases struct {
	mu   sync.Mutex
	seen []string
}

func (p *phases) add(phase string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.seen) == 0 || p.seen[len(p.seen)-1] != phase {
		p.seen = append(p.seen, phase)
	}
}

// forget keeps only the last phase.
func (p *phases) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = p.seen[max(0, len(p.seen)-1):]
}

func (p *phases) list() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen)
}

// watchPhases follows a resource until the test ends.
func watchPhases(t *testing.T, r *rig) *phases {
	t.Helper()
	client, err := dynamic.NewForConfig(r.srv.Config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	gvr := schema.GroupVersionResource{Group: r.provider.CRGroup(), Version: "v1", Resource: r.provider.CRResource()}
	w, err := client.Resource(gvr).Namespace(testbed.GlobalNamespace).Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + r.name})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	p := &phases{}
	var done sync.WaitGroup
	done.Go(func() {
		for e := range w.ResultChan() {
			if u, ok := e.Object.(*unstructured.Unstructured); ok {
				phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
				p.add(phase)
			}
		}
	})
	t.Cleanup(func() {
		w.Stop()
		cancel()
		done.Wait()
	})
	return p
}

// secret stores a cloud credential for the test.
func secret(t *testing.T, name string, data map[string]any) {
	t.Helper()
	s := map[string]any{"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "stringData": data,
		"metadata": map[string]any{"name": name, "namespace": testbed.GlobalNamespace}}
	srv := bed.Server(t)
	srv.Apply(t, s)
	t.Cleanup(func() { srv.Remove(t, s) })
}

// value decodes a JSON fixture.
func value(t *testing.T, text string) map[string]any {
	t.Helper()
	v, err := hosted.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return hosted.Map(v)
}
