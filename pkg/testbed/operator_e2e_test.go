//go:build e2e

package testbed_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// TestOperatorCRDsAreTheChartsOwn compares the compact definitions with those that
// come with the real operators: what is kept, nullable and required.
func TestOperatorCRDsAreTheChartsOwn(t *testing.T) {
	dir, err := testbed.Operators(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []hosted.Provider{hosted.EKS, hosted.AKS} {
		text, err := os.ReadFile(filepath.Join(dir, strings.ToLower(string(p))+"-operator-crd.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var theirs apiextv1.CustomResourceDefinition
		if err := yaml.Unmarshal(text, &theirs); err != nil {
			t.Fatal(err)
		}
		own := testbed.OperatorCRD(p)
		if a, b := own.Name, theirs.Name; a != b {
			t.Errorf("%s: the definition is called %s, the chart's %s", p, a, b)
		}
		got := schemaLines(t, own.Spec.Versions[0].Schema.OpenAPIV3Schema)
		want := schemaLines(t, theirs.Spec.Versions[0].Schema.OpenAPIV3Schema)
		for _, l := range want {
			if !slices.Contains(got, l) {
				t.Errorf("%s: the chart has %s", p, l)
			}
		}
		for _, l := range got {
			if !slices.Contains(want, l) {
				t.Errorf("%s: the chart does not have %s", p, l)
			}
		}
	}
}

// schemaLines is a schema as one line for each place.
func schemaLines(t *testing.T, s *apiextv1.JSONSchemaProps) []string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	v, err := hosted.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var walk func(at string, m map[string]any)
	walk = func(at string, m map[string]any) {
		out = append(out, fmt.Sprintf("%s: type %v nullable %t required %v", at, m["type"], m["nullable"] == true, m["required"]))
		for k, p := range hosted.Map(m["properties"]) {
			walk(at+"."+k, hosted.Map(p))
		}
		if items := hosted.Map(m["items"]); items != nil {
			walk(at+"[]", items)
		}
		if values := hosted.Map(m["additionalProperties"]); values != nil {
			walk(at+"{}", values)
		}
	}
	walk("", hosted.Map(v))
	slices.Sort(out)
	return out
}
