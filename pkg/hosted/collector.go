package hosted

// Collector turns Cluster objects into Snapshots one by one, as they are read, so
// that what a Snapshot does not need can be let go at once; what surrounds them
// may come before or after. The result is that of FromObjects. The zero value is
// ready; it is not safe for concurrent use.
type Collector struct {
	Surroundings

	snapshots []Snapshot
	problems  []Problem
}

// AddCluster converts a Cluster object.
func (c *Collector) AddCluster(cluster map[string]any) {
	s, problems := fromCluster(cluster)
	c.snapshots = append(c.snapshots, s)
	c.problems = append(c.problems, problems...)
}

// Clusters are the clusters so far, without what surrounds them.
func (c *Collector) Clusters() []Snapshot { return c.snapshots }

// Keep replaces the clusters by some of them.
func (c *Collector) Keep(some []Snapshot) { c.snapshots = some }

// Finish adds what surrounds the clusters and returns them in the order in which
// they were added. A Problem that several share, such as one with a Setting, is
// returned once.
func (c *Collector) Finish() ([]Snapshot, []Problem) {
	var problems []Problem
	seen := map[Problem]bool{}
	note := func(found []Problem) {
		for _, p := range found {
			if !seen[p] {
				seen[p] = true
				problems = append(problems, p)
			}
		}
	}
	note(c.problems)
	for i := range c.snapshots {
		note(c.snapshots[i].surround(&c.Surroundings))
	}
	return c.snapshots, problems
}
