package fleet

import (
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// CarriedOut puts the cluster of that name into the state in which a change of its
// Config leaves it: these merge units have these values in every copy, and the
// operator rests. null is in the Config's copies only: the cloud keeps what it has.
// It tells whether there is such a cluster.
func (w World) CarriedOut(name string, units map[string]any) bool {
	c, ok := w.Find(name)
	if !ok || c.Resource == nil {
		return false
	}
	spec, status := hosted.Map(c.Object["spec"]), hosted.Map(c.Object["status"])
	config := hosted.Map(spec[c.Provider.ConfigKey()])
	for k, v := range units {
		config[k] = hosted.Clone(v)
		if v != nil {
			hosted.Map(hosted.Map(status[c.Provider.StatusKey()])["upstreamSpec"])[k] = hosted.Clone(v)
			c.Live[k] = hosted.Clone(v)
		}
	}
	hosted.Map(status["appliedSpec"])[c.Provider.ConfigKey()] = hosted.CloneMap(config)
	c.Resource["spec"] = hosted.CloneMap(config)
	resting := hosted.Map(c.Resource["status"])
	resting["phase"], resting["failureMessage"] = "active", ""
	return true
}
