package app

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// bed is the API server of the tests that need one.
var bed testbed.Bed

// asProgram is the variable that makes the test binary behave as the program.
const asProgram = "HOSTEDSYNC_TEST_AS_PROGRAM"

// withBed runs the tests, and afterwards looks for what they left running.
type withBed struct{ m *testing.M }

func (w withBed) Run() int { return testbed.Run(w.m, &bed, os.Stderr) }

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		runMain()
	}
	testscript.Main(withBed{m}, map[string]func(){
		"kubectl-hostedsync":          runMain,
		"kubectl_complete-hostedsync": runMain,
	})
}

// withClock is the variable that makes the program's clock run.
const withClock = "HOSTEDSYNC_TEST_CLOCK"

// runMain is the program as cmd runs it, on a local clock that stands still unless
// it is told to run.
func runMain() {
	began := time.Now()
	now := func() time.Time {
		t := time.Date(2026, 3, 10, 11, 3, 0, 0, time.UTC)
		if os.Getenv(withClock) != "" {
			t = t.Add(time.Since(began))
		}
		return t
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := Main(ctx, Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, LookupEnv: os.LookupEnv,
		Now:     now,
		Program: filepath.Base(os.Args[0]),
	}, os.Args[1:])
	stop()
	os.Exit(code)
}

// TestScript runs the command lines of testdata/script in a folder that holds its
// fixtures. No script needs a server: there is no kubeconfig.
func TestScript(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "script")
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("KUBECONFIG", filepath.Join(e.WorkDir, "no-kubeconfig"))
			e.Setenv("NO_COLOR", "1")
			return os.CopyFS(e.WorkDir, os.DirFS(filepath.Join(dir, "fixtures")))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"hs":    run,
			"plain": plain,
			"lines": lines,
		},
	})
}

// run is "hs CODE ARGS…": the program must end with this exit code.
func run(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: hs CODE ARGS…")
	}
	code := 0
	if err := ts.Exec("kubectl-hostedsync", args[1:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// plain asserts that the last outputs hold nothing that a terminal obeys.
func plain(ts *testscript.TestScript, _ bool, _ []string) {
	for _, name := range []string{"stdout", "stderr"} {
		text := ts.ReadFile(name)
		for _, r := range text {
			bidi := r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 || bidi {
				ts.Fatalf("%s holds U+%04X", name, r)
			}
		}
	}
}

// lines is "lines N FILE": how many lines stdout or stderr has.
func lines(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: lines N FILE")
	}
	n := bytes.Count([]byte(ts.ReadFile(args[1])), []byte("\n"))
	if strconv.Itoa(n) != args[0] {
		ts.Fatalf("%s has %d lines, want %s", args[1], n, args[0])
	}
}
