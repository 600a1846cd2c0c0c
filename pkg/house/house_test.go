package house

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTableOfFolders(t *testing.T) {
	for _, fault := range tableFaults(folders()) {
		t.Error(fault)
	}
}

// TestArrows holds the import graph to the table, once with and once without the
// files that only end-to-end tests and benchmarks see.
func TestArrows(t *testing.T) {
	for _, tags := range []string{"", "e2e,bench"} {
		graph := list(t, tags)
		if len(graph) < 20 {
			t.Fatalf("tags %q: only %d packages listed", tags, len(graph))
		}
		for _, fault := range arrowFaults(folders(), graph) {
			t.Errorf("tags %q: %s", tags, fault)
		}
	}
}

// list asks the go command for the import graph.
func list(t *testing.T, tags string) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", tags,
		"-json=ImportPath,Imports,TestImports,XTestImports,Deps", "./...", "./testdata/slowest")
	cmd.Dir = root(t)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var graph []pkg
	for dec := json.NewDecoder(out); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		graph = append(graph, p.ours())
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("go list: %v", err)
	}
	return graph
}

// ours strips the module from the project's own import paths.
func (p pkg) ours() pkg {
	strip := func(paths []string) []string {
		out := make([]string, len(paths))
		for i, path := range paths {
			out[i] = strings.TrimPrefix(path, module+"/")
		}
		return out
	}
	return pkg{
		ImportPath: strip([]string{p.ImportPath})[0], Imports: strip(p.Imports),
		TestImports: strip(p.TestImports), XTestImports: strip(p.XTestImports), Deps: strip(p.Deps),
	}
}

// root is the folder of go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}
