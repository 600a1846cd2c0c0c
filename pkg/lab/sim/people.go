package sim

import (
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// console changes one place in the cloud behind Rancher's back, and tells whether
// the cloud took it: a cloud that is at work refuses. It does what the provider's
// console would, by the same calls as the operator's, for this one field.
func console(cloud Cloud, b base, table schema.Spec, v Visit, l *Leaf, value any) bool {
	read, problem := cloud.Read(v)
	if read == nil || problem != "" {
		return false
	}
	want, ok := l.set(table, read, value)
	if !ok {
		return false
	}
	config := map[string]any{}
	for _, k := range b.identity {
		config[k] = read[k]
	}
	unit := l.Path.MergeUnit()
	config[unit] = want[unit]
	// The console does not go through Rancher's phases; a status of "updating"
	// lets the pass push at once.
	status := put(v.Status, operator.PhaseUpdating, "phase")
	p := cloud.Reconcile(Visit{Name: v.Name, Config: config, Status: status})
	if len(p.Calls) == 0 {
		return false
	}
	for _, c := range p.Calls {
		if c.Error != "" {
			return false
		}
	}
	if !l.size { // autoscalers change the number of instances, not the group
		cloud.Begin(p.Calls)
	}
	read, _ = cloud.Read(v)
	return hosted.Equal(l.get(table, read), value)
}

// ByConsole sets a merge unit in a cloud behind Rancher's back, as a console does, and
// tells whether the cloud took it. config names the cluster.
func ByConsole(p hosted.Provider, cloud Cloud, config map[string]any, unit string, value any) bool {
	for _, b := range bases() {
		if b.provider != p {
			continue
		}
		narrow := map[string]any{unit: value}
		for _, k := range b.identity {
			narrow[k] = config[k]
		}
		v := Visit{Name: "console", Config: narrow, Status: put(b.status, operator.PhaseUpdating, "phase")}
		pass := cloud.Reconcile(v)
		for _, c := range pass.Calls {
			if c.Error != "" {
				return false
			}
		}
		return len(pass.Calls) > 0
	}
	return false
}
