package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// cliCase is one line of the refresh vectors, as far as a command line can pose it.
type cliCase struct {
	ID         string          `json:"id"`
	Provider   string          `json:"provider"`
	Cluster    json.RawMessage `json:"cluster"`
	CloudSpec  json.RawMessage `json:"cloudSpec"`
	CloudError *struct {
		Message string `json:"message"`
		Partial bool   `json:"partial"`
	} `json:"cloudError"`
	Now      string            `json:"now"`
	Settings map[string]string `json:"settings"`
	Expect   json.RawMessage   `json:"expect"`
}

// TestConformanceCommandLine poses the refresh cases to the program itself: what
// the documented command prints must be what Rancher's own code did.
func TestConformanceCommandLine(t *testing.T) {
	dir := t.TempDir()
	vectors.Run(t, "refresh", func(line []byte) (string, error) {
		var c cliCase
		if err := json.Unmarshal(line, &c); err != nil {
			return "?", err
		}
		return c.ID, c.check(t, dir)
	})
}

func (c cliCase) check(t *testing.T, dir string) error {
	t.Helper()
	objects, live := filepath.Join(dir, "objects.json"), filepath.Join(dir, "live.json")
	if err := errors.Join(os.WriteFile(objects, c.objects(), 0o600), os.WriteFile(live, c.live(), 0o600)); err != nil {
		return err
	}
	var out, stderr bytes.Buffer
	env := Env{In: strings.NewReader(""), Out: &out, Err: &stderr, Now: time.Now,
		LookupEnv: func(string) (string, bool) { return "", false }}
	name := hosted.Str(dig(decoded(c.Cluster), "metadata", "name"))
	code := Main(t.Context(), env, []string{"predict", name, "-f", objects, "--live-from", live, "--now", c.Now, "-o", "json"})
	want := 0
	doc := decoded(out.Bytes())
	if c.CloudError != nil && dig(doc, "provider") != "" { // without a provider no cloud is asked for
		want = 4
	}
	if code != want {
		return fmt.Errorf("exit code %d, want %d: %s", code, want, stderr.String())
	}
	return c.compare(doc)
}

// compare looks for each expectation at its place in the document.
func (c cliCase) compare(doc any) error {
	places := map[string][]string{"ready": {"refresh", "ready"}, "nextRefreshUnix": {"refresh", "nextUnix"}, "refreshes": {"refresh", "due"}}
	var diffs []string
	expect := decoded(c.Expect)
	// Before a refresh falls due the case tells of now, the document of the refresh.
	early := dig(expect, "refreshes") == false && dig(expect, "nextRefreshUnix") != nil
	for key, want := range hosted.Map(expect) {
		at, moved := places[key]
		if key == "annotationAfter" || early && !moved { // the annotation is not in the document
			continue
		}
		if !moved {
			at = []string{"outcome", key}
		}
		if got := dig(doc, at...); !hosted.Equal(got, want) {
			diffs = append(diffs, fmt.Sprintf("%s: got %.400s, want %.400s", strings.Join(at, "."), hosted.Canonical(got), hosted.Canonical(want)))
		}
	}
	if diffs == nil {
		return nil
	}
	return errors.New(strings.Join(diffs, "\n  "))
}

// objects is the case's file for -f.
func (c cliCase) objects() []byte {
	var b bytes.Buffer
	b.Write(c.Cluster)
	for name, value := range c.Settings {
		fmt.Fprintf(&b, "\n---\n"+`{"apiVersion":"management.cattle.io/v3","kind":"Setting","metadata":{"name":%q},"default":"300","value":%q}`, name, value)
	}
	return b.Bytes()
}

// live is the case's file for --live-from: a bare spec, or an envelope where the
// reading failed.
func (c cliCase) live() []byte {
	if c.CloudError == nil {
		return c.CloudSpec
	}
	return []byte(fmt.Sprintf(`{"spec":%s,"error":%s,"partial":%t}`, c.CloudSpec, hosted.Canonical(c.CloudError.Message), c.CloudError.Partial))
}

func dig(v any, at ...string) any {
	out, _ := hosted.Dig(hosted.Map(v), at...)
	return out
}

func decoded(text []byte) any {
	v, err := hosted.Decode(text)
	if err != nil {
		return fmt.Sprintf("undecodable: %v: %.200s", err, text)
	}
	return v
}
