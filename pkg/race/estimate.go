package race

import (
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// estimate finds the hot fields by the field table alone: managed, different
// from the cloud, and of a kind that operators push. It is what is shown where a
// reconcile cannot be predicted.
func (in *Input) estimate() []Hot {
	pair, side := in.cloudPair()
	var out []Hot
	for i := range in.Diff {
		e := &in.Diff[i]
		if e.Differs&pair == 0 || e.Unmanaged || e.Field == nil {
			continue
		}
		out = append(out, in.estimateAt(e, side)...)
	}
	return out
}

func (in *Input) estimateAt(e *fielddiff.Entry, side fielddiff.Side) []Hot {
	config, cloud := e.Cells[fielddiff.Config].Value, e.Cells[side].Value
	nodes := e.Path.MergeUnit() == in.Snapshot.Provider.NodeListKey()
	// In a node group null means "not compared"; a key that is missing in a map,
	// whose values have no name of their own, means "not wanted".
	switch {
	case nodes && len(e.Path) == 1:
		return in.wholeList(e, config, cloud)
	case nodes && len(e.Path) == 2 && cloud == nil:
		return []Hot{hotAt(e.Path, operator.Create, config, nil)}
	case nodes && len(e.Path) == 2 && config == nil:
		return []Hot{hotAt(e.Path, operator.Delete, nil, cloud)}
	case !pushes(e.Field, config, cloud), nodes && config == nil && e.Field.Name != "" && e.Field.Compare != schema.CompareNilZero,
		in.autoscaled(e.Path), in.Snapshot.Provider == hosted.EKS && leaf(e.Path) == "publicAccessSources" && open(config) && open(cloud):
		return nil
	}
	return []Hot{hotAt(e.Path, operator.Update, config, cloud)}
}

// wholeList takes apart a node list that only one side has.
func (in *Input) wholeList(e *fielddiff.Entry, config, cloud any) []Hot {
	var out []Hot
	for _, item := range hosted.List(config) {
		if id, ok := e.Field.ItemIdentity(item); ok && len(hosted.List(cloud)) == 0 {
			out = append(out, hotAt(e.Path.Item(id), operator.Create, item, nil))
		}
	}
	for _, item := range hosted.List(cloud) {
		if id, ok := e.Field.ItemIdentity(item); ok && len(hosted.List(config)) == 0 {
			out = append(out, hotAt(e.Path.Item(id), operator.Delete, nil, item))
		}
	}
	return out
}

// open tells whether a list of access sources lets everybody in, which to the
// operator the empty list does as well.
func open(v any) bool {
	l, ok := v.([]any)
	return ok && (len(l) == 0 || len(l) == 1 && l[0] == "0.0.0.0/0")
}

func hotAt(p hosted.Path, effect operator.Effect, config, cloud any) Hot {
	return Hot{Path: p, Field: p.String(), Effect: effect, Config: config, Cloud: cloud}
}

// autoscaled tells whether the path is a pool's size that its operator ignores
// because the pool scales itself.
func (in *Input) autoscaled(p hosted.Path) bool {
	s := in.Snapshot
	if len(p) != 3 || s.Provider != hosted.AKS && s.Provider != hosted.ACK || p[2].Key != "count" && p[2].Key != "desiredSize" {
		return false
	}
	on, _ := lookup(in.Table, s.Config, p[:2].Key("enableAutoScaling")).(bool)
	return on
}

func pushes(f *schema.Field, config, cloud any) bool {
	switch f.Push {
	case schema.PushYes, schema.PushNoMinorDowngrade:
		return true
	case schema.PushUpgradeOnly:
		return compareVersions(hosted.Str(config), hosted.Str(cloud)) > 0
	case schema.PushEnableOnly:
		return config == true
	}
	return false
}

// pushable tells whether a field can be pushed at all.
func pushable(f *schema.Field) bool {
	switch f.Push {
	case schema.PushYes, schema.PushNoMinorDowngrade, schema.PushUpgradeOnly, schema.PushEnableOnly:
		return true
	}
	return false
}

// compareVersions compares dotted numbers; what is no number counts as 0.
func compareVersions(a, b string) int {
	x, y := strings.Split(strings.TrimPrefix(a, "v"), "."), strings.Split(strings.TrimPrefix(b, "v"), ".")
	for i := range max(len(x), len(y)) {
		if d := number(x, i) - number(y, i); d != 0 {
			return d
		}
	}
	return 0
}

func number(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i])
	return n
}
