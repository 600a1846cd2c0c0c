package ack

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rancher/muchang/utils/tea"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/ack"
)

// untold are the fields that no answer tells: the reading copies them from the
// Config, or leaves them alone. One zone is told, and it is only one of them.
var untold = []string{"imported", "alibabaCredentialSecret", "isEnterpriseSecurityGroup", "zoneIds", "addons"}

// truth is the cluster as it is, in the Config's words: the operator's own view,
// read without the Config from which it would copy. It also returns the sources of
// its fields. What Alibaba Cloud does not tell is left out, and so is a node pool
// that is being deleted: it is on its way to what the truth says.
func (s *state) truth(cloud ack.Cloud, at place) (map[string]any, map[string]string, error) {
	if s.pools == nil {
		doc, err := cloud.Document()
		if err != nil {
			return nil, nil, err
		}
		doc["nodePools"] = map[string]any{}
		data, err := json.Marshal(doc)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot write the cluster's document: %w", err)
		}
		if cloud, err = ack.DecodeCloud(data); err != nil {
			return nil, nil, err
		}
	}
	v := ack.Read(ack.Input{ClusterID: at.id, Cloud: cloud, Config: map[string]any{
		"clusterId": at.id, "regionId": at.region, "alibabaCredentialSecret": "unused"}})
	if v.Error != "" {
		return nil, nil, errors.New(v.Error)
	}
	t, from := v.Operator, sources()
	if s.pools == nil {
		delete(t, "nodePools")
		dropPools(from)
	} else {
		t["nodePools"] = s.living(hosted.List(t["nodePools"]))
	}
	for _, key := range untold {
		delete(t, key)
	}
	s.endpoint(t)
	s.podSwitches(t)
	return t, from, nil
}

// living leaves out the node pools that are being deleted. The list is never null:
// a cluster without node pools has none.
func (s *state) living(seen []any) []any {
	out := []any{}
	for i, item := range seen {
		if poolState(s.pools.Nodepools[i]) != "deleting" {
			out = append(out, item)
		}
	}
	return out
}

// endpoint tells whether the API server has an address on the Internet. Rancher
// looks for the member only, which may be there and empty.
func (s *state) endpoint(t map[string]any) {
	delete(t, "endpointPublicAccess")
	text := tea.StringValue(s.cluster.MasterUrl)
	if text == "" {
		return
	}
	var urls struct {
		Public string `json:"api_server_endpoint"`
	}
	if json.Unmarshal([]byte(text), &urls) == nil {
		t["endpointPublicAccess"] = urls.Public != ""
	}
}

// podSwitches drops a list that Rancher has read only as far as it could.
func (s *state) podSwitches(t map[string]any) {
	var ids []string
	if json.Unmarshal([]byte(tea.StringValue(s.cluster.Parameters["PodVswitchIds"])), &ids) != nil {
		delete(t, "podVswitchIds")
	}
}
