//go:build e2e

package loopback_test

import (
	"slices"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/aks"
)

const subscription = "00000000-0000-0000-0000-000000000000"

// aksConfig manages what can be changed and equals aksCloud. It has no empty labels:
// Rancher drops them on the way into the custom resource, and so does package aks.
const aksConfig = `{
"azureCredentialSecret":"cattle-global-data:cc-azure","clusterName":"demo-a","resourceGroup":"rg-demo","resourceLocation":"eastus","imported":true,
"kubernetesVersion":"1.33.2","dnsPrefix":"demo-dns","tags":{"team":"blue","cost":"c1"},"authorizedIpRanges":["203.0.113.0/28"],
"networkPlugin":"kubenet","loadBalancerSku":"standard","outboundType":"loadBalancer","privateCluster":false,"monitoring":false,"httpApplicationRouting":false,
"nodePools":[` + aksSystem + `,` + aksUser + `]}`

const aksSystem = `{"name":"syspool","count":3,"maxPods":110,"vmSize":"Standard_D2s_v3","osDiskSizeGB":128,"osDiskType":"Managed","mode":"System","osType":"Linux",
"orchestratorVersion":"1.33.2","availabilityZones":["1","2"],"enableAutoScaling":false,"nodeLabels":{"tier":"web"},"nodeTaints":[],"maxSurge":"33%"}`

const aksUser = `{"name":"userpool","count":2,"maxPods":110,"vmSize":"Standard_D2s_v3","osDiskSizeGB":128,"osDiskType":"Managed","mode":"User","osType":"Linux",
"orchestratorVersion":"1.33.2","availabilityZones":["1","2"],"enableAutoScaling":true,"minCount":1,"maxCount":5,"nodeTaints":["dedicated=batch:NoSchedule"],"maxSurge":"33%"}`

const aksAdded = `{"name":"added","count":1,"maxPods":50,"vmSize":"Standard_D4s_v3","osDiskSizeGB":64,"osDiskType":"Managed","mode":"User","osType":"Linux",
"orchestratorVersion":"1.33.2","enableAutoScaling":false,"nodeLabels":{"tier":"batch"}}`

const aksStatus = `{"phase":"active","failureMessage":"","rbacEnabled":true}`

const aksCloud = `{
"id":"/subscriptions/00000000-0000-0000-0000-000000000000/resourcegroups/rg-demo/providers/Microsoft.ContainerService/managedClusters/demo-a",
"name":"demo-a","location":"eastus","type":"Microsoft.ContainerService/ManagedClusters","sku":{"name":"Base","tier":"Free"},"tags":{"team":"blue","cost":"c1"},
"identity":{"type":"SystemAssigned","principalId":"00000000-0000-0000-0000-000000000001","tenantId":"00000000-0000-0000-0000-0000000000aa"},
"properties":{"provisioningState":"Succeeded","kubernetesVersion":"1.33.2","currentKubernetesVersion":"1.33.2","dnsPrefix":"demo-dns","enableRBAC":true,
 "fqdn":"demo.example.com","nodeResourceGroup":"MC_rg-demo_demo-a_eastus","maxAgentPools":100,"powerState":{"code":"Running"},
 "addonProfiles":{"azurepolicy":{"enabled":false}},"apiServerAccessProfile":{"authorizedIPRanges":["203.0.113.0/28"],"enablePrivateCluster":false},
 "networkProfile":{"networkPlugin":"kubenet","loadBalancerSku":"standard","outboundType":"loadBalancer","serviceCidr":"198.51.100.0/24","dnsServiceIP":"198.51.100.10","podCidr":"192.0.2.0/24"},
 "agentPoolProfiles":[
  {"name":"syspool","count":3,"maxPods":110,"vmSize":"Standard_D2s_v3","osDiskSizeGB":128,"osDiskType":"Managed","mode":"System","osType":"Linux","type":"VirtualMachineScaleSets",
   "orchestratorVersion":"1.33.2","availabilityZones":["1","2"],"enableAutoScaling":false,"nodeLabels":{"tier":"web"},"upgradeSettings":{"maxSurge":"33%"},"provisioningState":"Succeeded"},
  {"name":"userpool","count":2,"maxPods":110,"vmSize":"Standard_D2s_v3","osDiskSizeGB":128,"osDiskType":"Managed","mode":"User","osType":"Linux","type":"VirtualMachineScaleSets",
   "orchestratorVersion":"1.33.2","availabilityZones":["1","2"],"enableAutoScaling":true,"minCount":1,"maxCount":5,"nodeTaints":["dedicated=batch:NoSchedule"],
   "upgradeSettings":{"maxSurge":"33%"},"provisioningState":"Succeeded"}]}}`

// aksCase is a change of the Config, in a cloud that somebody has changed before.
type aksCase struct {
	name string
	// created: Rancher made the cluster; otherwise it is imported.
	created bool
	portal  func(cluster map[string]any)
	change  string
	faults  []operator.Fault
}

func aksCases() []aksCase {
	upgrade := `{"kubernetesVersion":"1.34.0"}`
	return []aksCase{
		{name: "tags", change: `{"tags":{"team":"green","owner":"ops","cost":null}}`},
		{name: "version of an imported cluster", change: upgrade},
		{name: "version of a created cluster", created: true, change: upgrade},
		{name: "version, and the tags differ in the cloud", created: true, change: upgrade, portal: func(c map[string]any) {
			c["tags"] = map[string]any{"team": "portal", "extra": "x"}
		}},
		{name: "IP ranges of an imported cluster", change: `{"authorizedIpRanges":["203.0.113.0/28","203.0.113.64/28"]}`},
		{name: "IP ranges of a created cluster", created: true, change: `{"authorizedIpRanges":["203.0.113.64/28"]}`},
		{name: "count of a pool", change: pools(with(aksSystem, `"count":3`, `"count":4`), aksUser)},
		{name: "labels of a pool", change: pools(with(aksSystem, `"tier":"web"`, `"tier":"front"`), aksUser)},
		{name: "autoscaling of a pool", change: pools(aksSystem, with(aksUser, `"maxCount":5`, `"maxCount":8`))},
		{name: "version of a pool", change: pools(aksSystem, with(aksUser, `"orchestratorVersion":"1.33.2"`, `"orchestratorVersion":"1.34.0"`))},
		{name: "pool deleted", change: pools(aksSystem)},
		{name: "pool added", change: pools(aksSystem, aksUser, aksAdded)},
		{name: "pool missing in the cloud", change: `{"tags":{"team":"green"}}`, portal: func(c map[string]any) {
			p := hosted.Map(c["properties"])
			p["agentPoolProfiles"] = hosted.List(p["agentPoolProfiles"])[:1]
		}},
		{name: "update in progress", change: `{"tags":{"team":"green"}}`, portal: func(c map[string]any) {
			hosted.Map(c["properties"])["provisioningState"] = "Updating"
		}},
		{name: "refused once", change: pools(with(aksSystem, `"count":3`, `"count":4`), aksUser),
			faults: []operator.Fault{{Op: "AgentPools.BeginCreateOrUpdate", Count: 1, HTTPStatus: 409, Code: "OperationNotAllowed", Message: "No"}}},
	}
}

// TestRealAKSOperatorDoesWhatIsPredicted runs each case twice, as the test of the
// EKS operator does. The operator polls what it asks of a cluster, so there a cloud
// that takes time is done after a moment.
func TestRealAKSOperatorDoesWhatIsPredicted(t *testing.T) {
	secret(t, "cc-azure", map[string]any{
		"azurecredentialConfig-subscriptionId": subscription, "azurecredentialConfig-clientId": "00000000-0000-0000-0000-0000000000bb",
		"azurecredentialConfig-clientSecret": "example", "azurecredentialConfig-tenantId": "00000000-0000-0000-0000-0000000000aa"})
	for _, c := range aksCases() {
		t.Run(c.name+", done at once", func(t *testing.T) {
			r, in := runAKS(t, c, time.Nanosecond)
			passes, gaveUp := aks.Converge(in, passLimit)
			if gaveUp {
				t.Errorf("the restated operator gave up after %d passes", len(passes))
			}
			r.compare(passes)
		})
		t.Run(c.name+", taking time", func(t *testing.T) {
			r, in := runAKS(t, c, 200*time.Millisecond)
			session := aks.NewSession(in.Cloud)
			r.compare(timed(t, func() operator.Pass {
				p := session.Reconcile(in)
				in.Status = p.Status
				if slices.ContainsFunc(p.Calls, func(c operator.Call) bool { return c.Error != "" }) {
					in.Faults = nil // they strike once, and a session counts anew in each pass
				}
				return p
			}, session.Settle))
		})
	}
}

// runAKS lets the real operator carry out a case. It returns what the restated one
// is to start from.
func runAKS(t *testing.T, c aksCase, takes time.Duration) (*rig, aks.Input) {
	t.Helper()
	cloud := loopback.New(t)
	state, err := aks.DecodeCloud([]byte(aksCloud))
	if err != nil {
		t.Fatal(err)
	}
	cloud.SetAKS(state)
	cloud.Takes(takes)
	config := value(t, aksConfig)
	config["imported"] = !c.created
	r := newRig(t, cloud, hosted.AKS, "c-abcde", config, value(t, aksStatus))
	if c.portal != nil {
		cloud.EditAKS(c.portal)
	}
	cloud.Fail(c.faults...)
	in := aks.Input{Name: "c-abcde", Status: hosted.Map(r.object()["status"]), Cloud: cloud.AKS(t), Faults: c.faults}
	in.Config = r.change(c.change)
	r.converge()
	return r, in
}
