package gke

import (
	"strings"
	"testing"

	"cloud.google.com/go/container/apiv1/containerpb"
	"google.golang.org/genproto/googleapis/type/timeofday"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// at reads a place of a document; list items are chosen by their name.
func at(t *testing.T, m map[string]any, path string) any {
	t.Helper()
	p, err := hosted.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	var v any = m
	for _, step := range p {
		if !step.Item {
			v = hosted.Map(v)[step.Key]
			continue
		}
		var found any
		for _, item := range hosted.List(v) {
			if hosted.Map(item)["name"] == step.Key {
				found = item
			}
		}
		v = found
	}
	return v
}

// TestTruthSeesWhatRancherDoesNot compares view and truth of a cluster with every
// blind spot.
func TestTruthSeesWhatRancherDoesNot(t *testing.T) {
	r := newRig(t)
	r.put(demo, demoCluster)
	got := r.must()
	for _, c := range []struct {
		path        string
		view, truth any
	}{
		{"description", "", "made by hand"},
		{"maintenanceWindow", "", "01:30 for 4h0m0s, FREQ=WEEKLY;BYDAY=SA"},
		{"privateClusterConfig", `{"masterIpv4CidrBlock":"192.0.2.0/28"}`,
			`{"enablePrivateEndpoint":true,"enablePrivateNodes":true,"masterIpv4CidrBlock":"192.0.2.0/28"}`},
		{"masterAuthorizedNetworks", `{}`, `{"cidrBlocks":[{"cidrBlock":"203.0.113.0/24","displayName":"office"}],"enabled":true}`},
		{"customerManagedEncryptionKey", nil, `{"keyName":"key-a","ringName":"ring-a"}`},
		{"autopilotConfig", nil, `{}`},
		{"clusterAddons", `{"httpLoadBalancing":true}`, `{"httpLoadBalancing":true}`},
		{"kubernetesVersion", "1.34.1-gke.1", "1.34.1-gke.1"},
		{"region", "europe-west1", "europe-west1"},
		{"projectID", "example-project-1", "example-project-1"},
		{"nodePools[workers].config.oauthScopes", nil, `["https://www.googleapis.com/auth/cloud-platform"]`},
		{"nodePools[workers].config.taints", `[{"effect":"NO_SCHEDULE","key":"dedicated","value":"batch"}]`,
			`[{"effect":"NO_SCHEDULE","key":"dedicated","value":"batch"}]`},
		{"nodePools[workers].maxPodsConstraint", int64(110), int64(110)},
		{"nodePools[gone]", nil, nil},
	} {
		for _, side := range []struct {
			name string
			in   map[string]any
			want any
		}{{"view", got.Spec, c.view}, {"truth", got.Truth, c.truth}} {
			v := at(t, side.in, c.path)
			if s, ok := side.want.(string); ok && s != "" && strings.ContainsAny(s[:1], "{[") {
				v = hosted.Canonical(v)
			}
			if v != side.want {
				t.Errorf("%s in the %s: %v, want %v", c.path, side.name, v, side.want)
			}
		}
	}
	for _, key := range []string{"imported", "googleCredentialSecret", "zone"} {
		if v, ok := got.Truth[key]; ok {
			t.Errorf("the truth has %s: %v, which Google does not tell", key, v)
		}
	}
	if got.Error != "" || got.Partial || !got.At.Equal(start) ||
		got.Origin != "GKE europe-west1, project example-project-1, with Rancher's credential cattle-global-data:cc-demo1" {
		t.Errorf("reading: %q %v %v %q", got.Error, got.Partial, got.At, got.Origin)
	}
}

// TestTruthFitsTheConfigsTypes passes truths through Rancher's types, and demands a
// source for every field of the table but the two that Google does not tell.
func TestTruthFitsTheConfigsTypes(t *testing.T) {
	r := newRig(t)
	r.put(demo, demoCluster)
	got := r.must()
	table := schema.For(hosted.GKE)
	if _, err := table.Decode(got.Truth); err != nil {
		t.Error(err)
	}
	known := sources()
	var walk func(f schema.Field, path string)
	walk = func(f schema.Field, path string) {
		for _, m := range f.Fields {
			p := strings.TrimPrefix(path+"."+m.Name, ".")
			untold := p == "imported" || p == "googleCredentialSecret"
			if from, ok := known[p]; ok == untold || !untold && !strings.HasPrefix(from, "GetCluster: ") {
				t.Errorf("source of %s: %q", p, from)
			}
			delete(known, p)
			if m.Elem != nil {
				walk(*m.Elem, p+"[]")
			}
			walk(m, p)
		}
	}
	walk(table.Root, "")
	for p := range known {
		t.Errorf("there is no field %s", p)
	}
	for path, want := range map[string]string{
		"maintenanceWindow":                          "GetCluster: maintenancePolicy.window.recurringWindow",
		"privateClusterConfig.enablePrivateEndpoint": "GetCluster: controlPlaneEndpointsConfig.ipEndpointsConfig.enablePublicEndpoint",
		"nodePools[].initialNodeCount":               "GetCluster: nodePools[].initialNodeCount",
		"zone":                                       "",
	} {
		if got.Sources[path] != want {
			t.Errorf("source of %s: %q, want %q", path, got.Sources[path], want)
		}
	}
}

// TestTruthOfSmallDifferences: what one member of the answer changes.
func TestTruthOfSmallDifferences(t *testing.T) {
	key := func(c *containerpb.Cluster, keys ...string) {
		c.NodePools = nil
		for _, k := range keys {
			c.NodePools = append(c.NodePools, &containerpb.NodePool{Config: &containerpb.NodeConfig{BootDiskKmsKey: k}})
		}
	}
	windows := func(w *containerpb.MaintenanceWindow) *containerpb.MaintenancePolicy {
		return &containerpb.MaintenancePolicy{Window: w}
	}
	for name, c := range map[string]struct {
		change func(*containerpb.Cluster)
		path   string
		want   string
		absent bool
	}{
		"a zone":                  {func(c *containerpb.Cluster) { c.Location = "europe-west1-b" }, "zone", `"europe-west1-b"`, false},
		"no region then":          {func(c *containerpb.Cluster) { c.Location = "europe-west1-b" }, "region", "", true},
		"location from the link":  {func(c *containerpb.Cluster) { c.Location = "" }, "region", `"europe-west1"`, false},
		"the project by number":   {func(c *containerpb.Cluster) { c.SelfLink = "https://x/v1/projects/123456789012/zones/z" }, "projectID", "", true},
		"add-ons not told":        {func(c *containerpb.Cluster) { c.AddonsConfig = nil }, "clusterAddons", "", true},
		"autopilot":               {func(c *containerpb.Cluster) { c.Autopilot = &containerpb.Autopilot{Enabled: true} }, "autopilotConfig", `{"enabled":true}`, false},
		"no key":                  {func(c *containerpb.Cluster) { key(c, "") }, "customerManagedEncryptionKey", "null", false},
		"different keys":          {func(c *containerpb.Cluster) { key(c, "", "x") }, "customerManagedEncryptionKey", "", true},
		"a key of unknown form":   {func(c *containerpb.Cluster) { key(c, "x") }, "customerManagedEncryptionKey", "", true},
		"no pool":                 {func(c *containerpb.Cluster) { c.NodePools = nil }, "nodePools", "[]", false},
		"blocks while off":        {func(c *containerpb.Cluster) { c.ControlPlaneEndpointsConfig = nil }, "masterAuthorizedNetworks", `{"cidrBlocks":[{"cidrBlock":"198.51.100.0/24","displayName":"old"}]}`, false},
		"no window":               {func(c *containerpb.Cluster) { c.MaintenancePolicy = nil }, "maintenanceWindow", `""`, false},
		"a daily window":          {func(c *containerpb.Cluster) { c.MaintenancePolicy = windows(daily("04:00")) }, "maintenanceWindow", `"04:00"`, false},
		"a new daily window":      {func(c *containerpb.Cluster) { c.MaintenancePolicy = windows(renewed("FREQ=DAILY")) }, "maintenanceWindow", `"05:07"`, false},
		"a new window on Sundays": {func(c *containerpb.Cluster) { c.MaintenancePolicy = windows(renewed("FREQ=WEEKLY;BYDAY=SU")) }, "maintenanceWindow", `"05:07 for 6h0m0s, FREQ=WEEKLY;BYDAY=SU"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.put(demo, demoCluster)
			r.cloud.Edit(demo, c.change)
			got := r.must()
			v, ok := got.Truth[c.path]
			if _, sourced := got.Sources[c.path]; ok == c.absent || sourced != ok || ok && hosted.Canonical(v) != c.want {
				t.Errorf("%s: %s (told %v, source %q), want %s", c.path, hosted.Canonical(v), ok, got.Sources[c.path], c.want)
			}
		})
	}
}

func daily(at string) *containerpb.MaintenanceWindow {
	return &containerpb.MaintenanceWindow{Policy: &containerpb.MaintenanceWindow_DailyMaintenanceWindow{
		DailyMaintenanceWindow: &containerpb.DailyMaintenanceWindow{StartTime: at}}}
}

func renewed(rule string) *containerpb.MaintenanceWindow {
	return &containerpb.MaintenanceWindow{Policy: &containerpb.MaintenanceWindow_RecurringMaintenanceWindow{
		RecurringMaintenanceWindow: &containerpb.RecurringMaintenanceWindow{
			WindowStartTime: &timeofday.TimeOfDay{Hours: 5, Minutes: 7}, WindowDuration: durationpb.New(6 * 3600e9), Recurrence: rule}}}
}

// TestAnEffectThatTheLibraryDoesNotKnow leaves a usable, partial reading.
func TestAnEffectThatTheLibraryDoesNotKnow(t *testing.T) {
	r := newRig(t)
	r.put(demo, demoCluster)
	r.cloud.Edit(demo, func(c *containerpb.Cluster) {
		c.Status = 77
		c.NodePools[1].Config.Taints[0].Effect = 99
	})
	got := r.must()
	if !got.Partial || !strings.Contains(got.Error, "taint dedicated of node pool workers") ||
		hosted.Canonical(at(t, got.Spec, "nodePools[workers].config.taints")) != `[{"effect":"UNKNOWN_99","key":"dedicated","value":"batch"}]` {
		t.Errorf("partial %v, %q, %s", got.Partial, got.Error, hosted.Canonical(got.Spec["nodePools"]))
	}
}
