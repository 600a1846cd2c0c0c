package lab

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

const managementGroup = "management.cattle.io"

// Resource is one kind of object that the server knows.
type Resource struct {
	Group, Version, Kind, Plural, Singular string
	ShortNames                             []string
	Namespaced                             bool
	// Status: the status is a subresource, which changes separately.
	Status bool
}

// Resources returns what a Rancher of version 2.15 has and this program looks at
// (rancher/rancher, pkg/crds/dashboard; the operators' charts).
func Resources() []Resource {
	out := []Resource{
		{Group: managementGroup, Version: "v3", Kind: "Cluster", Plural: "clusters", Singular: "cluster", Status: true},
		{Group: managementGroup, Version: "v3", Kind: "Setting", Plural: "settings", Singular: "setting"},
	}
	for _, p := range hosted.Providers() {
		out = append(out, Resource{
			Group: p.CRGroup(), Version: "v1", Kind: p.CRKind(), Plural: p.CRResource(),
			Singular: strings.ToLower(p.CRKind()), ShortNames: []string{strings.TrimSuffix(p.CRGroup(), ".cattle.io") + "cc"},
			Namespaced: true, Status: true,
		})
	}
	return append(out, Resource{
		Group: "apps", Version: "v1", Kind: "Deployment", Plural: "deployments", Singular: "deployment",
		ShortNames: []string{"deploy"}, Namespaced: true, Status: true,
	})
}

func (r Resource) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: r.Group, Resource: r.Plural}
}

func (r Resource) groupKind() schema.GroupKind { return schema.GroupKind{Group: r.Group, Kind: r.Kind} }

func (r Resource) apiVersion() string { return r.Group + "/" + r.Version }

// table names the Store's table of the resource.
func (r Resource) table() string { return r.Plural + "." + r.Group }

// Ref addresses one object. Namespace is "" for a resource without namespaces.
type Ref struct {
	Resource        Resource
	Namespace, Name string
}

// key orders objects as the real server's database does.
func (r Ref) key() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// refOf addresses an object by what it says of itself.
func refOf(resources []Resource, obj map[string]any) (Ref, bool) {
	meta := hosted.Map(obj["metadata"])
	for _, r := range resources {
		if hosted.Str(obj["kind"]) == r.Kind && hosted.Str(obj["apiVersion"]) == r.apiVersion() {
			return Ref{r, hosted.Str(meta["namespace"]), hosted.Str(meta["name"])}, true
		}
	}
	return Ref{}, false
}
