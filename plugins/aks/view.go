package aks

import (
	"context"
	"errors"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/containerservice/armcontainerservice/v8"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/aks"
)

// state reads the cluster with all its agent pools, as the API's document.
func (s *session) state(ctx context.Context, t target) (aks.Cloud, *live.Problem) {
	client, err := armcontainerservice.NewManagedClustersClient(t.subscription, s.login, s.options)
	if err != nil {
		return aks.Cloud{}, problemOf(ctx, callState, err)
	}
	answer, err := client.Get(ctx, t.group, t.name, nil)
	if err != nil {
		return aks.Cloud{}, problemOf(ctx, callState, err)
	}
	c, err := decode(answer.ManagedCluster)
	if err != nil {
		return aks.Cloud{}, &live.Problem{Kind: live.Garbled, Call: callState, Text: live.OneLine(err.Error()), Fix: fixGarbled, Err: err}
	}
	c.Endpoints = aks.EndpointsOf(t.environment)
	return c, nil
}

func decode(m armcontainerservice.ManagedCluster) (aks.Cloud, error) {
	text, err := m.MarshalJSON()
	if err != nil {
		return aks.Cloud{}, err
	}
	c, err := aks.DecodeCloud(text)
	if err != nil {
		return aks.Cloud{}, err
	}
	doc := c.Document()
	if doc["id"] == nil && doc["name"] == nil && doc["properties"] == nil {
		return aks.Cloud{}, errors.New("the answer is not a cluster's")
	}
	return c, nil
}

// viewOf is what Rancher's refresher makes of the cluster, or why it fails over it.
func viewOf(c aks.Cloud, config map[string]any) (map[string]any, *live.Problem) {
	v := aks.Read(aks.Input{Config: config, Cloud: c})
	if v.Error == "" {
		return v.Rancher, nil
	}
	return nil, &live.Problem{Kind: live.Unsupported, Call: callState, Err: errors.New(v.Error),
		Text: "the cluster was read, but Rancher's own reading of it fails: " + live.OneLine(v.Error),
		Fix:  "Rancher keeps its old copy of this cluster until that is repaired"}
}
