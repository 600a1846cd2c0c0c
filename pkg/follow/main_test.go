package follow_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/follow"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

var bed testbed.Bed

func TestMain(m *testing.M) { os.Exit(testbed.Run(m, &bed, os.Stderr)) }

// cluster is a small EKS cluster and its operator's resource; the label is for
// the test that it belongs to.
func cluster(name, label string) (c, cr map[string]any) {
	spec := func() map[string]any {
		return map[string]any{"displayName": name, "region": "eu-west-1", "imported": true, "tags": map[string]any{"a": "b"}}
	}
	c = map[string]any{
		"apiVersion": "management.cattle.io/v3", "kind": "Cluster",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"test": label},
			"annotations": map[string]any{hosted.RefreshAnnotation: "1000"}},
		"spec": map[string]any{"displayName": "the " + name, "eksConfig": spec()},
		"status": map[string]any{"driver": "EKS", "appliedSpec": map[string]any{"eksConfig": spec()},
			"eksStatus": map[string]any{"upstreamSpec": spec()}},
	}
	cr = map[string]any{
		"apiVersion": "eks.cattle.io/v1", "kind": "EKSClusterConfig",
		"metadata": map[string]any{"name": name, "namespace": testbed.GlobalNamespace},
		"spec":     spec(), "status": map[string]any{"phase": "active"},
	}
	return c, cr
}

// describe is what a test compares of an update.
func describe(u follow.Update) string {
	out := []string{string(u.Kind)}
	for _, s := range u.Snapshots {
		tags, _ := hosted.Dig(s.Config, "tags", "a")
		phase := "-"
		if s.CR != nil {
			phase = s.CR.Phase
		}
		out = append(out, fmt.Sprintf("%s/%v/%s/%s", s.Name, tags, phase, s.Setting.Effective()))
	}
	if u.Name != "" {
		out = append(out, u.Name)
	}
	if u.Source != "" {
		out = append(out, u.Source)
	}
	return strings.Join(out, " ")
}

// step waits for an update of this description and then does something.
type step struct {
	want string
	then func()
}

var errDone = errors.New("all steps done")

// play follows until every step's update has come, in this order; updates in
// between are an error unless they are ticks or repeat the state.
func play(t *testing.T, cfg *rest.Config, o follow.Options, steps []step) []follow.Update {
	t.Helper()
	c, err := rancher.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	began := time.Now()
	o.Elapsed = func() time.Duration { return time.Since(began) }
	var got []follow.Update
	n := 0
	err = follow.Follow(ctx, c, o, func(u follow.Update) error {
		got = append(got, u)
		text := describe(u)
		if !strings.HasPrefix(text, steps[n].want) {
			return fmt.Errorf("got %q, want %q", text, steps[n].want)
		}
		if then := steps[n].then; then != nil {
			then()
		}
		if n++; n == len(steps) {
			return errDone
		}
		return nil
	})
	if !errors.Is(err, errDone) {
		t.Fatalf("after %d of %d steps: %v", n, len(steps), err)
	}
	return got
}
