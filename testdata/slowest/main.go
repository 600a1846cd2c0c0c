// Command slowest runs go test with the given arguments, passes its output on,
// and names the slowest tests before the runner's own closing lines.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// shown is how many tests are named, slow the seconds from which one counts.
const (
	shown = 10
	slow  = 1.0
)

type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

type timing struct {
	name    string
	seconds float64
}

func main() {
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		fail(err)
	}
	if err := cmd.Start(); err != nil {
		fail(err)
	}
	closing, slowest := follow(bufio.NewScanner(out))
	err = cmd.Wait()
	slices.SortFunc(slowest, func(a, b timing) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range slowest[:min(shown, len(slowest))] {
		fmt.Printf("slow: %6.1f s  %s\n", t.seconds, t.name)
	}
	fmt.Print(strings.Join(closing, ""))
	if err != nil {
		fail(err)
	}
}

// follow prints what tests say about failures and conformance at once and keeps
// each package's closing line for the end.
func follow(sc *bufio.Scanner) (closing []string, slowest []timing) {
	sc.Buffer(make([]byte, 1<<20), 16<<20)
	kept := map[string][]string{}
	for sc.Scan() {
		var e event
		if json.Unmarshal(sc.Bytes(), &e) != nil {
			fmt.Println(sc.Text())
			continue
		}
		key := e.Package + " " + e.Test
		switch {
		case e.Action == "output" && e.Test == "" && closes(e.Output):
			closing = append(closing, e.Output)
		case e.Action == "output" && strings.Contains(e.Output, ": agree "):
			fmt.Print(e.Output)
		case e.Action == "output":
			kept[key] = append(kept[key], e.Output)
		case e.Action == "fail":
			fmt.Print(strings.Join(kept[key], ""))
		case e.Action == "pass" && e.Test != "" && e.Elapsed >= slow:
			slowest = append(slowest, timing{e.Package + " " + e.Test, e.Elapsed})
		}
		if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
			delete(kept, key)
		}
	}
	return closing, slowest
}

// closes tells whether a line is the runner's own about a package.
func closes(line string) bool {
	for _, prefix := range []string{"ok  \t", "FAIL\t", "---\t"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "slowest:", err)
	os.Exit(1)
}
