package fleet

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// World is a management cluster at one moment, with the clouds behind it.
type World struct {
	// Now is that moment, by the management server's clock.
	Now      time.Time
	Clusters []Cluster
	// Settings are the refresh intervals and Rancher's version, Operators the
	// Deployments that run the providers' operators.
	Settings, Operators []map[string]any
}

// Cluster is one cluster of the World.
type Cluster struct {
	// Name is the Cluster object's, DisplayName the one people gave it, which
	// need not be unique.
	Name, DisplayName string
	// Provider is None for a cluster that is not hosted.
	Provider hosted.Provider
	State    State
	// Object is the Rancher Cluster, Resource the operator's custom resource (nil
	// if there is none).
	Object, Resource map[string]any
	// Live is what the cloud has now, in UpstreamSpec form and restricted to what
	// Rancher can read; nil for a cluster that is not hosted.
	Live map[string]any
	// Shows says in a sentence or two what there is to see, Try which arguments
	// of the demo show it, each element one command line.
	Shows string
	Try   []string
}

// Demo invents the fleet of the demo as of now, which is cut to whole seconds as
// Rancher's own times are.
func Demo(now time.Time) World {
	b := builder{now: now.UTC().Truncate(time.Second)}
	w := World{Now: b.now, Settings: b.settings(), Operators: b.operators()}
	for i, p := range blueprints() {
		w.Clusters = append(w.Clusters, b.build(i, p))
	}
	return w
}

// blueprints are the clusters in the order of the tour: from the quiet to the
// urgent, then the odd ones.
func blueprints() []blueprint {
	return []blueprint{
		eksInSync(), aksUnmanaged(), eksArmed(), eksFiring(), gkePoolAtRisk(), aksFrozen(),
		eksAutoscaled(), aksBlankTags(), gkeLocations(), ackFlapping(),
		gkeBrokenAnnotation(), ackFutureAnnotation(), eksCosmetic(),
		rke2(), local(),
	}
}

// Objects returns every object of the management cluster.
func (w World) Objects() []map[string]any {
	out := append(append([]map[string]any{}, w.Settings...), w.Operators...)
	for _, c := range w.Clusters {
		out = append(out, c.Object)
		if c.Resource != nil {
			out = append(out, c.Resource)
		}
	}
	return out
}

// Find returns a cluster by its Cluster object's name.
func (w World) Find(name string) (Cluster, bool) {
	for _, c := range w.Clusters {
		if c.Name == name {
			return c, true
		}
	}
	return Cluster{}, false
}

// Live returns what the cloud behind a Cluster has now, by the object's name, nil
// if there is no such cluster or no cloud behind it.
func (w World) Live(name string) map[string]any {
	c, _ := w.Find(name)
	return hosted.CloneMap(c.Live)
}

// Reading returns the same as a reading that was just taken.
func (w World) Reading(name string) *hosted.Reading {
	live := w.Live(name)
	if live == nil {
		return nil
	}
	return &hosted.Reading{Spec: live, At: w.Now, Origin: "the demo's cloud"}
}

// Stop is one stop of the tour through the fleet.
type Stop struct {
	Name        string   `json:"name"`
	DisplayName string   `json:"displayName"`
	State       State    `json:"state"`
	Shows       string   `json:"shows"`
	Try         []string `json:"try"`
}

// Tour says of each cluster what it shows and which command to try.
func (w World) Tour() []Stop {
	out := make([]Stop, 0, len(w.Clusters))
	for _, c := range w.Clusters {
		out = append(out, Stop{c.Name, c.DisplayName, c.State, c.Shows, c.Try})
	}
	return out
}
