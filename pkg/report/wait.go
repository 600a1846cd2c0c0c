package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// WaitResult is what wait says of one cluster at its end.
type WaitResult struct {
	header
	Cluster         string          `json:"cluster"`
	DisplayName     string          `json:"displayName"`
	Provider        hosted.Provider `json:"provider"`
	ResourceVersion string          `json:"resourceVersion"`
	// For is the condition, Met whether it holds. Unknown: something that it needs
	// could not be read.
	For     string `json:"for"`
	Met     bool   `json:"met"`
	Unknown bool   `json:"unknown"`
	// Reasons say what is missing, Notes are doubts that do not decide.
	Reasons []string `json:"reasons"`
	Notes   []string `json:"notes"`
	// AtUnix is the moment of the judgement, by the server's clock.
	AtUnix        int64 `json:"atUnix"`
	WaitedSeconds int64 `json:"waitedSeconds"`
	name          string
	at            time.Time
}

// Waited is what a WaitResult is made of, beside the cluster.
type Waited struct {
	For            string
	Met, Unknown   bool
	Reasons, Notes []string
	Since, At      time.Time
}

// NewWaitResult makes the document about one cluster.
func NewWaitResult(s *hosted.Snapshot, w Waited) *WaitResult {
	return &WaitResult{
		header: kind("WaitResult"), Cluster: s.Name, DisplayName: s.DisplayName, Provider: s.Provider,
		ResourceVersion: s.ResourceVersion, For: w.For, Met: w.Met, Unknown: w.Unknown,
		Reasons: maskAll(w.Reasons), Notes: maskAll(w.Notes), AtUnix: w.At.Unix(),
		WaitedSeconds: max(int64(w.At.Sub(w.Since)/time.Second), 0), name: label(s), at: w.At,
	}
}

func maskAll(texts []string) []string {
	out := make([]string, 0, len(texts))
	for _, t := range texts {
		out = append(out, MaskText(t))
	}
	return out
}

// Progress is the verdict in one line.
func (r *WaitResult) Progress() string {
	if r.Met {
		return fmt.Sprintf("%s %s: %s", clock(r.at), r.name, r.For)
	}
	return fmt.Sprintf("%s %s: not %s: %s", clock(r.at), r.name, r.For, strings.Join(r.Reasons, "; "))
}

// Names is the cluster's name.
func (r *WaitResult) Names() []string { return []string{r.Cluster} }

// Lines is the document itself.
func (r *WaitResult) Lines() []any { return []any{r} }

// Text writes the verdict and the reasons.
func (r *WaitResult) Text(w io.Writer, o TextOptions) error {
	var b strings.Builder
	p := o.Palette
	verdict := p.Good(r.For)
	if !r.Met {
		verdict = p.Warn("not " + r.For)
	}
	fmt.Fprintf(&b, "%s: %s at %s", r.name, verdict, clock(r.at))
	if r.WaitedSeconds > 0 {
		fmt.Fprintf(&b, ", after %s", duration.HumanDuration(time.Duration(r.WaitedSeconds)*time.Second))
	}
	b.WriteByte('\n')
	for _, t := range r.Reasons {
		fmt.Fprintf(&b, "  %s\n", termsafe.Line(t))
	}
	for _, t := range r.Notes {
		fmt.Fprintf(&b, "  %s\n", p.Dim("note: "+termsafe.Line(t).String()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
