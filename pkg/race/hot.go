package race

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
)

// Origin says which side's change made a field hot.
type Origin uint8

// The origins.
const (
	// CloudChange: the cloud was changed behind Rancher's back; a push destroys
	// that.
	CloudChange Origin = iota
	// PendingEdit: the Config was changed, the cloud still has what was applied
	// before; a push does what was asked for.
	PendingEdit
	// Unpushed: the Config counts as applied, but the cloud has not got it and
	// has not changed; a refresh takes the edit back.
	Unpushed
)

// Kind sorts hot fields by what they are.
type Kind uint8

// The kinds.
const (
	KindOther Kind = iota
	// KindGroup: a node group or pool comes or goes.
	KindGroup
	// KindSize: a number of nodes that autoscalers and schedulers move.
	KindSize
	// KindTag: a tag or label of the cluster or of a group in the cloud.
	KindTag
	// KindNodeLabel: a Kubernetes label of a group's nodes.
	KindNodeLabel
)

// Hot is one managed field that the operator's next reconcile would push.
type Hot struct {
	Path   hosted.Path
	Field  string
	Effect operator.Effect
	Kind   Kind
	Origin Origin
	// Config is what would be pushed, Cloud what is there.
	Config, Cloud any
}

// Unit is the merge unit.
func (h Hot) Unit() string { return h.Path.MergeUnit() }

// heat works out the hot set.
func (in *Input) heat(push Pusher) {
	if !in.worthAsking() {
		return
	}
	predicted, why := in.predicted(push)
	if why != "" {
		if predicted = in.estimate(); len(predicted) > 0 {
			in.Estimated = why
		}
	}
	for _, h := range predicted {
		if in.transient(h) || !in.managed(h.Unit()) {
			continue
		}
		h.Kind = kindOf(in.Snapshot.Provider, h)
		h.Origin = in.origin(h)
		in.Hot = append(in.Hot, h)
	}
	slices.SortFunc(in.Hot, func(a, b Hot) int { return cmp.Compare(a.Field, b.Field) })
}

// worthAsking tells whether a managed field differs from the cloud in any way,
// order included. It is the cheap test before a reconcile is predicted.
func (in *Input) worthAsking() bool {
	if in.Cloud.Spec == nil || !in.Cloud.Live && !in.Frozen {
		return false
	}
	pair, _ := in.cloudPair()
	for i := range in.Diff {
		if e := &in.Diff[i]; (e.Differs|e.OrderOnly)&pair != 0 && !e.Unmanaged {
			return true
		}
	}
	return false
}

// predicted asks the operator's own rules. A reconcile that stops before it
// sends anything (a validation error) says nothing about what waits behind the
// error, so that the estimate stands.
func (in *Input) predicted(push Pusher) ([]Hot, string) {
	s := in.Snapshot
	if push == nil {
		return nil, "no prediction of the push was asked for"
	}
	status := s.Status
	if s.CR != nil {
		status = s.CR.Status
	}
	p, err := push(predict.PushInput{Provider: s.Provider, Name: s.Name, Config: s.Config, After: s.Config,
		Status: status, Cloud: in.Cloud.Spec})
	switch {
	case err != nil:
		return nil, err.Error()
	case p.Error != "" && len(p.Calls) == 0:
		return nil, "the predicted reconcile stops with: " + p.Error
	}
	byField := map[string]Hot{}
	for _, c := range p.Calls {
		for _, f := range c.Fields {
			path, err := hosted.ParsePath(f)
			if err != nil {
				continue
			}
			h, seen := byField[f]
			if !seen {
				h = Hot{Path: path, Field: f, Effect: c.Effect,
					Config: predict.Lookup(in.Table, s.Config, path), Cloud: predict.Lookup(in.Table, in.Cloud.Spec, path)}
			}
			if c.Effect != operator.Update {
				h.Effect = c.Effect
			}
			byField[f] = h
		}
	}
	return outermost(byField), ""
}

// outermost drops what lies below a group that is itself created or deleted.
func outermost(byField map[string]Hot) []Hot {
	groups := map[string]bool{}
	for _, h := range byField {
		if h.Effect != operator.Update && len(h.Path) == 2 {
			groups[h.Unit()+"\x00"+h.Path[1].Key] = true
		}
	}
	out := make([]Hot, 0, len(byField))
	for _, h := range byField {
		if len(h.Path) > 2 && groups[h.Unit()+"\x00"+h.Path[1].Key] {
			continue
		}
		out = append(out, h)
	}
	return out
}

// managed tells whether the Config has the merge unit. What an operator pushes
// for a field that it has not is the business of rules of their own.
func (in *Input) managed(unit string) bool {
	f, known := in.Table.Unit(unit)
	return known && in.Snapshot.Config[unit] != nil && f.Managed(in.Snapshot.Config[unit])
}

// transient tells whether a difference is only the look of a node group in
// motion: EKS reports no version while it updates one.
func (in *Input) transient(h Hot) bool {
	return in.Snapshot.Provider == hosted.EKS && leaf(h.Path) == "version" && h.Cloud == nil && h.Effect == operator.Update
}

// origin compares with what was applied while the sync is frozen, and with
// Rancher's last reading while it is not.
func (in *Input) origin(h Hot) Origin {
	s := in.Snapshot
	if !in.Frozen {
		if in.Cloud.Live && in.sameAt(h, in.Cloud.Spec, s.Upstream) {
			return Unpushed
		}
		return CloudChange
	}
	f, known := in.Table.Unit(h.Unit())
	if known && !f.Managed(s.Applied[h.Unit()]) && len(h.Path) == 1 && f.Kind != 0 && scalar(h.Config) {
		// A single value that the Config has just begun to manage was asked for.
		if in.sameAt(h, in.Cloud.Spec, s.Upstream) {
			return PendingEdit
		}
		return CloudChange
	}
	if !in.sameAt(h, s.Config, s.Applied) && in.sameAt(h, in.Cloud.Spec, s.Applied) {
		return PendingEdit
	}
	return CloudChange
}

// sameAt compares two specs at the field; where a group comes or goes, by
// whether they have it.
func (in *Input) sameAt(h Hot, a, b map[string]any) bool {
	x, y := predict.Lookup(in.Table, a, h.Path), predict.Lookup(in.Table, b, h.Path)
	if h.Effect != operator.Update {
		return (x == nil) == (y == nil)
	}
	if f, ok := in.Table.Lookup(h.Path); ok {
		return f.Equivalent(x, y)
	}
	return hosted.Equal(x, y)
}

func scalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

func leaf(p hosted.Path) string {
	if len(p) == 0 {
		return ""
	}
	return p[len(p)-1].Key
}

var sizeNames = []string{"desiredSize", "count", "initialNodeCount"}

func kindOf(p hosted.Provider, h Hot) Kind {
	unit := h.Unit()
	switch {
	case unit == p.NodeListKey() && h.Effect != operator.Update:
		return KindGroup
	case unit == "tags", p == hosted.GKE && unit == "labels":
		return KindTag
	case unit != p.NodeListKey() || len(h.Path) < 3:
		return KindOther
	case len(h.Path) == 3 && slices.Contains(sizeNames, h.Path[2].Key):
		return KindSize
	case h.Path[2].Key == "tags", h.Path[2].Key == "resourceTags":
		return KindTag
	case strings.Contains(strings.ToLower(h.Path[2].Key), "labels"),
		h.Path[2].Key == "config" && len(h.Path) > 3 && h.Path[3].Key == "labels":
		return KindNodeLabel
	}
	return KindOther
}

// cloudPair is the pair of sides in Diff that compares Config and Cloud.
func (in *Input) cloudPair() (fielddiff.Pair, fielddiff.Side) {
	if in.Cloud.Live {
		return fielddiff.ConfigLive, fielddiff.Live
	}
	return fielddiff.ConfigUpstream, fielddiff.Upstream
}
