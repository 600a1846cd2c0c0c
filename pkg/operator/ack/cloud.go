package ack

import (
	"encoding/json"
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Cloud is what Alibaba Cloud answers about one cluster. The zero value is a
// cluster that does not exist. A Cloud is never changed: applying a call makes a
// new one.
type Cloud struct{ answers answers }

// answers are the bodies of the operator's questions.
type answers struct {
	// Cluster answers DescribeClusterDetail; nil means it does not exist.
	Cluster *cluster `json:"cluster"`
	// NodePools answers DescribeClusterNodePools; nil is an empty answer, which
	// the operator tells from an empty list.
	NodePools *poolList `json:"nodePools"`
	// Nodes answers DescribeClusterNodes for each node pool's id; a pool that is
	// not named has none.
	Nodes map[string]*nodeList `json:"nodes"`
	// Task answers DescribeTaskInfo; nil is an empty answer.
	Task *task `json:"task"`
}

// DecodeCloud reads the answers to the operator's questions, put together as
//
//	{"cluster": …, "nodePools": {"nodepools": […]}, "nodes": {"np1": {"nodes": […]}}, "task": …}
//
// where each value is the body as the API sends it (DescribeClusterDetail,
// DescribeClusterNodePools, DescribeClusterNodes for each pool, and
// DescribeTaskInfo). null, or a null cluster, is a cluster that does not exist.
// Members that the operator does not look at are dropped; a member of the wrong
// type is an error that names it.
func DecodeCloud(data []byte) (Cloud, error) {
	var c Cloud
	if err := json.Unmarshal(data, &c.answers); err != nil {
		return Cloud{}, fmt.Errorf("the cluster's answers cannot be read: %w", err)
	}
	return c, nil
}

// Exists tells whether there is a cluster.
func (c Cloud) Exists() bool { return c.answers.Cluster != nil }

// Document returns the answers in DecodeCloud's form.
func (c Cloud) Document() (map[string]any, error) {
	v, err := jsonBody(c.answers)
	return hosted.Map(v), err
}

// jsonBody is a value as the SDK sends it: null pointers and empty lists are
// left out, zeros behind a pointer are kept.
func jsonBody(v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot write a request: %w", err)
	}
	return hosted.Decode(data)
}

// States of clusters and of node pools that matter here.
const (
	stateRunning = "running"
	stateFailed  = "failed"

	poolActive   = "active"
	poolDeleting = "deleting"
)

// States of an upgrade task.
const (
	taskRunning = "running"
	taskFailed  = "fail"
	taskSuccess = "success"
)

// cluster is the body of DescribeClusterDetail (rancher/muchang v0.1.1,
// cs/client), reduced to what the operator reads.
type cluster struct {
	ID              *string            `json:"cluster_id,omitempty"`
	Name            *string            `json:"name,omitempty"`
	State           *string            `json:"state,omitempty"`
	Type            *string            `json:"cluster_type,omitempty"`
	Spec            *string            `json:"cluster_spec,omitempty"`
	CurrentVersion  *string            `json:"current_version,omitempty"`
	RegionID        *string            `json:"region_id,omitempty"`
	ZoneID          *string            `json:"zone_id,omitempty"`
	VpcID           *string            `json:"vpc_id,omitempty"`
	VswitchIDs      []*string          `json:"vswitch_ids,omitempty"`
	ContainerCidr   *string            `json:"container_cidr,omitempty"`
	ServiceCidr     *string            `json:"service_cidr,omitempty"`
	NodeCidrMask    *string            `json:"node_cidr_mask,omitempty"`
	ProxyMode       *string            `json:"proxy_mode,omitempty"`
	SecurityGroupID *string            `json:"security_group_id,omitempty"`
	ResourceGroupID *string            `json:"resource_group_id,omitempty"`
	MasterURL       *string            `json:"master_url,omitempty"`
	Parameters      map[string]*string `json:"parameters,omitempty"`
}

// task is the body of DescribeTaskInfo.
type task struct {
	State *string    `json:"state,omitempty"`
	Error *taskError `json:"error,omitempty"`
}

type taskError struct {
	Message *string `json:"message,omitempty"`
}

// nodeList is the body of DescribeClusterNodes.
type nodeList struct {
	Nodes []*node `json:"nodes,omitempty"`
}

type node struct {
	InstanceID *string `json:"instance_id,omitempty"`
}

// poolList is the body of DescribeClusterNodePools.
type poolList struct {
	Nodepools []*nodePool `json:"nodepools,omitempty"`
}

// nodePool is one node pool of that answer, and the body of
// CreateClusterNodePool and ModifyClusterNodePool.
type nodePool struct {
	AutoScaling      *autoScaling      `json:"auto_scaling,omitempty"`
	KubernetesConfig *kubernetesConfig `json:"kubernetes_config,omitempty"`
	NodepoolInfo     *poolInfo         `json:"nodepool_info,omitempty"`
	ScalingGroup     *scalingGroup     `json:"scaling_group,omitempty"`
	Status           *poolStatus       `json:"status,omitempty"`
}

type autoScaling struct {
	Enable       *bool   `json:"enable,omitempty"`
	MaxInstances *int64  `json:"max_instances,omitempty"`
	MinInstances *int64  `json:"min_instances,omitempty"`
	Type         *string `json:"type,omitempty"`
}

type kubernetesConfig struct {
	Runtime        *string `json:"runtime,omitempty"`
	RuntimeVersion *string `json:"runtime_version,omitempty"`
}

type poolInfo struct {
	ID              *string `json:"nodepool_id,omitempty"`
	Name            *string `json:"name,omitempty"`
	ResourceGroupID *string `json:"resource_group_id,omitempty"`
}

type poolStatus struct {
	State *string `json:"state,omitempty"`
}

type scalingGroup struct {
	AutoRenew          *bool       `json:"auto_renew,omitempty"`
	AutoRenewPeriod    *int64      `json:"auto_renew_period,omitempty"`
	DataDisks          []*dataDisk `json:"data_disks,omitempty"`
	DesiredSize        *int64      `json:"desired_size,omitempty"`
	ImageID            *string     `json:"image_id,omitempty"`
	ImageType          *string     `json:"image_type,omitempty"`
	InstanceChargeType *string     `json:"instance_charge_type,omitempty"`
	InstanceTypes      []*string   `json:"instance_types,omitempty"`
	KeyPair            *string     `json:"key_pair,omitempty"`
	Period             *int64      `json:"period,omitempty"`
	PeriodUnit         *string     `json:"period_unit,omitempty"`
	SystemDiskCategory *string     `json:"system_disk_category,omitempty"`
	SystemDiskSize     *int64      `json:"system_disk_size,omitempty"`
	VswitchIDs         []*string   `json:"vswitch_ids,omitempty"`
}

type dataDisk struct {
	Category             *string `json:"category,omitempty"`
	Size                 *int64  `json:"size,omitempty"`
	Encrypted            *string `json:"encrypted,omitempty"`
	AutoSnapshotPolicyID *string `json:"auto_snapshot_policy_id,omitempty"`
}
