//go:build e2e

package aks

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// differentialCases is how many random clusters both readers read.
const differentialCases = 1500

// TestRanchersOwnReaderSeesTheSame puts random clusters into the loopback cloud and
// reads each with Rancher's code, as a program of its own, and with this package.
func TestRanchersOwnReaderSeesTheSame(t *testing.T) {
	r := newRig(t)
	theirs := startTheirs(t, r.cloud)
	random := rand.New(rand.NewPCG(20260504, 7))
	views, failures, several, agree := 0, 0, 0, 0
	for i := range differentialCases {
		c := randomCase(random)
		r.put(c.doc)
		r.cloud.Behave()
		if c.refused != 0 {
			r.cloud.Misbehave(loopback.Quirk{Path: "/managedClusters/", Status: c.refused, Header: map[string]string{"Content-Type": "application/json"},
				Body: `{"error":{"code":"AuthorizationFailed","message":"not today"}}`})
		}
		want := theirs.read(t, map[string]any{"config": c.config, "secret": c.secret})
		got, err := r.reader.Read(t.Context(), live.Request{Snapshot: &hosted.Snapshot{Config: c.config},
			Credential: &live.Credential{Name: "cattle-global-data/cc-demo", Data: c.secret}})
		failed := ""
		if err != nil {
			failed = cause(t, err)
			failures++
		} else {
			views++
		}
		spec := hosted.Map(want["spec"])
		if ids := hosted.Map(hosted.Map(c.doc["identity"])["userAssignedIdentities"]); len(ids) > 1 && spec != nil {
			several++
			for _, side := range []map[string]any{spec, got.Spec} { // Rancher takes any of them
				if _, ok := ids[hosted.Str(side["userAssignedIdentity"])]; !ok {
					t.Errorf("case %d: %v is none of the identities", i, side["userAssignedIdentity"])
				}
				delete(side, "userAssignedIdentity")
			}
		}
		if failed != hosted.Str(want["error"]) || hosted.Canonical(got.Spec) != hosted.Canonical(spec) {
			t.Errorf("case %d:\n  cloud  %.3000s\n  config %s\n  theirs %s %s\n  ours   %s %s", i, hosted.Canonical(c.doc), hosted.Canonical(c.config),
				hosted.Str(want["error"]), hosted.Canonical(spec), failed, hosted.Canonical(got.Spec))
			continue
		}
		agree++
	}
	t.Logf("%d of %d random clusters read alike: %d views (%d with several identities), %d failures", agree, differentialCases, views, several, failures)
	if agree != differentialCases || views < differentialCases/2 || failures == 0 || several == 0 {
		t.Errorf("%d agree; %d views, %d failures, %d with several identities", agree, views, failures, several)
	}
}

// cause is the text of Rancher's or the SDK's error.
func cause(t *testing.T, err error) string {
	t.Helper()
	inner := errors.Unwrap(err)
	if inner == nil {
		t.Fatalf("no cause: %v", err)
	}
	return inner.Error()
}

// theirs is Rancher's reader.
type theirs struct {
	in  io.Writer
	out *bufio.Reader
}

func startTheirs(t *testing.T, cloud *loopback.Server) *theirs {
	t.Helper()
	dir, err := testbed.Operators(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "readaks"))
	cmd.Env, cmd.Stderr = append(cloud.EnvFor(), "HOME="+t.TempDir()), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("Rancher's reader: %v", err)
		}
	})
	return &theirs{in, bufio.NewReader(out)}
}

func (r *theirs) read(t *testing.T, request any) map[string]any {
	t.Helper()
	if err := json.NewEncoder(r.in).Encode(request); err != nil {
		t.Fatal(err)
	}
	line, err := r.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return object(t, line)
}

// clusterCase is a random cluster, the Config and the credential it is read with.
type clusterCase struct {
	doc, config map[string]any
	secret      map[string]string
	// refused is the status that the cloud answers, 0 if it answers the cluster.
	refused int
}

// dice makes random documents.
type dice struct{ *rand.Rand }

func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d dice, list ...T) T { return list[d.IntN(len(list))] }

// some sets a member mostly; now and then it is null or absent.
func (d dice) some(m map[string]any, key string, v any) {
	switch n := d.IntN(100); {
	case n < 6:
		m[key] = nil
	case n < 18:
	default:
		m[key] = v
	}
}

// texts is a list of some of the texts, which may be empty or null.
func (d dice) texts(list ...string) any {
	if d.chance(10) {
		return nil
	}
	out := []any{}
	for _, s := range list {
		if d.chance(50) {
			out = append(out, s)
		}
	}
	return out
}

// pairs is a map of some keys, which may be empty or hold nulls.
func (d dice) pairs(keys ...string) map[string]any {
	out := map[string]any{}
	for _, k := range keys {
		switch n := d.IntN(10); {
		case n < 5:
			out[k] = pick(d, "", "a", "blue", "Ünï")
		case n < 6:
			out[k] = nil
		}
	}
	return out
}

func randomCase(r *rand.Rand) clusterCase {
	d := dice{r}
	c := clusterCase{doc: d.cluster(), secret: credential().Data}
	c.config = map[string]any{"azureCredentialSecret": "cattle-global-data:cc-demo", "clusterName": "demo-a", "resourceGroup": "rg-demo",
		"resourceLocation": pick(d, "eastus", "westeurope", ""), "imported": d.chance(50)}
	if d.chance(80) {
		pools := []any{}
		for _, name := range []string{"sys", "work", "other", "gone"} {
			if d.chance(60) {
				p := map[string]any{"name": name}
				d.some(p, "count", int64(d.IntN(20)))
				pools = append(pools, p)
			}
		}
		c.config["nodePools"] = pools
	}
	d.some(c.config, "kubernetesVersion", "1.33.2")
	d.some(c.config, "tags", map[string]any{"team": "blue"})
	c.secret[keyEnvironment] = pick(d, "", "", "AzurePublicCloud", china, government, "AzureGermanCloud")
	switch n := d.IntN(100); {
	case n < 2:
		delete(c.secret, pick(d, keySubscription, keyClient, keySecret))
	case n < 4:
		c.refused = pick(d, http.StatusForbidden, http.StatusNotFound, http.StatusBadRequest)
	case n < 5:
		c.config["azureCredentialSecret"] = ""
	}
	return c
}

func (d dice) cluster() map[string]any {
	p := map[string]any{"kubernetesVersion": pick(d, "1.33", "1.33.2", "1.34.0"), "currentKubernetesVersion": "1.33.2"}
	if d.chance(2) {
		delete(p, "kubernetesVersion")
	}
	d.some(p, "provisioningState", pick(d, "Succeeded", "Updating", "Failed", "Canceled", "Upgrading", "Starting"))
	d.some(p, "dnsPrefix", "demo")
	d.some(p, "nodeResourceGroup", "MC_rg-demo")
	d.some(p, "powerState", map[string]any{"code": pick(d, "Running", "Stopped")})
	d.some(p, "networkProfile", d.network())
	d.some(p, "addonProfiles", d.addons())
	d.some(p, "apiServerAccessProfile", d.access())
	if d.chance(40) {
		p["linuxProfile"] = d.linux()
	}
	pools := []any{}
	for _, name := range []string{"sys", "work", "other"} {
		if d.chance(65) {
			pools = append(pools, d.pool(name))
		}
	}
	d.some(p, "agentPoolProfiles", pools)
	doc := map[string]any{"id": clusterID, "name": "demo-a", "properties": p, "type": "Microsoft.ContainerService/ManagedClusters"}
	if d.chance(1) {
		delete(doc, "properties")
	}
	d.some(doc, "location", "eastus")
	d.some(doc, "tags", d.pairs("team", "a.b/c", "cost"))
	d.some(doc, "identity", d.identity())
	d.some(doc, "systemData", map[string]any{"lastModifiedAt": "2026-05-04T09:00:00Z", "createdBy": "someone@example.com"})
	return doc
}

func (d dice) network() map[string]any {
	m := map[string]any{"networkPlugin": pick(d, "azure", "kubenet", "none")}
	if d.chance(2) {
		delete(m, "networkPlugin")
	}
	d.some(m, "networkPolicy", pick(d, "calico", "azure", "cilium", "none"))
	d.some(m, "dnsServiceIP", "198.51.100.10")
	d.some(m, "serviceCidr", "198.51.100.0/24")
	d.some(m, "podCidr", "192.0.2.0/24")
	d.some(m, "outboundType", pick(d, "loadBalancer", "userDefinedRouting", "none", "managedNATGateway"))
	d.some(m, "loadBalancerSku", pick(d, "standard", "Standard", "basic"))
	d.some(m, "networkPluginMode", "overlay")
	return m
}

func (d dice) addons() map[string]any {
	m := map[string]any{}
	d.some(m, pick(d, "httpApplicationRouting", "httpapplicationrouting"), map[string]any{"enabled": d.chance(50)})
	config := map[string]any{}
	switch n := d.IntN(20); {
	case n == 0:
	case n == 1:
		config["logAnalyticsWorkspaceResourceID"] = pick[any](d, "", "nonsense", nil, "/subscriptions/x/resourceGroups/rg-logs/providers/p")
	case n == 2:
		config["loganalyticsworkspaceresourceid"] = "/subscriptions/x/resourcegroups/rg/workspaces/w"
	default:
		config["logAnalyticsWorkspaceResourceID"] = "/subscriptions/x/" + pick(d, "resourceGroups", "resourcegroups", "RESOURCEGROUPS") +
			"/rg-logs/providers/Microsoft.OperationalInsights/" + pick(d, "workspaces", "Workspaces") + "/" + pick(d, "ws-demo", "ws/x", "ws-demo/")
	}
	agent := map[string]any{}
	d.some(agent, "enabled", d.chance(70))
	d.some(agent, "config", config)
	d.some(m, pick(d, "omsAgent", "omsAgent", "omsagent"), agent)
	d.some(m, "azurepolicy", map[string]any{"enabled": true})
	return m
}

func (d dice) access() map[string]any {
	m := map[string]any{}
	d.some(m, "enablePrivateCluster", d.chance(30))
	d.some(m, "privateDNSZone", pick(d, "system", "none", "/subscriptions/x/zone"))
	d.some(m, "authorizedIPRanges", d.texts("203.0.113.0/28", "203.0.113.64/28", "198.51.100.7/32"))
	return m
}

func (d dice) linux() map[string]any {
	keys := []any{}
	for range 1 + d.IntN(2) {
		key := map[string]any{}
		d.some(key, "keyData", fmt.Sprint("ssh-rsa example ", d.IntN(9)))
		keys = append(keys, key)
	}
	switch d.IntN(30) {
	case 0:
		keys = nil
	case 1:
		keys[0] = nil
	}
	m := map[string]any{"ssh": map[string]any{"publicKeys": keys}}
	if d.chance(3) {
		delete(m, "ssh")
	}
	d.some(m, "adminUsername", "azureuser")
	return m
}

func (d dice) identity() map[string]any {
	m := map[string]any{"type": pick(d, "SystemAssigned", "UserAssigned", "None")}
	ids := map[string]any{}
	for _, name := range []string{"a", "b", "C"} {
		if d.chance(35) {
			ids["/subscriptions/x/resourceGroups/rg/providers/Microsoft.ManagedIdentity/userAssignedIdentities/id-"+name] = pick[any](d, map[string]any{}, nil)
		}
	}
	d.some(m, "userAssignedIdentities", ids)
	return m
}

func (d dice) pool(name string) any {
	m := map[string]any{"name": name, "vmSize": "Standard_D2s_v3", "mode": pick(d, "System", "User", "Gateway"), "osType": pick(d, "Linux", "Windows")}
	if d.chance(1) {
		delete(m, pick(d, "vmSize", "mode", "osType", "name"))
	}
	d.some(m, "count", int64(d.IntN(20)))
	d.some(m, "provisioningState", pick(d, "Succeeded", "Succeeded", "Succeeded", "Scaling", "Upgrading", "Creating", "Deleting", "Updating", "Failed", "Canceled"))
	d.some(m, "enableAutoScaling", d.chance(40))
	d.some(m, "minCount", int64(d.IntN(3)))
	d.some(m, "maxCount", int64(d.IntN(30)))
	d.some(m, "maxPods", int64(30+d.IntN(80)))
	d.some(m, "osDiskSizeGB", int64(d.IntN(256)))
	d.some(m, "osDiskType", pick(d, "Managed", "Ephemeral"))
	d.some(m, "orchestratorVersion", pick(d, "1.33", "1.33.2"))
	d.some(m, "currentOrchestratorVersion", "1.33.2")
	d.some(m, "availabilityZones", d.texts("1", "2", "3"))
	d.some(m, "nodeTaints", d.texts("dedicated=batch:NoSchedule", "a=b:NoExecute"))
	d.some(m, "nodeLabels", d.pairs("tier", "example.com/zone", "empty"))
	d.some(m, "vnetSubnetID", "/subscriptions/x/resourceGroups/rg-net/providers/Microsoft.Network/virtualNetworks/vnet-a/subnets/"+pick(d, "a", "b"))
	upgrade := map[string]any{}
	d.some(upgrade, "maxSurge", pick(d, "33%", "1"))
	d.some(m, "upgradeSettings", upgrade)
	d.some(m, "scaleSetPriority", pick(d, "Regular", "Spot"))
	return m
}
