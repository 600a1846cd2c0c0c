package aks

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
)

// TestTwoHundredClusters reads 200 clusters of eight subscriptions at once, while one
// answer in fifty asks to come back in a second and one of Azure's clouds is dead. No
// cluster is lost, taken for another, or spoiled by its neighbours.
func TestTwoHundredClusters(t *testing.T) {
	const clusters, subscriptions, atOnce, dead = 200, 8, 16, 25 // those of the last subscription
	r := newRig(t)
	var requests []live.Request
	for i := range clusters {
		sub := fmt.Sprintf("00000000-0000-0000-0000-0000000001%02d", i*subscriptions/clusters)
		group, name := fmt.Sprintf("rg-%d", i%10), fmt.Sprintf("demo-%03d", i/10)
		doc := object(t, demoCluster)
		doc["tags"] = map[string]any{"number": fmt.Sprint(i)}
		r.cloud.AddAKS(sub, group, name, doc)
		req := request(t)
		req.Snapshot.Config["resourceGroup"], req.Snapshot.Config["clusterName"] = group, name
		req.Credential = credential(keySubscription, sub)
		if i >= clusters-dead {
			req.Credential.Data[keyEnvironment] = government
		}
		req.Since = clock.Add(-time.Hour)
		requests = append(requests, req)
	}
	r.cloud.Misbehave(loopback.Quirk{Host: "management.usgovcloudapi.net", Drop: true},
		loopback.Quirk{Path: "/managedClusters/", First: 10, Every: 50, Status: 429, Header: map[string]string{"Retry-After": "1"}})
	var mu sync.Mutex
	var all sync.WaitGroup
	good, unreachable := 0, 0
	next := make(chan int)
	start := time.Now()
	for range atOnce {
		all.Go(func() {
			for i := range next {
				got, err := r.reader.Read(t.Context(), requests[i])
				mu.Lock()
				switch {
				case err == nil && hosted.Map(got.Spec["tags"])["number"] == fmt.Sprint(i) && got.NoHistory == "":
					good++
				case i >= clusters-dead && live.KindOf(err) == live.Unreachable && strings.Contains(err.Error(), "no answer"):
					unreachable++
				default:
					t.Errorf("cluster %d: tags %v, history %q, %v", i, got.Spec["tags"], got.NoHistory, err)
				}
				mu.Unlock()
			}
		})
	}
	for i := range clusters {
		next <- i
	}
	close(next)
	all.Wait()
	throttled := 0
	for _, v := range r.cloud.Visited() {
		if strings.Contains(v, "management.azure.com") && strings.Contains(v, "/managedClusters/") {
			throttled++
		}
	}
	throttled -= clusters - dead
	t.Logf("%d clusters read, %d unreachable, %d answers to come back later, %d logins, %v",
		good, unreachable, throttled, logins(r.cloud), time.Since(start).Round(time.Millisecond))
	if good != clusters-dead || unreachable != dead || throttled < 3 || logins(r.cloud) != subscriptions {
		t.Errorf("%d good, %d unreachable, %d throttled, %d logins", good, unreachable, throttled, logins(r.cloud))
	}
}
