package house

import (
	"slices"
	"strings"
	"testing"
)

// TestFaultsAreFound feeds the checks a small invented project with one thing
// wrong at a time: a check that finds nothing there would find nothing here.
func TestFaultsAreFound(t *testing.T) {
	table := []folder{
		{path: "pkg/low", does: "is low", mayNot: "pkg/high", pure: true},
		{path: "pkg/vectors", does: "tests", mayNot: "all"},
		{path: "pkg/high", does: "is high", mayNot: "a cloud", imports: []string{"pkg/low"}, tests: []string{"pkg/vectors"}, modules: []string{"k8s.io/client-go"}},
	}
	low, vectors, high := pkg{ImportPath: "pkg/low"}, pkg{ImportPath: "pkg/vectors"}, pkg{ImportPath: "pkg/high"}
	cases := []struct {
		name   string
		change func(low, high *pkg)
		want   string
	}{
		{"allowed", func(_, high *pkg) {
			high.Imports = []string{"pkg/low", "os", "k8s.io/client-go", "k8s.io/client-go/rest"}
			high.TestImports = []string{"pkg/vectors", "testing"}
		}, ""},
		{"arrow up", func(low, _ *pkg) { low.Imports = []string{"pkg/high"} }, "pkg/low imports pkg/high; it may not know pkg/high"},
		{"arrow up in a test", func(low, _ *pkg) { low.XTestImports = []string{"pkg/high"} }, "pkg/low imports pkg/high in its tests"},
		{"foreign module", func(low, _ *pkg) { low.Imports = []string{"k8s.io/client-go/rest"} }, "pkg/low imports k8s.io/client-go/rest"},
		{"module of a like name", func(_, high *pkg) { high.Imports = []string{"k8s.io/client-gopher"} }, "pkg/high imports k8s.io/client-gopher"},
		{"effect", func(low, _ *pkg) { low.Imports = []string{"os"} }, "pkg/low imports os, but it is pure"},
		{"client in the end", func(low, _ *pkg) { low.Deps = []string{"net/http"} }, "pkg/low depends on net/http in the end"},
		{"test package in a program", func(_, high *pkg) { high.Deps = []string{"pkg/vectors"} }, "pkg/high depends on pkg/vectors, which is for tests"},
		{"no row", func(_, high *pkg) { high.ImportPath = "pkg/new" }, "pkg/new has no row"},
		{"no package", func(_, high *pkg) { high.ImportPath = "pkg/new" }, "pkg/high has a row in the table of folders but no package"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			low, high := low, high
			c.change(&low, &high)
			expect(t, arrowFaults(table, []pkg{low, vectors, high}), c.want)
		})
	}
}

func TestTableFaultsAreFound(t *testing.T) {
	row := func(path string, imports, modules []string) folder {
		return folder{path: path, does: "x", mayNot: "y", imports: imports, modules: modules}
	}
	cases := []struct {
		name  string
		table []folder
		want  string
	}{
		{"sound", []folder{row("pkg/a", nil, nil), row("plugins/eks", []string{"pkg/a"}, []string{"github.com/aws/aws-sdk-go-v2"})}, ""},
		{"up", []folder{row("pkg/a", []string{"pkg/b"}, nil), row("pkg/b", nil, nil)}, "pkg/a is allowed to import pkg/b, which does not stand above it"},
		{"twice", []folder{row("pkg/a", nil, nil), row("pkg/a", nil, nil)}, "pkg/a has two rows"},
		{"silent", []folder{{path: "pkg/a", does: "x"}}, "pkg/a lacks a sentence"},
		{"plugin to plugin", []folder{row("plugins/a", nil, nil), row("plugins/b", []string{"plugins/a"}, nil)}, "plugins may not know one another"},
		{"cloud in the core", []folder{row("pkg/a", nil, []string{"github.com/aws/aws-sdk-go-v2/service/eks"})}, "cloud SDKs belong below plugins/"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { expect(t, tableFaults(c.table), c.want) })
	}
}

// expect wants one fault to contain a text, or none at all.
func expect(t *testing.T, faults []string, want string) {
	t.Helper()
	if want == "" && len(faults) > 0 {
		t.Fatalf("faults where there are none: %q", faults)
	}
	if want != "" && !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, want) }) {
		t.Fatalf("no fault says %q: %q", want, faults)
	}
}
