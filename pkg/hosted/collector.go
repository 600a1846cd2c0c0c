package hosted

// Collector turns Cluster objects into Snapshots one by one, as they are read, so
// that what a Snapshot does not need can be let go at once; what surrounds them
// may come before or after. The result is that of FromObjects. The zero value is
// ready; it is not safe for concurrent use.
type Collector struct {
	Surroundings

	snapshots []Snapshot
	problems  [][]Problem // of each snapshot
	index     map[string]int
}

// AddCluster converts a Cluster object and tells whether it displaced one of the
// same name, whose place it takes.
func (c *Collector) AddCluster(cluster map[string]any) (replaced bool) {
	s, problems := fromCluster(cluster)
	if i, ok := c.index[s.Name]; ok {
		c.snapshots[i], c.problems[i] = s, problems
		return true
	}
	if c.index == nil {
		c.index = map[string]int{}
	}
	c.index[s.Name] = len(c.snapshots)
	c.snapshots = append(c.snapshots, s)
	c.problems = append(c.problems, problems)
	return false
}

// Clusters are the clusters so far, without what surrounds them.
func (c *Collector) Clusters() []Snapshot { return c.snapshots }

// Keep reduces the clusters to some of them, in a new order.
func (c *Collector) Keep(some []Snapshot) {
	problems := make([][]Problem, len(some))
	index := make(map[string]int, len(some))
	for i, s := range some {
		if before, ok := c.index[s.Name]; ok {
			problems[i] = c.problems[before]
		}
		index[s.Name] = i
	}
	c.snapshots, c.problems, c.index = some, problems, index
}

// Finish adds what surrounds the clusters and returns them in the order in which
// they were added. A Problem that several share, such as one with a Setting, is
// returned once.
func (c *Collector) Finish() ([]Snapshot, []Problem) {
	var out []Problem
	seen := map[Problem]bool{}
	note := func(found []Problem) {
		for _, p := range found {
			if !seen[p] {
				seen[p] = true
				out = append(out, p)
			}
		}
	}
	for _, p := range c.problems {
		note(p)
	}
	for i := range c.snapshots {
		note(c.snapshots[i].surround(&c.Surroundings))
	}
	return c.snapshots, out
}
