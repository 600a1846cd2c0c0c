package operator

// Phases that the four operators keep in the custom resource's status.phase.
const (
	PhaseNone      = ""
	PhaseCreating  = "creating"
	PhaseImporting = "importing"
	PhaseActive    = "active"
	PhaseUpdating  = "updating"
)

// Effect says what a call does to the thing it addresses.
type Effect string

// Effects of a call. Create and Delete are used for node groups and pools (and
// for nothing a user would not call so); everything else is Update.
const (
	Update Effect = "update"
	Create Effect = "create"
	Delete Effect = "delete"
)

// Call is one mutating cloud call, whether or not it succeeded.
type Call struct {
	// Pass counts reconciles from 1.
	Pass int `json:"pass,omitempty"`
	// Service is the cloud API where a provider has several ("eks", "ec2",
	// "iam", "cloudformation"); empty elsewhere.
	Service string `json:"service,omitempty"`
	// Op is the operation's name in the vectors' spelling, for example
	// "UpdateClusterConfig" or "projects.locations.clusters.update".
	Op string `json:"op"`
	// Target is the addressed resource where the request body does not say.
	Target string `json:"target,omitempty"`
	// Input is the request body in generic JSON form; nil without a body.
	Input any `json:"input"`
	// Error is the error code that the call got, or "".
	Error string `json:"error,omitempty"`
	// HTTPStatus is the HTTP status that the call got if it failed, or 0.
	HTTPStatus int `json:"failedWithHTTP,omitempty"`
	// Fields are the places in the Config whose difference from the cloud
	// caused the call, in hosted.Path's text form, sorted: "privateAccess",
	// "tags.team", "nodeGroups[workers].desiredSize", "nodePools[batch]".
	Fields []string `json:"fields"`
	// Carried are further Config fields whose values the request sends along,
	// or blanks, although they did not cause it (a full PUT, the size triple).
	Carried []string `json:"carried,omitempty"`
	// Effect and Object say what is updated, created or deleted, for example
	// Delete and "nodeGroups[workers]". Object is "" for the cluster itself.
	Effect Effect `json:"effect"`
	Object string `json:"object,omitempty"`
}

// Fault makes a call fail, for conformance cases and what-if questions.
type Fault struct {
	// Op is the operation that fails, Target a suffix of its target if set.
	Op     string `json:"op"`
	Target string `json:"target,omitempty"`
	// Nth is the first call number of that operation that fails (1 if 0).
	// Count is how many fail from there; 0 means all.
	Nth   int `json:"nth,omitempty"`
	Count int `json:"count,omitempty"`
	// Times limits how often the fault fires; 0 means always.
	Times      int    `json:"times,omitempty"`
	HTTPStatus int    `json:"httpStatus,omitempty"`
	Status     int    `json:"status,omitempty"`
	Code       string `json:"code,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Message    string `json:"message,omitempty"`
	// Empty makes the call succeed with an empty answer.
	Empty bool `json:"empty,omitempty"`
}

// Pass is the outcome of one reconcile.
type Pass struct {
	Calls []Call
	// Phase is status.phase afterwards. Status is the whole status afterwards
	// where the provider package models it, else nil.
	Phase  string
	Status map[string]any
	// Waiting is set when nothing was sent and nothing failed because the
	// cloud is busy: the operator polls again.
	Waiting bool
	// Requeue says how the operator comes back: "none", "now", "30s",
	// "statusEvent". WillRunAgain is Requeue != "none" or an error retry.
	Requeue      string
	WillRunAgain bool
	// Error is the text that the reconcile returned, "" if it succeeded.
	// Panic is set when the real code dereferences nil there; Error then
	// starts with "panic: ".
	Error string
	Panic bool
	// FailureMessage is status.failureMessage afterwards.
	FailureMessage string
}

// Failed tells whether the pass ended with an error.
func (p Pass) Failed() bool { return p.Error != "" }
