//go:build e2e

package krew_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/krew"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// bench is a krew of its own in a temporary folder, with an index that holds only
// this plugin. No network can be reached from it.
type bench struct {
	krew, kubectl string
	// root is KREW_ROOT.
	root string
	env  []string
}

// newBench sets up a krew that takes this machine for the platform.
func newBench(t *testing.T, p krew.Platform) *bench {
	t.Helper()
	kubectl, err := testbed.Kubectl(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	home, tools := t.TempDir(), checkers(t)
	b := &bench{krew: filepath.Join(tools, "krew"), kubectl: kubectl, root: filepath.Join(home, "krew")}
	path := []string{filepath.Join(b.root, "bin"), filepath.Dir(kubectl), os.Getenv("PATH")}
	b.env = []string{
		"HOME=" + home, "TMPDIR=" + t.TempDir(), "PATH=" + strings.Join(path, string(os.PathListSeparator)),
		"KREW_ROOT=" + b.root, "KREW_OS=" + p.OS, "KREW_ARCH=" + p.Arch, "KREW_NO_UPGRADE_CHECK=1",
		"KREW_DEFAULT_INDEX_URI=" + index(t), "GIT_CONFIG_NOSYSTEM=1",
		"HTTP_PROXY=http://127.0.0.1:1", "HTTPS_PROXY=http://127.0.0.1:1",
		"KUBECONFIG=" + filepath.Join(home, "none"),
	}
	b.ok(t, b.krew, "update")
	return b
}

// index makes a plugin index, which krew clones with git.
func index(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	plugins := filepath.Join(dir, "plugins")
	if err := os.Mkdir(plugins, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(plugins, krew.ManifestFile), read(t, krew.ManifestFile), 0o600); err != nil {
		t.Fatal(err)
	}
	who := []string{"-c", "user.name=Index", "-c", "user.email=index@example.com"}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, append(who, "commit", "-q", "-m", "Add the plugin")} {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// run runs a program in the bench's environment.
func (b *bench) run(t *testing.T, program string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = b.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// ok runs a program that must succeed and returns its standard output.
func (b *bench) ok(t *testing.T, program string, args ...string) string {
	t.Helper()
	stdout, stderr, err := b.run(t, program, args...)
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", filepath.Base(program), args, err, stdout, stderr)
	}
	return stdout
}

func (b *bench) install(t *testing.T, archive string) (stderr string, err error) {
	t.Helper()
	_, stderr, err = b.run(t, b.krew, "install", "--manifest="+built(t, krew.ManifestFile), "--archive="+archive)
	return stderr, err
}

// TestKrewLifeCycle does what a person does: find the plugin, install it, run it
// through kubectl, remove it.
func TestKrewLifeCycle(t *testing.T) {
	here := krew.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	b, d := newBench(t, here), released(t)
	if found := b.ok(t, b.krew, "search", krew.Name); !strings.Contains(found, d.Spec.ShortDescription) {
		t.Errorf("the short description is cut in a search:\n%s", found)
	}
	if stderr, err := b.install(t, built(t, here.Archive())); err != nil {
		t.Fatalf("install: %v\n%s", err, stderr)
	}
	if listed := b.ok(t, b.krew, "list"); !strings.Contains(listed, krew.Name) {
		t.Errorf("krew lists %q", listed)
	}
	if plugins := b.ok(t, b.kubectl, "plugin", "list"); !strings.Contains(plugins, "kubectl-hostedsync") || strings.Contains(plugins, "warning") {
		t.Errorf("kubectl lists %q", plugins)
	}
	// krew installs under a name of its own, to which the plugin must not be bound.
	out := b.ok(t, b.kubectl, "hostedsync", "version", "--client", "-o", "json")
	if !strings.Contains(out, `"version": "`+d.Spec.Version+`"`) {
		t.Errorf("the installed plugin is not version %s: %s", d.Spec.Version, out)
	}
	if out := b.ok(t, b.kubectl, "hostedsync", "demo"); strings.Count(out, "\n") < 5 {
		t.Errorf("the installed plugin's demo shows %q", out)
	}
	b.ok(t, b.krew, "uninstall", krew.Name)
	if out, stderr, err := b.run(t, b.kubectl, "hostedsync", "version", "--client"); err == nil || !strings.Contains(stderr, "unknown command") {
		t.Errorf("after removal: %v, %q %q", err, out, stderr)
	}
	for _, rest := range []string{"store/" + krew.Name, "receipts/" + krew.ManifestFile, "bin/kubectl-" + krew.Name} {
		if _, err := os.Lstat(filepath.Join(b.root, rest)); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", rest, err)
		}
	}
}

// TestKrewInstallsEveryPlatform lets krew take this machine for each platform in
// turn, as the index's own checks do.
func TestKrewInstallsEveryPlatform(t *testing.T) {
	d := released(t)
	for _, p := range krew.Platforms() {
		t.Run(p.String(), func(t *testing.T) {
			b := newBench(t, p)
			if stderr, err := b.install(t, built(t, p.Archive())); err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			for _, name := range []string{"LICENSE", p.Binary()} {
				got, err := os.Stat(filepath.Join(b.root, "store", krew.Name, d.Spec.Version, name))
				if err != nil {
					t.Error(err)
				} else if name != "LICENSE" && got.Mode().Perm()&0o111 == 0 {
					t.Errorf("%s cannot be executed: %v", name, got.Mode())
				}
			}
		})
	}
}

// TestKrewRefusesAnotherArchive checks the check: an archive that the manifest
// does not know is not installed.
func TestKrewRefusesAnotherArchive(t *testing.T) {
	here := krew.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	b := newBench(t, here)
	spoilt := filepath.Join(t.TempDir(), here.Archive())
	if err := os.WriteFile(spoilt, append(read(t, here.Archive()), 0), 0o600); err != nil {
		t.Fatal(err)
	}
	if stderr, err := b.install(t, spoilt); err == nil || !strings.Contains(stderr, "checksum") {
		t.Errorf("installed with a wrong checksum: %v\n%s", err, stderr)
	}
}

// TestManifestValidator runs the index's own validator on the manifest, and on
// one with a fault, which it must find.
func TestManifestValidator(t *testing.T) {
	validator := filepath.Join(checkers(t), "validate-krew-manifest")
	sound := built(t, krew.ManifestFile)
	if out, err := exec.Command(validator, "-manifest", sound, "-skip-install").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	overlap := filepath.Join(t.TempDir(), krew.ManifestFile)
	text := strings.ReplaceAll(string(read(t, krew.ManifestFile)), "arch: arm64", "arch: amd64")
	if err := os.WriteFile(overlap, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(validator, "-manifest", overlap, "-skip-install").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "overlapping") {
		t.Errorf("overlapping platforms pass: %v\n%s", err, out)
	}
}
