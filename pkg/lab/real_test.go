package lab_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab"
	"github.com/hostedsync/kubectl-hostedsync/pkg/lab/fleet"
)

// question is asked of the lab and of a real API server.
type question struct{ name, method, path, contentType, body string }

// questions are asked in order: the patches build on one another. Left out is what
// the lab says that it does not do (package documentation).
func questions() []question {
	const base = "/apis/management.cattle.io/v3/clusters"
	const jsonPatch = "application/json-patch+json"
	one := base + "/" + armed
	get := func(name, path string) question { return question{name, "GET", path, "", ""} }
	patch := func(name, path, body string) question { return question{name, "PATCH", path, merge, body} }
	return []question{
		get("get", one),
		get("get through status", one+"/status"),
		get("not found", base+"/c-none"),
		get("list", base),
		get("first page", base+"?limit=4"),
		get("by label", base+"?labelSelector=provider.cattle.io%3Deks"),
		get("by label, paged", base+"?limit=2&labelSelector=provider.cattle.io%20in%20(eks,gke)"),
		get("by name", base+"?fieldSelector=metadata.name%3D"+armed),
		get("by another field", base+"?fieldSelector=spec.displayName%3Dx"),
		get("by nonsense", base+"?labelSelector=a%20b"),
		get("in a namespace", "/apis/eks.cattle.io/v1/namespaces/cattle-global-data/eksclusterconfigs"),
		get("in all namespaces", "/apis/eks.cattle.io/v1/eksclusterconfigs?limit=3"),
		get("a bad token", base+"?continue=x"),
		get("a token and a revision", base+"?continue=x&resourceVersion=5"),
		get("a bad limit", base+"?limit=x"),
		get("a match without revision", base+"?resourceVersionMatch=Exact"),
		get("an unknown resource", "/apis/management.cattle.io/v3/nothings"),
		get("an unknown subresource", one+"/scale"),
		get("a namespace too much", "/apis/management.cattle.io/v3/namespaces/x/clusters"),
		get("a namespace too little", "/apis/eks.cattle.io/v1/eksclusterconfigs/"+armed),
		patch("remove the annotation", one, `{"metadata":{"annotations":{"clusters.management.cattle.io/ke-last-refresh":null}}}`),
		patch("set it again", one, `{"metadata":{"annotations":{"clusters.management.cattle.io/ke-last-refresh":"0"}}}`),
		patch("nothing", one, `{"spec":{"eksConfig":{"privateAccess":false}}}`),
		patch("one key of a map", one, `{"spec":{"eksConfig":{"tags":{"new":"x","team":null}}}}`),
		patch("null", one, `{"spec":{"eksConfig":{"publicAccess":null}}}`),
		patch("a list with nulls in it", one, `{"spec":{"eksConfig":{"nodeGroups":[{"nodegroupName":"a","gpu":null,"labels":{"x":null}},null]}}}`),
		patch("a map over a scalar", one, `{"spec":{"eksConfig":{"kmsKey":{"a":1,"b":null,"c":[{"d":null}]}}}}`),
		patch("a scalar over a map", one, `{"spec":{"eksConfig":{"tags":"none"}}}`),
		patch("empty containers", one, `{"spec":{"eksConfig":{"tags":{},"loggingTypes":[]}}}`),
		patch("into an empty map", one, `{"spec":{"eksConfig":{"tags":{"a":"b"}}}}`),
		patch("out of the map again", one, `{"spec":{"eksConfig":{"tags":{"a":null}}}}`),
		patch("unknown keys", one, `{"spec":{"unheardOf":{"deep":[1,2.5,3.0,"x"]},"big":9007199254740993}}`),
		patch("the last of the annotations", base+"/local", `{"metadata":{"annotations":null,"labels":null}}`),
		patch("a first label", base+"/local", `{"metadata":{"labels":{"a":"b"}}}`),
		patch("status through the object", one, `{"status":{"driver":"other"},"metadata":{"labels":{"s":"1"}}}`),
		patch("status", one+"/status", `{"status":{"driver":"other","eksStatus":{"upstreamSpec":null}},"spec":{"displayName":"not this way"}}`),
		patch("an old revision", one, `{"metadata":{"resourceVersion":"1","labels":{"s":"2"}}}`),
		patch("an empty revision", one, `{"metadata":{"resourceVersion":"","labels":{"s":"2"}}}`),
		patch("no revision", one, `{"metadata":{"resourceVersion":null,"labels":{"s":"2"}}}`),
		patch("another uid", one, `{"metadata":{"uid":"00000000-0000-0000-0000-000000000000"}}`),
		patch("no uid", one, `{"metadata":{"uid":null,"labels":{"s":"3"}}}`),
		patch("another creation", one, `{"metadata":{"creationTimestamp":"2020-01-01T00:00:00Z","labels":{"s":"4"}}}`),
		patch("a deletion", one, `{"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z","labels":{"s":"5"}}}`),
		patch("another kind", one, `{"kind":"Other"}`),
		patch("another version", one, `{"apiVersion":"management.cattle.io/v2"}`),
		patch("a label that is no text", one, `{"metadata":{"labels":{"x":1}}}`),
		patch("metadata that is none", one, `{"metadata":"none"}`),
		patch("a patch that is a list", one, `[1]`),
		patch("a patch that is null", one, `null`),
		patch("a label that is not allowed", one, `{"metadata":{"labels":{"x":"not allowed!"}}}`),
		patch("an annotation that is not allowed", one, `{"metadata":{"annotations":{"not allowed":"x"}}}`),
		patch("another name", one, `{"metadata":{"name":"c-other"}}`),
		patch("unknown metadata", one, `{"metadata":{"nonsense":"x","labels":{"u":"1"}}}`),
		patch("a generation", one, `{"metadata":{"generation":77,"labels":{"u":"2"}}}`),
		patch("a dry run", one+"?dryRun=All", `{"spec":{"displayName":"only tried"}}`),
		patch("a wrong dry run", one+"?dryRun=Some", `{"spec":{"displayName":"only tried"}}`),
		patch("by a manager", one+"?fieldManager=somebody", `{"spec":{"displayName":"renamed","eksConfig":{"tags":{"x":"y"}}}}`),
		patch("of nothing", base+"/c-none", `{}`),
		{"no JSON", "PATCH", one, merge, `{`},
		{"a JSON patch", "PATCH", one, jsonPatch, `[{"op":"test","path":"/spec/displayName","value":"renamed"},{"op":"add","path":"/spec/eksConfig/tags","value":null}]`},
		{"a JSON patch that fails its test", "PATCH", one, jsonPatch, `[{"op":"test","path":"/spec/displayName","value":"atlas-prod"}]`},
		{"a JSON patch without a path", "PATCH", one, jsonPatch, `[{"op":"remove","path":"/spec/nowhere/x"}]`},
		get("a setting's status", "/apis/management.cattle.io/v3/settings/eks-refresh/status"),
		{"a setting's value", "PATCH", "/apis/management.cattle.io/v3/settings/eks-refresh", merge, `{"value":"60"}`},
		{"an operator's phase", "PATCH", "/apis/eks.cattle.io/v1/namespaces/cattle-global-data/eksclusterconfigs/" + armed + "/status", merge, `{"status":{"phase":"updating"}}`},
		{"an operator's spec", "PATCH", "/apis/eks.cattle.io/v1/namespaces/cattle-global-data/eksclusterconfigs/" + armed, merge, `{"spec":{"tags":null,"publicAccess":false}}`},
		get("what it is now", one),
		get("the other now", base+"/local"),
	}
}

// TestAsARealServer asks a real API server and the lab the same questions, from
// the same objects, and compares the answers: codes, errors, objects down to
// generation and field bookkeeping. Revisions are compared by whether they moved.
func TestAsARealServer(t *testing.T) {
	srv := bed.Server(t)
	objects := fleet.Demo(start).Objects()
	srv.Apply(t, objects...)
	t.Cleanup(func() { srv.Remove(t, objects...) })
	var stored []map[string]any
	for _, o := range objects {
		stored = append(stored, srv.Get(t, hosted.Str(o["kind"]), hosted.Str(dig(o, "metadata", "namespace")), hosted.ObjectName(o)))
	}
	store, err := lab.NewStore(lab.NewManual(start), stored...)
	if err != nil {
		t.Fatal(err)
	}
	real, err := rest.HTTPClientFor(srv.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer real.CloseIdleConnections()
	fake := &http.Client{Transport: lab.NewAPI(store)}
	n := normalizer{initial: map[string]bool{}}
	for _, o := range stored {
		n.initial[hosted.Str(dig(o, "metadata", "resourceVersion"))] = true
	}
	for _, q := range questions() {
		want := n.answer(ask(t, real, srv.Config.Host, q))
		got := n.answer(ask(t, fake, lab.Host, q))
		for _, d := range differences("", got, want) {
			t.Errorf("%s (%s %s %s): lab and real server differ at %s", q.name, q.method, q.path, q.body, d)
		}
	}
}

func ask(t *testing.T, c *http.Client, host string, q question) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), q.method, strings.TrimSuffix(host, "/")+q.path, strings.NewReader(q.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "questioner/1.0 (test)")
	if q.contentType != "" {
		req.Header.Set("Content-Type", q.contentType)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// normalizer takes out of an answer what two servers cannot agree on.
type normalizer struct{ initial map[string]bool }

func (n normalizer) answer(code int, text string) any {
	v, err := hosted.Decode([]byte(text))
	obj, ok := v.(map[string]any)
	if err != nil || !ok {
		return fmt.Sprintf("%d %q", code, text)
	}
	if items, ok := obj["items"].([]any); ok {
		for _, i := range items {
			n.object(hosted.Map(i))
		}
		meta := hosted.Map(obj["metadata"])
		meta["resourceVersion"] = meta["resourceVersion"] != nil
		if meta["continue"] != nil {
			meta["continue"] = "token"
		}
	} else {
		n.object(obj)
		plainCauses(obj)
	}
	return map[string]any{"code": int64(code), "body": obj}
}

// plainCauses takes out of an error how often the server found it, and the whole
// patched document, in which no two servers agree.
func plainCauses(status map[string]any) {
	details := hosted.Map(status["details"])
	var causes []any
	for _, c := range hosted.List(details["causes"]) {
		if hosted.Map(c)["field"] == "patch" {
			status["message"], hosted.Map(c)["message"] = "the document", "the document"
		}
		if !slices.ContainsFunc(causes, func(o any) bool { return hosted.Equal(o, c) }) {
			causes = append(causes, c)
		}
	}
	if causes != nil {
		details["causes"] = causes
	}
}

// differences lists where two values differ.
func differences(at string, got, want any) []string {
	x, isMap := got.(map[string]any)
	y, both := want.(map[string]any)
	if isMap && both {
		keys := map[string]bool{}
		for k := range x {
			keys[k] = true
		}
		for k := range y {
			keys[k] = true
		}
		var out []string
		for _, k := range hosted.SortedKeys(keys) {
			g, okG := x[k]
			w, okW := y[k]
			if okG != okW {
				out = append(out, fmt.Sprintf("%s.%s: %v %s, want %v %s", at, k, okG, hosted.Canonical(g), okW, hosted.Canonical(w)))
				continue
			}
			out = append(out, differences(at+"."+k, g, w)...)
		}
		return out
	}
	l, isList := got.([]any)
	m, both := want.([]any)
	if isList && both && len(l) == len(m) {
		var out []string
		for i := range l {
			out = append(out, differences(fmt.Sprintf("%s[%d]", at, i), l[i], m[i])...)
		}
		return out
	}
	if hosted.Equal(got, want) {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s, want %s", at, hosted.Canonical(got), hosted.Canonical(want))}
}

func (n normalizer) object(obj map[string]any) {
	meta := hosted.Map(obj["metadata"])
	if v, ok := meta["resourceVersion"].(string); ok && !n.initial[v] {
		meta["resourceVersion"] = "later"
	}
	for _, e := range hosted.List(meta["managedFields"]) {
		if m := hosted.Map(e); !slices.Contains([]string{"rancher", "terraform", "kubectl-edit", "kubectl-annotate", "eks-operator"}, hosted.Str(m["manager"])) {
			m["time"] = "then"
		}
	}
	// Entries are sorted by time, and only one of the clocks stands still.
	slices.SortFunc(hosted.List(meta["managedFields"]), func(a, b any) int {
		x, y := hosted.Map(a), hosted.Map(b)
		return strings.Compare(hosted.Str(x["manager"])+"/"+hosted.Str(x["subresource"]), hosted.Str(y["manager"])+"/"+hosted.Str(y["subresource"]))
	})
}
