package aks

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

// recorded is the part of a case that is the same for reading and pushing.
type recorded struct {
	ID         string `json:"id"`
	Config     any
	CRStatus   any
	CRSpec     any
	Faults     []operator.Fault
	Credential struct{ Secret, Without, Environment string }
	Behaviour  struct {
		PolicyTags                 map[string]string `json:"policyTags"`
		ResourceGroupMissing       bool              `json:"resourceGroupMissing"`
		OtherConfigWithClusterName string            `json:"otherConfigWithClusterName"`
	} `json:"cloudBehaviour"`
}

// load reads a case: its input, its expectation and the custom resource's spec
// where one is recorded.
func load(line []byte) (id string, in Input, expect, crSpec map[string]any, err error) {
	var rec recorded
	if err := json.Unmarshal(line, &rec); err != nil {
		return "", in, nil, nil, err
	}
	all, err := hosted.Decode(line)
	if err != nil {
		return rec.ID, in, nil, nil, err
	}
	m := hosted.Map(all)
	in = Input{Name: fixtureName, Config: hosted.Map(m["config"]), Status: hosted.Map(m["crStatus"]), Faults: rec.Faults}
	in.Credential = Credential{Missing: rec.Credential.Secret == "missing", Without: rec.Credential.Without}
	in.Behaviour = Behaviour{PolicyTags: rec.Behaviour.PolicyTags, ResourceGroupMissing: rec.Behaviour.ResourceGroupMissing,
		OtherConfigWithClusterName: rec.Behaviour.OtherConfigWithClusterName}
	if in.Cloud, err = DecodeCloud([]byte(hosted.Canonical(m["cloud"]))); err != nil {
		return rec.ID, in, nil, nil, err
	}
	in.Cloud.Endpoints = EndpointsOf(rec.Credential.Environment)
	return rec.ID, in, hosted.Map(m["expect"]), hosted.Map(m["crSpec"]), nil
}

// judged collects what is wrong with a case.
type judged []string

func (j *judged) same(what string, got, want any) {
	if g, w := hosted.Canonical(got), hosted.Canonical(want); g != w {
		*j = append(*j, fmt.Sprintf("%s: %s", what, firstDifference(g, w)))
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

func TestConformanceAKSRead(t *testing.T) {
	vectors.Run(t, "aks.read", func(line []byte) (string, error) {
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
		j.same("identities", jsonList(v.Identities), hosted.Map(expect["anyOf"])["userAssignedIdentity"])
		return id, j.err()
	})
}

func jsonList(l []string) any {
	if l == nil {
		return nil
	}
	return jsonTexts(&l)
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
	if rbac := p.Status["rbacEnabled"]; rbac != in.Status["rbacEnabled"] {
		out["rbacEnabledAfter"] = rbac
	}
	if p.Panic {
		out["panic"] = true
	}
	return out
}

func TestConformanceAKSPush(t *testing.T) {
	vectors.Run(t, "aks.push", func(line []byte) (string, error) {
		id, in, expect, crSpec, err := load(line)
		if err != nil {
			return id, err
		}
		var j judged
		got := Reconcile(in)
		j.same("first pass", passAsRecorded(in, got), expect["firstPass"])
		again := got.Requeue != "none" || got.Error != ""
		j.same("will run again", got.WillRunAgain, again)
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

// alternatives are the outcomes of a pass in text form, sorted.
func alternatives(in Input) []string {
	var out []string
	for _, p := range Alternatives(in) {
		out = append(out, hosted.Canonical(passAsRecorded(in, p)))
	}
	slices.Sort(out)
	return out
}

func recordedAlternatives(expect map[string]any) []string {
	list := hosted.List(expect["firstPassAlternatives"])
	if list == nil {
		list = []any{expect["firstPass"]}
	}
	var out []string
	for _, p := range list {
		out = append(out, hosted.Canonical(p))
	}
	slices.Sort(out)
	return out
}
