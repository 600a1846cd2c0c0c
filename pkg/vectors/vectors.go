package vectors

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Env names the environment variable that points to another folder of cases.
const Env = "HOSTEDSYNC_VECTORS"

// Check judges one line. It returns the case's id and what is wrong, if
// anything.
type Check func(line []byte) (id string, err error)

// shown bounds how many mismatches a file reports in full.
const shown = 10

// Run judges every case of a kind, prints "agree N of M" for each file to
// standard output and fails t on a mismatch. Without any file of the kind it
// fails in the default folder and skips in another one, which need not hold
// every kind.
func Run(t *testing.T, kind string, check Check) {
	t.Helper()
	root, custom := os.LookupEnv(Env)
	if !custom || root == "" {
		custom, root = false, defaultRoot(t)
	}
	files := find(t, root, kind)
	if len(files) == 0 && custom {
		t.Skipf("no %s cases below the folder in %s", kind, Env)
	}
	if len(files) == 0 {
		t.Fatalf("no %s cases below %s", kind, root)
	}
	for _, f := range files {
		runFile(t, f, check)
	}
}

func runFile(t *testing.T, file string, check Check) {
	t.Helper()
	agree, all := 0, 0
	err := lines(file, func(line []byte) {
		all++
		id, err := check(line)
		if err == nil {
			agree++
			return
		}
		if all-agree <= shown {
			t.Errorf("%s: %s:\n  %.2000s", filepath.Base(file), id, err.Error())
		}
	})
	if err != nil {
		t.Errorf("%s: %v", file, err)
	}
	fmt.Printf("%s: agree %d of %d\n", filepath.Base(file), agree, all)
	if agree != all || all == 0 {
		t.Errorf("%s: agree %d of %d", filepath.Base(file), agree, all)
	}
}

// defaultRoot is testdata/vectors beside go.mod, found from the test's folder
// upwards.
func defaultRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "testdata", "vectors")
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test's folder")
		}
	}
}

func find(t *testing.T, root, kind string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		isCase := strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.gz")
		if !d.IsDir() && isCase && strings.HasPrefix(name, kind+".") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("cannot list the cases: %v", err)
	}
	return files
}

func lines(file string, each func([]byte)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return err
		}
	}
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<20), 64<<20)
	for sc.Scan() {
		if len(sc.Bytes()) > 0 {
			each(sc.Bytes())
		}
	}
	return sc.Err()
}
