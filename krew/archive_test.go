package krew_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/krew"
)

// packed is a file as it comes out of an archive.
type packed struct {
	krew.File
	modified time.Time
}

// unpack reads either kind of archive with the standard library.
func unpack(t *testing.T, archive []byte, p krew.Platform) []packed {
	t.Helper()
	if p.OS == "windows" {
		return unzip(t, archive)
	}
	zr, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	if !zr.ModTime.IsZero() || zr.Name != "" {
		t.Errorf("the compression's header tells %v, %q", zr.ModTime, zr.Name)
	}
	var files []packed
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" {
			t.Errorf("%s has an owner: %+v", h.Name, h)
		}
		content, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, packed{krew.File{Name: h.Name, Mode: h.FileInfo().Mode(), Content: content}, h.ModTime})
	}
}

func unzip(t *testing.T, archive []byte) []packed {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var files []packed
	for _, f := range zr.File {
		content, err := fs.ReadFile(zr, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, packed{krew.File{Name: f.Name, Mode: f.Mode(), Content: content}, f.Modified})
	}
	return files
}

func TestArchivesHoldWhatWasPacked(t *testing.T) {
	at := time.Date(2026, 11, 30, 23, 59, 59, 987, time.FixedZone("", 3600))
	for _, p := range krew.Platforms() {
		t.Run(p.String(), func(t *testing.T) {
			want := []krew.File{
				{Name: "LICENSE", Mode: 0o644, Content: []byte("free")},
				{Name: p.Binary(), Mode: 0o755, Content: bytes.Repeat([]byte("code"), 1000)},
			}
			var first, second bytes.Buffer
			for _, w := range []*bytes.Buffer{&first, &second} {
				if err := krew.Write(w, p, want, at); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Error("packed twice, different bytes")
			}
			got := unpack(t, first.Bytes(), p)
			if len(got) != len(want) {
				t.Fatalf("%d files, want %d", len(got), len(want))
			}
			for i, f := range got {
				if f.Name != want[i].Name || f.Mode != want[i].Mode || !bytes.Equal(f.Content, want[i].Content) {
					t.Errorf("%s %v, want %s %v", f.Name, f.Mode, want[i].Name, want[i].Mode)
				}
				if !f.modified.Equal(at.Truncate(time.Second)) {
					t.Errorf("%s is of %v, want %v", f.Name, f.modified, at)
				}
			}
		})
	}
}

func TestWriteFails(t *testing.T) {
	full := errors.New("disk full")
	for _, p := range krew.Platforms() {
		err := krew.Write(failing{full}, p, []krew.File{{Name: "a", Content: []byte("b")}}, time.Unix(0, 0))
		if !errors.Is(err, full) {
			t.Errorf("%s: %v, want the writer's error", p, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestPlatforms(t *testing.T) {
	var names []string
	for _, p := range krew.Platforms() {
		names = append(names, p.String()+" "+p.Archive()+" "+p.Binary())
	}
	want := []string{
		"darwin/amd64 kubectl-hostedsync_darwin_amd64.tar.gz kubectl-hostedsync",
		"darwin/arm64 kubectl-hostedsync_darwin_arm64.tar.gz kubectl-hostedsync",
		"linux/amd64 kubectl-hostedsync_linux_amd64.tar.gz kubectl-hostedsync",
		"linux/arm64 kubectl-hostedsync_linux_arm64.tar.gz kubectl-hostedsync",
		"windows/amd64 kubectl-hostedsync_windows_amd64.zip kubectl-hostedsync.exe",
		"windows/arm64 kubectl-hostedsync_windows_arm64.zip kubectl-hostedsync.exe",
	}
	if !slices.Equal(names, want) {
		t.Errorf("platforms %q", names)
	}
}
