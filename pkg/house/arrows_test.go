package house

import (
	"fmt"
	"slices"
	"strings"
)

// pkg is a package as the go command lists it, with the project's own import
// paths given as folders.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Deps                               []string
}

// tableFaults says what is wrong with the table itself: arrows that point up,
// sentences that are missing, cloud SDKs outside plugins.
func tableFaults(table []folder) []string {
	var faults []string
	above := map[string]bool{}
	for _, f := range table {
		fault := func(format string, args ...any) {
			faults = append(faults, f.path+" "+fmt.Sprintf(format, args...))
		}
		if above[f.path] {
			fault("has two rows")
		}
		if f.does == "" || f.mayNot == "" {
			fault("lacks a sentence: say what it does and what it may not know")
		}
		for _, i := range f.imports {
			if !above[i] {
				fault("is allowed to import %s, which does not stand above it", i)
			}
			if isPlugin(f.path) && isPlugin(i) {
				fault("is allowed to import %s: plugins may not know one another", i)
			}
		}
		for _, m := range f.modules {
			if !isPlugin(f.path) && !slices.Contains(testOnly(), f.path) && startsWithAny(m, cloudSDKs()) {
				fault("is allowed to import %s: cloud SDKs belong below plugins/, or to the clouds of the tests", m)
			}
		}
		above[f.path] = true
	}
	return faults
}

// arrowFaults says which imports the table does not allow, and where table and
// tree differ.
func arrowFaults(table []folder, graph []pkg) []string {
	rows := map[string]folder{}
	for _, f := range table {
		rows[f.path] = f
	}
	var faults []string
	for _, p := range graph {
		f, ok := rows[p.ImportPath]
		if !ok {
			faults = append(faults, p.ImportPath+" has no row in the table of folders: say what it does, what it may not know and what it may import")
			continue
		}
		delete(rows, p.ImportPath)
		faults = append(faults, folderFaults(f, p)...)
	}
	for path := range rows {
		faults = append(faults, path+" has a row in the table of folders but no package")
	}
	slices.Sort(faults)
	return faults
}

// folderFaults compares one package with its row.
func folderFaults(f folder, p pkg) []string {
	var faults []string
	refuse := func(format string, args ...any) {
		faults = append(faults, fmt.Sprintf("%s %s; it may not know %s", f.path, fmt.Sprintf(format, args...), f.mayNot))
	}
	for _, i := range p.Imports {
		switch {
		case isStandard(i):
			if f.pure && slices.Contains(effects(), i) {
				refuse("imports %s, but it is pure", i)
			}
		case isOurs(i):
			if !slices.Contains(f.imports, i) {
				refuse("imports %s", i)
			}
		case !startsWithAny(i, f.modules):
			refuse("imports %s", i)
		}
	}
	for _, i := range slices.Concat(p.TestImports, p.XTestImports) {
		if isOurs(i) && i != f.path && !slices.Contains(f.imports, i) && !slices.Contains(f.tests, i) {
			refuse("imports %s in its tests", i)
		}
	}
	// What a pure package depends on in turn may read a file or the clock, as fmt
	// does; a network client or a command line it would carry along for nothing.
	for _, d := range p.Deps {
		if f.pure && (d == "net/http" || d == "os/exec" || d == "github.com/spf13/cobra") {
			refuse("depends on %s in the end, but it is pure", d)
		}
		if !slices.Contains(testOnly(), f.path) && slices.Contains(testOnly(), d) {
			refuse("depends on %s, which is for tests", d)
		}
	}
	return faults
}

// isOurs tells a folder of the project from an import path.
func isOurs(path string) bool {
	for _, top := range []string{"cmd/", "pkg/", "plugins/", "tui", "krew", "testdata/"} {
		if strings.HasPrefix(path, top) {
			return true
		}
	}
	return false
}

// isStandard tells the standard library: its paths start without a domain.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && !isOurs(path)
}

func startsWithAny(path string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool {
		return path == p || strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/")
	})
}
