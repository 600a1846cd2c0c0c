package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// WatchEvent is one line of watch.
type WatchEvent struct {
	header
	// Type is one of synced, added, deleted, config, upstream, applied, refreshed,
	// phase, finding, cleared, lost and resumed.
	Type string `json:"type"`
	// Time is the server's.
	Time            string          `json:"time"`
	Cluster         string          `json:"cluster"`
	DisplayName     string          `json:"displayName"`
	Provider        hosted.Provider `json:"provider"`
	ResourceVersion string          `json:"resourceVersion"`
	WatchDetails
	name string
	at   time.Time
}

// WatchDetails are what an event has beside its type.
type WatchDetails struct {
	// Fields are the places that changed, or those of a finding; Managers last
	// wrote them.
	Fields   []string `json:"fields,omitempty"`
	Managers []string `json:"managers,omitempty"`
	// From and To are phases, or the times of refreshes.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Message is a failure, or a finding's summary.
	Message string `json:"message,omitempty"`
	// Code, Severity and Status are a finding's.
	Code     string         `json:"code,omitempty"`
	Severity *race.Severity `json:"severity,omitempty"`
	Status   race.Status    `json:"status,omitempty"`
	// RetrySeconds says when a lost connection is tried again, Clusters how many
	// are followed.
	RetrySeconds float64 `json:"retrySeconds,omitempty"`
	Clusters     *int    `json:"clusters,omitempty"`
}

// NewWatchEvent makes an event; s is nil if it concerns no single cluster.
func NewWatchEvent(kindOf string, s *hosted.Snapshot, at time.Time, d WatchDetails) *WatchEvent {
	d.Message = MaskText(d.Message)
	e := &WatchEvent{header: kind("WatchEvent"), Type: kindOf, Time: at.UTC().Format(time.RFC3339), WatchDetails: d, at: at}
	if s != nil {
		e.Cluster, e.DisplayName, e.Provider, e.ResourceVersion, e.name = s.Name, s.DisplayName, s.Provider, s.ResourceVersion, label(s)
	}
	return e
}

// FindingDetails describe a finding that came or went.
func FindingDetails(f *race.Finding) WatchDetails {
	own := *f
	own.Evidence, own.Remedy = append([]race.Evidence(nil), f.Evidence...), append([]string(nil), f.Remedy...)
	own.WouldLose.Values = append([]race.Lost(nil), f.WouldLose.Values...)
	maskFinding(&own)
	return WatchDetails{Fields: own.Fields, Message: own.Summary, Code: own.Code, Severity: &own.Severity, Status: own.Status}
}

// Names is the cluster's name, if the event concerns one.
func (e *WatchEvent) Names() []string {
	if e.Cluster == "" {
		return nil
	}
	return []string{e.Cluster}
}

// Lines is the event itself.
func (e *WatchEvent) Lines() []any { return []any{e} }

// Text writes the event as one line.
func (e *WatchEvent) Text(w io.Writer, o TextOptions) error {
	p := o.Palette
	parts := []string{p.Dim(clock(e.at)), e.kindText(p)}
	if e.name != "" {
		parts = append(parts, e.name)
	}
	if text := e.detail(p); text != "" {
		parts = append(parts, text)
	}
	_, err := fmt.Fprintln(w, strings.Join(parts, "  "))
	return err
}

func (e *WatchEvent) kindText(p Palette) string {
	text := fmt.Sprintf("%-9s", e.Type)
	switch e.Type {
	case "config", "upstream", "applied", "phase":
		return p.Change(text)
	case "finding":
		return p.Warn(text)
	case "deleted", "lost":
		return p.Bad(text)
	case "cleared", "refreshed", "resumed":
		return p.Good(text)
	}
	return p.Bold(text)
}

func (e *WatchEvent) detail(p Palette) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if e.Clusters != nil {
		add("%s", count(*e.Clusters, "hosted cluster"))
	}
	if e.Severity != nil {
		add("%s %s", p.Bold(e.Code), p.Severity(*e.Severity))
		if e.Status == race.Unknown {
			add("unknown")
		}
	} else if len(e.Fields) > 0 {
		add("%s", termsafe.Line(strings.Join(e.Fields, ", ")))
	}
	if len(e.Managers) > 0 {
		add("by %s", termsafe.Line(strings.Join(e.Managers, ", ")))
	}
	switch {
	case e.From != "" && e.To != "":
		add("%s → %s", termsafe.Line(e.From), termsafe.Line(e.To))
	case e.To != "":
		add("%s", termsafe.Line(e.To))
	}
	if e.Message != "" {
		add("%s", termsafe.Line(e.Message))
	}
	if e.RetrySeconds > 0 {
		add("(again in %gs)", e.RetrySeconds)
	}
	return strings.Join(parts, " ")
}
