package hosted

import "strings"

// Provider names a hosted Kubernetes service by the string that Rancher writes
// into a Cluster's status.driver.
type Provider string

// The four hosted providers, in the order in which Rancher looks for their
// Config in a Cluster (rancher/rancher,
// pkg/controllers/management/clusterupstreamrefresher, getProviderAndReadyStatus):
// with more than one Config present the first decides.
const (
	AKS Provider = "AKS"
	EKS Provider = "EKS"
	GKE Provider = "GKE"
	ACK Provider = "Alibaba"
	// None is the provider of a cluster without any hosted Config.
	None Provider = ""
)

// Providers lists the four providers in Rancher's order of precedence.
func Providers() []Provider { return []Provider{AKS, EKS, GKE, ACK} }

// String is the name shown to people: the service's own.
func (p Provider) String() string {
	if p == ACK {
		return "ACK"
	}
	return string(p)
}

// ParseProvider accepts the service's name, Rancher's driver name or the key
// prefix, in any case.
func ParseProvider(s string) (Provider, bool) {
	switch strings.ToLower(s) {
	case "aks":
		return AKS, true
	case "eks":
		return EKS, true
	case "gke":
		return GKE, true
	case "ack", "ali", "alibaba":
		return ACK, true
	}
	return None, false
}

func (p Provider) prefix() string {
	if p == ACK {
		return "ali"
	}
	return strings.ToLower(string(p))
}

// ConfigKey is the Config's key below a Cluster's spec and status.appliedSpec,
// for example "eksConfig".
func (p Provider) ConfigKey() string { return p.prefix() + "Config" }

// StatusKey is the key below a Cluster's status that holds upstreamSpec, for
// example "eksStatus".
func (p Provider) StatusKey() string { return p.prefix() + "Status" }

// SettingName is the Setting that holds the refresh interval in seconds.
// Rancher builds it from the driver name, so ACK's is "alibaba-refresh".
func (p Provider) SettingName() string { return strings.ToLower(string(p)) + "-refresh" }

// CRKind is the kind of the operator's custom resource, for example
// "EKSClusterConfig".
func (p Provider) CRKind() string {
	if p == ACK {
		return "AliClusterConfig"
	}
	return string(p) + "ClusterConfig"
}

// CRGroup is the API group of the operator's custom resource.
func (p Provider) CRGroup() string { return p.prefix() + ".cattle.io" }

// CRResource is the plural resource name of the operator's custom resource.
func (p Provider) CRResource() string { return strings.ToLower(p.CRKind()) + "s" }

// NodeListKey is the merge unit that holds the provider's node groups or pools.
func (p Provider) NodeListKey() string {
	if p == EKS {
		return "nodeGroups"
	}
	return "nodePools"
}
