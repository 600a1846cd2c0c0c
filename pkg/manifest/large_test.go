package manifest_test

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/manifest"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// repeated is a stream that gives head, then body n times, then foot.
func repeated(head, body string, n int, foot string) io.Reader {
	parts := []io.Reader{strings.NewReader(head)}
	b := []byte(body)
	for range n {
		parts = append(parts, bytes.NewReader(b))
	}
	return io.MultiReader(append(parts, strings.NewReader(foot))...)
}

// TestLargeDumpsPassThrough: what is not wanted costs no memory, however much of
// it there is.
func TestLargeDumpsPassThrough(t *testing.T) {
	const copies = 6000
	item := toYAML(t, pod("ballast")) + "data: " + strings.Repeat("x", 10_000) + "\n"
	asItem := "- " + strings.ReplaceAll(strings.TrimSpace(item), "\n", "\n  ") + "\n"
	object := `{"apiVersion":"v1","kind":"Pod","data":"` + strings.Repeat("x", 10_000) + `"}`
	for name, in := range map[string]io.Reader{
		"YAML list":      repeated("apiVersion: v1\nitems:\n", asItem, copies, "kind: List\n---\n"+oneCluster),
		"YAML documents": repeated("", item+"---\n", copies, oneCluster),
		"JSON list":      repeated(`{"items":[`, object+",", copies, oneCluster+"]}"),
		"JSON documents": repeated("", object+"\n", copies, oneCluster),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := manifest.Read([]string{manifest.Stdin}, in)
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Snapshots) != 1 || got.Ignored["Pod"] != copies {
				t.Errorf("%d clusters, ignored %v", len(got.Snapshots), got.Ignored)
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 48 {
				t.Errorf("allocated %d MB in all to read %d MB", used, copies*len(object)>>20)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	all := testbed.Fleet(5, 300).All()
	for name, text := range map[string]string{"JSON": hosted.Canonical(list(all)), "YAML": toYAML(b, list(all))} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			path := b.TempDir() + "/dump"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := manifest.Read([]string{path}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
