// Command dist builds a release: the plugin for every platform, packed, with
// checksums and the krew manifest.
//
// The same sources, Go version, -version, -commit and -time give the same bytes,
// wherever the sources lie.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/krew"
)

// module holds the variables that the linker sets.
const module = "github.com/hostedsync/kubectl-hostedsync"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// release is what is to be built and what is stamped into it.
type release struct {
	root, out       string
	version, commit string
	at              time.Time
	platforms       []krew.Platform
}

func run(args []string) error {
	r, err := parse(args)
	if err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	sums := krew.Sums{}
	for _, p := range r.platforms {
		start := time.Now()
		sum, size, err := r.archive(p, license)
		if err != nil {
			return err
		}
		sums[p.Archive()] = sum
		fmt.Fprintf(os.Stderr, "dist: %s, %.1f MB, %.0f s\n", p.Archive(), float64(size)/1e6, time.Since(start).Seconds())
	}
	if err := r.write(krew.SumsFile, []byte(sums.String())); err != nil {
		return err
	}
	if len(sums) < len(krew.Platforms()) {
		return nil
	}
	manifest, err := krew.Manifest(r.version, sums)
	if err != nil {
		return err
	}
	return r.write(krew.ManifestFile, manifest)
}

func parse(args []string) (*release, error) {
	fs := flag.NewFlagSet("dist", flag.ContinueOnError)
	r := &release{}
	fs.StringVar(&r.root, "root", ".", "folder of the module")
	fs.StringVar(&r.out, "out", "dist", "folder to write to")
	fs.StringVar(&r.version, "version", "", "version, such as v1.2.3")
	fs.StringVar(&r.commit, "commit", "", "commit that is built")
	unix := fs.Int64("time", 0, "time of the files in the archives, in Unix seconds")
	only := fs.String("platform", "", "build only this one, such as linux/amd64; no manifest then")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if err := krew.CheckVersion(r.version); err != nil {
		return nil, err
	}
	r.at = time.Unix(*unix, 0)
	for _, p := range krew.Platforms() {
		if *only == "" || *only == p.String() {
			r.platforms = append(r.platforms, p)
		}
	}
	if len(r.platforms) == 0 {
		return nil, fmt.Errorf("unknown platform %q: it is one of %v", *only, krew.Platforms())
	}
	return r, nil
}

// archive builds and packs one platform and returns the archive's checksum and
// size in bytes.
func (r *release) archive(p krew.Platform, license []byte) (sum string, size int, err error) {
	program, err := r.build(p)
	if err != nil {
		return "", 0, err
	}
	var packed bytes.Buffer
	files := []krew.File{
		{Name: "LICENSE", Mode: 0o644, Content: license},
		{Name: p.Binary(), Mode: 0o755, Content: program},
	}
	if err := krew.Write(&packed, p, files, r.at); err != nil {
		return "", 0, err
	}
	digest := sha256.Sum256(packed.Bytes())
	return hex.EncodeToString(digest[:]), packed.Len(), r.write(p.Archive(), packed.Bytes())
}

// build compiles the plugin for a platform. What a person may have set for other
// builds (GOFLAGS and the processor's level) is left out, and so is git's state,
// which an unpacked source archive lacks.
func (r *release) build(p krew.Platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "dist")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, p.Binary())
	stamp := fmt.Sprintf("-s -w -X %[1]s/pkg/app.version=%[2]s -X %[1]s/pkg/app.commit=%[3]s", module, r.version, r.commit)
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", stamp, "-o", binary, "./cmd/kubectl-hostedsync")
	cmd.Dir = r.root
	cmd.Stderr = os.Stderr
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GOAMD64=") || strings.HasPrefix(v, "GOARM64=")
	})
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOOS="+p.OS, "GOARCH="+p.Arch)
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("cannot build for %s: %w", p, err)
	}
	return os.ReadFile(binary)
}

func (r *release) write(name string, content []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), content, 0o644)
}
