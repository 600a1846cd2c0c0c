package aks

import (
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

func poolPath(name string) string { return hosted.Path{}.Key("nodePools").Item(name).String() }

// tagFields names each tag that differs.
func tagFields(config, cloud map[string]string) []string {
	var fields []string
	for k := range config {
		if v, ok := cloud[k]; !ok || v != config[k] {
			fields = append(fields, tagPath(k))
		}
	}
	for k := range cloud {
		if _, ok := config[k]; !ok {
			fields = append(fields, tagPath(k))
		}
	}
	slices.Sort(fields)
	return fields
}

func tagPath(key string) string { return hosted.Path{}.Key("tags").Key(key).String() }

// clusterFields names what makes the operator send the whole cluster.
func clusterFields(config, cloud *spec) []string {
	var fields []string
	if config.ranges != nil && !sameTexts(config.ranges, cloud.ranges) {
		fields = append(fields, rangeFields(*config.ranges, *cloud.ranges)...)
	}
	if config.httpRouting != nil && *config.httpRouting != truth(cloud.httpRouting) {
		fields = append(fields, "httpApplicationRouting")
	}
	if config.version != nil && *config.version != text(cloud.version) {
		fields = append(fields, "kubernetesVersion")
	}
	if config.monitoring != nil && *config.monitoring != truth(cloud.monitoring) {
		fields = append(fields, "monitoring")
	}
	return fields
}

// rangeFields names the ranges that come or go, or the whole list if only the
// order or a repetition differs: the operator compares in order.
func rangeFields(config, cloud []string) []string {
	unit := hosted.Path{}.Key("authorizedIpRanges")
	var fields []string
	for _, pair := range [][2][]string{{config, cloud}, {cloud, config}} {
		for _, r := range pair[0] {
			if path := unit.Item(r).String(); !slices.Contains(pair[1], r) && !slices.Contains(fields, path) {
				fields = append(fields, path)
			}
		}
	}
	if len(fields) == 0 {
		return []string{unit.String()}
	}
	slices.Sort(fields)
	return fields
}

// carriedMembers are the spec members that a cluster request can change.
var carriedMembers = []string{
	"authorizedIpRanges", "dnsServiceIp", "httpApplicationRouting", "kubernetesVersion", "linuxAdminUsername",
	"loadBalancerSku", "logAnalyticsWorkspaceGroup", "logAnalyticsWorkspaceName", "monitoring", "networkPlugin",
	"networkPolicy", "outboundType", "podCidr", "serviceCidr", "sshPublicKey", "tags",
}

// carriedByCluster names the fields that the cloud would show differently after
// a cluster request although they did not cause it: what the body blanks or
// fills in where the Config says nothing, and what it puts back.
func carriedByCluster(config *spec, actual, body map[string]any, causes []string) []string {
	before, ok1 := settingsOf(actual)
	after, ok2 := settingsOf(body)
	if !ok1 || !ok2 {
		return nil
	}
	was, becomes := before.encode(), after.encode()
	var out []string
	for _, key := range carriedMembers {
		if causedBy(causes, key) || sameSetting(was[key], becomes[key]) {
			continue
		}
		if key == "tags" && config.tags != nil {
			out = append(out, tagFields(after.tags, before.tags)...)
			continue
		}
		out = append(out, key)
	}
	return out
}

func settingsOf(doc map[string]any) (*spec, bool) {
	properties := hosted.Map(doc["properties"])
	s := &spec{version: str(properties, "kubernetesVersion")}
	return s, s.readSettings(doc, properties) == nil
}

func causedBy(causes []string, key string) bool {
	return slices.ContainsFunc(causes, func(c string) bool {
		p, err := hosted.ParsePath(c)
		return err == nil && p.MergeUnit() == key
	})
}

// sameSetting compares two values as Azure would: names without case, an unset
// switch like one that is off.
func sameSetting(a, b any) bool {
	x, ok1 := a.(string)
	y, ok2 := b.(string)
	if ok1 && ok2 {
		return strings.EqualFold(x, y)
	}
	if a == nil && b == false || a == false && b == nil {
		return true
	}
	return hosted.Equal(a, b)
}

// labelLeaves names each label that differs.
func labelLeaves(want, have map[string]*string) []string {
	var leaves []string
	for k, v := range want {
		if h, ok := have[k]; !ok || !hosted.Equal(jsonText(v), jsonText(h)) {
			leaves = append(leaves, hosted.Path{}.Key("nodeLabels").Key(k).String())
		}
	}
	for k := range have {
		if _, ok := want[k]; !ok {
			leaves = append(leaves, hosted.Path{}.Key("nodeLabels").Key(k).String())
		}
	}
	slices.Sort(leaves)
	return leaves
}

// poolCall attributes the update of an existing pool.
func poolCall(object string, leaves []string, want, have *pool) operator.Call {
	c := operator.Call{Object: object, Effect: operator.Update}
	for _, leaf := range leaves {
		c.Fields = append(c.Fields, object+"."+leaf)
	}
	slices.Sort(c.Fields)
	for _, leaf := range carriedByPool(want, have) {
		path := object + "." + leaf
		if !slices.ContainsFunc(c.Fields, func(f string) bool {
			return f == path || strings.HasPrefix(f, path+".") || strings.HasPrefix(f, path+"[")
		}) {
			c.Carried = append(c.Carried, path)
		}
	}
	return c
}

// carriedByPool names the members that a pool request sends with another value
// than the cloud has. Taints and zones are sent even if they are null, members
// that are null or "" otherwise change nothing.
func carriedByPool(want, have *pool) []string {
	was := encodeMembers(poolMembers, have)
	sends := encodeMembers(poolMembers, want)
	for _, always := range []string{"nodeTaints", "availabilityZones"} {
		if sends[always] == nil {
			sends[always] = []any{}
		}
	}
	var out []string
	for _, key := range hosted.SortedKeys(sends) {
		v, old := sends[key], was[key]
		empty := old == nil && (v == false || hosted.Equal(v, []any{}))
		if key != "name" && v != "" && !empty && !hosted.Equal(v, old) {
			out = append(out, key)
		}
	}
	return out
}
