//go:build !windows

package app

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// gate writes down the script of docs/GATES.md, a kubectl that runs the program
// with these words in front, and a terraform that leaves a trace. It returns the
// command for a cluster, and whether terraform has run, and with what.
func gate(t *testing.T, words, cluster, timeout string) (*exec.Cmd, func() string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "GATES.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("docs/GATES.md has no script")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	for name, text := range map[string]string{
		"gate.sh":   string(block[1]),
		"kubectl":   "#!/bin/sh\n[ \"$1\" = hostedsync ] || exit 99\nshift\nverb=$1\nshift\nexport " + asProgram + "=1\nexec '" + self + "' " + words + "\n",
		"terraform": "#!/bin/sh\necho \"$*\" >'" + trace + "'\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", filepath.Join(dir, "gate.sh"), cluster, "-auto-approve")
	cmd.Dir = filepath.Join("..", "..", "testdata", "script", "fixtures")
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "KUBECONFIG="+filepath.Join(dir, "none"))
	if timeout != "" {
		cmd.Env = append(cmd.Env, "TIMEOUT="+timeout)
	}
	return cmd, func() string {
		text, _ := os.ReadFile(trace)
		return strings.TrimSpace(string(text))
	}
}

const (
	onDemo = `demo "$verb" "$@"`
	onFile = `"$verb" "$@" -f eks.yaml`
)

// operatorResource is the operator's resource of the cluster in eks.yaml.
func operatorResource(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "script", "fixtures", "eks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := decodeAny(text)
	if err != nil {
		t.Fatal(err)
	}
	config, _ := hosted.Dig(hosted.Map(v), "spec", "eksConfig")
	return hosted.Canonical(map[string]any{
		"apiVersion": "eks.cattle.io/v1", "kind": "EKSClusterConfig",
		"metadata": map[string]any{"name": "c-eks01", "namespace": "cattle-global-data"},
		"spec":     config, "status": map[string]any{"phase": "active"},
	})
}

func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestGate runs the very script of the page: terraform runs if and only if the
// cluster is safe.
func TestGate(t *testing.T) {
	resource := operatorResource(t)
	cases := map[string]struct {
		words, cluster, timeout string
		code                    int
		says                    string
	}{
		"safe":                 {onDemo, "harbor-prod", "", 0, ""},
		"not safe, asks once":  {onDemo, "atlas-prod", "0", 1, "atlas-prod is not safe to change now"},
		"not safe in time":     {onDemo, "atlas-prod", "3s", 5, "atlas-prod did not become safe in time"},
		"an old reading":       {onFile, "atlas", "", 1, "atlas is not safe to change now"},
		"a fresh reading":      {onFile + " -f RESOURCE --now 2026-03-10T11:00:20Z", "atlas", "", 0, ""},
		"without the operator": {onFile + " --now 2026-03-10T11:00:20Z", "atlas", "", 1, "atlas is not safe to change now"},
		"blind":                {`demo "$verb" --blind "$@"`, "harbor-prod", "0", 1, "not safe to change now"},
		"no such cluster":      {onDemo, "no-such", "", 2, "the gate failed with exit code 2"},
		"no reading":           {onFile + " -f RESOURCE --live-from FAILED", "atlas", "", 4, "whether atlas is safe cannot be known"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			words := strings.NewReplacer("RESOURCE", write(t, resource), "FAILED", write(t, `{"spec": null, "error": "AccessDenied"}`)).Replace(c.words)
			cmd, ran := gate(t, words, c.cluster, c.timeout)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			code := 0
			if err := cmd.Run(); err != nil {
				var exit *exec.ExitError
				if !errors.As(err, &exit) {
					t.Fatal(err)
				}
				code = exit.ExitCode()
			}
			want := ""
			if c.code == 0 {
				want = "apply -auto-approve"
			}
			if code != c.code || ran() != want || !strings.Contains(errs.String(), c.says) {
				t.Errorf("exit code %d, want %d; terraform %q, want %q\n%s", code, c.code, ran(), want, errs.String())
			}
		})
	}
}

// TestGateInterrupted: Ctrl-C reaches the script and what it waits for, as it
// does at a terminal, and nothing is changed.
func TestGateInterrupted(t *testing.T) {
	cmd, ran := gate(t, onDemo, "atlas-prod", "")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	giveUp := time.AfterFunc(time.Minute, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer giveUp.Stop()
	lines := bufio.NewScanner(errs)
	if !lines.Scan() || !strings.Contains(lines.Text(), "not safe") {
		t.Errorf("begins with %q", lines.Text())
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("ended with %v", err)
	}
	status, _ := exit.Sys().(syscall.WaitStatus)
	if code := exit.ExitCode(); code != 130 && !(status.Signaled() && status.Signal() == syscall.SIGINT) || ran() != "" {
		t.Errorf("ended with %v; terraform %q", err, ran())
	}
}
