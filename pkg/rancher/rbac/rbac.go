package rbac

import _ "embed"

var (
	//go:embed read.yaml
	read string
	//go:embed sync.yaml
	sync string
)

// Read is the manifest of the roles named hostedsync-read: a ClusterRole, and one
// Role each in the namespaces of the operators' resources and of the operators.
func Read() string { return read }

// Sync is the manifest of the ClusterRole hostedsync-sync, to be bound beside
// Read's.
func Sync() string { return sync }
