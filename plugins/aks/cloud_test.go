package aks

import (
	"context"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
)

const (
	subscription = "00000000-0000-0000-0000-000000000000"
	tenant       = "00000000-0000-0000-0000-0000000000aa"
	clientID     = "00000000-0000-0000-0000-0000000000bb"
	clusterID    = "/subscriptions/" + subscription + "/resourcegroups/rg-demo/providers/Microsoft.ContainerService/managedClusters/demo-a"
)

// clock is the time of all tests.
var clock = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

const demoCluster = `{"id":"` + clusterID + `","name":"demo-a","location":"eastus","tags":{"team":"blue"},
"identity":{"type":"SystemAssigned"},"properties":{"provisioningState":"Succeeded","kubernetesVersion":"1.33","currentKubernetesVersion":"1.33.2",
"dnsPrefix":"demo","nodeResourceGroup":"MC_rg-demo_demo-a_eastus","powerState":{"code":"Running"},
"networkProfile":{"networkPlugin":"azure","loadBalancerSku":"standard"},
"agentPoolProfiles":[
{"name":"sys","count":3,"vmSize":"Standard_D2s_v3","mode":"System","osType":"Linux","enableAutoScaling":false,"provisioningState":"Succeeded"},
{"name":"work","count":7,"vmSize":"Standard_D2s_v3","mode":"User","osType":"Linux","enableAutoScaling":true,"minCount":1,"maxCount":9,"provisioningState":"Succeeded"}]}}`

const demoConfig = `{"azureCredentialSecret":"cattle-global-data:cc-demo","clusterName":"demo-a","resourceGroup":"rg-demo","resourceLocation":"eastus",
"nodePools":[{"name":"sys","count":3},{"name":"work","count":2}]}`

// object is a JSON object.
func object(tb testing.TB, text string) map[string]any {
	tb.Helper()
	v, err := hosted.Decode([]byte(text))
	if err != nil || hosted.Map(v) == nil {
		tb.Fatalf("%v: %s", err, text)
	}
	return hosted.Map(v)
}

// rig is a reader that meets the loopback cloud with the demo cluster in it.
type rig struct {
	cloud  *loopback.Server
	reader *Reader
	doc    map[string]any
}

// quick repeats like the SDK does, only sooner.
var quick = policy.RetryOptions{RetryDelay: time.Millisecond, MaxRetryDelay: 2 * time.Second}

func newRig(tb testing.TB, change ...func(*Options)) *rig {
	tb.Helper()
	r := &rig{cloud: loopback.New(tb), doc: object(tb, demoCluster)}
	o := Options{Now: func() time.Time { return clock }, Transport: r.cloud.Client(), Retry: quick}
	for _, c := range change {
		c(&o)
	}
	r.reader = New(o)
	r.put(r.doc)
	return r
}

// put replaces the demo cluster.
func (r *rig) put(doc map[string]any) { r.cloud.AddAKS(subscription, "rg-demo", "demo-a", doc) }

// edit changes the demo cluster.
func (r *rig) edit(change func(doc, properties map[string]any)) {
	change(r.doc, hosted.Map(r.doc["properties"]))
	r.put(r.doc)
}

func pool(properties map[string]any, i int) map[string]any {
	return hosted.Map(hosted.List(properties["agentPoolProfiles"])[i])
}

func credential(change ...string) *live.Credential {
	c := &live.Credential{Name: "cattle-global-data/cc-demo", Data: map[string]string{
		keySubscription: subscription, keyTenant: tenant, keyClient: clientID, keySecret: "client-secret-of-the-tests"}}
	for i := 0; i+1 < len(change); i += 2 {
		if c.Data[change[i]] = change[i+1]; change[i+1] == "" {
			delete(c.Data, change[i])
		}
	}
	return c
}

func request(tb testing.TB) live.Request {
	return live.Request{Snapshot: &hosted.Snapshot{Config: object(tb, demoConfig)}, Credential: credential()}
}

// ownLogin is a login of the user's that always works, or fails.
type ownLogin struct{ err error }

func (l ownLogin) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "own-token-value", ExpiresOn: time.Now().Add(time.Hour)}, l.err
}

func mustRead(tb testing.TB, r *rig, req live.Request) hosted.Reading {
	tb.Helper()
	got, err := r.reader.Read(tb.Context(), req)
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return got
}

func same(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if g, w := hosted.Canonical(got), hosted.Canonical(want); g != w {
		tb.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}
