package manifest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/manifest"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

func toYAML(t testing.TB, v any) string {
	t.Helper()
	b, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func list(objs []map[string]any) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""}, "items": objs}
}

func pod(name string) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"text": "kind: Cluster\napiVersion: management.cattle.io/v3\n- x\n---\n"}}
}

// want converts a fleet without any file in between.
func want(objects testbed.Objects) []hosted.Snapshot {
	var c hosted.Collector
	for _, o := range objects.Clusters {
		c.AddCluster(o)
	}
	for _, o := range objects.Settings {
		c.AddSetting(o)
	}
	for _, o := range objects.Resources {
		for _, p := range hosted.Providers() {
			if p.CRKind() == o["kind"] {
				c.AddResource(p, o)
			}
		}
	}
	out, _ := c.Finish()
	return out
}

// TestEveryFormatGivesTheSameFleet: one fleet, written in all ways that people
// have, some large enough to be cut.
func TestEveryFormatGivesTheSameFleet(t *testing.T) {
	objects := testbed.Fleet(5, 90)
	all := append(objects.All(), pod("a"), pod("b"))
	var docs, jsons, crlf []string
	for _, o := range all {
		docs = append(docs, toYAML(t, o))
		jsons = append(jsons, hosted.Canonical(o))
		crlf = append(crlf, strings.ReplaceAll(toYAML(t, o), "\n", "\r\n"))
	}
	indented, err := json.MarshalIndent(list(all), "", "    ")
	if err != nil {
		t.Fatal(err)
	}
	yamlList := toYAML(t, list(all))
	if len(yamlList) < 1<<20 {
		t.Fatalf("the list of %d bytes is too small to be cut", len(yamlList))
	}
	nested := list([]map[string]any{list(all[:20]), list([]map[string]any{list(all[20:])})})
	forms := map[string]string{
		"kubectl -o json":        string(indented),
		"kubectl -o yaml":        yamlList,
		"documents":              strings.Join(docs, "---\n"),
		"documents with marks":   "# dump\n---\n" + strings.Join(docs, "...\n---  # next\n") + "---\n",
		"CRLF":                   strings.Join(crlf, "---\r\n"),
		"CRLF list":              strings.ReplaceAll(yamlList, "\n", "\r\n"),
		"byte order mark":        "\xef\xbb\xbf" + yamlList,
		"JSON after a mark":      "\xef\xbb\xbf" + string(indented),
		"JSON lines":             strings.Join(jsons, "\n"),
		"JSON array":             "[" + strings.Join(jsons, ",") + "]",
		"JSON between dashes":    strings.Join(jsons, "\n---\n"),
		"dashes, JSON":           "---\n" + strings.Join(jsons, "\n---\n"),
		"lists in lists":         hosted.Canonical(nested),
		"YAML lists in lists":    toYAML(t, nested),
		"two lists":              toYAML(t, list(all[:40])) + "---\n" + toYAML(t, list(all[40:])),
		"shifted dashes":         shiftedList(t, all),
		"comments between items": strings.ReplaceAll(yamlList, "\n- ", "\n# an item\n\n- "),
	}
	expected := want(objects)
	for name, text := range forms {
		t.Run(name, func(t *testing.T) {
			got, err := manifest.Read([]string{manifest.Stdin}, strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Problems) != 0 || len(got.Unread) != 0 || got.Taken != len(all)-2 || !reflect.DeepEqual(got.Ignored, map[string]int{"Pod": 2}) {
				t.Errorf("problems %v, unread %v, taken %d, ignored %v", got.Problems, got.Unread, got.Taken, got.Ignored)
			}
			if !reflect.DeepEqual(got.Snapshots, expected) {
				t.Error("the fleet is another")
			}
		})
	}
}

// shiftedList writes a list whose dashes are indented, as other tools do.
func shiftedList(t *testing.T, objs []map[string]any) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	for _, o := range objs {
		for i, l := range strings.Split(strings.TrimRight(toYAML(t, o), "\n"), "\n") {
			switch {
			case i == 0:
				b.WriteString("  -   " + l + "\n")
			default:
				b.WriteString("      " + l + "\n")
			}
		}
	}
	return b.String()
}

// TestFilesTogether: several files make one fleet, a later object replaces an
// earlier one, and what no file has is listed.
func TestFilesTogether(t *testing.T) {
	objects := testbed.Fleet(5, 12)
	eks := objects.Clusters[5]
	name := hosted.ObjectName(eks)
	later := hosted.CloneMap(eks)
	hosted.Map(later["spec"])["displayName"] = "later"
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := write("a.yaml", toYAML(t, eks))
	b := write("b.json", hosted.Canonical(later))
	got, err := manifest.Read([]string{a, manifest.Stdin, b}, strings.NewReader(toYAML(t, objects.Clusters[0])))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Snapshots) != 2 || got.Snapshots[0].DisplayName != "later" || got.Snapshots[1].Name != "local" {
		t.Errorf("snapshots %+v", got.Snapshots)
	}
	if len(got.Problems) != 1 || got.Problems[0].Object != "Cluster "+name || !strings.Contains(got.Problems[0].String(), "more than once") || got.Problems[0].Where != b {
		t.Errorf("problems %v", got.Problems)
	}
	var unread []string
	for _, u := range got.Unread {
		unread = append(unread, u.What)
		if u.Fix == "" {
			t.Errorf("no remedy for %s", u.What)
		}
	}
	if want := []string{"Setting server-version", "Setting eks-refresh", "EKSClusterConfig"}; !slices.Equal(unread, want) {
		t.Errorf("unread %v, want %v", unread, want)
	}
	if s := got.Snapshots[0]; len(s.Unread) != 3 || s.Setting.Unreadable == "" || s.CR != nil {
		t.Errorf("snapshot: unread %v, setting %+v", s.Unread, s.Setting)
	}
}

func TestOddObjects(t *testing.T) {
	text := `
apiVersion: management.cattle.io/v3
kind: Cluster
metadata: {}
---
apiVersion: management.cattle.io/v3
kind: Cluster
metadata: {name: c-one}
spec: {eksConfig: 5, displayName: yes}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: not-rancher}
---
apiVersion: provisioning.cattle.io/v1
kind: Cluster
metadata: {name: c-one}
---
just text
---
- 1
- null
---
kind: NoVersion
---
apiVersion: v1
`
	got, err := manifest.Read([]string{"-"}, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Snapshots) != 1 || got.Snapshots[0].Hosted() || got.Taken != 1 {
		t.Errorf("snapshots %+v, taken %d", got.Snapshots, got.Taken)
	}
	ignored := map[string]int{"Cluster.cluster.x-k8s.io": 1, "Cluster.provisioning.cattle.io": 1, "(not an object)": 2, "NoVersion": 1, "(no kind)": 1}
	if !reflect.DeepEqual(got.Ignored, ignored) {
		t.Errorf("ignored %v, want %v", got.Ignored, ignored)
	}
	var problems []string
	for _, p := range got.Problems {
		problems = append(problems, p.String())
	}
	all := strings.Join(problems, "\n")
	for _, w := range []string{"metadata.name is missing", "spec.eksConfig: expected an object, found a number", "spec.displayName: expected a string, found a boolean"} {
		if !strings.Contains(all, w) || len(problems) != 3 {
			t.Errorf("problems:\n%s\nlack %q", all, w)
		}
	}
}

const oneCluster = `{"apiVersion":"management.cattle.io/v3","kind":"Cluster","metadata":{"name":"c"}}`

func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 12; i++ {
		p := string(rune('0'+(i-1)%10)) + strings.Repeat("_", (i-1)/10)
		n := string(rune('0'+i%10)) + strings.Repeat("_", i/10)
		b.WriteString("a" + n + ": &a" + n + " [" + strings.TrimSuffix(strings.Repeat("*a"+p+",", 9), ",") + "]\n")
	}
	return b.String()
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	cases := map[string]struct {
		text  string
		kind  manifest.Kind
		words []string
	}{
		"empty":          {"", manifest.Empty, []string{"is empty"}},
		"blank":          {" \n\t\r\n", manifest.Empty, nil},
		"mark only":      {"\xef\xbb\xbf", manifest.Empty, nil},
		"comment only":   {"# nothing\n---\n", manifest.NoClusters, []string{"kubectl get clusters.management.cattle.io"}},
		"other kinds":    {"apiVersion: v1\nkind: Pod\n---\napiVersion: apps/v1\nkind: Deployment\n---\napiVersion: v1\nkind: Pod\n", manifest.NoClusters, []string{"2 Pod, 1 Deployment.apps"}},
		"UTF-16":         {"\xff\xfea\x00", manifest.Encoding, []string{"UTF-16", "PowerShell"}},
		"gzip":           {"\x1f\x8b\x08", manifest.Encoding, []string{"gunzip"}},
		"zip":            {"PK\x03\x04", manifest.Encoding, []string{"unpack"}},
		"binary":         {"\x7fELF\x00\x00", manifest.Encoding, []string{"not text"}},
		"half JSON":      {`{"kind":"List","items":[` + oneCluster, manifest.Syntax, []string{"unexpected end", "complete"}},
		"bad JSON":       {`{"items":[{"kind":}]}`, manifest.Syntax, nil},
		"bad JSON item":  {`{"items":[{"kind":"x" "y":[}]]}`, manifest.Syntax, nil},
		"bad YAML":       {"a: b\n---\nkind: Cluster\nx: [1\ny: 2\n", manifest.Syntax, []string{"not valid YAML", "standard input:"}},
		"tabs":           {"a:\n\tb: 1\n", manifest.Syntax, []string{"cannot start any token"}},
		"Latin-1":        {"name: K\xf6ln\n", manifest.Syntax, []string{"UTF-8"}},
		"bomb":           {bomb(), manifest.TooLarge, []string{"aliases", "JSON"}},
		"deep":           {"a: " + strings.Repeat("[", 20000) + strings.Repeat("]", 20000), manifest.TooLarge, []string{"deep"}},
		"deep JSON":      {strings.Repeat("[", 20000) + strings.Repeat("]", 20000), manifest.Syntax, nil},
		"lists in lists": {strings.Repeat(`{"items":[`, 12) + strings.Repeat(`]}`, 12), manifest.TooLarge, []string{"deep"}},
		"infinite":       {"kind: x\na: .inf\n---\n" + oneCluster + "\n---\napiVersion: management.cattle.io/v3\nkind: Cluster\nmetadata: {name: d}\nspec: {a: .inf}", manifest.Syntax, []string{"Inf"}},
		"huge document":  {"a: |\n" + strings.Repeat("  0123456789012345678901234567890123456789\n", 450_000), manifest.TooLarge, []string{"16 MB"}},
		"huge line":      {"a: " + strings.Repeat("0123456789", 2_000_000), manifest.TooLarge, []string{"16 MB"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := manifest.Read([]string{manifest.Stdin}, strings.NewReader(c.text))
			checkError(t, err, c.kind, c.words...)
		})
	}
	_, err := manifest.Read([]string{filepath.Join(dir, "none.yaml")}, nil)
	checkError(t, err, manifest.Unreadable, "none.yaml", "no such file")
	_, err = manifest.Read([]string{dir}, nil)
	checkError(t, err, manifest.Unreadable, "is a folder")
	_, err = manifest.Read([]string{"-", "-"}, strings.NewReader(oneCluster))
	checkError(t, err, manifest.Unreadable, "twice")
}

func checkError(t *testing.T, err error, kind manifest.Kind, words ...string) {
	t.Helper()
	if manifest.KindOf(err) != kind {
		t.Fatalf("kind %q, want %q: %.300v", manifest.KindOf(err), kind, err)
	}
	if strings.ContainsAny(err.Error(), "\n\r\t") || len(err.Error()) > 400 {
		t.Errorf("not one short line: %.500q", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q lacks %q", err, w)
		}
	}
}

// FuzzRead: no input makes the reader panic, and every refusal is a line of its
// own kind.
func FuzzRead(f *testing.F) {
	for _, s := range []string{oneCluster, "", "---\n", "a: &a [*a]\n", bomb(), "items:\n- kind: x\n", `{"items":[1,` + oneCluster + `]}`,
		"apiVersion: management.cattle.io/v3\nkind: Cluster\nmetadata:\n  name: c\nspec:\n  eksConfig:\n    tags: ~\n    t: 2001-01-01\n    n: 0x1f\n    b: !!binary aGk=\n    ? [1]\n    : 2\n",
		"%YAML 1.1\n---\n<<: {a: 1}\n", "- - - a\n", "\"\\x\"", "{a: 1}", "[a"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := manifest.Read([]string{manifest.Stdin}, bytes.NewReader(data))
		if err != nil && (manifest.KindOf(err) == "" || strings.ContainsAny(err.Error(), "\n\r")) {
			t.Fatalf("%q: %#v", data, err)
		}
	})
}
