// Package peers holds benchmarks of the project's own parts beside the tools
// that people use for the same question today.
package peers

import (
	"fmt"
	"testing"

	"github.com/gonvenience/ytbx"
	"github.com/homeport/dyff/pkg/dyff"
	"sigs.k8s.io/yaml"

	"github.com/hostedsync/kubectl-hostedsync/pkg/fielddiff"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

var sizes = []int{1, 10, 100, 500}

// cluster is an EKS spec with n node groups.
func cluster(n int) map[string]any {
	groups := make([]any, n)
	for i := range groups {
		groups[i] = map[string]any{
			"nodegroupName": fmt.Sprintf("group-%03d", i), "desiredSize": int64(3), "minSize": int64(1), "maxSize": int64(5),
			"instanceType": "m5.large", "diskSize": int64(20), "version": "1.31", "gpu": false, "imageId": nil,
			"labels": map[string]any{"tier": "web", "zone": "a"}, "tags": map[string]any{"team": "blue"},
			"subnets": []any{"subnet-0aaa1111aaa11110", "subnet-0bbb2222bbb22220"},
		}
	}
	return map[string]any{
		"displayName": "atlas", "region": "eu-west-1", "kubernetesVersion": "1.31", "privateAccess": false, "publicAccess": true,
		"tags": map[string]any{"team": "blue", "env": "test"}, "loggingTypes": []any{"api", "audit"}, "nodeGroups": groups,
	}
}

// drift changes one node group in twenty and one setting.
func drift(spec map[string]any) map[string]any {
	out := hosted.CloneMap(spec)
	out["privateAccess"] = true
	for i, g := range hosted.List(out["nodeGroups"]) {
		if i%20 == 0 {
			hosted.Map(g)["desiredSize"] = int64(7)
		}
	}
	return out
}

// want is the number of differences that drift makes.
func want(n int) int { return 1 + (n+19)/20 }

// BenchmarkDiffHostedsync compares three copies: Config, UpstreamSpec and Live.
func BenchmarkDiffHostedsync(b *testing.B) {
	for _, n := range sizes {
		config := cluster(n)
		s := fielddiff.Sides{}.With(fielddiff.Config, config).With(fielddiff.Upstream, hosted.CloneMap(config)).
			With(fielddiff.Live, drift(config))
		b.Run(fmt.Sprintf("groups=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				got := fielddiff.Differences(schema.For(hosted.EKS), s)
				if len(got) != want(n) {
					b.Fatalf("%d differences, want %d", len(got), want(n))
				}
			}
		})
	}
}

// BenchmarkDiffDyff compares two copies with dyff's library, the documents
// already parsed.
func BenchmarkDiffDyff(b *testing.B) {
	for _, n := range sizes {
		from, to := document(b, cluster(n)), document(b, drift(cluster(n)))
		b.Run(fmt.Sprintf("groups=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				report, err := dyff.CompareInputFiles(from, to, dyff.AdditionalIdentifiers("nodegroupName"))
				if err != nil {
					b.Fatal(err)
				}
				if len(report.Diffs) != want(n) {
					b.Fatalf("%d differences, want %d", len(report.Diffs), want(n))
				}
			}
		})
	}
}

func document(b *testing.B, spec map[string]any) ytbx.InputFile {
	b.Helper()
	text, err := yaml.Marshal(spec)
	if err != nil {
		b.Fatal(err)
	}
	docs, err := ytbx.LoadYAMLDocuments(text)
	if err != nil {
		b.Fatal(err)
	}
	return ytbx.InputFile{Location: "spec", Documents: docs}
}
