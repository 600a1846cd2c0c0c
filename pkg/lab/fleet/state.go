package fleet

// State is what is going on with a cluster of the demo.
type State string

// The states.
const (
	// InSync: everything is managed, and every copy agrees with the cloud.
	InSync State = "in-sync"
	// Unmanaged: imported, the Config holds nothing but identity.
	Unmanaged State = "unmanaged"
	// Armed: a managed field was changed in the cloud, Rancher is at rest.
	Armed State = "armed"
	// Firing: the same, while the operator is at work on an edit.
	Firing State = "firing"
	// PoolAtRisk: a pool was created in the cloud and is not in the Config yet.
	PoolAtRisk State = "pool-at-risk"
	// Frozen: an edit failed days ago, and its Config still waits to be enforced.
	Frozen State = "frozen"
	// Autoscaled: an autoscaler moves a managed size.
	Autoscaled State = "autoscaled"
	// BlankTags: null in the Config does not protect the cloud from a full update.
	BlankTags State = "blank-tags"
	// EmptyUpdate: a zonal GKE cluster without locations fails at every reconcile.
	EmptyUpdate State = "empty-update"
	// Flapping: an autoscaled ACK pool keeps the operator busy with nothing.
	Flapping State = "flapping"
	// BrokenAnnotation: the refresh annotation is no number.
	BrokenAnnotation State = "broken-annotation"
	// FutureAnnotation: the refresh annotation lies ahead.
	FutureAnnotation State = "future-annotation"
	// Cosmetic: two spellings of the same, which two writers fight about.
	Cosmetic State = "cosmetic"
	// NotHosted: a cluster that Rancher provisioned itself.
	NotHosted State = "not-hosted"
	// Management: the management cluster.
	Management State = "local"
)
