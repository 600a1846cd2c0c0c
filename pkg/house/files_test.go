package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// longest is how many lines a source file may have: what a reader can hold in
// mind at once. Most should stay well below.
const longest = 500

// TestFiles holds every source file of the project to the rules on files.
func TestFiles(t *testing.T) {
	files := sources(t)
	if len(files) < 100 {
		t.Fatalf("only %d source files found", len(files))
	}
	for _, fault := range fileFaults(files) {
		t.Error(fault)
	}
}

// sources reads the project's Go files, by their path from the root.
func sources(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	base := root(t)
	for _, top := range []string{"cmd", "pkg", "tui", "plugins", "krew", "testdata"} {
		err := filepath.WalkDir(filepath.Join(base, top), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(file) != ".go" {
				return err
			}
			name, err := filepath.Rel(base, file)
			if err != nil {
				return err
			}
			files[filepath.ToSlash(name)], err = os.ReadFile(file)
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return files
}

// fileFaults says which files break a rule: too long, a function that runs by
// itself at start-up, a package without a tour, unfinished work.
func fileFaults(files map[string][]byte) []string {
	var faults []string
	for name, text := range files {
		if n := bytes.Count(text, []byte("\n")); n > longest {
			faults = append(faults, fmt.Sprintf("%s has %d lines, more than %d: find the two things that it does", name, n, longest))
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s cannot be parsed: %v", name, err))
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				faults = append(faults, name+" has an init function: let pkg/app put things together")
			}
		}
		for _, c := range file.Comments {
			if unfinished.MatchString(c.Text()) {
				faults = append(faults, fmt.Sprintf("%s has a comment on unfinished work: %q", name, strings.TrimSpace(c.Text())))
			}
		}
		tour := path.Join(path.Dir(name), "doc.go")
		if _, ok := files[tour]; !ok && needsTour(name, file.Name.Name) {
			faults = append(faults, tour+" is missing: it tours the package and says what it may not know")
		}
		if file.Doc != nil && path.Base(name) != "doc.go" && needsTour(name, file.Name.Name) && !strings.HasSuffix(name, "_test.go") {
			faults = append(faults, name+" has the package's comment: it belongs in doc.go")
		}
		if path.Base(name) == "doc.go" && (file.Doc == nil || len(file.Doc.Text()) < 100) {
			faults = append(faults, name+" does not tour its package")
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

// unfinished are the marks that people leave on work to be done, in pieces here
// so that this file does not find itself.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)

// needsTour tells packages that others read from programs, whose comment stands
// in main.go, and from the modules of their own below testdata.
func needsTour(file, name string) bool {
	return name != "main" && !strings.HasPrefix(file, "testdata/")
}

func TestFileFaultsAreFound(t *testing.T) {
	tour := []byte("// Package a " + strings.Repeat("does it well ", 10) + "\npackage a\n")
	long := []byte("package a\n" + strings.Repeat("// line\n", longest))
	mark := "// TO" + "DO: later\n"
	cases := []struct {
		name  string
		files map[string][]byte
		want  string
	}{
		{"sound", map[string][]byte{"pkg/a/doc.go": tour, "pkg/a/a.go": []byte("package a\n\nfunc (t T) init() {}\n")}, ""},
		{"program", map[string][]byte{"cmd/a/main.go": []byte("// Command a does it.\npackage main\n")}, ""},
		{"long", map[string][]byte{"pkg/a/doc.go": tour, "pkg/a/a.go": long}, "pkg/a/a.go has 501 lines"},
		{"init", map[string][]byte{"pkg/a/doc.go": tour, "pkg/a/a.go": []byte("package a\n\nfunc init() {}\n")}, "has an init function"},
		{"mark", map[string][]byte{"pkg/a/doc.go": tour, "pkg/a/a.go": []byte("package a\n\n" + mark)}, "unfinished work"},
		{"no tour", map[string][]byte{"pkg/a/a.go": []byte("package a\n")}, "pkg/a/doc.go is missing"},
		{"short tour", map[string][]byte{"pkg/a/doc.go": []byte("// Package a.\npackage a\n")}, "does not tour"},
		{"two tours", map[string][]byte{"pkg/a/doc.go": tour, "pkg/a/b.go": tour}, "belongs in doc.go"},
		{"no Go", map[string][]byte{"pkg/a/doc.go": []byte("package")}, "cannot be parsed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { expect(t, fileFaults(c.files), c.want) })
	}
}

// TestKubernetesModules wants the product's Kubernetes modules to be of one
// release: their types move together.
func TestKubernetesModules(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	released := regexp.MustCompile(`(?m)^\s*(k8s\.io/(?:api|apiextensions-apiserver|apimachinery|cli-runtime|client-go)) (v\S+)`)
	versions := map[string][]string{}
	for _, m := range released.FindAllStringSubmatch(string(text), -1) {
		versions[m[2]] = append(versions[m[2]], m[1])
	}
	if len(versions) != 1 {
		t.Errorf("want one version, have %v", versions)
	}
}
