package aks

import "github.com/hostedsync/kubectl-hostedsync/pkg/live"

// Calls as problems and sources name them.
const (
	callState    = "ManagedClusters.Get"
	callActivity = "ActivityLogs.List"
	callGraph    = "ResourceGraph.Resources"
)

// Rights of Azure.
const (
	rightState    = "Microsoft.ContainerService/managedClusters/read"
	rightActivity = "Microsoft.Insights/eventtypes/values/read"
	rightGraph    = "Microsoft.ResourceGraph/resources/read"
)

var permissions = []live.Permission{
	{Right: rightState, Call: callState, For: "without it nothing of the cluster can be read"},
	{Right: rightActivity, Call: callActivity, Optional: true,
		For: "without it there is no history of the last changes; what is under way is still told"},
	{Right: rightGraph, Call: callGraph, Optional: true,
		For: "without it there are no values and names of who changed what, and with your own login the subscription must be named"},
}

// Permissions are the rights of Azure that a reading uses. The built-in role Reader
// has all of them.
func (r *Reader) Permissions() []live.Permission {
	return append([]live.Permission(nil), permissions...)
}

// rightOf is the right that a call needs.
func rightOf(call string) string {
	for _, p := range permissions {
		if p.Call == call {
			return p.Right
		}
	}
	return ""
}
