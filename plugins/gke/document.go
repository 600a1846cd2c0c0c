package gke

import (
	"encoding/json"
	"fmt"
	"strings"

	"cloud.google.com/go/container/apiv1/containerpb"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/gke"
)

// view is the cluster as Rancher sees it. unknown says what the library knows only
// by number and Rancher by name, "" if nothing.
func view(s *hosted.Snapshot, c *containerpb.Cluster) (v gke.View, unknown string, err error) {
	doc, err := document(c)
	if err != nil {
		return v, "", err
	}
	unknown = nameNumbers(doc)
	data, err := json.Marshal(doc)
	if err != nil {
		return v, "", fmt.Errorf("cannot write the cluster's document: %w", err)
	}
	cloud, err := gke.DecodeCloud(data)
	if err != nil {
		return v, "", err
	}
	in := gke.Input{Name: s.Name, Config: s.Config, Cloud: cloud}
	if s.CR != nil {
		in.Status = s.CR.Status
	}
	return gke.Read(in), unknown, nil
}

// document is the cluster as Google's REST API writes it: proto3's JSON, in which
// 64-bit numbers are strings, enumerations names, and members without a value are
// left out. Both APIs serve the same messages, and Rancher's operator uses REST.
func document(c *containerpb.Cluster) (map[string]any, error) {
	data, err := protojson.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("cannot write the cluster's document: %w", err)
	}
	v, err := hosted.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("cannot read the cluster's document: %w", err)
	}
	return hosted.Map(v), nil
}

// nameNumbers turns the values of enumerations that are younger than the library,
// and hence numbers, into texts, and says which there are. Only taints matter:
// their effect is part of the view, where REST has its name.
func nameNumbers(doc map[string]any) string {
	var unknown []string
	name := func(m map[string]any, key string) bool {
		n, ok := m[key].(int64)
		if ok {
			m[key] = fmt.Sprintf("UNKNOWN_%d", n)
		}
		return ok
	}
	name(doc, "status")
	name(hosted.Map(doc["networkPolicy"]), "provider")
	for _, np := range hosted.List(doc["nodePools"]) {
		pool := hosted.Map(np)
		name(pool, "status")
		for _, t := range hosted.List(hosted.Map(pool["config"])["taints"]) {
			if taint := hosted.Map(t); name(taint, "effect") {
				unknown = append(unknown, fmt.Sprintf("the effect of taint %s of node pool %s", hosted.Str(taint["key"]), hosted.Str(pool["name"])))
			}
		}
	}
	if unknown == nil {
		return ""
	}
	return "this program is too old to know " + strings.Join(unknown, ", ")
}
