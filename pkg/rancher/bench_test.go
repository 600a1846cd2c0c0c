package rancher_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// benchClusters names the variable that sets the benchmarks' fleet size; the
// budget is stated for 5000.
const benchClusters = "HOSTEDSYNC_BENCH_CLUSTERS"

// once names the variable that turns the test binary into a program that reads
// the fleet of a kubeconfig once, so that its memory can be measured alone.
const once = "HOSTEDSYNC_READ_ONCE"

func readOnce() bool {
	path := os.Getenv(once)
	if path == "" {
		return false
	}
	n, err := countFleet(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(n)
	return true
}

func countFleet(kubeconfig string) (int, error) {
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: kubeconfig}, &clientcmd.ConfigOverrides{})
	c, err := rancher.Connect(loader, "")
	if err != nil {
		return 0, err
	}
	defer c.Close()
	ctx, cancel := testContext()
	defer cancel()
	got, err := c.Read(ctx, rancher.Query{})
	return len(got.Snapshots), err
}

// benchFleet stores a fleet of the wanted size on a server of its own.
func benchFleet(b *testing.B) (*testbed.Server, int) {
	b.Helper()
	size := fleetSize
	if s := os.Getenv(benchClusters); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatalf("%s: %v", benchClusters, err)
		}
		size = n
	}
	srv, err := testbed.Start(b.Context(), testbed.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = srv.Stop() })
	srv.Apply(b, testbed.Fleet(seed, size).All()...)
	return srv, size
}

func BenchmarkRead(b *testing.B) {
	srv, size := benchFleet(b)
	c := client(b, srv.Config)
	b.ReportAllocs()
	for b.Loop() {
		got, err := c.Read(b.Context(), rancher.Query{})
		if err != nil || len(got.Snapshots) != size {
			b.Fatalf("%d clusters: %v", len(got.Snapshots), err)
		}
	}
}

// BenchmarkReadBesideKubectl runs a process that reads the fleet and kubectl get
// -o json by turns and reports the ratios of wall time and of peak memory.
func BenchmarkReadBesideKubectl(b *testing.B) {
	kubectl, err := testbed.Kubectl(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	srv, _ := benchFleet(b)
	var own, theirs usage
	for b.Loop() {
		own.add(b, exec.Command(self), once+"="+srv.Kubeconfig)
		theirs.add(b, exec.Command(kubectl, "--kubeconfig", srv.Kubeconfig, "get", clustersResource, "-o", "json"))
	}
	b.ReportMetric(own.wall.Seconds()/float64(b.N), "own-s/op")
	b.ReportMetric(theirs.wall.Seconds()/float64(b.N), "kubectl-s/op")
	b.ReportMetric(own.wall.Seconds()/theirs.wall.Seconds(), "wall-ratio")
	b.ReportMetric(float64(own.peak)/1024, "own-MB")
	b.ReportMetric(float64(theirs.peak)/1024, "kubectl-MB")
	b.ReportMetric(float64(own.peak)/float64(theirs.peak), "memory-ratio")
}

// usage adds up wall time and keeps the highest peak memory in KB.
type usage struct {
	wall time.Duration
	peak int64
}

func (u *usage) add(b *testing.B, cmd *exec.Cmd, env ...string) {
	b.Helper()
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	stop := watchPeak(cmd.Process.Pid)
	err := cmd.Wait()
	u.wall += time.Since(start)
	u.peak = max(u.peak, stop())
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkConvert is the conversion alone, without server and decoding.
func BenchmarkConvert(b *testing.B) {
	objects := testbed.Fleet(seed, fleetSize)
	around := &hosted.Surroundings{}
	for _, o := range objects.Settings {
		around.AddSetting(o)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range objects.Clusters {
			if s, _ := hosted.FromObjects(c, around); s.Name == "" {
				b.Fatal("no name")
			}
		}
	}
}
