package aks

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// recordedPasses is how many passes the recorded runs were given.
const recordedPasses = 20

// TestConformanceAKSConverged compares the runs to rest. Where the order of the
// pools decides, the recorded runs are examples: each must be reachable.
func TestConformanceAKSConverged(t *testing.T) {
	vectors.Run(t, "aks.push", func(line []byte) (string, error) {
		id, in, expect, _, err := load(line)
		if err != nil {
			return id, err
		}
		var j judged
		if want := expect["converged"]; want != nil {
			j.same("converged", convergedAsRecorded(in), want)
		}
		for name, want := range hosted.Map(expect["convergedVariants"]) {
			v := in
			v.Behaviour.LowerCaseAddonKeys = name == "addonKeysStoredLowerCase"
			v.Behaviour.OmittedClears = name == "omittedMeansCleared"
			j.same(name, convergedAsRecorded(v), want)
		}
		for _, want := range hosted.List(expect["convergedAlternatives"]) {
			if !reachable(in, hosted.Map(want)) {
				j = append(j, fmt.Sprintf("no order of the pools leads to %.600s", hosted.Canonical(want)))
			}
		}
		return id, j.err()
	})
}

func convergedAsRecorded(in Input) map[string]any {
	passes, gaveUp := Converge(in, recordedPasses)
	return summary(passes, gaveUp)
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

// reachable tells whether some choice of pools, pass by pass, leads to a
// recorded run.
func reachable(in Input, want map[string]any) bool {
	r, err := newRun(in)
	return err == nil && r.leadsTo(nil, want)
}

func (r *run) leadsTo(passes []operator.Pass, want map[string]any) bool {
	for choice, choices := 0, 1; choice < choices; choice++ {
		next := r.fork()
		next.choice = choice
		p, quiet := next.advance(len(passes) + 1)
		choices = max(next.choices, 1)
		all := append(slices.Clone(passes), p)
		end := quiet || p.Panic || len(all) == recordedPasses
		if end && hosted.Canonical(summary(all, !quiet)) == hosted.Canonical(want) {
			return true
		}
		if !end && begins(all, hosted.List(want["calls"])) && next.leadsTo(all, want) {
			return true
		}
	}
	return false
}

// begins tells whether the passes' calls are the first of the recorded ones.
func begins(passes []operator.Pass, want []any) bool {
	got := hosted.List(summary(passes, false)["calls"])
	return len(got) <= len(want) && hosted.Canonical(got) == hosted.Canonical(want[:len(got)])
}

func (r *run) fork() *run {
	out, azure := *r, *r.azure
	azure.faults = slices.Clone(azure.faults)
	out.azure = &azure
	return &out
}
