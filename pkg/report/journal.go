package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// JournalList is the journal of guarded changes.
type JournalList struct {
	header
	Items []JournalItem `json:"items"`
}

// JournalItem is one change.
type JournalItem struct {
	Change  string      `json:"change"`
	Time    time.Time   `json:"time"`
	Cluster string      `json:"cluster"`
	Verb    resync.Verb `json:"verb"`
	Context string      `json:"context,omitempty"`
	User    string      `json:"user,omitempty"`
	Args    []string    `json:"args,omitempty"`
	// Outcome is how it ended, "" if it was cut off; then State says what that
	// leaves open and, if the cluster was looked at, what became of it.
	Outcome resync.Outcome `json:"outcome,omitempty"`
	State   string         `json:"state"`
	Text    string         `json:"text,omitempty"`
	// Units are the merge units of the Config that it was to change.
	Units []resync.UnitChange `json:"units"`
}

// NewJournalList masks what the journal holds.
func NewJournalList(items []JournalItem) *JournalList {
	for i := range items {
		units := make([]resync.UnitChange, 0, len(items[i].Units))
		for _, u := range items[i].Units {
			u.Before, u.After = maskAt(u.Unit, u.Before), maskAt(u.Unit, u.After)
			units = append(units, u)
		}
		items[i].Units = units
		for j, a := range items[i].Args {
			items[i].Args[j] = MaskText(a)
		}
	}
	if items == nil {
		items = []JournalItem{}
	}
	return &JournalList{kind("JournalList"), items}
}

// Names implements Document.
func (l *JournalList) Names() []string {
	out := make([]string, len(l.Items))
	for i := range l.Items {
		out[i] = l.Items[i].Change
	}
	return out
}

// Lines implements Document.
func (l *JournalList) Lines() []any {
	out := make([]any, len(l.Items))
	for i := range l.Items {
		out[i] = struct {
			header
			JournalItem
		}{kind("JournalItem"), l.Items[i]}
	}
	return out
}

// Text implements Document.
func (l *JournalList) Text(w io.Writer, o TextOptions) error {
	t := Table{Columns: []Column{{Name: "CHANGE"}, {Name: "TIME"}, {Name: "CLUSTER"}, {Name: "VERB"}, {Name: "STATE"}, {Name: "FIELDS"}}}
	for _, i := range l.Items {
		var units []string
		for _, u := range i.Units {
			units = append(units, u.Unit)
		}
		t.Add(Plain(i.Change), Plain(i.Time.UTC().Format(time.RFC3339)), Plain(i.Cluster), Plain(string(i.Verb)), Plain(i.State), Plain(strings.Join(units, ",")))
	}
	if err := t.Write(w, o.Wide, o.Headers); err != nil {
		return err
	}
	if len(l.Items) != 1 {
		return nil
	}
	return l.Items[0].detail(w)
}

// detail shows one change in full.
func (i *JournalItem) detail(w io.Writer) error {
	var b strings.Builder
	line := func(s string) { b.WriteString("  " + termsafe.Line(MaskText(s)).String() + "\n") }
	for _, u := range i.Units {
		c := ChangeResult{}
		c.Plan = &resync.Plan{Units: []resync.UnitChange{u}}
		c.plan(func(format string, args ...any) { line(fmt.Sprintf(format, args...)) })
	}
	if i.Text != "" {
		line(i.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
