package predict

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// maxPasses bounds how many reconciles a push prediction follows. A push that
// is not quiet by then never will be.
const maxPasses = 20

// PushInput is what a push prediction starts from.
type PushInput struct {
	Provider hosted.Provider
	// Name is the Cluster's name, which is also the custom resource's.
	Name string
	// Config is the Config now; After is the Config to be pushed, and Paths are
	// the places the edit names. Without an edit After is Config.
	Config, After map[string]any
	Paths         []hosted.Path
	// Status is the operator's status where it can be read, else the provider
	// status in the Cluster without its upstreamSpec.
	Status map[string]any
	// Cloud is the cloud in UpstreamSpec form.
	Cloud map[string]any
}

// PushedCall is one predicted cloud call.
type PushedCall struct {
	operator.Call
	// Collateral: no field of the call was edited.
	Collateral bool `json:"collateral"`
}

// Collateral is a Config field nobody edited that an edit would push too.
type Collateral struct {
	Field     string `json:"field"`
	MergeUnit string `json:"mergeUnit"`
	// Cloud is what the push destroys, Config what it puts there.
	Cloud  any `json:"cloud"`
	Config any `json:"config"`
	// Effect is create or delete where a node group or pool comes or goes.
	Effect operator.Effect `json:"effect"`
	// Carried: the field is not the reason of a call, its value goes along.
	Carried bool `json:"carried,omitempty"`
	// Call is the index of the first call that does it.
	Call int    `json:"call"`
	Text string `json:"text"`
}

// Push is what an operator would do until it is quiet.
type Push struct {
	Calls      []PushedCall `json:"calls"`
	Collateral []Collateral `json:"collateral"`
	// Passes is how many reconciles it takes; Converges is false if it never
	// comes to rest, or stops with Error.
	Passes    int    `json:"passes"`
	Converges bool   `json:"converges"`
	Error     string `json:"error,omitempty"`
	// Waiting: the operator waits for the cloud before it does anything.
	Waiting bool `json:"waiting,omitempty"`
	// Unsent are edited fields that no call sends.
	Unsent []string `json:"unsent,omitempty"`
}

// Pushed follows the operator from in.Cloud with in.After as Config.
func Pushed(in PushInput) (Push, error) {
	if in.Cloud == nil {
		return Push{}, errors.New("the cloud has not been read")
	}
	passes, gaveUp, err := converge(in)
	if err != nil {
		return Push{}, fmt.Errorf("cannot predict the push: %w", err)
	}
	p := Push{Calls: []PushedCall{}, Collateral: []Collateral{}, Passes: len(passes), Converges: !gaveUp}
	for i, pass := range passes {
		p.Waiting = p.Waiting || i == 0 && pass.Waiting
		for _, c := range pass.Calls {
			c.Pass = i + 1
			p.Calls = append(p.Calls, PushedCall{Call: c})
		}
		if pass.Failed() {
			p.Error = pass.Error
		}
	}
	if p.Converges {
		p.Error = ""
	}
	p.separate(in)
	return p, nil
}

// separate marks what the edit did not ask for.
func (p *Push) separate(in PushInput) {
	table := schema.For(in.Provider)
	asked := in.asked(table)
	seen := map[string]bool{}
	sent := map[string]bool{}
	for i := range p.Calls {
		c := &p.Calls[i]
		c.Collateral = len(c.Fields) > 0
		for _, f := range c.Fields {
			if asked.names(f) {
				c.Collateral = false
				sent[f] = true
				continue
			}
			p.collect(in, f, i, false, seen)
		}
	}
	for i := range p.Calls {
		for _, f := range p.Calls[i].Carried {
			if !asked.names(f) {
				p.collect(in, f, i, true, seen)
			}
		}
	}
	for _, path := range asked {
		if !touched(sent, path) {
			p.Unsent = append(p.Unsent, path.String())
		}
	}
}

func touched(sent map[string]bool, path hosted.Path) bool {
	for f := range sent {
		if q, err := hosted.ParsePath(f); err == nil && path.Overlaps(q) {
			return true
		}
	}
	return false
}

// collect records a field once. A carried field is collateral only if the cloud
// has something else: sending what is there already hurts nobody.
func (p *Push) collect(in PushInput, field string, call int, carried bool, seen map[string]bool) {
	if seen[field] {
		return
	}
	path, err := hosted.ParsePath(field)
	if err != nil {
		return
	}
	table := schema.For(in.Provider)
	cloud, config := Lookup(table, in.Cloud, path), Lookup(table, in.After, path)
	if carried && !blanks(cloud, config) {
		return
	}
	seen[field] = true
	c := Collateral{Field: field, MergeUnit: path.MergeUnit(), Cloud: cloud, Config: config,
		Effect: p.Calls[call].Effect, Carried: carried, Call: call}
	c.Text = c.describe()
	p.Collateral = append(p.Collateral, c)
}

// blanks tells whether sending the Config's value changes what the cloud has.
func blanks(cloud, config any) bool {
	return !nothing(cloud) && !hosted.Equal(cloud, config)
}

func nothing(v any) bool {
	switch t := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(t) == 0
	case []any:
		return len(t) == 0
	case string:
		return t == ""
	}
	return false
}

func (c Collateral) describe() string {
	switch c.Effect {
	case operator.Delete:
		return c.Field + " would be deleted in the cloud"
	case operator.Create:
		return c.Field + " would be created in the cloud"
	}
	if c.Carried && nothing(c.Config) {
		return fmt.Sprintf("%s would be emptied in the cloud although the config does not manage it (now %s)", c.Field, hosted.Canonical(c.Cloud))
	}
	if c.Config == nil {
		return fmt.Sprintf("%s would be removed in the cloud (now %s)", c.Field, hosted.Canonical(c.Cloud))
	}
	if c.Cloud == nil {
		return fmt.Sprintf("%s would be set in the cloud to %s", c.Field, hosted.Canonical(c.Config))
	}
	return fmt.Sprintf("%s would be set back in the cloud from %s to %s", c.Field, hosted.Canonical(c.Cloud), hosted.Canonical(c.Config))
}

// askedPaths are the places an edit is about.
type askedPaths []hosted.Path

// asked are the edit's own paths and every place at which it changes the
// Config, so that an edit which makes a unit managed answers for what it copied
// only where it differs from before.
func (in PushInput) asked(table schema.Spec) askedPaths {
	var asked askedPaths
	for _, p := range in.Paths {
		if !partly(Lookup(table, in.Config, p), Lookup(table, in.After, p)) {
			asked = append(asked, p)
		}
	}
	sides := fielddiff.Sides{}.With(fielddiff.Config, in.Config).With(fielddiff.Applied, in.After)
	for _, e := range fielddiff.Changed(fielddiff.Diff(table, sides), fielddiff.ConfigApplied) {
		if !asked.names(e.Path.String()) {
			asked = append(asked, e.Path)
		}
	}
	return asked
}

// partly tells whether both are containers, of which an edit may have changed
// only a part.
func partly(before, after any) bool {
	_, m1 := before.(map[string]any)
	_, m2 := after.(map[string]any)
	_, l1 := before.([]any)
	_, l2 := after.([]any)
	return m1 && m2 || l1 && l2
}

// names tells whether a field that a call answers for is part of the edit.
func (a askedPaths) names(field string) bool {
	q, err := hosted.ParsePath(field)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(a, func(p hosted.Path) bool { return p.Contains(q) || q.Contains(p) })
}

// Lookup returns the value at a path, following items by identity; nil if there
// is none.
func Lookup(table schema.Spec, spec map[string]any, p hosted.Path) any {
	var cur any = spec
	f := table.Root
	for _, step := range p {
		switch t := cur.(type) {
		case map[string]any:
			cur = t[step.Key]
			if f.Kind == schema.Map {
				f = *f.Elem
			} else {
				f, _ = f.Member(step.Key)
			}
		case []any:
			i := slices.IndexFunc(t, func(e any) bool { n, ok := f.ItemIdentity(e); return ok && n == step.Key })
			if i < 0 || f.Elem == nil {
				return nil
			}
			cur, f = t[i], *f.Elem
		default:
			return nil
		}
	}
	return cur
}
