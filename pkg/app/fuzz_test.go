package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
)

// FuzzInputs feeds anything to the three places that take a user's text, and
// holds that the program neither crashes nor says anything that a terminal obeys,
// and that its JSON is JSON.
func FuzzInputs(f *testing.F) {
	fixture := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "script", "fixtures", name))
		if err != nil {
			f.Fatal(err)
		}
		return string(text)
	}
	eks, live := fixture("eks.yaml"), fixture("eks-live.yaml")
	for _, edit := range []string{"tags.a=b", "nodeGroups[workers].desiredSize=5", "nodeGroups=null", "privateAccess=[1]", "a[", "=", "tags[\x1b]=\u202e"} {
		f.Add(eks, live, edit)
	}
	f.Add(eks, `{"spec":null,"error":""}`, "tags.a=b")
	f.Add(`{"kind":"Cluster","apiVersion":"management.cattle.io/v3","metadata":{"name":"c-eks01"}}`, `{"a":1}`, "region=x")
	f.Add(`{"kind":"Cluster","apiVersion":"management.cattle.io/v3","metadata":{"name":"c-eks01"},"spec":{"eksConfig":{}},"status":[]}`, `[]`, "region=x")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, objects, live, edit string) {
		file, cloud := filepath.Join(dir, "objects"), filepath.Join(dir, "live")
		for name, text := range map[string]string{file: objects, cloud: live} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{
			{"get", "-f", file}, {"diff", "-f", file, "--live-from", cloud}, {"risk", "-f", file, "--live-from", cloud},
			{"predict", "c-eks01", "-f", file, "--live-from", cloud, "--set", edit},
		} {
			try(t, args)
			if out, code := try(t, append(args, "-o", "json")); code != report.ExitError && !json.Valid([]byte(out)) {
				t.Fatalf("%v ended with %d and wrote no JSON: %.500q", args, code, out)
			}
		}
	})
}

// try runs one command line and holds what must hold for all of them.
func try(t *testing.T, args []string) (out string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Main(t.Context(), Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Terminal: true,
		Now:       func() time.Time { return time.Date(2026, 3, 10, 11, 3, 0, 0, time.UTC) },
		LookupEnv: func(key string) (string, bool) { return "", key == "NO_COLOR" }}, args)
	switch code {
	case report.ExitClean, report.ExitDifferences, report.ExitError, report.ExitPartial:
	default:
		t.Fatalf("%v ended with %d", args, code)
	}
	if code == report.ExitError && !strings.Contains(stderr.String(), "error: ") {
		t.Fatalf("%v failed without a word: %q", args, stderr.String())
	}
	for _, r := range stdout.String() + stderr.String() {
		if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) {
			t.Fatalf("%v wrote %U", args, r)
		}
	}
	return stdout.String(), code
}
