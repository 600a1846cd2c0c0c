package ack

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// The cases were recorded by running rancher/ali-operator (main of August 2026)
// and its SDK, rancher/muchang v0.1.1, against a loopback server. Only the
// client's address was changed. The server applied each call at once, and after
// the second pass of a run whatever had been going on was over.

// fixtureName is the custom resource's name in all recorded cases.
const fixtureName = "c-abcde"

// load reads a case: its input and its expectation.
func load(line []byte) (id string, in Input, expect map[string]any, err error) {
	var rec struct {
		ID         string                           `json:"id"`
		Cloud      json.RawMessage                  `json:"cloud"`
		Faults     []operator.Fault                 `json:"faults"`
		Credential struct{ Secret, Without string } `json:"credential"`
	}
	if err := json.Unmarshal(line, &rec); err != nil {
		return "", in, nil, err
	}
	all, err := hosted.Decode(line)
	if err != nil {
		return rec.ID, in, nil, err
	}
	m := hosted.Map(all)
	in = Input{Name: fixtureName, Config: hosted.Map(m["config"]), Status: hosted.Map(m["crStatus"]), Faults: rec.Faults}
	in.Credential = Credential{Missing: rec.Credential.Secret == "missing", Without: rec.Credential.Without}
	in.Cloud, err = DecodeCloud(rec.Cloud)
	return rec.ID, in, hosted.Map(m["expect"]), err
}

// judged collects what is wrong with a case.
type judged []string

func (j *judged) same(what string, got, want any) {
	if g, w := hosted.Canonical(got), hosted.Canonical(want); g != w {
		*j = append(*j, what+": "+firstDifference(g, w))
	}
}

func (j judged) err() error {
	if len(j) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(j, "\n  "))
}

// firstDifference shows where two texts part.
func firstDifference(got, want string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	from := max(0, i-60)
	return fmt.Sprintf("got …%.300s\n    want …%.300s", got[from:], want[from:])
}

func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func TestConformanceACKRead(t *testing.T) {
	vectors.Run(t, "ack.read", func(line []byte) (string, error) {
		id, in, expect, err := load(line)
		if err != nil {
			return id, err
		}
		v := Read(in)
		var j judged
		j.same("error", nullable(v.Error), expect["error"])
		j.same("panic", v.Panic, expect["panic"] == true)
		j.same("operatorView", v.Operator, expect["operatorView"])
		j.same("rancherView", v.Rancher, expect["rancherView"])
		return id, j.err()
	})
}

func callsAsRecorded(calls []operator.Call) []any {
	out := []any{}
	for _, c := range calls {
		m := map[string]any{"op": c.Op, "target": c.Target, "input": c.Input}
		if c.HTTPStatus != 0 {
			m["failedWithHTTP"] = int64(c.HTTPStatus)
		}
		out = append(out, m)
	}
	return out
}

// passAsRecorded writes a pass in the cases' form.
func passAsRecorded(in Input, p operator.Pass) map[string]any {
	out := map[string]any{
		"calls": callsAsRecorded(p.Calls), "phaseAfter": p.Phase, "error": nullable(p.Error), "requeue": p.Requeue,
	}
	if p.FailureMessage != hosted.Str(in.Status["failureMessage"]) {
		out["failureMessageAfter"] = p.FailureMessage
	}
	if task := p.Status["upgradeTaskId"]; task != hosted.Str(in.Status["upgradeTaskId"]) {
		out["upgradeTaskIdAfter"] = task
	}
	if p.Panic {
		out["panic"] = true
	}
	return out
}

func TestConformanceACKPush(t *testing.T) {
	vectors.Run(t, "ack.push", func(line []byte) (string, error) {
		id, in, expect, err := load(line)
		if err != nil {
			return id, err
		}
		var j judged
		got := Reconcile(in)
		j.same("first pass", passAsRecorded(in, got), expect["firstPass"])
		j.same("will run again", got.WillRunAgain, got.Requeue != "none" || got.Error != "")
		if got.Requeue == "30s" && len(got.Calls) == 0 && !got.Waiting {
			j = append(j, "comes back in 30 s without a call and does not wait")
		}
		return id, j.err()
	})
}

// recordedPasses is how many passes the recorded runs were given, less those in
// which they only had to show that they were over.
const recordedPasses = 20

// TestConformanceACKConverged compares the runs to rest. Of an endless run only
// the end was recorded, not the calls.
func TestConformanceACKConverged(t *testing.T) {
	vectors.Run(t, "ack.push", func(line []byte) (string, error) {
		id, in, expect, err := load(line)
		if err != nil {
			return id, err
		}
		want := hosted.Map(expect["converged"])
		passes, gaveUp := Converge(in, recordedPasses)
		last := passes[len(passes)-1]
		var j judged
		j.same("gave up", gaveUp, want["gaveUp"])
		j.same("panic", last.Panic, want["panic"] == true)
		if !gaveUp {
			var calls []operator.Call
			for _, p := range passes {
				calls = append(calls, p.Calls...)
			}
			j.same("calls", callsAsRecorded(calls), want["calls"])
			j.same("phase", last.Phase, want["phase"])
		}
		return id, j.err()
	})
}
