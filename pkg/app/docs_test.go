package app

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

var update = flag.Bool("update", false, "rewrite the generated documents and golden files")

// TestGeneratedDocs keeps the pages that are made from the code equal to it.
func TestGeneratedDocs(t *testing.T) {
	for name, want := range map[string]string{
		"EXITCODES.md": report.ExitMarkdown(),
		"COMMANDS.md":  CommandMarkdown(),
		"CHANGES.md":   resync.Markdown(),
	} {
		path := filepath.Join("..", "..", "docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("docs/%s is not what the code says; run make docs", name)
		}
	}
}

// TestCommandMarkdownIsPortable: the page must be the same on every machine.
func TestCommandMarkdownIsPortable(t *testing.T) {
	before := CommandMarkdown()
	t.Setenv("HOME", "/nowhere/in/particular")
	t.Setenv("KUBECACHEDIR", "/nowhere/else")
	if after := CommandMarkdown(); after != before {
		t.Error("the page depends on the environment")
	}
	if home, _ := os.UserHomeDir(); regexp.MustCompile(regexp.QuoteMeta(home)).MatchString(before) {
		t.Error("the page names the home folder")
	}
}

// TestCommandMarkdownIsComplete: every verb has a section, an example and its
// flags.
func TestCommandMarkdownIsComplete(t *testing.T) {
	page := CommandMarkdown()
	for _, cmd := range newRoot(&Env{}).Commands() {
		if cmd.Hidden {
			continue
		}
		if !regexp.MustCompile(`(?m)^## ` + cmd.Name() + `$`).MatchString(page) {
			t.Errorf("no section about %s", cmd.Name())
		}
		if cmd.Example == "" || cmd.Long == "" || cmd.Short == "" {
			t.Errorf("%s lacks an example or a description", cmd.Name())
		}
	}
}
