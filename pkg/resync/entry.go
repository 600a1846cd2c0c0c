package resync

import "time"

// Stage is how far a change had come when an Entry was written.
type Stage string

// The stages, in order. A change whose last entry is not StageEnd was cut off; what
// it did is then found out from the Cluster.
const (
	// StageRefresh: Rancher is about to be made to read the cloud.
	StageRefresh Stage = "refresh"
	// StageWrite: the patch is about to be sent.
	StageWrite Stage = "write"
	// StageWritten: the server has stored it.
	StageWritten Stage = "written"
	// StageEnd: the change ended with Outcome.
	StageEnd Stage = "end"
)

// Entry is one line of the journal. Who made the change and on which cluster is
// added by the journal's owner.
type Entry struct {
	Change string    `json:"change"`
	Time   time.Time `json:"time"`
	Verb   Verb      `json:"verb"`
	Stage  Stage     `json:"stage"`
	// Cluster and UID are the Cluster object's; Context and User say who asked,
	// Args how.
	Cluster  string   `json:"cluster,omitempty"`
	UID      string   `json:"uid,omitempty"`
	Provider string   `json:"provider,omitempty"`
	Context  string   `json:"context,omitempty"`
	User     string   `json:"user,omitempty"`
	Args     []string `json:"args,omitempty"`
	// Precondition is the resourceVersion that the write demands,
	// ResourceVersion the one that it made.
	Precondition    string       `json:"precondition,omitempty"`
	ResourceVersion string       `json:"resourceVersion,omitempty"`
	Units           []UnitChange `json:"units,omitempty"`
	// Patch is what is sent.
	Patch   map[string]any `json:"patch,omitempty"`
	Outcome Outcome        `json:"outcome,omitempty"`
	Text    string         `json:"text,omitempty"`
}
