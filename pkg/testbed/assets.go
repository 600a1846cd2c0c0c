package testbed

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// AssetsEnv names the environment variable that points to a folder with etcd,
// kube-apiserver and kubectl.
const AssetsEnv = "KUBEBUILDER_ASSETS"

const script = "testdata/controlplane/build.sh"

// Assets returns the folder that holds the control plane's binaries and kubectl:
// the one named by AssetsEnv, else the project's cache, which is filled by
// building from source if it is empty. That first build takes minutes and needs
// Go and its module proxy.
func Assets(ctx context.Context) (string, error) {
	if dir := os.Getenv(AssetsEnv); dir != "" {
		for _, name := range []string{"etcd", "kube-apiserver"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				return "", fmt.Errorf("%s: %w; unset the variable to have the control plane built", AssetsEnv, err)
			}
		}
		return dir, nil
	}
	root, err := sourceRoot()
	if err != nil {
		return "", err
	}
	return runBuild(ctx, root, script)
}

// Kubectl returns the path of the real kubectl that belongs to the server.
func Kubectl(ctx context.Context) (string, error) {
	dir, err := Assets(ctx)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "kubectl")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("no kubectl beside the control plane: %w", err)
	}
	return path, nil
}

// sourceRoot is the project's folder, found upwards from the working directory,
// which for a test is its package's folder.
func sourceRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, script)); err == nil {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("%s not found above %s: run the tests in the source tree or set %s", script, dir, AssetsEnv)
		}
	}
}

// runBuild runs a build script of the project and returns the folder that it
// prints.
func runBuild(ctx context.Context, root, script string) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", filepath.Join(root, script))
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build with %s: %w\n%s", script, err, tail(log.String(), 20))
	}
	return lastLine(out.String()), nil
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

func tail(s string, lines int) string {
	all := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
