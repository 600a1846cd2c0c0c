package testbed_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

const clusters = "/apis/management.cattle.io/v3/clusters"

// through sends a request to a tripwire.
func through(t *testing.T, w *testbed.Tripwire, method, path, body string) (int, error) {
	t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), method, w.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/merge-patch+json")
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

// TestTripwireTells: every request is told twice, and a cut connection is one:
// before sending nothing is stored, afterwards it is.
func TestTripwireTells(t *testing.T) {
	srv := bed.Server(t)
	object := map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": map[string]any{"name": "c-wire"}, "spec": map[string]any{}}
	srv.Apply(t, object)
	t.Cleanup(func() { srv.Remove(t, object) })
	user := srv.User(t, "wired", testbed.Grant{Verbs: "get,patch", Resource: "clusters.management.cattle.io"})
	var mu sync.Mutex
	var told []string
	w := srv.Tripwire(t, user.Config, func(n int, req *http.Request, sent bool) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprintf("%d %s %s %t", n, req.Method, req.URL.Path, sent))
		if n == 2 && !sent || n == 3 && sent {
			panic(http.ErrAbortHandler)
		}
	})
	name := func() any {
		v, _ := hosted.Dig(srv.Get(t, "Cluster", "", "c-wire"), "spec", "displayName")
		return v
	}
	rename := func(to string) (int, error) {
		return through(t, w, http.MethodPatch, clusters+"/c-wire", `{"spec":{"displayName":"`+to+`"}}`)
	}
	if code, err := rename("one"); code != http.StatusOK || err != nil || name() != "one" {
		t.Errorf("an undisturbed change: %d %v, the name is %v", code, err, name())
	}
	if _, err := rename("two"); err == nil || name() != "one" {
		t.Errorf("cut before sending: %v, the name is %v", err, name())
	}
	if _, err := rename("three"); err == nil || name() != "three" {
		t.Errorf("cut after sending: %v, the name is %v", err, name())
	}
	if code, err := through(t, w, http.MethodGet, clusters, ""); code != http.StatusForbidden || err != nil {
		t.Errorf("more than the user may: %d %v", code, err)
	}
	one := "PATCH " + clusters + "/c-wire "
	want := []string{"1 " + one + "false", "1 " + one + "true", "2 " + one + "false", "3 " + one + "false", "3 " + one + "true",
		"4 GET " + clusters + " false", "4 GET " + clusters + " true"}
	if mu.Lock(); !slices.Equal(told, want) || w.Requests() != 4 {
		t.Errorf("%d requests, told\n%s\nwant\n%s", w.Requests(), strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	mu.Unlock()
}

// TestTripwireKillsAClient: a real kubectl that is killed at its change has made
// it, or not, as the test wants.
func TestTripwireKillsAClient(t *testing.T) {
	srv := bed.Server(t)
	kubectl, err := testbed.Kubectl(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	object := map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": map[string]any{"name": "c-killed"}, "spec": map[string]any{}}
	srv.Apply(t, object)
	t.Cleanup(func() { srv.Remove(t, object) })
	for _, after := range []bool{false, true} {
		started := make(chan *os.Process, 1)
		w := srv.Tripwire(t, srv.Config, func(_ int, req *http.Request, sent bool) {
			if req.Method != http.MethodPatch || sent != after {
				return
			}
			if err := (<-started).Kill(); err != nil {
				t.Error(err)
			}
			if !sent {
				panic(http.ErrAbortHandler)
			}
		})
		cmd := exec.CommandContext(t.Context(), kubectl, "--kubeconfig", w.Kubeconfig(), "patch", "clusters.management.cattle.io", "c-killed",
			"--type=merge", "-p", fmt.Sprintf(`{"spec":{"displayName":"%t"}}`, after))
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		started <- cmd.Process
		err := cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Exited() {
			t.Errorf("after=%t: kubectl was not killed: %v\n%s", after, err, out.String())
		}
		got, _ := hosted.Dig(srv.Get(t, "Cluster", "", "c-killed"), "spec", "displayName")
		if want := map[bool]any{false: nil, true: "true"}[after]; got != want {
			t.Errorf("after=%t: the name is %v, want %v", after, got, want)
		}
	}
}

// TestTripwirePassesAWatchOn: events come as they happen, not when a buffer is full.
func TestTripwirePassesAWatchOn(t *testing.T) {
	srv := bed.Server(t)
	w := srv.Tripwire(t, srv.Config, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.URL+clusters+"?watch=true&fieldSelector=metadata.name%3Dc-seen", nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	object := map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": map[string]any{"name": "c-seen"}}
	srv.Apply(t, object)
	t.Cleanup(func() { srv.Remove(t, object) })
	line, err := bufio.NewReader(res.Body).ReadString('\n')
	if err != nil || !strings.Contains(line, `"ADDED"`) {
		t.Errorf("%q %v", line, err)
	}
}
