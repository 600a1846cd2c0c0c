package live

import (
	"context"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Reader reads one provider's clusters from its cloud. It is safe for concurrent
// use, makes its clients when it first needs them, and writes nothing anywhere.
type Reader interface {
	Provider() hosted.Provider
	// Permissions lists the rights that Read may use.
	Permissions() []Permission
	// Read reads one cluster: its state, and its history as far as it can be read.
	// The error is a *Problem. With one, the Reading has no Spec. A Spec that lacks
	// something is Partial, and Error says what.
	Read(context.Context, Request) (hosted.Reading, error)
}

// Permission is a right that a reader uses.
type Permission struct {
	// Right is the cloud's own name for it ("eks:DescribeCluster"), Call the call
	// that needs it.
	Right string
	Call  string
	// For says what is missing without it; Optional that a reading is usable all
	// the same.
	For      string
	Optional bool
}

// Request is what a reader is asked.
type Request struct {
	// Snapshot is the cluster as Rancher's objects tell; its Config names the cloud's
	// cluster and the region. It is not changed.
	Snapshot *hosted.Snapshot
	// Credential is Rancher's own for this cluster; nil means the user's login.
	Credential *Credential
	// Since is how far back the history is wanted, by the cloud's clock; zero means
	// none. Updates that began earlier are told too while they are under way.
	Since time.Time
	// Who asks for the audit trail as well, which is slow and needs further rights.
	Who bool
}

// Credential is what Rancher keeps to log in to a cloud: the data of its secret by
// key, and the secret's annotations. It prints as its name and never as its data.
type Credential struct {
	// Name is namespace and name of the secret.
	Name        string
	Data        map[string]string
	Annotations map[string]string
}

// String names the secret.
func (c *Credential) String() string { return "secret " + c.Name }

// GoString names the secret.
func (c *Credential) GoString() string { return c.String() }

// MarshalJSON names the secret.
func (c *Credential) MarshalJSON() ([]byte, error) { return []byte(`"(secret)"`), nil }
