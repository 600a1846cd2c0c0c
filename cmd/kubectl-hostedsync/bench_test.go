//go:build e2e && bench && linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// large is the size of the fleet that the budget names.
const large = 5000

// measure is one command's whole-process figures.
type measure struct {
	wall time.Duration
	peak int64 // KiB
}

// once runs a command and throws its output away.
func once(t *testing.T, env []string, args ...string) measure {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = env
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	cmd.Stdout, cmd.Stderr = null, os.Stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var peak int64
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("%v: %v", args, err)
			}
			return measure{time.Since(start), peak}
		case <-tick.C:
			// The kernel's own figure for a finished child counts the memory
			// of the process that started it.
			peak = max(peak, highWater(cmd.Process.Pid))
		}
	}
}

// highWater is a process's peak resident memory so far in KiB, 0 once it is gone.
func highWater(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0
	}
	return kib
}

// pair runs two commands in turn and prints medians and the median ratio.
func pair(t *testing.T, runs int, env []string, name string, a, b []string) (wall, peak float64) {
	t.Helper()
	once(t, env, a...)
	once(t, env, b...)
	var as, bs []measure
	var walls, peaks []float64
	for range runs {
		x, y := once(t, env, a...), once(t, env, b...)
		as, bs = append(as, x), append(bs, y)
		walls = append(walls, float64(x.wall)/float64(y.wall))
		peaks = append(peaks, float64(x.peak)/float64(y.peak))
	}
	fmt.Printf("%-34s %8.1f ms %7.1f MiB   peer %8.1f ms %7.1f MiB   ratio wall %.2f peak %.2f\n", name,
		ms(as), mib(as), ms(bs), mib(bs), median(walls), median(peaks))
	return median(walls), median(peaks)
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}

func ms(m []measure) float64 {
	var v []float64
	for _, x := range m {
		v = append(v, float64(x.wall.Microseconds())/1000)
	}
	return median(v)
}

func mib(m []measure) float64 {
	var v []float64
	for _, x := range m {
		v = append(v, float64(x.peak)/1024)
	}
	return median(v)
}

// TestBenchVersion holds the start-up to its budget beside kubectl's own.
func TestBenchVersion(t *testing.T) {
	tl := build(t)
	wall, _ := pair(t, 21, os.Environ(), "version --client", []string{tl.binary, "version", "--client"}, []string{tl.kubectl, "version", "--client"})
	if wall > 1.5 {
		t.Errorf("%.2f times kubectl's wall time, the budget is 1.5", wall)
	}
}

// TestBenchGet holds the listing of a large fleet to its budget.
func TestBenchGet(t *testing.T) {
	srv, tl := bed.Server(t), build(t)
	fleet := testbed.Fleet(11, large)
	srv.Apply(t, fleet.All()...)
	env := append(os.Environ(), "KUBECONFIG="+srv.Kubeconfig)
	kubectl := []string{tl.kubectl, "get", "clusters.management.cattle.io", "-o", "json"}
	wall, peak := pair(t, 7, env, fmt.Sprintf("get of %d clusters", large), []string{tl.binary, "get", now}, kubectl)
	if wall > 1 || peak > 0.5 {
		t.Errorf("%.2f times kubectl's wall time and %.2f times its peak memory, the budgets are 1.0 and 0.5", wall, peak)
	}
	pair(t, 3, env, fmt.Sprintf("risk of %d clusters", large), []string{tl.binary, "risk", "-o", "json", now}, kubectl)
}
