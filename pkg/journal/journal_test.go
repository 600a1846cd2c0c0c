package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

func TestFolder(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"/state/kubectl-hostedsync/journal":               {"XDG_STATE_HOME": "/state", "HOME": "/home/a"},
		"/home/a/.local/state/kubectl-hostedsync/journal": {"XDG_STATE_HOME": "relative", "HOME": "/home/a"},
		"": {},
	} {
		got, err := Folder(func(k string) (string, bool) { v, ok := env[k]; return v, ok })
		if filepath.ToSlash(got) != want || (want == "") != (err != nil) {
			t.Errorf("%v: %q, %v, want %q", env, got, err, want)
		}
	}
}

func entry(stage resync.Stage) resync.Entry {
	return resync.Entry{Change: "c1", Stage: stage, Verb: resync.Set, Cluster: "c-abc", Time: time.Date(2026, 3, 10, 11, 0, 0, 0, time.UTC)}
}

// TestCutOffAnywhere: whatever a crash leaves of the file, what is complete in it is
// read, and nothing that is not.
func TestCutOffAnywhere(t *testing.T) {
	dir := t.TempDir()
	w := NewWriter(dir, resync.Entry{Context: "prod", User: "ann"})
	write := entry(resync.StageWrite)
	write.Units = []resync.UnitChange{{Unit: "nodeGroups", Before: []any{map[string]any{"desiredSize": int64(3)}}, After: nil, Absent: false}}
	for _, e := range []resync.Entry{entry(resync.StageRefresh), write, entry(resync.StageWritten), entry(resync.StageEnd)} {
		if err := w.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "c1"+suffix)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode: %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Read(dir, "c1")
	if err != nil || len(whole.Entries) != 4 || !whole.Ended() || !whole.Stored() || whole.First().User != "ann" {
		t.Fatalf("%+v, %v", whole, err)
	}
	if e, ok := whole.Write(); !ok || !hosted.Equal(e.Units[0].Before, write.Units[0].Before) {
		t.Errorf("the write reads as %+v", e)
	}
	for n := range len(text) {
		c, err := parse("c1", text[:n])
		if err != nil {
			t.Fatalf("cut off after %d bytes: %v", n, err)
		}
		complete := strings.Count(string(text[:n]), "\n")
		if len(c.Entries) != complete || c.Torn != (n > 0 && text[n-1] != '\n') {
			t.Fatalf("cut off after %d bytes: %d entries, torn %v, want %d", n, len(c.Entries), c.Torn, complete)
		}
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	if all, err := List(filepath.Join(dir, "none"), ""); err != nil || all != nil {
		t.Errorf("no folder: %v, %v", all, err)
	}
	for id, cluster := range map[string]string{"b": "c-2", "a": "c-1"} {
		w := NewWriter(dir, resync.Entry{})
		if err := w.Record(resync.Entry{Change: id, Cluster: cluster, Stage: resync.StageEnd}); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
	}
	for name, text := range map[string]string{"notes.txt": "x", "broken.jsonl": "{\n{}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := List(dir, "")
	if len(all) != 2 || all[0].ID != "a" || err == nil || !strings.Contains(err.Error(), "broken.jsonl: line 1") {
		t.Errorf("%+v, %v", all, err)
	}
	if some, _ := List(dir, "c-2"); len(some) != 1 || some[0].ID != "b" {
		t.Errorf("%+v", some)
	}
	for _, id := range []string{"", "../a", ".hidden", "x"} {
		if _, err := Read(dir, id); err == nil {
			t.Errorf("%q was read", id)
		}
	}
	w := NewWriter(dir, resync.Entry{})
	if err := w.Record(resync.Entry{Change: "a"}); err == nil {
		t.Error("a change took another's file")
	}
}
