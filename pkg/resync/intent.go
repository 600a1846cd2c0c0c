package resync

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
)

// Verb is a kind of guarded change.
type Verb string

// The verbs.
const (
	// Refresh makes Rancher read the cloud now: the cloud's values replace the
	// managed ones of the Config.
	Refresh Verb = "refresh"
	// Adopt makes the Config say what the cloud has.
	Adopt Verb = "adopt"
	// Push makes the operator enforce the Config now.
	Push Verb = "push"
	// Set edits the Config.
	Set Verb = "set"
	// Manage takes unmanaged fields into the Config, with the cloud's values.
	Manage Verb = "manage"
	// Unmanage sets fields of the Config to null.
	Unmanage Verb = "unmanage"
	// Restore puts merge units back to what a journalled change found.
	Restore Verb = "restore"
)

// Intent is what somebody wants done with one cluster.
type Intent struct {
	Verb Verb
	// Edit holds the assignments of Set, and the fields of Unmanage.
	Edit predict.Edit
	// Fields are the merge units of Adopt, Manage and Push; none means all that
	// differ.
	Fields []string
	// Restore is the journalled change that Restore undoes.
	Restore *Entry
	// Allow are the places that may be pushed, overwritten or lost although
	// nobody named them; AllowAll accepts any.
	Allow    []hosted.Path
	AllowAll bool
	// UpstreamOnly accepts that a frozen cluster's refresh renews the
	// UpstreamSpec and leaves the Config alone.
	UpstreamOnly bool
	// WaitSettled waits until nothing is under way, instead of refusing.
	WaitSettled bool
	// DryRun ends before anything is stored: with the plan, or after the server has
	// gone through the write.
	DryRun DryRun
	// NoVerify ends after the write: the outcome is Written, not Verified.
	NoVerify bool
}

// allows tells whether a place may be touched although nobody named it.
func (in *Intent) allows(field string) bool {
	if in.AllowAll {
		return true
	}
	p, err := hosted.ParsePath(field)
	if err != nil {
		return false
	}
	for _, a := range in.Allow {
		if a.Contains(p) {
			return true
		}
	}
	return false
}

// Options are limits and names that the caller decides on.
type Options struct {
	// Timeout bounds the whole change by the server's clock; 0 means
	// DefaultTimeout.
	Timeout time.Duration
	// Margin is how far off the next refresh must be when the Config is written.
	Margin time.Duration
	// Fresh is how old Rancher's reading may be when the Config is written.
	Fresh time.Duration
	// FieldManager is the writer's name in managedFields.
	FieldManager string
}

// Limits that Options default to.
const (
	// DefaultTimeout covers one regular refresh, a push that takes minutes, and
	// another refresh.
	DefaultTimeout = 15 * time.Minute
	// DefaultMargin is longer than the ten seconds for which Rancher's handler
	// waits for the operator, after which an unpushed edit counts as applied and
	// a refresh would take it back.
	DefaultMargin = 15 * time.Second
	// DefaultFresh is what a plan may take from the refresh to the write.
	DefaultFresh = 20 * time.Second
	// DefaultManager is this program's name in managedFields.
	DefaultManager = "kubectl-hostedsync"
)

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Margin <= 0 {
		o.Margin = DefaultMargin
	}
	if o.Fresh <= 0 {
		o.Fresh = DefaultFresh
	}
	if o.FieldManager == "" {
		o.FieldManager = DefaultManager
	}
	return o
}

// DryRun says how much of a change is only tried.
type DryRun string

// The dry runs.
const (
	// DryClient: nothing is sent.
	DryClient DryRun = "client"
	// DryServer: the server goes through the write and stores nothing.
	DryServer DryRun = "server"
)
