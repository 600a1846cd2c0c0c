package app

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestJSONDocs: every key of every document is in docs/JSON.md.
func TestJSONDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "JSON.md"))
	if err != nil {
		t.Fatal(err)
	}
	// below these keys stand other people's specs and inputs
	foreign := map[string]bool{
		"configAfter": true, "upstreamSpecAfter": true, "input": true, "value": true, "becomes": true,
		"cloud": true, "config": true, "updatedCondition": true,
	}
	missing := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch x := v.(type) {
		case []any:
			for _, e := range x {
				walk(e)
			}
		case map[string]any:
			for k, e := range x {
				if !bytes.Contains(page, []byte("`"+k+"`")) && !mentioned(string(page), k) {
					missing[k] = true
				}
				if !foreign[k] {
					walk(e)
				}
			}
		}
	}
	for _, args := range [][]string{
		{"demo", "get", "--show-all"}, {"demo", "diff"}, {"demo", "risk"}, {"demo", "risk", "--blind"},
		{"demo", "predict", "atlas-prod"}, {"demo", "predict", "atlas-prod", "--set", "tags.team=blue"}, {"version", "--client"},
		{"demo", "wait", "c-j4tzq", "--for=safe", "--timeout=0"}, {"demo", "watch", "--events=1"},
	} {
		var out, errs bytes.Buffer
		code := Main(context.Background(), Env{
			In: strings.NewReader(""), Out: &out, Err: &errs, Program: "kubectl-hostedsync",
			LookupEnv: func(string) (string, bool) { return "", false },
			Now:       func() time.Time { return time.Date(2026, 3, 10, 11, 3, 0, 0, time.UTC) },
		}, append(args, "-o", "json"))
		var doc map[string]any
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatalf("%v: exit code %d, %v: %s", args, code, err, errs.String())
		}
		walk(doc)
		if !strings.Contains(string(page), "## "+doc["kind"].(string)+" ") {
			t.Errorf("no section about %s", doc["kind"])
		}
	}
	for k := range missing {
		t.Errorf("docs/JSON.md does not name %q", k)
	}
}

// mentioned finds a key inside a longer code span such as `items[].cluster`.
func mentioned(page, key string) bool {
	return strings.Contains(page, "."+key+"`") || strings.Contains(page, "`"+key+"[") || strings.Contains(page, "`"+key+":")
}
