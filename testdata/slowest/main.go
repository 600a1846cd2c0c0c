// Command slowest runs go test with the given arguments. It shows what failed as
// it fails, then what was skipped and which tests were slowest, and the runner's
// own line about each package last.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "slowest:", err)
		code = 1
	}
	os.Exit(code)
}

// run returns go test's exit code, or an error if it did not come to one.
func run(args []string) (int, error) {
	start := time.Now()
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	s := newSummary(os.Stdout)
	read := s.follow(events)
	err = cmd.Wait()
	s.close(time.Since(start), err == nil)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, errors.Join(err, read)
}
