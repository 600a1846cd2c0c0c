package hosted

import "time"

// OperatorState is what can be seen of a provider's operator: its Deployment in
// the management cluster. The zero value is one of which nothing is known to
// exist.
type OperatorState struct {
	// Found is false if there is no such Deployment, or if it could not be read.
	Found bool
	// Ready and Wanted count replicas.
	Ready, Wanted int64
	// Image is the operator container's, which names its version.
	Image string
	// Started is when the newest of the Deployment's conditions last changed,
	// zero if unknown.
	Started time.Time
	// Unread says why the Deployment could not be read, "" if it was.
	Unread string
}

// Down tells whether the operator is known not to run: then Rancher counts an
// edit as applied after ten seconds although nobody pushed it.
func (o OperatorState) Down() bool { return o.Unread == "" && (!o.Found || o.Ready == 0) }
