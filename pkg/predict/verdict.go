package predict

import (
	"fmt"
	"slices"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// Owner says who decides about a merge unit.
type Owner string

// The owners.
const (
	// Managed: the Config has a value, which an operator enforces and a refresh
	// overwrites.
	Managed Owner = "managed"
	// Unmanaged: the Config is null, the cloud's value stands.
	Unmanaged Owner = "unmanaged"
	// Copied: Rancher copies its reading from the Config, so that they agree by
	// construction.
	Copied Owner = "copied"
	// Unseen: Rancher cannot read the value; a blind spot.
	Unseen Owner = "unseen"
	// UnknownOwner: the field is not in this version's schema.
	UnknownOwner Owner = "unknown"
)

// Verdict codes: what the next refresh does to one merge unit of the Config.
const (
	VerdictInSync      = "in-sync"
	VerdictIgnored     = "ignored"
	VerdictNeverDrifts = "never-drifts"
	VerdictKept        = "kept"
	VerdictOverwritten = "overwritten"
	VerdictReset       = "reset-to-null"
	VerdictFrozen      = "frozen"
	VerdictNever       = "never-refreshed"
	VerdictNotRead     = "not-read"
	VerdictDropped     = "dropped"
)

// Verdict is what becomes of one merge unit.
type Verdict struct {
	Unit  string `json:"unit"`
	Owner Owner  `json:"owner"`
	Code  string `json:"verdict"`
	Text  string `json:"text"`
	// AtUnix is when it happens, nil if it does not or nobody can tell.
	AtUnix *int64 `json:"atUnix"`
}

// Verdicts judges every merge unit that the Config or the reading has, in the
// schema's order, unknown ones last.
func Verdicts(in RefreshInput) []Verdict {
	r := newRefresher(in)
	if r.provider == hosted.None {
		return nil
	}
	sched, out := NextRefresh(in)
	j := judge{table: schema.For(r.provider), config: r.config, sched: sched, out: out}
	if j.reading = in.Cloud.Spec; j.reading == nil {
		j.reading = r.upstream
	}
	var vs []Verdict
	for i := range j.table.Root.Fields {
		f := &j.table.Root.Fields[i]
		_, inConfig := r.config[f.Name]
		_, inReading := j.reading[f.Name]
		if inConfig || inReading {
			vs = append(vs, j.known(f))
		}
	}
	for _, k := range hosted.SortedKeys(merged(r.config, j.reading)) {
		if _, ok := j.table.Unit(k); !ok {
			vs = append(vs, j.unknown(k))
		}
	}
	return vs
}

type judge struct {
	table           schema.Spec
	config, reading map[string]any
	sched           Schedule
	out             Outcome
}

// Own says who decides about a merge unit, given the Config.
func Own(f *schema.Field, config map[string]any) Owner {
	switch {
	case f.Source == schema.FromConfig:
		return Copied
	case !f.Managed(config[f.Name]):
		return Unmanaged
	case f.Source == schema.Retained:
		return Unseen
	}
	return Managed
}

func (j judge) known(f *schema.Field) Verdict {
	v := Verdict{Unit: f.Name, Owner: Own(f, j.config)}
	c, n := j.config[f.Name], j.reading[f.Name]
	switch {
	case slices.Contains(j.out.OverwrittenKeys, f.Name):
		return j.overwritten(v)
	case v.Owner == Copied:
		return v.is(VerdictNeverDrifts, "Rancher copies its reading from the Config")
	case v.Owner == Unmanaged:
		return v.is(VerdictIgnored, "unmanaged: the refresh leaves it alone, no push touches it")
	case f.Equivalent(c, n):
		return v.is(VerdictInSync, "Config and reading agree")
	case f.OmitEmpty && (n == nil || !f.Managed(n)):
		v.Owner = Unseen
		return v.is(VerdictKept, "the reading has nothing here, so the Config's value stays")
	case !j.sched.Ready || j.sched.Error != nil:
		return v.is(VerdictNever, "no refresh happens: "+j.obstacle())
	case j.out.Error != nil:
		return v.is(VerdictNever, "the refresh fails: "+*j.out.Error)
	case j.out.ReadFailed:
		return v.is(VerdictNotRead, "the cloud cannot be read: the refresh compares nothing")
	case j.out.SkippedBecauseUpdating:
		return v.is(VerdictFrozen, "skipped: Config and Applied differ, the Config is left alone until they agree")
	}
	return v.is(VerdictInSync, "the refresh changes nothing here")
}

// overwritten says how. What the refresh decides is never argued with: a key
// that is normally copied counts as managed where a reading differs after all.
func (j judge) overwritten(v Verdict) Verdict {
	v.Owner, v.AtUnix = Managed, j.sched.NextUnix
	if j.out.ConfigAfter[v.Unit] == nil {
		return v.is(VerdictReset, "the reading is null: the Config becomes null, and the field unmanaged")
	}
	return v.is(VerdictOverwritten, fmt.Sprintf("the whole of %s is replaced by the reading", v.Unit))
}

func (j judge) obstacle() string {
	if j.sched.Error != nil {
		return *j.sched.Error
	}
	return j.sched.NotReady
}

func (j judge) unknown(key string) Verdict {
	v := Verdict{Unit: key, Owner: UnknownOwner}
	if hosted.Equal(j.config[key], j.reading[key]) {
		return v.is(VerdictInSync, "unknown to this version's schema; both sides hold the same")
	}
	return v.is(VerdictDropped, "unknown to this version's schema: a Rancher that does not know it either drops it with the next write")
}

func (v Verdict) is(code, text string) Verdict {
	v.Code, v.Text = code, text
	return v
}
