package aks

import (
	"regexp"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// truth is a cluster in the Config's words, with what Rancher's reading leaves out or
// gets wrong put right:
//
//   - the count of a pool is Azure's, also of one that is autoscaled or at work;
//   - an add-on counts under its key in any case, and one that is not there is off;
//   - network, subnet and the nodes' resource group are told;
//   - of several identities and SSH keys it is the Config's, if the cluster has it;
//   - no member is too absent to be read.
//
// What Azure compares without regard to case is written as the Config writes it.
type truth struct {
	doc, properties, config map[string]any
	out                     map[string]any
}

// truthOf is the truth of a document. The Config lends its spelling, no value.
func truthOf(doc, config map[string]any) map[string]any {
	t := truth{doc: doc, properties: hosted.Map(doc["properties"]), config: config, out: map[string]any{}}
	t.place()
	t.identity()
	t.network()
	t.access()
	t.linux()
	t.addons()
	t.pools()
	t.subnet()
	return t.out
}

// put sets a field unless the cloud does not tell it.
func (t *truth) put(field string, v any) {
	if v != nil {
		t.out[field] = v
	}
}

// text sets a field that is compared without regard to case.
func (t *truth) text(field string, v any) {
	if s, ok := v.(string); ok {
		t.out[field] = spelled(s, t.config[field])
	}
}

// spelled is s as the Config writes it, where that is the same to Azure.
func spelled(s string, config any) string {
	if c, ok := config.(string); ok && strings.EqualFold(s, c) {
		return c
	}
	return s
}

var groupIn = regexp.MustCompile(`(?i)/resourcegroups/([^/]+)`)

func (t *truth) place() {
	t.text("clusterName", t.doc["name"])
	if m := groupIn.FindStringSubmatch(hosted.Str(t.doc["id"])); m != nil {
		t.text("resourceGroup", m[1])
	}
	location := hosted.Str(t.doc["location"])
	if c := hosted.Str(t.config["resourceLocation"]); plainLocation(c) == plainLocation(location) {
		location = c
	}
	if location != "" {
		t.put("resourceLocation", location)
	}
	t.put("kubernetesVersion", t.properties["kubernetesVersion"])
	t.put("dnsPrefix", t.properties["dnsPrefix"])
	t.text("nodeResourceGroup", t.properties["nodeResourceGroup"])
	tags := map[string]any{}
	for k, v := range hosted.Map(t.doc["tags"]) {
		tags[k] = hosted.Str(v)
	}
	t.put("tags", tags)
}

// identity reads the cluster's identities. An identity of type None is none.
func (t *truth) identity() {
	identity := hosted.Map(t.doc["identity"])
	t.put("managedIdentity", identity != nil && !strings.EqualFold(hosted.Str(identity["type"]), "None"))
	ids := hosted.SortedKeys(hosted.Map(identity["userAssignedIdentities"]))
	if len(ids) > 0 {
		t.put("userAssignedIdentity", chosen(ids, t.config["userAssignedIdentity"]))
	}
}

// chosen is the Config's value if it is one of several, else the last.
func chosen(list []string, config any) string {
	for _, s := range list {
		if c, ok := config.(string); ok && strings.EqualFold(s, c) {
			return c
		}
	}
	return list[len(list)-1]
}

func (t *truth) network() {
	m := hosted.Map(t.properties["networkProfile"])
	for field, member := range map[string]string{
		"networkPlugin": "networkPlugin", "networkPolicy": "networkPolicy", "outboundType": "outboundType", "loadBalancerSku": "loadBalancerSku",
	} {
		t.text(field, m[member])
	}
	t.put("dnsServiceIp", m["dnsServiceIP"])
	t.put("serviceCidr", m["serviceCidr"])
	t.put("podCidr", m["podCidr"])
}

func (t *truth) access() {
	m := hosted.Map(t.properties["apiServerAccessProfile"])
	t.put("privateCluster", m["enablePrivateCluster"] == true)
	t.text("privateDnsZone", m["privateDNSZone"])
	t.put("authorizedIpRanges", texts(m["authorizedIPRanges"]))
}

func (t *truth) linux() {
	m := hosted.Map(t.properties["linuxProfile"])
	t.put("linuxAdminUsername", m["adminUsername"])
	var keys []string
	for _, k := range hosted.List(hosted.Map(m["ssh"])["publicKeys"]) {
		if s, ok := hosted.Map(k)["keyData"].(string); ok {
			keys = append(keys, s)
		}
	}
	for _, k := range keys {
		if k == t.config["sshPublicKey"] {
			keys = []string{k}
		}
	}
	if len(keys) > 0 {
		t.put("sshPublicKey", keys[0])
	}
}

// Keys of add-ons and the parts of a workspace's id.
const (
	routingAddon    = "httpApplicationRouting"
	monitoringAddon = "omsAgent"
	workspaceMember = "logAnalyticsWorkspaceResourceID"
)

var workspaceIn = regexp.MustCompile(`(?i)/resourcegroups/([^/]+)/.*/workspaces/([^/]+)/?$`)

func (t *truth) addons() {
	addons := hosted.Map(t.properties["addonProfiles"])
	t.put("httpApplicationRouting", hosted.Map(folded(addons, routingAddon))["enabled"] == true)
	agent := hosted.Map(folded(addons, monitoringAddon))
	on := agent["enabled"] == true
	t.put("monitoring", on)
	id := hosted.Str(folded(hosted.Map(agent["config"]), workspaceMember))
	if m := workspaceIn.FindStringSubmatch(id); on && m != nil {
		t.text("logAnalyticsWorkspaceGroup", m[1])
		t.text("logAnalyticsWorkspaceName", m[2])
	}
}

// folded is the member of a key in any case; the key as it is written goes first.
func folded(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	for _, k := range hosted.SortedKeys(m) {
		if strings.EqualFold(k, key) {
			return m[k]
		}
	}
	return nil
}

// texts is a list of strings, never nil: a list that is absent is empty.
func texts(v any) []any {
	out := []any{}
	for _, e := range hosted.List(v) {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
