package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kube "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// output is a stream that a test can wait for.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func newOutput() *output { return &output{more: make(chan struct{}, 1)} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.more <- struct{}{}:
	default:
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// running is the program at work.
type running struct {
	t         *testing.T
	out, errs *output
	stop      context.CancelFunc
	code      chan int
}

// start runs the real Main against a server, with the real clock.
func start(t *testing.T, kubeconfig string, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{t: t, out: newOutput(), errs: newOutput(), stop: cancel, code: make(chan int, 1)}
	go func() {
		r.code <- Main(ctx, Env{
			In: strings.NewReader(""), Out: r.out, Err: r.errs, Program: "kubectl-hostedsync", Now: time.Now,
			LookupEnv: func(string) (string, bool) { return "", false },
		}, append([]string{"--kubeconfig", kubeconfig}, args...))
	}()
	t.Cleanup(cancel)
	return r
}

// await waits until a stream has a text.
func (r *running) await(o *output, text string) {
	r.t.Helper()
	late := time.After(30 * time.Second)
	for !strings.Contains(o.String(), text) {
		select {
		case <-o.more:
		case <-late:
			r.t.Fatalf("no %q in:\n%s\n%s", text, r.out, r.errs)
		}
	}
}

// end waits for the exit code.
func (r *running) end(want int) {
	r.t.Helper()
	select {
	case code := <-r.code:
		if code != want {
			r.t.Fatalf("exit code %d, want %d\n%s\n%s", code, want, r.out, r.errs)
		}
	case <-time.After(30 * time.Second):
		r.t.Fatalf("does not end\n%s\n%s", r.out, r.errs)
	}
}

func config(tag string) map[string]any {
	return map[string]any{"displayName": "atlas", "region": "eu-west-1", "imported": true,
		"amazonCredentialSecret": "cattle-global-data:cc-1", "privateAccess": true, "tags": map[string]any{"a": tag}}
}

// stored puts a quiet EKS cluster on the server, last read at a time.
func stored(t *testing.T, name string, read time.Time) *testbed.Server {
	t.Helper()
	srv := bed.Server(t)
	srv.Apply(t, map[string]any{
		"apiVersion": "management.cattle.io/v3", "kind": "Cluster",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"for": name},
			"annotations": map[string]any{hosted.RefreshAnnotation: fmt.Sprint(read.Unix())}},
		"spec": map[string]any{"displayName": name + "-shown", "eksConfig": config("b")},
		"status": map[string]any{"driver": "EKS", "apiEndpoint": "https://example.com",
			"appliedSpec": map[string]any{"eksConfig": config("b")}, "eksStatus": map[string]any{"upstreamSpec": config("b")}},
	}, map[string]any{
		"apiVersion": "eks.cattle.io/v1", "kind": "EKSClusterConfig",
		"metadata": map[string]any{"name": name, "namespace": testbed.GlobalNamespace},
		"spec":     config("b"), "status": map[string]any{"phase": "active"},
	})
	t.Cleanup(func() {
		sim := rancherSim{t, srv, name}
		for _, p := range []hosted.Provider{hosted.None, hosted.EKS} {
			_ = sim.resource(p).Delete(context.WithoutCancel(t.Context()), name, metav1.DeleteOptions{}) // it may be gone
		}
	})
	return srv
}

// rancherSim does what Rancher, its operator and their users do, one write at a
// time.
type rancherSim struct {
	t    *testing.T
	srv  *testbed.Server
	name string
}

// resource is where the provider's resources are, or the Clusters for None.
func (s rancherSim) resource(p hosted.Provider) dynamic.ResourceInterface {
	c, err := dynamic.NewForConfig(s.srv.Config)
	if err != nil {
		s.t.Fatal(err)
	}
	if p == hosted.None {
		return c.Resource(kube.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "clusters"})
	}
	return c.Resource(kube.GroupVersionResource{Group: p.CRGroup(), Version: "v1", Resource: p.CRResource()}).Namespace(testbed.GlobalNamespace)
}

// write patches an object as a field manager.
func (s rancherSim) write(manager string, p hosted.Provider, patch string, sub ...string) {
	s.t.Helper()
	_, err := s.resource(p).Patch(s.t.Context(), s.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: manager}, sub...)
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s rancherSim) edit(tag string) {
	s.write("kubectl-edit", hosted.None, `{"spec":{"eksConfig":{"tags":{"a":"`+tag+`"}}}}`)
}

func (s rancherSim) handOver(tag string) {
	s.write("rancher", hosted.EKS, `{"spec":{"tags":{"a":"`+tag+`"}}}`)
}

func (s rancherSim) phase(phase, failure string) {
	s.write("eks-operator", hosted.EKS, `{"status":{"phase":"`+phase+`","failureMessage":"`+failure+`"}}`, "status")
}

func (s rancherSim) record(tag string) {
	s.write("rancher", hosted.None, `{"status":{"appliedSpec":{"eksConfig":{"tags":{"a":"`+tag+`"}}}}}`, "status")
}

func (s rancherSim) read(tag string) {
	s.write("rancher", hosted.None, `{"status":{"eksStatus":{"upstreamSpec":{"tags":{"a":"`+tag+`"}}}}}`, "status")
}

func (s rancherSim) annotate(at time.Time) {
	s.write("rancher", hosted.None, fmt.Sprintf(`{"metadata":{"annotations":{%q:"%d"}}}`, hosted.RefreshAnnotation, at.Unix()))
}

// TestWaitForAnEdit follows one edit through all its stations; between the three
// writes of a refresh nothing counts as confirmed.
func TestWaitForAnEdit(t *testing.T) {
	srv := stored(t, "c-edit1", time.Now().Add(-100*time.Second))
	sim := rancherSim{t, srv, "c-edit1"}
	sim.edit("c")
	w := start(t, srv.Kubeconfig, "wait", "c-edit1-shown", "--for=synced", "--timeout=1m", "-o", "jsonl")
	w.await(w.errs, "Config and Applied differ in tags.a: the last edit is not recorded as carried out; the EKSClusterConfig does not have the Config yet")
	sim.handOver("c")
	sim.phase("updating", "")
	w.await(w.errs, `the operator's phase is "updating", not active`)
	sim.phase("active", "")
	sim.record("c")
	w.await(w.errs, "not synced: the reading of ")
	sim.read("c")
	w.await(w.errs, "not synced: Config or reading changed after")
	sim.annotate(time.Now().Add(2 * time.Second)) // not in the second of the edit
	w.end(0)
	var doc map[string]any
	if err := json.Unmarshal([]byte(w.out.String()), &doc); err != nil || doc["met"] != true || doc["kind"] != "WaitResult" || doc["cluster"] != "c-edit1" {
		t.Errorf("%v: %s", err, w.out)
	}
	if n := strings.Count(w.errs.String(), "(c-edit1): synced\n"); n != 1 {
		t.Errorf("the end is told %d times:\n%s", n, w.errs)
	}
}

// TestWaitByTheServersClock: with a server an hour ahead of this machine, the age
// of the reading and the time since which a refresh counts are the server's.
func TestWaitByTheServersClock(t *testing.T) {
	ahead := time.Now().Add(time.Hour)
	srv := stored(t, "c-skew1", ahead.Add(-20*time.Second))
	p := srv.Proxy(t, srv.Config)
	p.Skew(time.Hour)
	start(t, p.Kubeconfig, "wait", "c-skew1", "--for=safe", "--timeout=30s").end(0)
	sim := rancherSim{t, srv, "c-skew1"}
	sim.annotate(time.Now().Add(2 * time.Second)) // an hour old, and younger than the last write
	old := start(t, p.Kubeconfig, "wait", "c-skew1", "--for=safe", "--timeout=0")
	old.end(1)
	old.await(old.out, "longer ago than 1m0s; the next is due now")
	w := start(t, p.Kubeconfig, "wait", "c-skew1", "--for=refreshed", "--timeout=30s")
	w.await(w.errs, "no refresh has ended since "+ahead.UTC().Format("2006-01-02"))
	sim.annotate(time.Now().Add(time.Hour))
	w.end(0)
}

// TestWaitSurvives: what happens while the server is away counts once it is back,
// and nothing is judged in between; the same with a forgotten version.
func TestWaitSurvives(t *testing.T) {
	srv := stored(t, "c-away1", time.Now().Add(-100*time.Second))
	sim := rancherSim{t, srv, "c-away1"}
	p := srv.Proxy(t, srv.Config)
	w := start(t, p.Kubeconfig, "wait", "c-away1", "--for=refreshed", "--timeout=1m")
	w.await(w.errs, "no refresh has ended")
	p.Down()
	w.await(w.errs, "the connection is lost, so nothing is known")
	p.Expire()
	sim.annotate(time.Now())
	p.Up()
	w.end(0)
}

func TestWaitEnds(t *testing.T) {
	srv := stored(t, "c-ends1", time.Now().Add(-100*time.Second))
	sim := rancherSim{t, srv, "c-ends1"}
	sim.phase("updating", "no quota")
	w := start(t, srv.Kubeconfig, "wait", "c-ends1", "--for=settled", "--timeout=2s")
	w.end(5)
	w.await(w.errs, "timed out after 2s: c-ends1 is not settled: the operator's phase is \"updating\", not active; the operator fails: no quota")
	w.await(w.out, "not settled at")
	w = start(t, srv.Kubeconfig, "wait", "c-ends1", "--for=settled")
	w.await(w.errs, "not settled")
	w.stop()
	w.end(130)
	w.await(w.out, "no quota")
	w = start(t, srv.Kubeconfig, "wait", "-l", "for=c-ends1", "--for=settled")
	w.await(w.errs, "not settled")
	sim.phase("active", "")
	w.end(0)
	blind := srv.User(t, "wait-blind", testbed.Grant{Verbs: "get,list,watch", Resource: "clusters.management.cattle.io"})
	w = start(t, blind.Kubeconfig, "wait", "c-ends1", "--for=settled")
	w.end(4)
	w.await(w.errs, "not read: EKSClusterConfig: ")
	w.await(w.out, "unknown: EKSClusterConfig was not read")
	nobody := srv.User(t, "wait-nobody")
	start(t, nobody.Kubeconfig, "wait", "c-ends1", "--for=settled").end(2)
	start(t, srv.Kubeconfig, "wait", "no-such", "--for=settled").end(2)
	w = start(t, srv.Kubeconfig, "wait", "c-ends1", "--for=refreshed")
	w.await(w.errs, "no refresh")
	srv.Remove(t, map[string]any{"kind": "Cluster", "metadata": map[string]any{"name": "c-ends1"}})
	w.end(2)
	w.await(w.errs, "c-ends1 was deleted while it was waited for")
}

// TestWatch tells an edit's story event by event, across a lost connection.
func TestWatch(t *testing.T) {
	srv := stored(t, "c-tale1", time.Now().Add(-100*time.Second))
	sim := rancherSim{t, srv, "c-tale1"}
	p := srv.Proxy(t, srv.Config)
	p.Skew(time.Hour)
	w := start(t, p.Kubeconfig, "watch", "-l", "for=c-tale1", "-o", "jsonl", "--for=1m")
	w.await(w.out, `"type":"synced"`)
	sim.edit("c")
	w.await(w.out, `"type":"config"`)
	sim.handOver("c")
	sim.phase("updating", "no quota")
	w.await(w.out, `"type":"phase"`)
	p.Down()
	w.await(w.out, `"type":"lost"`)
	p.Up()
	w.await(w.out, `"type":"resumed"`)
	w.await(w.out, `"code":"HS009"`)
	sim.phase("active", "")
	sim.record("c")
	w.await(w.out, `"type":"applied"`)
	w.await(w.out, `"type":"cleared"`)
	sim.read("c")
	sim.annotate(time.Now().Add(time.Hour))
	w.await(w.out, `"type":"refreshed"`)
	srv.Remove(t, map[string]any{"kind": "Cluster", "metadata": map[string]any{"name": "c-tale1"}})
	w.await(w.out, `"type":"deleted"`)
	w.stop()
	w.end(130)
	seen := map[string]map[string]any{}
	for line := range strings.Lines(w.out.String()) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		at, err := time.Parse(time.RFC3339, fmt.Sprint(e["time"]))
		if d := time.Until(at); err != nil || d < 59*time.Minute || d > 61*time.Minute {
			t.Errorf("not the server's time: %s", line)
		}
		if kind := fmt.Sprint(e["type"]); seen[kind] == nil {
			seen[kind] = e
		}
	}
	for kind, want := range map[string][]string{
		"config":    {`"fields":["tags.a"]`, `"managers":["kubectl-edit"]`},
		"phase":     {`"from":"active"`, `"to":"updating"`, `"message":"no quota"`},
		"upstream":  {`"fields":["tags.a"]`},
		"applied":   {`"fields":["tags.a"]`},
		"refreshed": {`"from":"`, `"to":"`},
		"deleted":   {`"resourceVersion":"`},
	} {
		text, err := json.Marshal(seen[kind])
		for _, part := range append(want, `"cluster":"c-tale1"`) {
			if err != nil || !strings.Contains(string(text), part) {
				t.Errorf("%s: %s lacks %s", kind, text, part)
			}
		}
	}
}

func TestWatchEnds(t *testing.T) {
	srv := stored(t, "c-stop1", time.Now())
	start(t, srv.Kubeconfig, "watch", "c-stop1", "--events=1").end(0)
	start(t, srv.Kubeconfig, "watch", "c-stop1", "--for=3s").end(0)
	w := start(t, srv.Kubeconfig, "watch", "c-stop1-shown")
	w.await(w.out, "synced     1 hosted cluster")
	w.stop()
	w.end(130)
}
