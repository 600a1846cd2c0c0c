package fleet

import (
	"fmt"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Interval is the refresh setting of every provider, in seconds.
const Interval = "300"

// settings are Rancher's own: the interval of each provider, the one of old that
// is no longer used, and the version.
func (b builder) settings() []map[string]any {
	out := []map[string]any{
		b.setting(0, hosted.VersionSetting, "v2.15.1", "dev", "env"),
		b.setting(1, "eks-refresh-cron", "", "*/5 * * * *", "default"),
	}
	for i, p := range hosted.Providers() {
		out = append(out, b.setting(2+i, p.SettingName(), "", Interval, "default"))
	}
	return out
}

func (b builder) setting(i int, name, value, fallback, source string) map[string]any {
	return map[string]any{
		"apiVersion": managementAPI, "kind": "Setting",
		"metadata": map[string]any{
			"name": name, "uid": uid("setting " + name), "creationTimestamp": b.ago(200 * day),
			"generation": int64(1), "resourceVersion": fmt.Sprint(firstRevision - 100 + i),
		},
		"value": value, "default": fallback, "source": source, "customized": false,
	}
}

// clusterStatus is a Cluster's status: the copies, the conditions, and what else
// Rancher writes there.
func (b builder) clusterStatus(i int, p blueprint) map[string]any {
	resources := map[string]any{"cpu": "12", "memory": "49152Mi", "pods": "330"}
	out := map[string]any{
		"agentFeatures":              map[string]any{"embedded-cluster-api": false, "fleet": false, "monitoringv1": false, "provisioningv2": false},
		"agentImage":                 "rancher/rancher-agent:v2.15.1",
		"allocatable":                resources,
		"apiEndpoint":                fmt.Sprintf("https://198.51.100.%d", 10+i),
		"appliedEnableNetworkPolicy": false,
		"appliedSpec":                appliedSpec(p),
		"authImage":                  "",
		"caCert":                     strings.Repeat("Q0VSVElGSUNBVEUg", 12),
		"capabilities":               map[string]any{"loadBalancerCapabilities": map[string]any{}},
		"capacity":                   resources,
		"conditions":                 b.conditions(p),
		"driver":                     p.driver(),
		"limits":                     map[string]any{"cpu": "2", "memory": "2048Mi", "pods": "0"},
		"linuxWorkerCount":           int64(3),
		"nodeCount":                  int64(3),
		"provider":                   kind(p),
		"requested":                  map[string]any{"cpu": "3100m", "memory": "5120Mi", "pods": "41"},
		"serviceAccountTokenSecret":  "cluster-serviceaccounttoken-" + p.name[2:],
		"version":                    map[string]any{"gitVersion": "v1.34.2", "major": "1", "minor": "34", "platform": "linux/amd64"},
	}
	for _, other := range hosted.Providers() {
		out[other.StatusKey()] = p.providerStatus(other)
	}
	return out
}

func (p blueprint) driver() string {
	if p.provider == hosted.None {
		return p.distribution
	}
	return string(p.provider)
}

// appliedSpec is a whole cluster spec of which the hosted handlers fill only
// their own part.
func appliedSpec(p blueprint) map[string]any {
	out := clusterSpec(blueprint{})
	delete(out, "fleetWorkspaceName")
	if p.provider != hosted.None {
		out[p.provider.ConfigKey()] = hosted.CloneMap(p.applied)
	}
	return out
}

// providerStatus is the status of one provider, which every Cluster has for all
// four.
func (p blueprint) providerStatus(of hosted.Provider) map[string]any {
	out := map[string]any{"upstreamSpec": nil, "privateRequiresTunnel": nil}
	switch of {
	case hosted.EKS:
		for _, k := range []string{"virtualNetwork", "managedLaunchTemplateID", "generatedNodeRole"} {
			out[k] = ""
		}
		for _, k := range []string{"subnets", "securityGroups", "managedLaunchTemplateVersions"} {
			out[k] = nil
		}
	case hosted.AKS:
		out["rbacEnabled"] = nil
	}
	if of != p.provider {
		return out
	}
	for k, v := range p.status {
		out[k] = hosted.Clone(v)
	}
	out["upstreamSpec"], out["privateRequiresTunnel"] = hosted.CloneMap(p.upstream), false
	return out
}

// conditions are those of a cluster that has been up for a while; Updated tells
// what the operator is at.
func (b builder) conditions(p blueprint) []any {
	var out []any
	add := func(kind, status, message string, ago time.Duration) {
		c := map[string]any{"type": kind, "status": status, "lastUpdateTime": b.ago(ago)}
		if message != "" {
			c["message"] = message
		}
		out = append(out, c)
	}
	settled := p.age - 10*time.Minute
	for i, kind := range strings.Fields(`BackingNamespaceCreated DefaultProjectCreated SystemProjectCreated
		InitialRolesPopulated CreatorMadeOwner ServiceAccountMigrated SecretsMigrated ServiceAccountSecretsMigrated
		NoDiskPressure NoMemoryPressure SystemAccountCreated GlobalAdminsSynced AgentDeployed Connected Ready`) {
		add(kind, "True", "", settled-time.Duration(i)*time.Second)
	}
	if p.provider == hosted.None {
		return out
	}
	if p.config["imported"] == true {
		add("Pending", "True", "", settled)
	}
	add("Waiting", "True", "", settled)
	add("Provisioned", "True", "", settled)
	switch {
	case p.failure != "":
		add("Updated", "False", p.failure, p.updated)
	case p.phase == "updating":
		add("Updated", "Unknown", "", p.updated)
	default:
		add("Updated", "True", "", settled)
	}
	return out
}
