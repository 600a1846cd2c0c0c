package resync

import (
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
)

// Outcome says how a guarded change ended.
type Outcome string

// The outcomes.
const (
	// Verified: the change is in the Config, Applied equals Config, and a refresh
	// newer than the write agrees.
	Verified Outcome = "verified"
	// Unchanged: there was nothing to do.
	Unchanged Outcome = "unchanged"
	// Refused: nothing was written to the Config; Refusals says why.
	Refused Outcome = "refused"
	// Planned: a dry run ended before the write.
	Planned Outcome = "planned"
	// Written: the Config was written, and it was not asked to be verified.
	Written Outcome = "written"
	// Unverified: the Config was written, or may have been, and that ended before
	// everything was seen to agree; Unknown says what is open.
	Unverified Outcome = "unverified"
	// TimedOut: time ran out before anything was written to the Config.
	TimedOut Outcome = "timed-out"
	// Reverted: the Config was written, and a refresh took it back, because the
	// cloud did not have it.
	Reverted Outcome = "reverted"
	// Overtaken: the Config was written, and somebody else wrote the same fields
	// since.
	Overtaken Outcome = "overtaken"
	// Failed: an error ended the change; Error says which.
	Failed Outcome = "failed"
	// Interrupted: it was asked to stop.
	Interrupted Outcome = "interrupted"
)

// Wrote tells whether the change may have been written to the Config.
func (o Outcome) Wrote() bool {
	switch o {
	case Verified, Written, Unverified, Reverted, Overtaken:
		return true
	}
	return false
}

// Refusal is one reason why a change was not made.
type Refusal struct {
	Code Code `json:"code"`
	// Text is the fact, Fix what can be done about it.
	Text string `json:"text"`
	Fix  string `json:"fix,omitempty"`
	// Fields are the places concerned.
	Fields []string `json:"fields"`
}

// UnitChange is one merge unit of the Config before and after. A unit that was
// absent is told from one that was null.
type UnitChange struct {
	Unit   string `json:"unit"`
	Before any    `json:"before"`
	After  any    `json:"after"`
	// Absent: the Config had no such key before.
	Absent bool `json:"absent,omitempty"`
}

// Plan is what a change amounts to on the state that was judged.
type Plan struct {
	// Units are the merge units of the Config that change.
	Units []UnitChange `json:"units"`
	// Patch is the JSON merge patch, with its precondition.
	Patch map[string]any `json:"patch"`
	// Calls and Collateral are what the operator is predicted to do.
	Calls      []predict.PushedCall `json:"calls"`
	Collateral []predict.Collateral `json:"collateral"`
	// Overwritten are Config fields that a refresh replaces.
	Overwritten []string `json:"overwritten"`
	// Notes are what the editor should know.
	Notes []predict.Note `json:"notes"`
	// RefreshFirst: Rancher is made to read the cloud before anything is edited.
	RefreshFirst bool `json:"refreshFirst"`

	after map[string]any
	paths []string
}

// Result is how a guarded change ended, and on what grounds.
type Result struct {
	Outcome  Outcome   `json:"outcome"`
	Refusals []Refusal `json:"refusals"`
	// Unknown lists what could not be established.
	Unknown []string `json:"unknown"`
	Plan    *Plan    `json:"plan"`
	// Change is the journal's id of the change, "" if nothing was recorded.
	Change string `json:"change,omitempty"`
	// ResourceVersion is the Cluster's after the write.
	ResourceVersion string `json:"resourceVersion,omitempty"`
	// Refreshed tells that a refresh was triggered.
	Refreshed bool   `json:"refreshed"`
	Error     string `json:"error,omitempty"`
}
