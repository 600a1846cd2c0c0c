package eks_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/plugins/eks"
)

// Two hundred clusters in five regions, of which one is dead, through one reader in
// bad weather: each reading is right, or says that the region cannot be reached.
func TestTwoHundredClusters(t *testing.T) {
	const count, atOnce, dead = 200, 16, "ap-south-1"
	s := loopback.New(t)
	names := s.AddEKSFleet(t, count, "us-west-2", "eu-west-1", "eu-central-1", dead, "us-gov-west-1")
	s.KillRegion(dead)
	s.SetWeather(loopback.Weather{Latency: 2 * time.Millisecond, Throttle: 0.02, Seed: 1})
	for _, name := range names {
		s.AddUpdates(name, loopback.EKSUpdate{Nodegroup: "pool-0", Body: update("u-"+name.Name, "ConfigUpdate", "InProgress", at, "DesiredSize", "1")})
	}
	r := eks.New(options(s))
	var (
		running sync.WaitGroup
		mu      sync.Mutex
		good    int
		lost    int
	)
	before := runtime.NumGoroutine()
	began := time.Now()
	todo := make(chan int)
	for range atOnce {
		running.Go(func() {
			for i := range todo {
				name := names[i]
				got, err := r.Read(t.Context(), live.Request{Snapshot: snapshot(map[string]any{"displayName": name.Name, "region": name.Region}, ""), Since: at.Add(-time.Hour)})
				mu.Lock()
				switch {
				case name.Region == dead && live.KindOf(err) == live.Unreachable && got.Spec == nil:
					lost++
				case name.Region != dead && err == nil && whole(i, name, got):
					good++
				default:
					t.Errorf("%v: %v %s", name, err, hosted.Canonical(got.Truth))
				}
				mu.Unlock()
			}
		})
	}
	for i := range names {
		todo <- i
	}
	close(todo)
	running.Wait()
	t.Logf("%d clusters: %d read, %d unreachable, %d calls, in %v; %d goroutines before", count, good, lost, len(s.Seen()), time.Since(began).Round(time.Millisecond), before)
	if good != count*4/5 || lost != count/5 {
		t.Errorf("%d read, %d unreachable", good, lost)
	}
}

// whole tells whether a reading of loopback's fleet is complete and of that cluster.
func whole(i int, name loopback.EKSName, got hosted.Reading) bool {
	var sizes []any
	for g := range i%3 + 1 {
		sizes = append(sizes, int64(i%7+g+1))
	}
	return got.Truth["displayName"] == name.Name && got.Truth["region"] == name.Region &&
		raw(pick(got.Truth, "nodeGroups[].desiredSize")) == raw(sizes) && raw(pick(got.Spec, "nodeGroups[].desiredSize")) == raw(sizes) &&
		raw(got.Truth["tags"]) == fmt.Sprintf(`{"fleet":%q}`, name.Name) &&
		len(got.Updates) == 1 && got.Updates[0].ID == "u-"+name.Name && got.NoHistory == ""
}
