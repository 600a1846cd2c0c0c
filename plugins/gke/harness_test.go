package gke

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/container/apiv1/containerpb"
	"go.uber.org/goleak"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback/google"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start is when the cloud's clock and the reader's stand.
var start = time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)

const demo = "projects/example-project-1/locations/europe-west1/clusters/demo-a"

// theKey is a private key in the form of a key file, made once: it takes a while.
var theKey = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
})

// keyFile is a service account's key, with some members replaced.
func keyFile(t *testing.T, replace map[string]string) string {
	t.Helper()
	m := map[string]string{
		"type": "service_account", "project_id": "example-project-1", "private_key_id": "planted-key-id-1",
		"private_key": theKey(), "client_email": "reader@example-project-1.iam.gserviceaccount.com",
		"token_uri": "https://oauth2.googleapis.com/token",
	}
	for k, v := range replace {
		m[k] = v
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// secret is Rancher's secret with a key file.
func secret(file string) *live.Credential {
	return &live.Credential{Name: "cattle-global-data:cc-demo1", Data: map[string]string{secretKey: file}}
}

// rig is the cloud with a reader in front of it that logs in with Rancher's secret.
type rig struct {
	t      *testing.T
	cloud  *google.Cloud
	reader *Reader
	login  *live.Credential
}

func newRig(t *testing.T, change ...func(*Options)) *rig {
	t.Helper()
	cloud := google.Start()
	cloud.SetTime(start)
	cloud.Token("planted-token-1")
	o := Options{
		Now: func() time.Time { return start }, Endpoint: cloud.Endpoint(), HTTPClient: cloud.HTTPClient(),
		Client: []option.ClientOption{option.WithGRPCDialOption(grpc.WithTransportCredentials(
			credentials.NewTLS(&tls.Config{RootCAs: cloud.Roots(), MinVersion: tls.VersionTLS12})))},
		Timeout: 10 * time.Second, Pause: time.Millisecond,
	}
	for _, c := range change {
		c(&o)
	}
	r := &rig{t, cloud, New(o), secret(keyFile(t, nil))}
	t.Cleanup(func() {
		if err := r.reader.Close(); err != nil {
			t.Error(err)
		}
		o.HTTPClient.CloseIdleConnections()
		cloud.Close()
	})
	return r
}

// put places a cluster that is written as Google's REST API does.
func (r *rig) put(name, doc string) {
	r.t.Helper()
	c := &containerpb.Cluster{}
	if err := protojson.Unmarshal([]byte(doc), c); err != nil {
		r.t.Fatal(err)
	}
	r.cloud.Put(name, c)
}

// demoConfig is the Config of the cluster named demo.
func demoConfig() map[string]any {
	return map[string]any{
		"projectID": "example-project-1", "region": "europe-west1", "clusterName": "demo-a", "imported": true,
		"googleCredentialSecret": "cattle-global-data:cc-demo1",
	}
}

func (r *rig) request() live.Request {
	return live.Request{
		Snapshot:   &hosted.Snapshot{Name: "c-abcde", Provider: hosted.GKE, Config: demoConfig()},
		Credential: r.login, Since: start.Add(-time.Hour),
	}
}

// read reads the cluster named demo and its history.
func (r *rig) read() (hosted.Reading, error) {
	return r.reader.Read(context.Background(), r.request())
}

// must is a reading that has to succeed.
func (r *rig) must() hosted.Reading {
	r.t.Helper()
	got, err := r.read()
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

// demoCluster is a cluster with every blind spot of Rancher's reading.
const demoCluster = `{
 "name": "demo-a", "description": "made by hand", "location": "europe-west1",
 "selfLink": "https://container.googleapis.com/v1/projects/example-project-1/locations/europe-west1/clusters/demo-a",
 "status": "RUNNING", "currentMasterVersion": "1.34.1-gke.1", "resourceLabels": {"team": "blue"},
 "addonsConfig": {"horizontalPodAutoscaling": {"disabled": true}, "networkPolicyConfig": {"disabled": true}},
 "privateClusterConfig": {"masterIpv4CidrBlock": "192.0.2.0/28"},
 "masterAuthorizedNetworksConfig": {"enabled": false, "cidrBlocks": [{"cidrBlock": "198.51.100.0/24", "displayName": "old"}]},
 "controlPlaneEndpointsConfig": {"ipEndpointsConfig": {"enabled": true, "enablePublicEndpoint": false,
   "authorizedNetworksConfig": {"enabled": true, "cidrBlocks": [{"cidrBlock": "203.0.113.0/24", "displayName": "office"}]}}},
 "networkConfig": {"defaultEnablePrivateNodes": true},
 "maintenancePolicy": {"window": {"recurringWindow": {"recurrence": "FREQ=WEEKLY;BYDAY=SA",
   "window": {"startTime": "2026-01-03T01:30:00Z", "endTime": "2026-01-03T05:30:00Z"}}}},
 "nodePools": [
  {"name": "gone", "status": "STOPPING", "config": {"oauthScopes": ["https://www.googleapis.com/auth/none"]}},
  {"name": "workers", "status": "RUNNING", "version": "1.34.1-gke.1", "initialNodeCount": 3,
   "maxPodsConstraint": {"maxPodsPerNode": "110"},
   "config": {"machineType": "e2-standard-4", "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
    "bootDiskKmsKey": "projects/example-project-1/locations/europe-west1/keyRings/ring-a/cryptoKeys/key-a",
    "taints": [{"key": "dedicated", "value": "batch", "effect": "NO_SCHEDULE"}]}}
 ]}`
