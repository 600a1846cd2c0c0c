package race

import (
	"fmt"
	"strings"
)

// Explanation is a rule's text for people.
type Explanation struct {
	Code     string   `json:"code"`
	Scenario string   `json:"scenario"`
	Title    string   `json:"title"`
	Severity Severity `json:"severity"`
	// NeedsLive: unknown without a reading of the cloud.
	NeedsLive bool `json:"needsLive"`
	Decidable bool `json:"decidable"`
	// NotDecidable says why not, "" for a decidable rule.
	NotDecidable string `json:"notDecidable,omitempty"`
	What         string `json:"what"`
	Why          string `json:"why"`
	Lost         string `json:"lost"`
	Out          string `json:"out"`
}

// Explain returns the explanation of a rule's code, in any case, and whether
// there is such a rule.
func Explain(code string) (Explanation, bool) {
	for _, r := range Rules() {
		if strings.EqualFold(r.Code, strings.TrimSpace(code)) {
			return r.explain(), true
		}
	}
	return Explanation{}, false
}

func (r Rule) explain() Explanation {
	return Explanation{
		Code: r.Code, Scenario: r.Scenario, Title: r.Title, Severity: r.Severity, NeedsLive: r.NeedsLive,
		Decidable: r.Decidable(), NotDecidable: r.NotDecidable,
		What: r.Doc.What, Why: r.Doc.Why, Lost: r.Doc.Lost, Out: r.Doc.Out,
	}
}

// basis says what the rule is decided from.
func (e Explanation) basis() string {
	switch {
	case !e.Decidable:
		return "not decidable from the objects"
	case e.NeedsLive:
		return "a live reading of the cloud"
	}
	return "the Kubernetes objects; a live reading sharpens it"
}

// Text is the explanation in plain lines, for a terminal.
func (e Explanation) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, %s): %s\n\n%s\n\n", e.Code, e.Scenario, e.Severity, e.Title, e.What)
	if !e.Decidable {
		fmt.Fprintf(&b, "Not decidable from the objects: %s\n\n", e.NotDecidable)
	} else {
		fmt.Fprintf(&b, "Decided from: %s.\n\n", e.basis())
	}
	fmt.Fprintf(&b, "Why: %s\n\nWhat is lost: %s\n\nThe way out: %s\n", e.Why, e.Lost, e.Out)
	return b.String()
}

const markdownHead = `# The rules

Generated from the rules in pkg/race; do not edit. ` + "`kubectl hostedsync explain CODE`" + ` shows the same text.

Each rule stands for one way in which two writers of a hosted cluster destroy one another's work. A finding carries the
evidence it rests on. The absence of findings means only that the evidence at hand shows nothing: what was not read is
never taken for a good sign. Where a live reading of the cloud is needed and there is none, HS001 says ` + "`unknown`" + `, once
per cluster and for all rules that need one. *Hot* is a managed field that the operator's next reconcile would push; *frozen* means that
Config and Applied differ, so that refreshes leave the Config alone.

| code | title | severity | decided from |
|---|---|---|---|
`

// Markdown is the reference of all rules, the content of docs/RULES.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString(markdownHead)
	for _, r := range Rules() {
		e := r.explain()
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", e.Code, strings.ToLower(e.Code), e.Title, e.Severity, e.basis())
	}
	for _, r := range Rules() {
		e := r.explain()
		fmt.Fprintf(&b, "\n## %s\n\n**%s** (%s; usual severity: %s)\n\n%s\n\n", e.Code, e.Title, e.Scenario, e.Severity, e.What)
		if !e.Decidable {
			fmt.Fprintf(&b, "*Not decidable from the objects:* %s\n\n", e.NotDecidable)
		}
		fmt.Fprintf(&b, "*Why:* %s\n\n*What is lost:* %s\n\n*The way out:* %s\n", e.Why, e.Lost, e.Out)
	}
	b.WriteString("\n## Error texts\n\nHow messages of operators, handlers and the refresher are sorted. All parts must occur in the message, in any case; the first match counts.\n\n| text | class | meaning | what to do | goes away by itself |\n|---|---|---|---|---|\n")
	for _, c := range catalogue() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", strings.Join(c.parts, "` … `"), c.class.Name, c.class.Title, c.class.Hint, yesNo(c.class.Transient))
	}
	return b.String()
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
