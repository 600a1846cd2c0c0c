package rancher

import (
	"net/url"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rawjson"
)

// GlobalNamespace is where Rancher keeps the operators' resources and cloud
// credentials (rancher/rancher, pkg/namespace).
const GlobalNamespace = "cattle-global-data"

// SystemNamespace is where Rancher runs its own parts, the operators among them
// (rancher/rancher, pkg/namespace).
const SystemNamespace = "cattle-system"

// ManagementGroup is the API group by which a management cluster is recognised.
const ManagementGroup = "management.cattle.io"

// Resource is one of the resources that the client works on.
type Resource struct {
	Group, Version, Plural, Kind string
	// Namespace is "" for a cluster-scoped resource.
	Namespace string

	filter *rawjson.Filter
}

// Clusters is Rancher's Cluster, one object for each cluster it manages.
func Clusters() Resource {
	return Resource{ManagementGroup, "v3", "clusters", "Cluster", "", hosted.ClusterFilter()}
}

// Settings is Rancher's Setting.
func Settings() Resource {
	return Resource{ManagementGroup, "v3", "settings", "Setting", "", hosted.SettingFilter()}
}

// OperatorResources is the resource of a provider's operator.
func OperatorResources(p hosted.Provider) Resource {
	return Resource{p.CRGroup(), "v1", p.CRResource(), p.CRKind(), GlobalNamespace, hosted.ResourceFilter()}
}

// Deployments is where the operators run.
func Deployments() Resource {
	return Resource{"apps", "v1", "deployments", "Deployment", SystemNamespace, hosted.DeploymentFilter()}
}

// String is the name by which RBAC and kubectl know the resource, for example
// "clusters.management.cattle.io".
func (r Resource) String() string { return r.Plural + "." + r.Group }

// path is the resource's place below the server's address; a name appends one
// object.
func (r Resource) path(name string) []string {
	out := []string{"apis", r.Group, r.Version}
	if r.Namespace != "" {
		out = append(out, "namespaces", r.Namespace)
	}
	out = append(out, r.Plural)
	if name != "" {
		out = append(out, url.PathEscape(name))
	}
	return out
}
