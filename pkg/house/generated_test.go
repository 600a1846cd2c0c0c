package house

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what is made from the table of folders")

// TestDocs holds the two places that are made from the table to it: the table in
// docs/ARCHITECTURE.md and the linter's rules on imports.
func TestDocs(t *testing.T) {
	cases := []struct{ file, begin, end, want string }{
		{"docs/ARCHITECTURE.md", "<!-- folders: made by make docs -->\n", "<!-- folders: end -->\n", markdown(folders())},
		{".golangci.yml", "        # arrows: made by make docs\n", "        # arrows: end\n", depguard(folders())},
	}
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			file := filepath.Join(root(t), filepath.FromSlash(c.file))
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, rest, ok := strings.Cut(string(text), c.begin)
			old, tail, closed := strings.Cut(rest, c.end)
			if !ok || !closed {
				t.Fatalf("no part between %q and %q", c.begin, c.end)
			}
			if old == c.want {
				return
			}
			if !*update {
				t.Fatal("does not follow the table of folders: run make docs")
			}
			if err := os.WriteFile(file, []byte(head+c.begin+c.want+c.end+tail), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// markdown is the table for people.
func markdown(table []folder) string {
	var out strings.Builder
	out.WriteString("\n| folder | it … | it may not know … | it may import |\n|---|---|---|---|\n")
	for _, f := range table {
		may := make([]string, 0, len(f.imports))
		for _, i := range f.imports {
			may = append(may, "`"+strings.TrimPrefix(i, "pkg/")+"`")
		}
		if len(may) == 0 {
			may = append(may, "nothing of the project")
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", f.path, f.does, f.mayNot, strings.Join(may, ", "))
	}
	out.WriteString("\n")
	return out.String()
}

// depguard is the table for the linter. A rule lists all that a folder may
// import; what it denies only serves to say why. Tests are left to TestArrows,
// which can tell a package's tests from another's.
func depguard(table []folder) string {
	var out strings.Builder
	line := func(depth int, format string, args ...any) {
		out.WriteString(strings.Repeat("  ", depth+4) + fmt.Sprintf(format, args...) + "\n")
	}
	var pure []string
	for _, f := range table {
		line(0, "%s:", f.path)
		line(1, "list-mode: strict")
		line(1, "files:")
		line(2, "- %q", "**/"+f.path+"/*.go")
		line(2, "- %q", "!$test")
		line(1, "allow:")
		line(2, "- $gostd")
		for _, i := range f.imports {
			line(2, "- %s/%s$", module, i)
		}
		for _, m := range f.modules {
			line(2, "- %s", m)
		}
		line(1, "deny:")
		for _, domain := range []string{"cloud.google.com", "github.com", "golang.org", "k8s.io", "sigs.k8s.io"} {
			line(2, "- pkg: %s", domain)
			line(2, "  desc: %q", "It may not know "+f.mayNot+".")
		}
		if f.pure {
			pure = append(pure, f.path)
		}
	}
	line(0, "without effects:")
	line(1, "list-mode: lax")
	line(1, "files:")
	for _, path := range pure {
		line(2, "- %q", "**/"+path+"/*.go")
	}
	line(2, "- %q", "!$test")
	line(1, "deny:")
	for _, e := range effects() {
		line(2, "- pkg: %s$", e)
		line(2, "  desc: %q", "The package is pure: let the caller hand in what this would reach for.")
	}
	return out.String()
}
