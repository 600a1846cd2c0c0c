package gke

import (
	"encoding/json"
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Cloud is what Google Cloud answers about one cluster. The zero value is a
// cluster that does not exist. A Cloud is never changed: applying a call makes a
// new one.
type Cloud struct {
	cluster *cluster
	// Omitted says what a member means that a request for a node pool's
	// autoscaling or management leaves out.
	Omitted Omission
}

// Omission is what a member left out of nodePools.setAutoscaling or
// nodePools.setManagement means. The operator's client leaves out what is false
// or 0. Which one holds is not settled; in both, leaving out autoscaling's
// enabled switches autoscaling off.
type Omission int

// The two readings.
const (
	// OmittedUnchanged keeps the value.
	OmittedUnchanged Omission = iota
	// OmittedZero sets it to false or 0.
	OmittedZero
)

// Exists tells whether there is a cluster.
func (c Cloud) Exists() bool { return c.cluster != nil }

// Document returns the cluster as the Go client would write it: the members that
// matter to the operator, without those of zero value; nil if there is none.
func (c Cloud) Document() (map[string]any, error) {
	if c.cluster == nil {
		return nil, nil
	}
	v, err := jsonBody(c.cluster)
	return hosted.Map(v), err
}

// DecodeCloud reads the body of projects.locations.clusters.get; null is a
// cluster that does not exist. Members that the operator does not look at are
// dropped; a member of the wrong type is an error that names it.
func DecodeCloud(data []byte) (Cloud, error) {
	var c *cluster
	if err := json.Unmarshal(data, &c); err != nil {
		return Cloud{}, fmt.Errorf("the cluster's answer cannot be read: %w", err)
	}
	return Cloud{cluster: c}, nil
}

// jsonBody is a value as the Go client sends it: members of zero value are left
// out, an empty object behind a pointer is kept.
func jsonBody(v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot write a request: %w", err)
	}
	return hosted.Decode(data)
}

// States that the operator tells apart, of clusters and of node pools.
const (
	stateRunning      = "RUNNING"
	stateReconciling  = "RECONCILING"
	stateProvisioning = "PROVISIONING"
	stateStopping     = "STOPPING"
	stateError        = "ERROR"
)

// cluster is Cluster of Google's container/v1, reduced to what the operator
// reads or sends. The same type is the body of a creation.
type cluster struct {
	Name                  string              `json:"name,omitempty"`
	Description           string              `json:"description,omitempty"`
	Status                string              `json:"status,omitempty"`
	Endpoint              string              `json:"endpoint,omitempty"`
	MasterAuth            *masterAuth         `json:"masterAuth,omitempty"`
	InitialClusterVersion string              `json:"initialClusterVersion,omitempty"`
	CurrentMasterVersion  string              `json:"currentMasterVersion,omitempty"`
	EnableKubernetesAlpha bool                `json:"enableKubernetesAlpha,omitempty"`
	ClusterIpv4Cidr       string              `json:"clusterIpv4Cidr,omitempty"`
	LoggingService        string              `json:"loggingService,omitempty"`
	MonitoringService     string              `json:"monitoringService,omitempty"`
	Network               string              `json:"network,omitempty"`
	Subnetwork            string              `json:"subnetwork,omitempty"`
	Locations             []string            `json:"locations,omitempty"`
	ResourceLabels        map[string]string   `json:"resourceLabels,omitempty"`
	LabelFingerprint      string              `json:"labelFingerprint,omitempty"`
	NetworkPolicy         *networkPolicy      `json:"networkPolicy,omitempty"`
	AddonsConfig          *addonsConfig       `json:"addonsConfig,omitempty"`
	PrivateClusterConfig  *privateConfig      `json:"privateClusterConfig,omitempty"`
	IPAllocationPolicy    *ipAllocation       `json:"ipAllocationPolicy,omitempty"`
	AuthorizedNetworks    *authorizedNetworks `json:"masterAuthorizedNetworksConfig,omitempty"`
	MaintenancePolicy     *maintenancePolicy  `json:"maintenancePolicy,omitempty"`
	Autopilot             *switchedOn         `json:"autopilot,omitempty"`
	NodePools             []*nodePool         `json:"nodePools,omitempty"`
}

type masterAuth struct {
	ClusterCaCertificate string `json:"clusterCaCertificate,omitempty"`
}

type networkPolicy struct {
	Enabled  bool   `json:"enabled,omitempty"`
	Provider string `json:"provider,omitempty"`
}

// switchedOn and switchedOff are the two ways in which Google writes a switch.
type (
	switchedOn struct {
		Enabled bool `json:"enabled,omitempty"`
	}
	switchedOff struct {
		Disabled bool `json:"disabled,omitempty"`
	}
)

type addonsConfig struct {
	HTTPLoadBalancing        *switchedOff `json:"httpLoadBalancing,omitempty"`
	HorizontalPodAutoscaling *switchedOff `json:"horizontalPodAutoscaling,omitempty"`
	NetworkPolicyConfig      *switchedOff `json:"networkPolicyConfig,omitempty"`
}

type privateConfig struct {
	EnablePrivateEndpoint bool   `json:"enablePrivateEndpoint,omitempty"`
	EnablePrivateNodes    bool   `json:"enablePrivateNodes,omitempty"`
	MasterIpv4CidrBlock   string `json:"masterIpv4CidrBlock,omitempty"`
}

type ipAllocation struct {
	ClusterIpv4CidrBlock       string `json:"clusterIpv4CidrBlock,omitempty"`
	ClusterSecondaryRangeName  string `json:"clusterSecondaryRangeName,omitempty"`
	CreateSubnetwork           bool   `json:"createSubnetwork,omitempty"`
	NodeIpv4CidrBlock          string `json:"nodeIpv4CidrBlock,omitempty"`
	ServicesIpv4CidrBlock      string `json:"servicesIpv4CidrBlock,omitempty"`
	ServicesSecondaryRangeName string `json:"servicesSecondaryRangeName,omitempty"`
	SubnetworkName             string `json:"subnetworkName,omitempty"`
	UseIPAliases               bool   `json:"useIpAliases,omitempty"`
}

type authorizedNetworks struct {
	Enabled    bool         `json:"enabled,omitempty"`
	CidrBlocks []*cidrBlock `json:"cidrBlocks,omitempty"`
}

type cidrBlock struct {
	CidrBlock   string `json:"cidrBlock,omitempty"`
	DisplayName string `json:"displayName,omitempty"`
}

type maintenancePolicy struct {
	Window *maintenanceWindow `json:"window,omitempty"`
}

type maintenanceWindow struct {
	DailyMaintenanceWindow *dailyWindow `json:"dailyMaintenanceWindow,omitempty"`
}

type dailyWindow struct {
	StartTime string `json:"startTime,omitempty"`
}

// nodePool is NodePool of container/v1.
type nodePool struct {
	Name              string          `json:"name,omitempty"`
	Status            string          `json:"status,omitempty"`
	Version           string          `json:"version,omitempty"`
	InitialNodeCount  int64           `json:"initialNodeCount,omitempty"`
	Config            *nodeConfig     `json:"config,omitempty"`
	Autoscaling       *autoscaling    `json:"autoscaling,omitempty"`
	Management        *management     `json:"management,omitempty"`
	MaxPodsConstraint *podsConstraint `json:"maxPodsConstraint,omitempty"`
}

type nodeConfig struct {
	BootDiskKmsKey string            `json:"bootDiskKmsKey,omitempty"`
	DiskSizeGb     int64             `json:"diskSizeGb,omitempty"`
	DiskType       string            `json:"diskType,omitempty"`
	ImageType      string            `json:"imageType,omitempty"`
	Labels         map[string]string `json:"labels,omitempty"`
	LocalSsdCount  int64             `json:"localSsdCount,omitempty"`
	MachineType    string            `json:"machineType,omitempty"`
	OauthScopes    []string          `json:"oauthScopes,omitempty"`
	Preemptible    bool              `json:"preemptible,omitempty"`
	Tags           []string          `json:"tags,omitempty"`
	Taints         []*nodeTaint      `json:"taints,omitempty"`
	ServiceAccount string            `json:"serviceAccount,omitempty"`
}

type nodeTaint struct {
	Effect string `json:"effect,omitempty"`
	Key    string `json:"key,omitempty"`
	Value  string `json:"value,omitempty"`
}

type autoscaling struct {
	Enabled      bool  `json:"enabled,omitempty"`
	MaxNodeCount int64 `json:"maxNodeCount,omitempty"`
	MinNodeCount int64 `json:"minNodeCount,omitempty"`
}

type management struct {
	AutoRepair  bool `json:"autoRepair,omitempty"`
	AutoUpgrade bool `json:"autoUpgrade,omitempty"`
}

// podsConstraint's number is 64 bits wide, which Google writes as a string.
type podsConstraint struct {
	MaxPodsPerNode int64 `json:"maxPodsPerNode,omitempty,string"`
}
