package ack

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback/alibaba"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start is when the reader's clock stands.
var start = time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)

// The login of the tests.
const (
	plantedID  = "PLANTEDKEYID"
	plantedKey = "planted-access-key-secret"
)

// rig is the cloud with a reader in front of it that logs in with Rancher's secret.
type rig struct {
	t      *testing.T
	cloud  *alibaba.Cloud
	reader *Reader
	login  *live.Credential
	env    map[string]string
}

func newRig(t *testing.T, change ...func(*Options)) *rig {
	t.Helper()
	cloud := alibaba.Start()
	cloud.Accept(plantedID, "")
	r := &rig{t: t, cloud: cloud, env: map[string]string{}, login: &live.Credential{
		Name: "cattle-global-data:cc-demo1", Data: map[string]string{secretID: plantedID, secretKey: plantedKey}}}
	o := Options{
		Now: func() time.Time { return start }, Getenv: func(k string) string { return r.env[k] },
		Endpoint: cloud.Endpoint(), Plain: true, HTTPClient: cloud.Client(), Timeout: 10 * time.Second, Pause: -1,
	}
	for _, c := range change {
		c(&o)
	}
	r.reader = New(o)
	t.Cleanup(func() {
		if err := r.reader.Close(); err != nil {
			t.Error(err)
		}
		o.HTTPClient.CloseIdleConnections()
		cloud.Close()
	})
	return r
}

func demoConfig() map[string]any {
	return map[string]any{
		"clusterId": "c123", "regionId": "cn-hangzhou", "clusterName": "old-name", "imported": true,
		"alibabaCredentialSecret": "cattle-global-data:cc-demo1", "zoneIds": []any{"cn-hangzhou-a", "cn-hangzhou-b"},
		"isEnterpriseSecurityGroup": true, "endpointPublicAccess": true,
	}
}

func (r *rig) request() live.Request {
	return live.Request{
		Snapshot:   &hosted.Snapshot{Name: "c-abcde", Provider: hosted.ACK, Config: demoConfig()},
		Credential: r.login, Since: start.Add(-time.Hour),
	}
}

func (r *rig) read() (hosted.Reading, error) {
	return r.reader.Read(context.Background(), r.request())
}

func (r *rig) must(q live.Request) hosted.Reading {
	r.t.Helper()
	got, err := r.reader.Read(context.Background(), q)
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

// put places the cluster of demoConfig with other members.
func (r *rig) put(detail, pools string) {
	r.cloud.Put("c123", &alibaba.Cluster{Detail: json.RawMessage(detail), NodePools: json.RawMessage(pools)})
}

const (
	demoDetail = `{"cluster_id": "c123", "name": "demo-a", "region_id": "cn-hangzhou", "zone_id": "cn-hangzhou-a", "state": "running",
 "current_version": "1.33.3-aliyun.1", "updated": "2026-01-02T02:30:00Z", "node_cidr_mask": "26", "vswitch_ids": ["vsw-1"],
 "master_url": "{\"api_server_endpoint\":\"\",\"intranet_api_server_endpoint\":\"https://192.0.2.9:6443\"}",
 "parameters": {"SNatEntry": "True", "PodVswitchIds": "[\"vsw-3\"]"}}`
	demoPools = `{"nodepools": [
 {"nodepool_info": {"name": "gone", "nodepool_id": "np-0", "updated": "2026-01-02T02:50:00Z"}, "scaling_group": {"desired_size": 1}, "status": {"state": "deleting"}},
 {"nodepool_info": {"name": "workers", "nodepool_id": "np-1", "updated": "2026-01-02T10:40:00+08:00"},
  "auto_scaling": {"enable": false}, "scaling_group": {"desired_size": 3, "login_password": "planted-password", "instance_types": ["ecs.g7.xlarge"]},
  "status": {"state": "active"}},
 {"nodepool_info": {"name": "old", "nodepool_id": "np-2", "updated": "2025-01-02T10:40:00+08:00"}, "scaling_group": {}, "status": {"state": "active"}}]}`
)
