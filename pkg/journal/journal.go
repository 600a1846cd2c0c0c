package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

// suffix ends the name of a change's file.
const suffix = ".jsonl"

// Folder returns where the journal is kept: $XDG_STATE_HOME/kubectl-hostedsync/
// journal, or the same below ~/.local/state.
func Folder(lookupEnv func(string) (string, bool)) (string, error) {
	base, ok := lookupEnv("XDG_STATE_HOME")
	if !ok || !filepath.IsAbs(base) {
		home, ok := lookupEnv("HOME")
		if !ok || home == "" {
			if home, ok = lookupEnv("USERPROFILE"); !ok || home == "" {
				return "", errors.New("no folder for the journal: set XDG_STATE_HOME or HOME, or give --journal-dir")
			}
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "kubectl-hostedsync", "journal"), nil
}

// NewID makes the name of a change: when it began, and something random.
func NewID(now time.Time, random string) string {
	return now.UTC().Format("20060102-150405.000") + "-" + random
}

// Writer records one change. It implements resync.Journal. Its file is made with the
// first entry.
type Writer struct {
	dir  string
	who  resync.Entry
	file *os.File
}

// NewWriter records to a folder, which is made if need be. Of who, Context, User and
// Args are added to the first entry.
func NewWriter(dir string, who resync.Entry) *Writer { return &Writer{dir: dir, who: who} }

// Record appends an entry and returns when it is on the disk.
func (w *Writer) Record(e resync.Entry) error {
	if w.file == nil {
		if err := w.open(e.Change); err != nil {
			return err
		}
		e.Context, e.User, e.Args = w.who.Context, w.who.User, w.who.Args
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if _, err := w.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

func (w *Writer) open(id string) error {
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(w.dir, id+suffix), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600) //nolint:forbidigo // lines are appended and synced one by one
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	w.file = f
	// The name of the file must survive too.
	if dir, err := os.Open(w.dir); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// Close closes the file.
func (w *Writer) Close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}

// Change is what the journal knows of one change.
type Change struct {
	// ID names it.
	ID      string
	Entries []resync.Entry
	// Torn: the last line was cut off by a crash.
	Torn bool
}

// First is the entry that has what and who.
func (c *Change) First() resync.Entry {
	if len(c.Entries) == 0 {
		return resync.Entry{Change: c.ID}
	}
	return c.Entries[0]
}

// Last is the latest entry.
func (c *Change) Last() resync.Entry {
	if len(c.Entries) == 0 {
		return resync.Entry{Change: c.ID}
	}
	return c.Entries[len(c.Entries)-1]
}

// Ended tells whether the change came to its end, whatever that was.
func (c *Change) Ended() bool { return c.Last().Stage == resync.StageEnd }

// Write is the latest entry that announces a write of the Config, and whether there
// is one.
func (c *Change) Write() (resync.Entry, bool) {
	for _, e := range slices.Backward(c.Entries) {
		if e.Stage == resync.StageWrite && len(e.Units) > 0 {
			return e, true
		}
	}
	return resync.Entry{}, false
}

// Stored tells whether the server is known to have stored the write.
func (c *Change) Stored() bool {
	return slices.ContainsFunc(c.Entries, func(e resync.Entry) bool { return e.Stage == resync.StageWritten })
}

// List reads all changes, oldest first, of one cluster if a name is given. Files
// that are none of the journal's are passed over; a broken one is an error that
// names it, beside what could be read.
func List(dir, cluster string) ([]Change, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	var out []Change
	var broken []error
	for _, f := range files {
		id, ours := strings.CutSuffix(f.Name(), suffix)
		if !ours || f.IsDir() {
			continue
		}
		c, err := Read(dir, id)
		if err != nil {
			broken = append(broken, err)
			continue
		}
		if cluster == "" || c.First().Cluster == cluster {
			out = append(out, c)
		}
	}
	return out, errors.Join(broken...)
}

// Read reads one change.
func Read(dir, id string) (Change, error) {
	if id == "" || strings.ContainsAny(id, `/\`) || strings.HasPrefix(id, ".") {
		return Change{}, fmt.Errorf("journal: %q is not the name of a change", id)
	}
	text, err := os.ReadFile(filepath.Join(dir, id+suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return Change{}, fmt.Errorf("journal: there is no change %s in %s", id, dir)
	}
	if err != nil {
		return Change{}, fmt.Errorf("journal: %w", err)
	}
	return parse(id, text)
}

func parse(id string, text []byte) (Change, error) {
	c := Change{ID: id}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i, line := range lines {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e resync.Entry
		if err := json.Unmarshal(line, &e); err != nil {
			if i == len(lines)-1 { // no newline: it was being written
				c.Torn = true
				break
			}
			return c, fmt.Errorf("journal: %s%s: line %d: %w", id, suffix, i+1, err)
		}
		if !bytes.HasSuffix(line, []byte("\n")) {
			c.Torn = true
			break
		}
		for j := range e.Units { // numbers as the API server has them
			e.Units[j].Before, e.Units[j].After = hosted.Normalize(e.Units[j].Before), hosted.Normalize(e.Units[j].After)
		}
		c.Entries = append(c.Entries, e)
	}
	return c, nil
}
