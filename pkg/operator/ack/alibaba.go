package ack

import (
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// Operations, as Alibaba Cloud's API names them.
const (
	opDetail      = "DescribeClusterDetail"
	opPools       = "DescribeClusterNodePools"
	opNodes       = "DescribeClusterNodes"
	opTask        = "DescribeTaskInfo"
	opKubeconfig  = "DescribeClusterUserKubeconfig"
	opCreate      = "CreateCluster"
	opUpgrade     = "UpgradeCluster"
	opPoolCreate  = "CreateClusterNodePool"
	opPoolModify  = "ModifyClusterNodePool"
	opPoolDelete  = "DeleteClusterNodepool"
	opRemoveNodes = "RemoveNodePoolNodes"
)

// alibaba is the cloud as the operator's client meets it: it answers reads,
// takes writes, and fails where a fault says so.
type alibaba struct {
	cloud  answers
	faults *operator.Faults
	calls  []operator.Call
}

// apiError is a failed call as the SDK words it (rancher/muchang v0.1.1,
// utils/tea, SDKError).
type apiError struct {
	status        int
	code, message string
}

// requestID stands for the id that each request gets.
const requestID = "-"

func (e *apiError) Error() string {
	data := hosted.Canonical(map[string]any{"code": e.code, "message": e.message, "requestId": requestID})
	return fmt.Sprintf("SDKError:\n   StatusCode: %d\n   Code: %s\n   Message: code: %d, %s request id: %s\n   Data: %s\n",
		e.status, e.code, e.status, e.message, requestID, data)
}

// ask sends a request that changes nothing. empty is set when the answer has no
// body.
func (a *alibaba) ask(op, target string) (empty bool, err error) {
	f := a.faults.Strike(op, target)
	switch {
	case f == nil:
		return false, nil
	case f.Empty:
		return true, nil
	}
	return false, &apiError{f.Answer(), f.Code, f.Message}
}

func clusterTarget(id string) string { return "clusters/" + id }

func poolsTarget(id string) string { return clusterTarget(id) + "/nodepools" }

func poolTarget(id, pool string) string { return poolsTarget(id) + "/" + pool }

// find tells whether there is a cluster of that id.
func (a *alibaba) find(id string) error {
	if c := a.cloud.Cluster; c == nil || c.ID != nil && *c.ID != id {
		return &apiError{404, "ErrorClusterNotFound", "ErrorClusterNotFound: cluster " + id + " is not found"}
	}
	return nil
}

// detail is DescribeClusterDetail; nil is an answer without a body.
func (a *alibaba) detail(id string) (*cluster, error) {
	empty, err := a.ask(opDetail, clusterTarget(id))
	if empty || err != nil {
		return nil, err
	}
	if err := a.find(id); err != nil {
		return nil, err
	}
	return a.cloud.Cluster, nil
}

// pools is DescribeClusterNodePools; nil is an answer without a body.
func (a *alibaba) pools(id string) (*poolList, error) {
	empty, err := a.ask(opPools, poolsTarget(id))
	if empty || err != nil {
		return nil, err
	}
	if err := a.find(id); err != nil {
		return nil, err
	}
	return a.cloud.NodePools, nil
}

// nodes is DescribeClusterNodes for one pool; nil is an answer without a body.
func (a *alibaba) nodes(id, pool string) (*nodeList, error) {
	empty, err := a.ask(opNodes, poolTarget(id, pool))
	if empty || err != nil {
		return nil, err
	}
	if l := a.cloud.Nodes[pool]; l != nil {
		return l, nil
	}
	return &nodeList{}, nil
}

// task is DescribeTaskInfo; nil is an answer without a body.
func (a *alibaba) task(id string) (*task, error) {
	empty, err := a.ask(opTask, "tasks/"+id)
	if empty || err != nil {
		return nil, err
	}
	return a.cloud.Task, nil
}

// kubeconfig is DescribeClusterUserKubeconfig, whose answer does not matter here.
func (a *alibaba) kubeconfig(id string) error {
	empty, err := a.ask(opKubeconfig, "k8s/"+id+"/user_config")
	if empty {
		return errNil
	}
	return err
}

// write sends a request, records it and, if it succeeds, applies it. empty is
// set when the answer has no body.
func (a *alibaba) write(op, target string, body any, cause operator.Call, apply func()) (empty bool, err error) {
	c := cause
	c.Op, c.Target = op, target
	if c.Effect == "" {
		c.Effect = operator.Update
	}
	if c.Fields == nil {
		c.Fields = []string{}
	}
	if body != nil {
		if c.Input, err = jsonBody(body); err != nil {
			return false, err
		}
	}
	failed := a.faults.Strike(op, target)
	if failed != nil && !failed.Empty {
		c.Error, c.HTTPStatus = failed.Code, failed.Answer()
		a.calls = append(a.calls, c)
		return false, &apiError{failed.Answer(), failed.Code, failed.Message}
	}
	a.calls = append(a.calls, c)
	apply()
	return failed != nil, nil
}

// Bodies of requests that are no nodePool.
type (
	upgradeBody struct {
		NextVersion *string `json:"next_version,omitempty"`
	}
	// removeBody is sent in the query of the request.
	removeBody struct {
		InstanceIDs []string `json:"instance_ids,omitempty"`
	}
	clusterBody struct {
		Name                      *string      `json:"name,omitempty"`
		ClusterType               *string      `json:"cluster_type,omitempty"`
		ClusterSpec               *string      `json:"cluster_spec,omitempty"`
		RegionID                  *string      `json:"region_id,omitempty"`
		KubernetesVersion         *string      `json:"kubernetes_version,omitempty"`
		VpcID                     *string      `json:"vpcid,omitempty"`
		ContainerCidr             *string      `json:"container_cidr,omitempty"`
		ServiceCidr               *string      `json:"service_cidr,omitempty"`
		NodeCidrMask              *string      `json:"node_cidr_mask,omitempty"`
		SnatEntry                 *bool        `json:"snat_entry,omitempty"`
		ProxyMode                 *string      `json:"proxy_mode,omitempty"`
		EndpointPublicAccess      *bool        `json:"endpoint_public_access,omitempty"`
		SecurityGroupID           *string      `json:"security_group_id,omitempty"`
		Addons                    []*addonBody `json:"addons,omitempty"`
		PodVswitchIDs             []string     `json:"pod_vswitch_ids,omitempty"`
		ResourceGroupID           *string      `json:"resource_group_id,omitempty"`
		VswitchIDs                []string     `json:"vswitch_ids,omitempty"`
		IsEnterpriseSecurityGroup *bool        `json:"is_enterprise_security_group,omitempty"`
	}
	addonBody struct {
		Name   *string `json:"name,omitempty"`
		Config *string `json:"config,omitempty"`
	}
)
