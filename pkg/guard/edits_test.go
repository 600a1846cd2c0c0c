package guard

import (
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// TestCounter: every change of the Config is counted, and one that was put back while
// nobody watched shows in the generation.
func TestCounter(t *testing.T) {
	type step struct {
		tag        string
		generation int64
		want       int
	}
	for name, steps := range map[string][]step{
		"nothing":                    {{"a", 4, 0}, {"a", 4, 0}},
		"an edit":                    {{"a", 4, 0}, {"b", 5, 1}},
		"an edit and its undoing":    {{"a", 4, 0}, {"b", 5, 1}, {"a", 6, 2}},
		"both of them missed":        {{"a", 4, 0}, {"a", 6, 1}},
		"one of two missed":          {{"a", 4, 0}, {"b", 6, 2}},
		"the status, before 2.15":    {{"a", 4, 0}, {"a", 5, 0}},
		"a server without the count": {{"a", 0, 0}, {"a", 0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var c counter
			for i, s := range steps {
				c.saw(&hosted.Snapshot{Config: map[string]any{"tags": map[string]any{"x": s.tag}}, Generation: s.generation, ResourceVersion: "7"})
				if c.edits != s.want {
					t.Errorf("step %d: %d edits, want %d", i, c.edits, s.want)
				}
			}
		})
	}
}
