package eks_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	operator "github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
	"github.com/hostedsync/kubectl-hostedsync/plugins/eks"
)

func TestTruthFillsTheBlindSpots(t *testing.T) {
	_, r := newAtlas(t)
	got := must(t, r, live.Request{Snapshot: atlas()})
	same(t, "the truth", got.Truth, `{
"displayName":"atlas","region":"us-west-2","ipFamily":"ipv4","kubernetesVersion":"1.31","tags":{"team":"blue"},
"secretsEncryption":true,"kmsKey":"arn:aws:kms:us-west-2:123456789012:key/1","publicAccess":true,"privateAccess":false,
"publicAccessSources":["203.0.113.0/24"],"loggingTypes":["audit","api"],"ebsCSIDriver":true,
"subnets":["subnet-1","subnet-2"],"securityGroups":["sg-1"],"serviceRole":"arn:aws:iam::123456789012:role/cluster-role",
"nodeGroups":[
 {"nodegroupName":"managed","gpu":false,"version":"1.31","instanceType":"m5.large","diskSize":20,"ec2SshKey":"ops-key","imageId":"ami-1","userData":"echo hi",
  "desiredSize":2,"minSize":1,"maxSize":4,"labels":{"role":"managed"},"tags":{"team":"blue"},"resourceTags":{"team":"blue"},
  "requestSpotInstances":false,"nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1","subnet-2"]},
 {"nodegroupName":"custom","gpu":true,"arm":true,"version":"1.30","spotInstanceTypes":["m7g.large","m6g.large"],"diskSize":50,"ec2SshKey":"site-key","imageId":"ami-2",
  "desiredSize":2,"minSize":1,"maxSize":4,"labels":{},"tags":{},"launchTemplate":{"id":"lt-0custom","name":"site-template","version":4},
  "requestSpotInstances":true,"nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1"]},
 {"nodegroupName":"plain","gpu":true,"version":"1.31","instanceType":"t3.medium","diskSize":30,"ec2SshKey":"ops-key",
  "desiredSize":2,"minSize":1,"maxSize":4,"labels":{"role":"plain"},"tags":{"team":"blue"},
  "requestSpotInstances":false,"nodeRole":"arn:aws:iam::123456789012:role/node-role","subnets":["subnet-1","subnet-2"]}]}`)
	// Rancher sees none of that.
	for field, want := range map[string]string{"loggingTypes": `[]`, "ebsCSIDriver": `false`, "subnets": `null`, "securityGroups": `null`, "serviceRole": `null`} {
		same(t, "the view's "+field, got.Spec[field], want)
	}
	if n := len(hosted.List(got.Spec["nodeGroups"])); n != 2 {
		t.Errorf("the view has %d node groups, want the first page's 2", n)
	}
	if !got.At.Equal(at) || got.Origin != "EKS us-west-2, account 123456789012, with the login that was handed in" || got.Partial || got.Error != "" {
		t.Errorf("reading of %v from %q, partial %v %q", got.At, got.Origin, got.Partial, got.Error)
	}
	if got.Updates != nil || got.NoHistory != "" {
		t.Errorf("a history that nobody asked for: %v %q", got.Updates, got.NoHistory)
	}
}

// The truth differs from Rancher's view only where Rancher is known to be blind.
func TestTruthIsTheViewElsewhere(t *testing.T) {
	s := loopback.New(t)
	reader := eks.New(options(s))
	compared, differ := 0, map[string]int{}
	vectors.Run(t, "eks.read", func(line []byte) (string, error) {
		var c readCase
		if err := json.Unmarshal(line, &c); err != nil {
			return "?", err
		}
		cloud := decodeCloud(t, c.Cloud)
		if len(cloud.Faults) > 0 {
			return c.ID, nil
		}
		s.SetEKS(t, cloud)
		got, err := reader.Read(t.Context(), live.Request{Snapshot: snapshot(decode(t, c.Config), c.ManagedLaunchTemplateID)})
		if err != nil {
			return c.ID, nil
		}
		if got.Truth == nil || got.Sources == nil {
			return c.ID, fmt.Errorf("a view without truth or sources")
		}
		compared++
		truth, err := schema.For(hosted.EKS).Decode(got.Truth)
		if err != nil {
			return c.ID, fmt.Errorf("the truth does not fit the Config's types: %w", err)
		}
		view, err := schema.For(hosted.EKS).Decode(got.Spec)
		if err != nil {
			return c.ID, err
		}
		return c.ID, unexplained(view, truth, cloud, differ)
	})
	t.Logf("%d truths beside views; they differ in %v", compared, differ)
	if compared < 300 || len(differ) < 8 {
		t.Error("the cases show too little")
	}
}

// unexplained is a difference for which there is no known reason.
func unexplained(view, truth map[string]any, cloud operator.Cloud, differ map[string]int) error {
	kept := []string{"amazonCredentialSecret", "displayName", "region", "imported", "subnets", "securityGroups", "serviceRole"}
	cluster := hosted.Map(cloud.Cluster["cluster"])
	for _, key := range hosted.SortedKeys(view) {
		if key == "nodeGroups" || hosted.Equal(view[key], truth[key]) {
			continue
		}
		differ[key]++
		addon := hosted.Map(cloud.Addons["aws-ebs-csi-driver"]["addon"])
		sets := hosted.List(hosted.Map(cluster["logging"])["clusterLogging"])
		switch {
		case slices.Contains(kept, key):
		case key == "loggingTypes" && len(sets) > 0:
		case key == "ipFamily" && truth[key] == nil && view[key] == "":
		case key == "ebsCSIDriver" && addon["status"] != "ACTIVE":
		case key == "ebsCSIDriver" && !strings.Contains(hosted.Str(addon["addonArn"]), "aws-ebs-csi-driver"):
		default:
			return fmt.Errorf("%s: view %s, truth %s", key, hosted.Canonical(view[key]), hosted.Canonical(truth[key]))
		}
	}
	groups := map[string]map[string]any{}
	for _, g := range hosted.List(truth["nodeGroups"]) {
		groups[hosted.Str(hosted.Map(g)["nodegroupName"])] = hosted.Map(g)
	}
	for _, v := range hosted.List(view["nodeGroups"]) {
		name := hosted.Str(hosted.Map(v)["nodegroupName"])
		ng := hosted.Map(cloud.Nodegroups[name]["nodegroup"])
		for _, key := range hosted.SortedKeys(hosted.Map(v)) {
			if hosted.Equal(hosted.Map(v)[key], groups[name][key]) {
				continue
			}
			differ["nodeGroups[]."+key]++
			if !blind(key, ng) {
				return fmt.Errorf("%s.%s: view %s, truth %s", name, key, hosted.Canonical(hosted.Map(v)[key]), hosted.Canonical(groups[name][key]))
			}
		}
	}
	return nil
}

// blind tells whether Rancher is known to be blind for a field of a node group.
func blind(key string, ng map[string]any) bool {
	ami := hosted.Str(ng["amiType"])
	known := ami == "AL2023_x86_64_NVIDIA" || ami == "AL2023_x86_64_STANDARD" || ami == "AL2023_ARM_64_STANDARD"
	switch key {
	case "version":
		return ng["status"] == "UPDATING"
	case "gpu", "arm":
		return !known
	case "imageId", "ec2SshKey", "diskSize", "instanceType", "userData", "resourceTags", "launchTemplate", "spotInstanceTypes":
		return hosted.Map(ng["launchTemplate"]) != nil
	}
	return false
}

// Every field has a source, except those that only Rancher has, and changing that
// member in the cloud changes that field and no other field's name is claimed.
func TestSourcesAreTrue(t *testing.T) {
	s, r := newAtlas(t)
	before := must(t, r, live.Request{Snapshot: atlas()})
	unsourced := []string{"amazonCredentialSecret", "imported"}
	for _, path := range paths(schema.For(hosted.EKS).Root, "") {
		if _, ok := before.Sources[path]; ok == slices.Contains(unsourced, path) {
			t.Errorf("%s: source %q", path, before.Sources[path])
		}
	}
	for path := range before.Sources {
		if !slices.Contains(paths(schema.For(hosted.EKS).Root, ""), path) {
			t.Errorf("a source for %s, which is no field", path)
		}
	}
	tried := 0
	for path, source := range before.Sources {
		for one := range strings.SplitSeq(source, ", ") {
			if strings.HasPrefix(one, "ListNodegroups") || path == "displayName" { // these are what is asked for
				continue
			}
			tried++
			c := decodeCloud(t, atlasCloud)
			change(t, &c, one)
			s.SetEKS(t, c)
			after := must(t, r, live.Request{Snapshot: atlas()})
			if raw(pick(before.Truth, path)) == raw(pick(after.Truth, path)) {
				t.Errorf("%s does not come from %s: still %s", path, one, raw(pick(after.Truth, path)))
			}
		}
	}
	t.Logf("%d members of answers were changed", tried)
}

// paths are all fields without items of maps, and lists of scalars as one.
func paths(f schema.Field, prefix string) []string {
	var out []string
	for _, m := range f.Fields {
		path := prefix + m.Name
		out = append(out, path)
		switch {
		case m.Kind == schema.Object:
			out = append(out, paths(m, path+".")...)
		case m.Kind == schema.List && m.Elem.Kind == schema.Object:
			out = append(out, paths(*m.Elem, path+"[].")...)
		}
	}
	return out
}

// pick are the values at a path, of all items.
func pick(v any, path string) []any {
	step, rest, more := strings.Cut(path, ".")
	key, isList := strings.CutSuffix(step, "[]")
	v = hosted.Map(v)[key]
	if !more {
		return []any{v}
	}
	if !isList {
		return pick(v, rest)
	}
	var out []any
	for _, e := range hosted.List(v) {
		out = append(out, pick(e, rest)...)
	}
	return out
}

// change changes the member of an answer that a source names, in every document of
// its kind.
func change(t *testing.T, c *operator.Cloud, source string) {
	t.Helper()
	call, member, _ := strings.Cut(source, ": ")
	var documents []map[string]any
	switch call {
	case "DescribeCluster":
		documents = append(documents, c.Cluster)
	case "DescribeAddon":
		documents = append(documents, c.Addons["aws-ebs-csi-driver"])
	case "DescribeNodegroup":
		for _, name := range []string{"managed", "custom", "plain"} {
			if name == "managed" && strings.Contains(member, "launchTemplate") { // without it Rancher cannot read
				continue
			}
			documents = append(documents, c.Nodegroups[name])
		}
	case "DescribeLaunchTemplateVersions":
		member = strings.TrimPrefix(member, "launchTemplateVersions[].launchTemplateData.")
		for _, v := range c.LaunchTemplateVersions {
			documents = append(documents, v.Data)
		}
	default:
		t.Fatalf("no call: %q", source)
	}
	for _, d := range documents {
		alter(d, strings.Split(member, "."))
	}
}

func alter(v any, path []string) any {
	if len(path) == 0 {
		return altered(v)
	}
	key, index, isList := strings.Cut(path[0], "[")
	m := hosted.Map(v)
	l := hosted.List(m[key])
	switch {
	case m == nil || m[key] == nil:
	case !isList:
		m[key] = alter(m[key], path[1:])
	default:
		for i := range l {
			if index == "]" || index == fmt.Sprintf("%d]", i) {
				l[i] = alter(l[i], path[1:])
			}
		}
	}
	return v
}

// altered is another value of the same kind that the same member could have.
func altered(v any) any {
	switch x := v.(type) {
	case bool:
		return !x
	case int64:
		return x + 1
	case string:
		for from, to := range map[string]string{"us-west-2": "eu-west-1", "DEGRADED": "DELETING", "SPOT": "ON_DEMAND", "ZWNobyBoaQ==": "ZWNobyBobw==",
			"AL2023_x86_64_STANDARD": "BOTTLEROCKET_ARM_64", "AL2_x86_64_GPU": "AL2_x86_64", "$Latest": "9"} {
			if strings.Contains(x, from) {
				return strings.Replace(x, from, to, 1)
			}
		}
		return x + "x"
	case []any:
		if len(x) > 0 && hosted.Map(x[0]) != nil && hosted.Map(x[0])["provider"] != nil {
			return []any{}
		}
		if len(x) > 0 && hosted.Map(x[0])["key"] != nil {
			return []any{map[string]any{"key": "new", "value": "new"}}
		}
		return append(slices.Clone(x), "new")
	case map[string]any:
		if x["id"] != nil { // a launch template
			return map[string]any{"id": "lt-0other", "name": "other", "version": "3"}
		}
		out := hosted.CloneMap(x)
		out["new"] = "new"
		return out
	}
	return v
}
