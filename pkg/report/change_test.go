package report

import (
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
)

// TestChangeText: prose is folded at words, nothing is wider than the terminal, what
// the cluster says reaches it harmless, and secrets do not reach it at all.
func TestChangeText(t *testing.T) {
	plan := &resync.Plan{Units: []resync.UnitChange{{Unit: "nodeGroups", Before: []any{}, After: []any{map[string]any{"userData": "s3cr3t-boot-script"}}},
		{Unit: "tags", Before: map[string]any{"a": "1"}, After: map[string]any{"a": "2", "b": "\x1b[31m"}}}}
	s := &hosted.Snapshot{Name: "c-abc", DisplayName: "atlas\x1b]0;x\a", Provider: hosted.EKS}
	r := NewChangeReport(resync.Set, "")
	r.Items = append(r.Items, NewChangeResult(s, resync.Result{Outcome: resync.Refused, Plan: plan,
		Refusals: []resync.Refusal{{Code: resync.Firing, Text: strings.Repeat("the operator is at work ", 8), Fix: "wait"}}}, "kubectl patch"))
	var b strings.Builder
	if err := r.Text(&b, TextOptions{Terminal: true, Width: 60}); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if len([]rune(line)) > 60 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
	if text := b.String(); strings.Contains(text, "\x1b") || strings.Contains(text, "s3cr3t") || strings.Contains(text, "kubectl patch") {
		t.Errorf("what must not be shown: %q", text)
	}
	if !strings.Contains(b.String(), `tags.a: "1" → "2"`) || !strings.Contains(b.String(), "firing: the operator") {
		t.Errorf("what must be shown: %s", b.String())
	}
	if r.Exit() != ExitRefused {
		t.Errorf("exit code %d", r.Exit())
	}
}
