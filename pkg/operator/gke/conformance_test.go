package gke

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// fixtureName is the custom resource's name in all recorded cases.
const fixtureName = "c-abcde"

// load reads a case: its input, its expectation and the custom resource's spec
// where one is recorded.
func load(line []byte) (id string, in Input, expect, crSpec map[string]any, err error) {
	var rec struct {
		ID               string           `json:"id"`
		Cloud            json.RawMessage  `json:"cloud"`
		Faults           []operator.Fault `json:"faults"`
		CredentialSecret string           `json:"credentialSecret"`
	}
	if err := json.Unmarshal(line, &rec); err != nil {
		return "", in, nil, nil, err
	}
	all, err := hosted.Decode(line)
	if err != nil {
		return rec.ID, in, nil, nil, err
	}
	m := hosted.Map(all)
	in = Input{Name: fixtureName, Config: hosted.Map(m["config"]), Status: hosted.Map(m["crStatus"]), Faults: rec.Faults}
	in.Credential = Credential{Missing: rec.CredentialSecret == "missing", Malformed: rec.CredentialSecret == "malformed"}
	in.Cloud, err = DecodeCloud(rec.Cloud)
	return rec.ID, in, hosted.Map(m["expect"]), hosted.Map(m["crSpec"]), err
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

func TestConformanceGKERead(t *testing.T) {
	vectors.Run(t, "gke.read", func(line []byte) (string, error) {
		id, in, expect, _, err := load(line)
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
		"calls": callsAsRecorded(p.Calls), "phaseAfter": p.Phase, "error": nullable(p.Error),
		"requeue": p.Requeue, "waiting": p.Waiting,
	}
	if p.FailureMessage != hosted.Str(in.Status["failureMessage"]) {
		out["failureMessageAfter"] = p.FailureMessage
	}
	if p.Panic {
		out["panic"] = true
	}
	return out
}

func TestConformanceGKEPush(t *testing.T) {
	vectors.Run(t, "gke.push", func(line []byte) (string, error) {
		id, in, expect, crSpec, err := load(line)
		if err != nil {
			return id, err
		}
		var j judged
		got := Reconcile(in)
		j.same("first pass", passAsRecorded(in, got), expect["firstPass"])
		j.same("will run again", got.WillRunAgain, got.Requeue != "none" || got.Error != "")
		j.same("alternatives", alternatives(in), recordedAlternatives(expect))
		if crSpec != nil {
			s, err := decodeSpec(in.Config)
			if err != nil {
				return id, err
			}
			j.same("custom resource", s.encode(), crSpec)
		}
		return id, j.err()
	})
}

// alternatives are the outcomes of a pass in text form, sorted, each with its
// calls in order of text: the order of pool calls has no meaning.
func alternatives(in Input) []string {
	var out []string
	for _, p := range Alternatives(in) {
		out = append(out, unordered(passAsRecorded(in, p)))
	}
	slices.Sort(out)
	return out
}

func unordered(pass map[string]any) string {
	m := map[string]any{}
	for k, v := range pass {
		m[k] = v
	}
	var calls []string
	for _, c := range hosted.List(m["calls"]) {
		calls = append(calls, hosted.Canonical(c))
	}
	slices.Sort(calls)
	m["calls"] = calls
	return hosted.Canonical(m)
}

func recordedAlternatives(expect map[string]any) []string {
	list := hosted.List(expect["firstPassAlternatives"])
	if list == nil {
		list = []any{expect["firstPass"]}
	}
	var out []string
	for _, p := range list {
		out = append(out, unordered(hosted.Map(p)))
	}
	slices.Sort(out)
	return out
}

// recordedPasses is how many passes the recorded runs were given.
const recordedPasses = 20

// TestConformanceGKEConverged compares the runs to rest. Where the order of the
// pools decides, the recorded runs are examples: each must be reachable.
func TestConformanceGKEConverged(t *testing.T) {
	vectors.Run(t, "gke.push", func(line []byte) (string, error) {
		id, in, expect, _, err := load(line)
		if err != nil {
			return id, err
		}
		var j judged
		if want := expect["converged"]; want != nil {
			for _, o := range []Omission{OmittedUnchanged, OmittedZero} {
				j.same(fmt.Sprintf("converged, omission %d", o), convergedAsRecorded(in, o), want)
			}
		}
		for name, o := range map[string]Omission{"omittedMeansUnchanged": OmittedUnchanged, "omittedMeansZero": OmittedZero} {
			if want := hosted.Map(expect["convergedVariants"])[name]; want != nil {
				j.same(name, convergedAsRecorded(in, o), want)
			}
		}
		for _, want := range hosted.List(expect["convergedAlternatives"]) {
			if !reachable(in, hosted.Canonical(want)) {
				j = append(j, fmt.Sprintf("no order of the pools leads to %.600s", hosted.Canonical(want)))
			}
		}
		if expect["convergedNote"] == "the operator panics" {
			passes, gaveUp := Converge(in, recordedPasses)
			j.same("panics", passes[len(passes)-1].Panic && gaveUp, true)
		}
		return id, j.err()
	})
}

func convergedAsRecorded(in Input, o Omission) map[string]any {
	in.Cloud.Omitted = o
	return summary(Converge(in, recordedPasses))
}

func summary(passes []operator.Pass, gaveUp bool) map[string]any {
	last := passes[len(passes)-1]
	var calls []operator.Call
	for _, p := range passes {
		calls = append(calls, p.Calls...)
	}
	out := map[string]any{"passes": int64(len(passes)), "calls": callsAsRecorded(calls), "phase": last.Phase, "gaveUp": gaveUp}
	if last.Error != "" {
		out["lastError"] = last.Error
	}
	return out
}

// reachable tells whether some order of the pools leads to a recorded run.
func reachable(in Input, want string) bool {
	found := false
	in.eachOrder(func(r *run) {
		found = found || hosted.Canonical(summary(r.converge(recordedPasses))) == want
	})
	return found
}
