//go:build e2e

package krew_test

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hostedsync/kubectl-hostedsync/krew"
)

const (
	// distEnv names a folder with a release that make dist has built, toolsEnv one
	// with the programs of testdata/tools. Without them the tests build their own.
	distEnv  = "HOSTEDSYNC_DIST"
	toolsEnv = "HOSTEDSYNC_TOOLS"

	// budget is the most that a stripped binary may have, in bytes.
	budget = 110e6

	// devVersion and devTime are those of a release that the tests build.
	devVersion = "v0.0.0-gtest"
	devTime    = "1790000000"
)

// ownRelease is the folder of a release that the tests have built themselves.
var ownRelease string

// release builds what the tests look at, once for all of them.
var release = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv(distEnv); dir != "" {
		return filepath.Abs(dir)
	}
	var err error
	if ownRelease, err = os.MkdirTemp("", "dist"); err != nil {
		return "", err
	}
	return ownRelease, dist("..", "-out", ownRelease, "-version", devVersion, "-time", devTime)
})

// dist runs the release builder on the module in a folder.
func dist(root string, args ...string) error {
	cmd := exec.Command("go", append([]string{"run", "./dist", "-root", root}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

func TestMain(m *testing.M) {
	code := m.Run()
	if ownRelease != "" {
		_ = os.RemoveAll(ownRelease)
	}
	os.Exit(code)
}

// built is the path of one of the release's files.
func built(t *testing.T, name string) string {
	t.Helper()
	dir, err := release()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(built(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// released is the release's manifest.
func released(t *testing.T) document {
	t.Helper()
	var d document
	if err := yaml.UnmarshalStrict(read(t, krew.ManifestFile), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// checkers is the folder with krew and its validator.
func checkers(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv(toolsEnv); dir != "" {
		return dir
	}
	cmd := exec.Command("sh", "../testdata/tools/build.sh")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestRelease looks into every archive of the release.
func TestRelease(t *testing.T) {
	list := krew.Sums{}
	for i, p := range krew.Platforms() {
		t.Run(p.String(), func(t *testing.T) {
			archive := read(t, p.Archive())
			digest := sha256.Sum256(archive)
			list[p.Archive()] = hex.EncodeToString(digest[:])
			if in := released(t).Spec.Platforms[i]; in.Sha256 != list[p.Archive()] {
				t.Errorf("the manifest has the checksum %s, the archive %s", in.Sha256, list[p.Archive()])
			}
			files := unpack(t, archive, p)
			if len(files) != 2 || files[0].Name != "LICENSE" || files[1].Name != p.Binary() || files[1].Mode.Perm() != 0o755 {
				t.Fatalf("the archive holds %d files", len(files))
			}
			if !bytes.Contains(files[0].Content, []byte("Apache License")) {
				t.Error("LICENSE is not the Apache license")
			}
			program(t, p, files[1].Content)
		})
	}
	if got := string(read(t, krew.SumsFile)); got != list.String() {
		t.Errorf("the list of checksums has\n%s\nnot\n%s", got, list)
	}
}

// program asks a binary what it was built for and how.
func program(t *testing.T, p krew.Platform, binary []byte) {
	t.Helper()
	if len(binary) > budget {
		t.Errorf("%.1f MB, more than %.0f", float64(len(binary))/1e6, budget/1e6)
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]string{}
	for _, s := range info.Settings {
		have[s.Key] = s.Value
	}
	for key, want := range map[string]string{"GOOS": p.OS, "GOARCH": p.Arch, "CGO_ENABLED": "0", "-trimpath": "true", "vcs.revision": ""} {
		if have[key] != want {
			t.Errorf("%s is %q, want %q", key, have[key], want)
		}
	}
}

// TestReleaseIsReproducible builds one platform twice, the second time from
// another folder, under another name and without git.
func TestReleaseIsReproducible(t *testing.T) {
	p := krew.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "else where")
	if err := os.Mkdir(elsewhere, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"go.mod", "go.sum", "LICENSE", "cmd", "pkg", "krew"} {
		if out, err := exec.Command("cp", "-R", filepath.Join(root, part), elsewhere).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	var archives [2][]byte
	for i, from := range []string{root, elsewhere} {
		out := t.TempDir()
		err := dist(from, "-out", out, "-platform", p.String(), "-version", devVersion, "-commit", "1234567", "-time", devTime)
		if err != nil {
			t.Fatal(err)
		}
		if archives[i], err = os.ReadFile(filepath.Join(out, p.Archive())); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same sources in two folders give different archives")
	}
}
