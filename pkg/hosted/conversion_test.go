package hosted_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rawjson"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	v, err := hosted.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return hosted.Map(v)
}

const fullCluster = `{
 "apiVersion":"management.cattle.io/v3","kind":"Cluster",
 "metadata":{"name":"c-ab12c","uid":"u1","resourceVersion":"77","creationTimestamp":"2026-01-01T00:00:00Z","generation":4,
  "labels":{"team":"blue"},
  "annotations":{"clusters.management.cattle.io/ke-last-refresh":"1767600000","field.cattle.io/creatorId":"user-x",
   "hostedsync.io/note":"n","kubectl.kubernetes.io/last-applied-configuration":"{\"secret\":1}"},
  "managedFields":[
   {"manager":"rancher","operation":"Update","time":"2026-01-01T00:00:00Z","fieldsV1":{"f:spec":{"f:displayName":{},"f:eksConfig":{".":{},"f:region":{},"f:tags":{"f:a":{}}}}}},
   {"manager":"kubectl-edit","operation":"Update","time":"2026-01-03T00:00:00Z","fieldsV1":{"f:spec":{"f:eksConfig":{"f:tags":{"f:b":{}}}}}},
   {"manager":"rancher","operation":"Update","subresource":"status","time":"2026-01-04T00:00:00Z","fieldsV1":{"f:status":{"f:driver":{}}}}]},
 "spec":{"displayName":"meadow","internal":false,"agentEnvVars":[{"name":"TOKEN","value":"x"}],"gkeConfig":null,
  "eksConfig":{"region":"eu-central-1","tags":{"a":"1","b":"2"},"kmsKey":null,"future":{"x":[null]}}},
 "status":{"driver":"EKS","apiEndpoint":"https://192.0.2.1","caCert":"Zm9v","version":{"gitVersion":"v1.34.2","major":"1"},
  "appliedSpec":{"displayName":"","eksConfig":{"region":"eu-central-1","tags":{"a":"1"}}},
  "conditions":[{"type":"Ready","status":"True"},{"type":"Updated","status":"False","message":"m","reason":"r","lastUpdateTime":"t1","lastTransitionTime":"t2"}],
  "aksStatus":{"upstreamSpec":null},
  "eksStatus":{"managedLaunchTemplateID":"lt-1","privateRequiresTunnel":null,"upstreamSpec":{"region":"eu-central-1","tags":{"a":"1","b":"2"},"future":[]}}}}`

func around(t testing.TB) *hosted.Surroundings {
	a := &hosted.Surroundings{ServerTime: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)}
	a.AddSetting(decode(t, `{"metadata":{"name":"eks-refresh"},"value":"","default":"300","source":"default"}`))
	a.AddSetting(decode(t, `{"metadata":{"name":"server-version"},"value":"v2.15.1"}`))
	a.AddResource(hosted.EKS, decode(t, `{"metadata":{"name":"c-ab12c","namespace":"cattle-global-data","resourceVersion":"9","generation":6},
		"spec":{"region":"eu-central-1","tags":{"a":"1","b":"2"},"kmsKey":null,"future":{"x":[null]}},"status":{"phase":"updating","failureMessage":"f"}}`))
	return a
}

func TestFromObjects(t *testing.T) {
	s, problems := hosted.FromObjects(decode(t, fullCluster), around(t))
	if len(problems) > 0 {
		t.Fatalf("problems %v", problems)
	}
	jan := func(day int) time.Time { return time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC) }
	config := decode(t, `{"region":"eu-central-1","tags":{"a":"1","b":"2"},"kmsKey":null,"future":{"x":[null]}}`)
	want := hosted.Snapshot{
		Name: "c-ab12c", DisplayName: "meadow", UID: "u1", ResourceVersion: "77", Generation: 4, Created: jan(1),
		Provider: hosted.EKS, ConfigsPresent: []hosted.Provider{hosted.EKS}, Driver: "EKS",
		Config:   config,
		Upstream: decode(t, `{"region":"eu-central-1","tags":{"a":"1","b":"2"},"future":[]}`),
		Applied:  decode(t, `{"region":"eu-central-1","tags":{"a":"1"}}`),
		Status:   decode(t, `{"managedLaunchTemplateID":"lt-1","privateRequiresTunnel":null}`),
		Refresh:  hosted.RefreshMark{Annotation: "1767600000", Present: true},
		Setting:  hosted.SettingValue{Name: "eks-refresh", Default: "300", Source: "default", Found: true},
		CR: &hosted.OperatorResource{Name: "c-ab12c", Namespace: "cattle-global-data", ResourceVersion: "9", Generation: 6,
			Phase: "updating", FailureMessage: "f", Spec: config, Status: decode(t, `{"phase":"updating","failureMessage":"f"}`)},
		Conditions: []hosted.Condition{{Type: "Ready", Status: "True"}, {Type: "Updated", Status: "False", Reason: "r", Message: "m", LastUpdateTime: "t1", LastTransitionTime: "t2"}},
		Labels:     map[string]string{"team": "blue"},
		Annotations: map[string]string{hosted.RefreshAnnotation: "1767600000", "field.cattle.io/creatorId": "user-x",
			"hostedsync.io/note": "n"},
		Writers: []hosted.FieldWriter{
			{Field: "region", Manager: "rancher", Operation: "Update", Time: jan(1)},
			{Field: "tags", Manager: "kubectl-edit", Operation: "Update", Time: jan(3)},
		},
		APIEndpoint: "https://192.0.2.1", KubernetesVersion: "v1.34.2", RancherVersion: "v2.15.1", ServerTime: jan(5),
	}
	object := s.Object
	s.Object = nil
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got\n%+v\nwant\n%+v", s, want)
	}
	text := hosted.Canonical(object)
	for _, gone := range []string{"caCert", "agentEnvVars", "managedFields", "last-applied", "secret"} {
		if strings.Contains(text, gone) {
			t.Errorf("the trimmed object still has %s: %s", gone, text)
		}
	}
	for _, kept := range []string{"spec.eksConfig", "status.appliedSpec.eksConfig", "status.eksStatus", "status.aksStatus", "metadata.labels"} {
		got, _ := hosted.Dig(object, strings.Split(kept, ".")...)
		full, _ := hosted.Dig(decode(t, fullCluster), strings.Split(kept, ".")...)
		if !hosted.Equal(got, full) {
			t.Errorf("%s is %s, want it untouched: %s", kept, hosted.Canonical(got), hosted.Canonical(full))
		}
	}
	conditions, _ := hosted.Dig(object, "status", "conditions")
	if l := hosted.List(conditions); len(l) != 1 || hosted.Map(l[0])["message"] != "m" {
		t.Errorf("the trimmed object's conditions are %s", hosted.Canonical(conditions))
	}
	if gke, ok := hosted.Dig(object, "spec", "gkeConfig"); !ok || gke != nil {
		t.Error("an explicit null was lost")
	}
	if w, ok := s.Writer("tags"); !ok || w.Manager != "kubectl-edit" {
		t.Errorf("the writer of tags is %+v", w)
	}
	if _, ok := s.Writer("kmsKey"); ok {
		t.Error("a field that nobody owns has a writer")
	}
}

func TestFromObjectsSaysWhatWasNotRead(t *testing.T) {
	a := &hosted.Surroundings{Unread: []hosted.Unread{
		{What: "EKSClusterConfig", Why: "forbidden"}, {What: "AKSClusterConfig", Why: "forbidden"},
		{What: hosted.SettingLabel("eks-refresh"), Why: "no right"}, {What: hosted.SettingLabel("gke-refresh"), Why: "no right"},
		{What: hosted.SettingLabel("server-version"), Why: "no right"},
	}}
	s, _ := hosted.FromObjects(decode(t, fullCluster), a)
	var got []string
	for _, u := range s.Unread {
		got = append(got, u.What)
	}
	if want := "Setting server-version,Setting eks-refresh,EKSClusterConfig"; strings.Join(got, ",") != want {
		t.Errorf("unread %v, want %s", got, want)
	}
	if s.Setting.Found || s.Setting.Unreadable != "no right" || s.CR != nil {
		t.Errorf("setting %+v, CR %v", s.Setting, s.CR)
	}
}

func TestFromObjectsReportsWrongTypes(t *testing.T) {
	cases := map[string]struct{ cluster, where, expected string }{
		"metadata":    {`{"metadata":[]}`, "metadata", "an object, found a list"},
		"name":        {`{"metadata":{"name":5}}`, "metadata.name", "a string, found a number"},
		"created":     {`{"metadata":{"name":"c","creationTimestamp":"soon"}}`, "metadata.creationTimestamp", "a time"},
		"label":       {`{"metadata":{"name":"c","labels":{"a":1}}}`, "metadata.labels[a]", "a string, found a number"},
		"annotation":  {`{"metadata":{"name":"c","annotations":{"clusters.management.cattle.io/ke-last-refresh":17}}}`, "metadata.annotations[clusters.management.cattle.io/ke-last-refresh]", "a string"},
		"bookkeeping": {`{"metadata":{"name":"c","managedFields":[7]},"spec":{"eksConfig":{}}}`, "metadata.managedFields[0]", "an object"},
		"spec":        {`{"metadata":{"name":"c"},"spec":"x"}`, "spec", "an object, found a string"},
		"config":      {`{"metadata":{"name":"c"},"spec":{"aksConfig":[]}}`, "spec.aksConfig", "an object, found a list"},
		"internal":    {`{"metadata":{"name":"c"},"spec":{"internal":"yes"}}`, "spec.internal", "a boolean, found a string"},
		"applied":     {`{"metadata":{"name":"c"},"spec":{"gkeConfig":{}},"status":{"appliedSpec":{"gkeConfig":1}}}`, "status.appliedSpec.gkeConfig", "an object, found a number"},
		"upstream":    {`{"metadata":{"name":"c"},"spec":{"aliConfig":{}},"status":{"aliStatus":{"upstreamSpec":true}}}`, "status.aliStatus.upstreamSpec", "an object, found a boolean"},
		"conditions":  {`{"metadata":{"name":"c"},"status":{"conditions":{}}}`, "status.conditions", "a list, found an object"},
		"condition":   {`{"metadata":{"name":"c"},"status":{"conditions":["x"]}}`, "status.conditions[0]", "an object, found a string"},
		"message":     {`{"metadata":{"name":"c"},"status":{"conditions":[{"type":"Ready","message":{}}]}}`, "status.conditions[0].message", "a string, found an object"},
		"driver":      {`{"metadata":{"name":"c"},"status":{"driver":1.5}}`, "status.driver", "a string, found a number"},
	}
	for name, c := range cases {
		_, problems := hosted.FromObjects(decode(t, c.cluster), nil)
		if len(problems) != 1 || problems[0].Where != c.where || !strings.Contains(problems[0].String(), c.expected) {
			t.Errorf("%s: problems %v, want one at %s: %s", name, problems, c.where, c.expected)
		}
	}
	a := around(t)
	a.AddResource(hosted.EKS, decode(t, `{"metadata":{"name":"c-ab12c"},"spec":[],"status":{"phase":1}}`))
	a.AddSetting(decode(t, `{"metadata":{"name":"eks-refresh"},"value":60}`))
	s, problems := hosted.FromObjects(decode(t, fullCluster), a)
	if len(problems) != 3 || s.CR == nil || s.CR.Spec != nil || s.Setting.Effective() != "" {
		t.Errorf("problems %v, CR %+v, setting %+v", problems, s.CR, s.Setting)
	}
}

func TestFirstConfigDecides(t *testing.T) {
	s, _ := hosted.FromObjects(decode(t, `{"metadata":{"name":"c"},"spec":{"gkeConfig":{"a":1},"eksConfig":{},"aksConfig":null},"status":{"driver":"GKE"}}`), nil)
	if s.Provider != hosted.EKS || s.Config == nil || len(s.Config) != 0 || len(s.ConfigsPresent) != 2 || s.Driver != "GKE" {
		t.Errorf("provider %s, config %v, present %v, driver %s", s.Provider, s.Config, s.ConfigsPresent, s.Driver)
	}
	if p := hosted.ProviderOf(decode(t, `{"spec":{"aliConfig":{}}}`)); p != hosted.ACK {
		t.Errorf("ProviderOf gives %q", p)
	}
	s, _ = hosted.FromObjects(decode(t, `{"metadata":{"name":"local"},"spec":{"internal":true}}`), around(t))
	if s.Hosted() || !s.Local || !s.Internal || s.Setting.Name != "" || s.RancherVersion != "v2.15.1" {
		t.Errorf("local cluster: %+v", s)
	}
}

// sameSnapshot converts a Cluster once as a whole and once from what the filter
// takes of it.
func sameSnapshot(d *rawjson.Decoder, raw []byte) (whole, filtered hosted.Snapshot, same bool, err error) {
	v, err := hosted.Decode(raw)
	if err != nil {
		return whole, filtered, true, err
	}
	if _, ok := v.(map[string]any); !ok {
		return whole, filtered, true, nil
	}
	part, err := d.Decode(raw, hosted.ClusterFilter())
	if err != nil {
		return whole, filtered, false, err
	}
	whole, p1 := hosted.FromObjects(hosted.Map(v), nil)
	filtered, p2 := hosted.FromObjects(hosted.Map(part), nil)
	return whole, filtered, reflect.DeepEqual(whole, filtered) && reflect.DeepEqual(p1, p2), nil
}

// TestFilterChangesNothing: for every recorded Cluster, decoding with the filter
// and decoding everything give the same Snapshot.
func TestFilterChangesNothing(t *testing.T) {
	var d rawjson.Decoder
	vectors.Run(t, "refresh", func(line []byte) (string, error) {
		var c struct {
			ID      string          `json:"id"`
			Cluster json.RawMessage `json:"cluster"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			return "", err
		}
		whole, filtered, same, err := sameSnapshot(&d, c.Cluster)
		if err == nil && !same {
			err = fmt.Errorf("whole\n%+v\nfiltered\n%+v", whole, filtered)
		}
		return c.ID, err
	})
	if whole, filtered, same, err := sameSnapshot(&d, []byte(fullCluster)); err != nil || !same {
		t.Errorf("%v: whole\n%+v\nfiltered\n%+v", err, whole, filtered)
	}
}

// FuzzFromObjects: no Cluster makes the conversion panic, and the filter never
// changes its result.
func FuzzFromObjects(f *testing.F) {
	f.Add([]byte(fullCluster))
	f.Add([]byte(`{"metadata":{"name":"c","managedFields":[{"fieldsV1":{"f:spec":{"f:eksConfig":{"f:a":1}}},"time":"x"},5]},"spec":{"eksConfig":{"a":[]}},"status":[]}`))
	f.Add([]byte(`{"status":{"version":[],"conditions":[null],"appliedSpec":{"eksConfig":7}},"spec":{"eksConfig":{}}}`))
	var d rawjson.Decoder
	f.Fuzz(func(t *testing.T, raw []byte) {
		whole, filtered, same, err := sameSnapshot(&d, raw)
		if err == nil && !same {
			t.Fatalf("whole\n%+v\nfiltered\n%+v", whole, filtered)
		}
	})
}

// TestCollector: many clusters at once give what each gives alone, shared problems
// come once, and the order of adding does not matter.
func TestCollector(t *testing.T) {
	wrong := decode(t, `{"metadata":{"name":"eks-refresh"},"value":60}`)
	a := around(t)
	a.AddSetting(wrong)
	other := decode(t, strings.Replace(fullCluster, "c-ab12c", "c-other", 1))
	broken := decode(t, `{"metadata":{"name":"c-broken"},"spec":7}`)
	var c hosted.Collector
	c.AddCluster(decode(t, fullCluster))
	c.Surroundings = *a
	c.AddCluster(other)
	c.AddCluster(broken)
	if n := len(c.Clusters()); n != 3 {
		t.Fatalf("%d clusters", n)
	}
	got, problems := c.Finish()
	for i, obj := range []map[string]any{decode(t, fullCluster), other, broken} {
		want, _ := hosted.FromObjects(obj, a)
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("cluster %d: got\n%+v\nwant\n%+v", i, got[i], want)
		}
	}
	if len(problems) != 2 || problems[0].Object != "Cluster c-broken" || problems[1].Object != "Setting eks-refresh" {
		t.Errorf("problems %v", problems)
	}
	if !c.AddCluster(decode(t, strings.Replace(fullCluster, "meadow", "later", 1))) {
		t.Error("a second cluster of the same name is not noticed")
	}
	c.Keep([]hosted.Snapshot{c.Clusters()[2], c.Clusters()[0]})
	got, problems = c.Finish()
	if len(got) != 2 || got[0].Name != "c-broken" || got[1].DisplayName != "later" || len(problems) != 2 {
		t.Errorf("kept %d clusters, problems %v", len(got), problems)
	}
}
