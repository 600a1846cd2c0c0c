package eks

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

type pushCase struct {
	ID, CRName              string
	Config, CRStatus, Cloud json.RawMessage
	Expect                  struct {
		FirstPass struct {
			Calls        json.RawMessage
			PhaseAfter   string
			StatusAfter  json.RawMessage
			Error        *string
			Waiting      bool
			WillRunAgain bool
		}
		Converged struct {
			Passes int
			GaveUp bool
			Phase  string
			Calls  json.RawMessage
		}
	}
}

func (c pushCase) input() (Input, error) {
	cloud, err := DecodeCloud(c.Cloud)
	return Input{Name: c.CRName, Config: object(c.Config), Status: object(c.CRStatus), Cloud: cloud}, err
}

func pushCases(t *testing.T, check func(pushCase, Input) error) {
	vectors.Run(t, "eks.push", func(line []byte) (string, error) {
		var c pushCase
		if err := json.Unmarshal(line, &c); err != nil {
			return "?", err
		}
		in, err := c.input()
		if err != nil {
			return c.ID, err
		}
		return c.ID, check(c, in)
	})
}

// bare are calls as the vectors write them.
func bare(calls []operator.Call, pass bool) []any {
	out := []any{}
	for _, c := range calls {
		m := map[string]any{"service": c.Service, "op": c.Op, "input": hosted.Clone(c.Input)}
		if c.Error != "" {
			m["error"] = c.Error
		}
		if pass {
			m["pass"] = int64(c.Pass)
		}
		out = append(out, m)
	}
	return out
}

func list(raw json.RawMessage) []any {
	v, err := hosted.Decode(raw)
	if err != nil {
		return nil
	}
	return hosted.List(v)
}

func TestConformanceEKSPush(t *testing.T) {
	pushCases(t, func(c pushCase, in Input) error {
		p, want := Reconcile(in), c.Expect.FirstPass
		var errs []error
		if got := bare(p.Calls, false); !hosted.Equal(got, list(want.Calls)) {
			errs = append(errs, fmt.Errorf("calls\n   got  %s\n   want %s", hosted.Canonical(got), hosted.Canonical(list(want.Calls))))
		}
		if p.Phase != want.PhaseAfter || p.Waiting != want.Waiting || p.WillRunAgain != want.WillRunAgain {
			errs = append(errs, fmt.Errorf("phase %s waiting %v again %v, want %s %v %v", p.Phase, p.Waiting, p.WillRunAgain, want.PhaseAfter, want.Waiting, want.WillRunAgain))
		}
		errs = append(errs, sameError(p.Error, want.Error), sameStatus(p.Status, object(want.StatusAfter)))
		return errors.Join(errs...)
	})
}

// sameStatus compares statuses as the Go type holds them; of a failure message
// only the beginning, which the SDK does not write.
func sameStatus(got, want map[string]any) error {
	var g, w status
	if err := errors.Join(decode("status", got, &g), decode("status", want, &w)); err != nil {
		return err
	}
	if err := sameError(g.FailureMessage, &w.FailureMessage); err != nil && w.FailureMessage != "" {
		return err
	}
	if (g.FailureMessage == "") != (w.FailureMessage == "") {
		return fmt.Errorf("failure message %q, want %q", g.FailureMessage, w.FailureMessage)
	}
	g.FailureMessage, w.FailureMessage = "", ""
	for _, s := range []*status{&g, &w} {
		if len(s.ManagedLaunchTemplateVersions) == 0 {
			s.ManagedLaunchTemplateVersions = nil
		}
		s.TemplateVersionsToDelete = append([]string{}, s.TemplateVersionsToDelete...)
		slices.Sort(s.TemplateVersionsToDelete)
		s.Subnets, s.SecurityGroups = orEmpty(s.Subnets), orEmpty(s.SecurityGroups)
	}
	if a, b := generic(g), generic(w); !hosted.Equal(a, b) {
		return fmt.Errorf("status\n   got  %s\n   want %s", hosted.Canonical(a), hosted.Canonical(b))
	}
	return nil
}

func TestConformanceEKSConverged(t *testing.T) {
	pushCases(t, func(c pushCase, in Input) error {
		passes, gaveUp := Converge(in, 20)
		want := c.Expect.Converged
		var calls []operator.Call
		for _, p := range passes {
			calls = append(calls, p.Calls...)
		}
		if len(passes) != want.Passes || gaveUp != want.GaveUp || passes[len(passes)-1].Phase != want.Phase {
			return fmt.Errorf("%d passes, gave up %v, phase %s; want %d, %v, %s", len(passes), gaveUp, passes[len(passes)-1].Phase, want.Passes, want.GaveUp, want.Phase)
		}
		return firstDifference(anyRegion(bare(calls, true)), anyRegion(list(want.Calls)))
	})
}

// newGroup is the ARN that a cloud gives a new group; the recording cloud always
// put it into the same region.
var newGroup = regexp.MustCompile(`arn:aws:eks:[a-z0-9-]*:(123456789012:nodegroup/[^"]*/new")`)

func anyRegion(calls []any) []any {
	return list([]byte(newGroup.ReplaceAllString(hosted.Canonical(calls), "arn:aws:eks::$1")))
}

// firstDifference names the first call that is not as it should be.
func firstDifference(got, want []any) error {
	for i := range max(len(got), len(want)) {
		var g, w any
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if !hosted.Equal(g, w) {
			return fmt.Errorf("call %d\n   got  %.500s\n   want %.500s", i, hosted.Canonical(g), hosted.Canonical(w))
		}
	}
	return nil
}
