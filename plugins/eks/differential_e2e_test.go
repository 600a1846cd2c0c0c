//go:build e2e

package eks_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
	"github.com/hostedsync/kubectl-hostedsync/plugins/eks"
)

// differential is how many clusters are read both ways.
const differential = 1000

// keptFromConfig are the fields that Rancher's refresher replaces after its operator's
// code has read them.
var keptFromConfig = []string{"amazonCredentialSecret", "displayName", "region", "imported", "subnets", "securityGroups", "serviceRole"}

// Random clusters, read by Rancher's own code and by the reader from the same cloud.
func TestRealReaderReadsTheSame(t *testing.T) {
	s := loopback.New(t)
	ask := realReader(t, s)
	reader := eks.New(options(s))
	views, failures, texts := 0, 0, map[string]int{}
	for seed := range uint64(differential) {
		w := newWild(seed)
		s.SetEKS(t, w.cloud)
		config := map[string]any{"displayName": w.name, "region": w.region, "amazonCredentialSecret": "cattle-global-data:cc-aws"}
		real := ask(map[string]any{"config": config, "managedLaunchTemplateID": w.managed, "region": w.region, "name": "Atlas"})
		got, err := reader.Read(t.Context(), live.Request{Snapshot: snapshot(config, w.managed)})
		if text := hosted.Str(real["error"]); text != "" {
			failures++
			texts[kindOfText(text)]++
			var p *live.Problem
			if !errors.As(err, &p) || p.Kind != live.Unsupported || p.Err.Error() != text {
				t.Errorf("seed %d: problem %v, want %q", seed, err, text)
			}
			continue
		}
		if err != nil {
			t.Errorf("seed %d: problem %v, want %s", seed, err, raw(real["spec"]))
			continue
		}
		views++
		want := hosted.Map(real["spec"])
		for _, key := range keptFromConfig {
			if slices.Contains([]string{"subnets", "securityGroups", "serviceRole", "displayName"}, key) && raw(orEmpty(got.Truth[key])) != raw(orEmpty(want[key])) {
				t.Errorf("seed %d: truth of %s is %s, want %s", seed, key, raw(got.Truth[key]), raw(want[key]))
			}
			want[key] = got.Spec[key]
		}
		if err := sameView(got.Spec, want); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	t.Logf("%d clusters: %d equal views, %d equal failures %v", differential, views, failures, texts)
	if views < differential/2 || failures < 20 || len(texts) < 4 {
		t.Error("the clusters show too little")
	}
}

// orEmpty takes null, "" and an empty list for the same.
func orEmpty(v any) any {
	if l, ok := v.([]any); ok && len(l) == 0 || v == "" {
		return nil
	}
	return v
}

// kindOfText is an error without the names in it.
func kindOfText(text string) string {
	for _, part := range []string{"panic", "cannot detect", "must create new node group", "malformed", "error getting launch template", "ebs csi"} {
		if strings.Contains(text, part) {
			return part
		}
	}
	return text
}

// realReader starts the program around Rancher's own code. What it returns asks one
// question.
func realReader(t *testing.T, s *loopback.Server) func(map[string]any) map[string]any {
	t.Helper()
	dir, err := testbed.Operators(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "readeks"))
	cmd.Env = append(s.EnvFor(), "HOME="+t.TempDir(), "AWS_ACCESS_KEY_ID=AKIAREALREADEREXAMPLE", "AWS_SECRET_ACCESS_KEY=real-reader-EXAMPLE")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Errorf("readeks ended: %v", err)
		}
	})
	answers := bufio.NewReaderSize(out, 1<<20)
	return func(question map[string]any) map[string]any {
		t.Helper()
		if err := json.NewEncoder(in).Encode(question); err != nil {
			t.Fatal(err)
		}
		line, err := answers.ReadBytes('\n')
		if err != nil {
			t.Fatal(fmt.Errorf("readeks does not answer: %w", err))
		}
		return decode(t, line)
	}
}
