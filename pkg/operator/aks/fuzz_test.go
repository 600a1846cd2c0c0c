package aks

import (
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// FuzzReconcile: whatever Config and cloud are, the outcome is a value. A crash
// of the operator is told as one and changes nothing, and a view that can be
// read can be rebuilt from itself.
func FuzzReconcile(f *testing.F) {
	base := hosted.Canonical(baseSpec())
	f.Add(base, `{"properties":{"kubernetesVersion":"1.33.2","provisioningState":"Succeeded"}}`, "updating")
	f.Add(base, `{"properties":{"kubernetesVersion":"1.33.2","provisioningState":"Succeeded","agentPoolProfiles":[{"name":"a","vmSize":"s","mode":"User","osType":"Linux","nodeLabels":{"x":null}}],"addonProfiles":{"omsAgent":null},"linuxProfile":{"ssh":{"publicKeys":[null]}}},"identity":{"userAssignedIdentities":{"b":null,"a":{}}}}`, "active")
	f.Add(`{"nodePools":[null],"imported":true,"azureCredentialSecret":":x","clusterName":"a","resourceGroup":"b"}`, `null`, "creating")
	f.Fuzz(func(t *testing.T, config, cluster, phase string) {
		cloud, err := DecodeCloud([]byte(cluster))
		if err != nil {
			return
		}
		c, err := hosted.Decode([]byte(config))
		if err != nil {
			return
		}
		in := Input{Name: fixtureName, Config: hosted.Map(c), Cloud: cloud, Status: map[string]any{"phase": phase}}
		passes, gaveUp := Converge(in, 6)
		last := passes[len(passes)-1]
		if last.Panic != strings.HasPrefix(last.Error, "panic: ") || last.Panic && !gaveUp {
			t.Fatalf("crash told badly: %+v", last)
		}
		v := Read(in)
		if v.Error != "" {
			return
		}
		again, err := FromSpec(v.Rancher, in.Config, nil)
		if err != nil {
			t.Fatalf("no cloud from %s: %v", hosted.Canonical(v.Rancher), err)
		}
		in.Cloud = again
		if got := Read(in); !hosted.Equal(got.Rancher, v.Rancher) {
			t.Fatalf("reads as\n%s, %s\nnot\n%s", hosted.Canonical(got.Rancher), got.Error, hosted.Canonical(v.Rancher))
		}
	})
}
