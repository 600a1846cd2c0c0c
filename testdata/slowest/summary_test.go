package main

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// TestSummary feeds the events of a run, as go test -json writes them.
func TestSummary(t *testing.T) {
	cases := []struct {
		name   string
		events string
		passed bool
		want   string
	}{
		{"passes", `
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"cases.jsonl: agree 3 of 3\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":1.5}
{"Action":"pass","Package":"p","Test":"TestB","Elapsed":0.5}
{"Action":"pass","Package":"p","Test":"TestC","Elapsed":2}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t4.0s\n"}
{"Action":"pass","Package":"p","Elapsed":4}`, true,
			"cases.jsonl: agree 3 of 3  (p TestA)\nslow:    2.0 s  p TestC\nslow:    1.5 s  p TestA\nall tests: 7 s\nok  \tp\t4.0s\n"},
		{"fails", `
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: wrong\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- FAIL: TestA\n"}
{"Action":"fail","Package":"p","Test":"TestA","Elapsed":0}
{"Action":"output","Package":"p","Output":"FAIL\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p","Elapsed":0.1}
{"Action":"output","Package":"q","Output":"ok  \tq\t(cached)\n"}`, false,
			"    a_test.go:1: wrong\n--- FAIL: TestA\nall tests: 7 s\nFAIL\tp\t0.1s\nok  \tq\t(cached)\nFAIL\n"},
		{"does not compile", `
{"ImportPath":"p [p.test]","Action":"build-output","Output":"./a.go:1: syntax error\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","Elapsed":0,"FailedBuild":"p [p.test]"}`, false,
			"./a.go:1: syntax error\nall tests: 7 s\nFAIL\tp [build failed]\nFAIL\n"},
		{"dies", `
{"Action":"output","Package":"p","Test":"TestA","Output":"half a line"}`, false,
			"half a line\nall tests: 7 s\nFAIL\n"},
		{"skips", `
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:12: no such system\n"}
{"Action":"skip","Package":"p","Test":"TestA","Elapsed":0}
{"Action":"skip","Package":"p","Test":"TestB","Elapsed":0}
{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q","Elapsed":0}`, true,
			"skipped: p TestA: no such system\nskipped: p TestB: without a reason\nall tests: 7 s\n?   \tq\t[no test files]\n"},
		{"is no event", "go: downloading\n", true, "go: downloading\nall tests: 7 s\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			s := newSummary(&out)
			if err := s.follow(strings.NewReader(c.events)); err != nil {
				t.Fatal(err)
			}
			s.close(7*time.Second, c.passed)
			if out.String() != c.want {
				t.Errorf("said\n%s\nwant\n%s", out.String(), c.want)
			}
		})
	}
}

func TestFollowFails(t *testing.T) {
	broken := errors.New("broken pipe")
	if err := newSummary(&strings.Builder{}).follow(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
