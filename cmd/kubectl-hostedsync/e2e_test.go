//go:build e2e

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// clusters is the size of the fleet, over all four providers.
const clusters = 300

// now is the fleet's own time, so that every run says the same.
var now = "--now=" + testbed.FleetTime().Format("2006-01-02T15:04:05Z")

var bed testbed.Bed

func TestMain(m *testing.M) { os.Exit(testbed.Run(m, &bed, os.Stderr)) }

// tools are a folder with the plugin in it and a PATH on which the real kubectl
// finds it.
type tools struct {
	binary, kubectl, path string
}

func build(t testing.TB) tools {
	t.Helper()
	assets, err := testbed.Assets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	tl := tools{filepath.Join(dir, "kubectl-hostedsync"), filepath.Join(assets, "kubectl"), dir + string(os.PathListSeparator) + os.Getenv("PATH")}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", tl.binary, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return tl
}

// run runs kubectl and returns standard output and the exit code.
func (tl tools) run(t testing.TB, kubeconfig string, args ...string) (out, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(tl.kubectl, args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	cmd.Env = append(os.Environ(), "PATH="+tl.path, "KUBECONFIG="+kubeconfig, "HOME="+t.TempDir())
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// The verbs through a real kubectl against a real API server, and the same with
// -f on what kubectl dumps of it: byte for byte the same JSON.
func TestVerbsThroughKubectl(t *testing.T) {
	srv, tl := bed.Server(t), build(t)
	fleet := testbed.Fleet(7, clusters)
	srv.Apply(t, fleet.All()...)
	t.Cleanup(func() { srv.Remove(t, fleet.All()...) })

	dump := filepath.Join(t.TempDir(), "dump.yaml")
	var text strings.Builder
	for _, what := range [][]string{
		{"clusters.management.cattle.io"}, {"settings.management.cattle.io"},
		{"-n", testbed.GlobalNamespace, "eksclusterconfigs.eks.cattle.io,aksclusterconfigs.aks.cattle.io,gkeclusterconfigs.gke.cattle.io,aliclusterconfigs.ali.cattle.io"},
	} {
		out, stderr, code := tl.run(t, srv.Kubeconfig, append([]string{"get", "-o", "yaml", "--show-managed-fields"}, what...)...)
		if code != 0 {
			t.Fatalf("kubectl get: %s", stderr)
		}
		text.WriteString("---\n" + out)
	}
	if err := os.WriteFile(dump, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	name := firstHosted(t, tl, srv)
	for _, tc := range []struct {
		args  []string
		codes []int
	}{
		{[]string{"get", "-o", "json"}, []int{0}},
		{[]string{"diff", "-o", "json"}, []int{1}},
		{[]string{"predict", name, "-o", "json"}, []int{0}},
		{[]string{"predict", name, "--set", "tags.e2e=x", "-o", "json"}, []int{0, 2}},
		{[]string{"risk", "-o", "json"}, []int{0}},
		{[]string{"risk", "--fail-on=danger", "-o", "jsonl"}, []int{1}},
	} {
		t.Run(strings.Join(tc.args, "_"), func(t *testing.T) {
			args := append([]string{"hostedsync"}, append(tc.args, now)...)
			live, stderr, code := tl.run(t, srv.Kubeconfig, args...)
			fromFile, fileErr, fileCode := tl.run(t, filepath.Join(t.TempDir(), "none"), append(args, "-f", dump)...)
			if code != fileCode || !contains(tc.codes, code) {
				t.Fatalf("exit codes %d (server) and %d (file), want one of %v\n%s\n%s", code, fileCode, tc.codes, stderr, fileErr)
			}
			if live != fromFile {
				t.Fatalf("server and file differ: %s", firstDifference(live, fromFile))
			}
			if code < 2 && len(live) < 100 {
				t.Fatalf("hardly any output: %q", live)
			}
		})
	}
}

func contains(codes []int, c int) bool {
	for _, x := range codes {
		if x == c {
			return true
		}
	}
	return false
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: %q and %q", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

// firstHosted lists the fleet, checks that all of it is there, and returns an
// EKS cluster's name.
func firstHosted(t *testing.T, tl tools, srv *testbed.Server) string {
	t.Helper()
	out, stderr, code := tl.run(t, srv.Kubeconfig, "hostedsync", "get", "-o", "json", "--show-all", now)
	if code != 0 {
		t.Fatalf("get: exit code %d: %s", code, stderr)
	}
	var list struct {
		Items []struct{ Name, Provider string }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatal(err)
	}
	providers := map[string]int{}
	name := ""
	for _, i := range list.Items {
		providers[i.Provider]++
		if i.Provider == "EKS" && name == "" {
			name = i.Name
		}
	}
	if len(list.Items) < clusters || len(providers) < 4 || name == "" {
		t.Fatalf("%d clusters, by provider %v", len(list.Items), providers)
	}
	return name
}

// What goes wrong is said in one line, with the right exit code.
func TestConnectionErrors(t *testing.T) {
	srv, tl := bed.Server(t), build(t)
	nobody := srv.User(t, "nobody")
	for _, tc := range []struct {
		name, kubeconfig string
		args             []string
		want             string
	}{
		{"no rights", nobody.Kubeconfig, nil, "no right to list clusters.management.cattle.io"},
		{"no such context", srv.Kubeconfig, []string{"--context", "elsewhere"}, "context"},
		{"no such file", filepath.Join(t.TempDir(), "gone"), []string{"--kubeconfig", "/does/not/exist"}, "kubeconfig"},
		{"unreachable", srv.Kubeconfig, []string{"--server", "https://127.0.0.1:1"}, "cannot reach the server"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, stderr, code := tl.run(t, tc.kubeconfig, append([]string{"hostedsync", "get"}, tc.args...)...)
			if code != 2 || out != "" || !strings.Contains(stderr, tc.want) {
				t.Errorf("exit code %d, output %q, error %q", code, out, stderr)
			}
			if lines := strings.Count(strings.TrimSpace(stderr), "\n"); lines != 0 {
				t.Errorf("%d lines too many: %s", lines, stderr)
			}
		})
	}
}
