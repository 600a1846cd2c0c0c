//go:build e2e

package main

import (
	"context"
	"encoding/json"
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
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/sim"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/aks"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed/rig"
)

const (
	// pushWait is the handler's wait for the operator, ten seconds in Rancher.
	pushWait = 2 * time.Second
	// takes is how long the cloud is at work on what it was asked for.
	takes = time.Second
	// patience bounds every wait; an operator comes back after 30 seconds.
	patience = 90 * time.Second
	// subscription is where Azure's cluster is.
	subscription = "00000000-0000-0000-0000-000000000000"
)

// world is one cluster with everything around it: Rancher's refresher and handler
// of the lab, and either a real operator on a loopback cloud or the lab's of both.
type world struct {
	t     *testing.T
	tl    tools
	srv   *testbed.Server
	rig   *rig.Rig
	began time.Time
	// loop and operator are the real parts, nil in the lab's world.
	loop     *loopback.Server
	operator *testbed.Operator

	// kubeconfig is the plugin's.
	kubeconfig string
	nudges     int
	mu         sync.Mutex
	// labCalls are what the lab's operator asked for, seen the phases of the custom
	// resource, each once in a row.
	labCalls []operator.Call
	seen     []string
}

// newWorld makes a cluster at rest of which everything is managed.
func newWorld(t *testing.T, tl tools, p hosted.Provider, name string, real bool) *world {
	t.Helper()
	w := &world{t: t, tl: tl, srv: bed.Server(t), began: time.Now(), kubeconfig: bed.Server(t).Kubeconfig}
	managed := func(string) bool { return true }
	cluster, resource, _, err := sim.AtRest(p, name, time.Now(), managed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.srv.Remove(t, cluster, resource) }) // after everybody is gone
	o := rig.Options{Provider: p, Name: name, Managed: managed, PushWait: pushWait, NoOperator: real}
	if real {
		w.loop = loopback.New(t)
		w.fill(p, cluster, resource)
		w.loop.Takes(takes)
		o.Cloud = reader{t, w.loop, p}
	}
	w.rig = rig.New(t, w.srv, o)
	w.watch()
	if !real {
		w.takeTime()
		return w
	}
	w.operator = testbed.StartOperator(t, w.srv, p, w.loop.EnvFor())
	w.await("the operator has taken the resource", func() bool {
		finalizers, _ := hosted.Dig(w.resource(), "metadata", "finalizers")
		return len(hosted.List(finalizers)) > 0
	})
	since := w.loop.Requests() // an operator that begins looks more than once
	w.nudge()
	w.idle(since)
	if calls := w.calls(); len(calls) > 0 || w.phase() != operator.PhaseActive {
		t.Fatalf("before any change the operator went to phase %q and sent\n%s", w.phase(), lines(calls))
	}
	w.rig.AwaitQuiet(t)
	return w
}

// fill makes the loopback cloud what the cluster says of it.
func (w *world) fill(p hosted.Provider, cluster, resource map[string]any) {
	w.t.Helper()
	upstream, _ := hosted.Dig(cluster, "status", p.StatusKey(), "upstreamSpec")
	spec, config, status := hosted.Map(upstream), hosted.Map(resource["spec"]), hosted.Map(resource["status"])
	if p == hosted.EKS {
		c, err := eks.FromSpec(spec, config, status)
		if err != nil {
			w.t.Fatal(err)
		}
		w.loop.SetEKS(w.t, c)
		return
	}
	c, err := aks.FromSpec(spec, config, status)
	if err != nil {
		w.t.Fatal(err)
	}
	w.loop.SetAKS(c)
	w.loop.EditAKS(func(doc map[string]any) { // Azure's own, which no spec has; the lab's cloud gets it from its console
		doc["id"] = "/subscriptions/" + subscription + "/resourceGroups/" + hosted.Str(config["resourceGroup"]) +
			"/providers/Microsoft.ContainerService/managedClusters/" + hosted.Str(config["clusterName"])
	})
}

// takeTime has the lab's EKS, as the loopback one, work on what it is asked for.
// On AKS the operator itself waits until that is done.
func (w *world) takeTime() {
	w.rig.Do(w.t, func() {
		w.rig.Operator.Took = func(calls []operator.Call) {
			w.mu.Lock()
			w.labCalls = append(w.labCalls, calls...)
			w.mu.Unlock()
			if w.rig.Provider == hosted.EKS {
				w.rig.Cloud.Begin(calls)
				time.AfterFunc(takes, func() { w.rig.Do(w.t, w.rig.Cloud.Settle) })
			}
		}
	})
}

// reader is the loopback cloud for Rancher's refresher, which only reads.
type reader struct {
	t    testing.TB
	loop *loopback.Server
	p    hosted.Provider
}

func (r reader) Read(v sim.Visit) (map[string]any, string) {
	if r.p == hosted.EKS {
		return eks.NewSession(r.loop.EKS(r.t)).Read(eks.Input{Name: v.Name, Config: v.Config, Status: v.Status})
	}
	return aks.NewSession(r.loop.AKS(r.t)).Read(aks.Input{Name: v.Name, Config: v.Config, Status: v.Status})
}

func (reader) Reconcile(sim.Visit) operator.Pass { panic("the real operator reconciles") }
func (reader) Begin([]operator.Call)             { panic("the loopback cloud keeps its own time") }
func (reader) Settle()                           { panic("the loopback cloud keeps its own time") }

// watch notes the phases of the custom resource until the test ends.
func (w *world) watch() {
	w.t.Helper()
	client, err := dynamic.NewForConfig(w.srv.Config)
	if err != nil {
		w.t.Fatal(err)
	}
	p := w.rig.Provider
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	gvr := schema.GroupVersionResource{Group: p.CRGroup(), Version: "v1", Resource: p.CRResource()}
	events, err := client.Resource(gvr).Namespace(testbed.GlobalNamespace).Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + w.rig.Name})
	if err != nil {
		cancel()
		w.t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		for e := range events.ResultChan() {
			if u, ok := e.Object.(*unstructured.Unstructured); ok {
				phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
				w.mu.Lock()
				if len(w.seen) == 0 || w.seen[len(w.seen)-1] != phase {
					w.seen = append(w.seen, phase)
				}
				w.mu.Unlock()
			}
		}
	})
	w.t.Cleanup(func() {
		events.Stop()
		cancel()
		done.Wait()
	})
}

func (w *world) phases() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}

// calls are what the operator asked of the cloud.
func (w *world) calls() []operator.Call {
	if w.loop != nil {
		return w.loop.Calls()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.labCalls)
}

// sent are the inputs of the calls of an operation.
func (w *world) sent(op string) []map[string]any {
	var out []map[string]any
	for _, c := range w.calls() {
		if c.Op == op {
			out = append(out, hosted.Map(c.Input))
		}
	}
	return out
}

// lines are calls one a line, without what only a restatement knows.
func lines(calls []operator.Call) string {
	var b strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&b, "  %s %s %s %s %s\n", c.Service, c.Op, c.Target, hosted.Canonical(c.Input), c.Error)
	}
	return b.String()
}

// idle waits until the real operator has reacted and is done for now.
func (w *world) idle(since int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	if err := w.loop.WaitIdle(ctx, since, 400*time.Millisecond); err != nil {
		w.t.Fatal(err)
	}
}

// await looks again and again until something is so.
func (w *world) await(what string, so func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			w.t.Fatalf("%s: not within %s; phases %v, calls\n%s", what, patience, w.phases(), lines(w.calls()))
		}
	}
}

// nudge makes the operator look again, which by itself it does after 30 seconds.
func (w *world) nudge() {
	w.t.Helper()
	w.nudges++
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"test/nudged":"%d"}}}`, w.nudges)
	w.srv.Merge(w.t, w.rig.Provider.CRKind(), testbed.GlobalNamespace, w.rig.Name, patch, false)
}

func (w *world) resource() map[string]any {
	w.t.Helper()
	return w.srv.Get(w.t, w.rig.Provider.CRKind(), testbed.GlobalNamespace, w.rig.Name)
}

func (w *world) phase() string {
	w.t.Helper()
	v, _ := hosted.Dig(w.resource(), "status", "phase")
	return hosted.Str(v)
}

// copies are the Config, Applied and UpstreamSpec now.
func (w *world) copies() (config, applied, upstream map[string]any) {
	w.t.Helper()
	p := w.rig.Provider
	obj := w.srv.Get(w.t, "Cluster", "", w.rig.Name)
	dig := func(keys ...string) map[string]any {
		v, _ := hosted.Dig(obj, keys...)
		return hosted.Map(v)
	}
	return dig("spec", p.ConfigKey()), dig("status", "appliedSpec", p.ConfigKey()), dig("status", p.StatusKey(), "upstreamSpec")
}

// kubectl runs the real kubectl, which must succeed.
func (w *world) kubectl(args ...string) {
	w.t.Helper()
	if _, stderr, code := w.tl.run(w.t, w.srv.Kubeconfig, args...); code != 0 {
		w.t.Fatalf("kubectl %s: %s", strings.Join(args, " "), stderr)
	}
}

// patch is an edit as anybody makes it: a merge patch without any precondition.
func (w *world) patch(config string) {
	w.t.Helper()
	w.kubectl("patch", "clusters.management.cattle.io", w.rig.Name, "--type=merge", "-p", `{"spec":{"`+w.rig.Provider.ConfigKey()+`":`+config+`}}`)
}

// result is what the plugin said of the one cluster.
type result struct {
	Outcome  string
	Refusals []struct{ Code, Text string }
	Unknown  []string
	Error    string
	code     int
}

// plugin runs the real plugin through the real kubectl.
func (w *world) plugin(verb string, args ...string) result {
	w.t.Helper()
	all := append([]string{"hostedsync", verb, w.rig.Name}, args...)
	out, stderr, code := w.tl.run(w.t, w.kubeconfig, append(all, "--yes", "-o", "json")...)
	var doc struct{ Items []result }
	if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Items) != 1 {
		w.t.Fatalf("%s: exit code %d, %v\n%s\n%s", strings.Join(all, " "), code, err, out, stderr)
	}
	r := doc.Items[0]
	r.code = code
	return r
}

// done runs a verb that must be carried out and verified.
func (w *world) done(verb string, args ...string) {
	w.t.Helper()
	if r := w.plugin(verb, args...); r.code != 0 || r.Outcome != "verified" || len(r.Unknown) > 0 {
		w.t.Fatalf("%s %v: %+v", verb, args, r)
	}
}

// expect compares a copy's value.
func (w *world) expect(what string, spec map[string]any, want any, keys ...string) {
	w.t.Helper()
	if v, _ := hosted.Dig(spec, keys...); !hosted.Equal(v, want) {
		w.t.Errorf("%s has %s = %v, want %v", what, strings.Join(keys, "."), v, want)
	}
}

// told is the line that sums up a case.
func (w *world) told(format string, args ...any) {
	w.t.Helper()
	if w.operator != nil && !w.operator.Running() {
		w.t.Error("the operator has crashed")
	}
	var ops []string
	for _, c := range w.calls() {
		ops = append(ops, c.Op)
	}
	w.t.Logf("%s; %s; calls %v, phases %v", fmt.Sprintf(format, args...), time.Since(w.began).Round(100*time.Millisecond), ops, w.phases())
}

// credential stores the cloud credential that the lab's clusters name.
func credential(t *testing.T) {
	t.Helper()
	srv := bed.Server(t)
	secret := map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
		"metadata": map[string]any{"name": "cc-7hx2k", "namespace": testbed.GlobalNamespace},
		"stringData": map[string]any{
			"amazonec2credentialConfig-accessKey": "EXAMPLE", "amazonec2credentialConfig-secretKey": "example",
			"azurecredentialConfig-subscriptionId": subscription, "azurecredentialConfig-clientSecret": "example",
			"azurecredentialConfig-clientId": "00000000-0000-0000-0000-0000000000bb", "azurecredentialConfig-tenantId": "00000000-0000-0000-0000-0000000000aa",
		},
	}
	srv.Apply(t, secret)
	t.Cleanup(func() { srv.Remove(t, secret) })
}
