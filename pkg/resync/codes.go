package resync

import (
	"fmt"
	"strings"
)

// Code names the reason of a refusal; the codes are stable.
type Code string

// The reasons; Codes explains them.
const (
	NotReady       Code = "not-ready"
	BrokenInput    Code = "broken-input"
	Firing         Code = "firing"
	Frozen         Code = "frozen"
	FailedUpdate   Code = "failed-update"
	OperatorDown   Code = "operator-down"
	NotRead        Code = "not-read"
	WouldPush      Code = "collateral"
	WouldOverwrite Code = "unpushed-edit"
	RefreshDue     Code = "refresh-due"
	RefreshFailed  Code = "refresh-failed"
	Blind          Code = "blind"
	NoEffect       Code = "no-effect"
	WouldFail      Code = "would-fail"
	ChangedSince   Code = "changed-since"
	Contended      Code = "contended"
	BadEdit        Code = "bad-edit"
	NoRight        Code = "no-right"
	Declined       Code = "declined"
)

// CodeDoc explains a reason: what was found, and the way out.
type CodeDoc struct {
	Code     Code
	What     string
	WayOut   string
	Accepted bool // --allow-collateral accepts it
}

// Codes is the table of reasons.
func Codes() []CodeDoc {
	return []CodeDoc{
		{NotReady, "The cluster is not hosted, is being deleted, or Rancher has not read its cloud yet.", "Wait for the first reading.", false},
		{BrokenInput, "A setting or an annotation keeps Rancher from ever refreshing, or Rancher cannot decode the object.", "Correct it; `explain HS012` says how.", false},
		{Firing, "The operator is at work, or the Config is on its way to it: it will enforce every managed field.", "`wait --for=settled`, or `--wait-settled`.", false},
		{Frozen, "Config and Applied differ, so that Rancher leaves the Config alone, and the change would not clear that.", "`risk` says what keeps them apart; `sync --adopt` often ends it.", false},
		{FailedUpdate, "The operator reports a failure that the change does not clear.", "Mend the cause, or `sync --adopt` what the cloud has.", false},
		{OperatorDown, "Nobody would push the change. After ten seconds Rancher counts it as applied all the same, and the next refresh takes it back.", "Start the operator's Deployment in cattle-system.", false},
		{NotRead, "Something that the decision needs could not be read.", "Get the right to read it: `explain roles`.", false},
		{WouldPush, "The operator would also push managed fields that nobody named and that differ from the cloud, or create or delete node groups.", "`sync --adopt` or `unmanage` them first.", true},
		{WouldOverwrite, "A managed field differs from Rancher's last reading and is not known to have reached the cloud. A refresh now could take that edit back.", "Wait for Rancher's own refresh, which comes anyway; or give a reading with `--live-from`.", true},
		{RefreshDue, "A refresh is due within the time that the change needs. If the operator were slow, it would take the change back.", "Try again after it, or raise the interval.", false},
		{RefreshFailed, "Rancher could not read the cloud, so that nobody knows what others changed there.", "Mend credentials or permissions first.", false},
		{Blind, "The change destroys whatever differs in the cloud, and the cloud has not been read.", "Give a reading with `--live-from`.", true},
		{NoEffect, "No operator pushes this field. The edit would be counted as applied and taken back, or stay as a false statement.", "Change it in the cloud.", true},
		{WouldFail, "The operator could not carry the change out, or would never come to rest.", "`predict` shows the calls and the error.", false},
		{ChangedSince, "The field was changed again after the change that is to be undone.", "Look at it first.", true},
		{Contended, "Others kept writing the Cluster; every attempt met a conflict.", "Try again when it is quieter.", false},
		{BadEdit, "The edit does not fit the Config as it is: no such field, a value of the wrong type.", "`explain eks.FIELD` describes fields.", false},
		{NoRight, "A right is missing. Nothing was tried.", "`explain roles` prints the roles that grant it.", false},
		{Declined, "The question was not answered with yes.", "", false},
	}
}

// OutcomeDoc explains how a change can end.
type OutcomeDoc struct {
	Outcome Outcome
	What    string
}

// Outcomes is the table of outcomes.
func Outcomes() []OutcomeDoc {
	return []OutcomeDoc{
		{Verified, "The change is in the Config, Applied equals Config, and a refresh newer than the write agrees. It says nothing about what others changed in the cloud during the seconds of the change itself."},
		{Unchanged, "There was nothing to do."},
		{Planned, "A dry run ended before the write."},
		{Written, "The Config was written, and `--wait=false` asked not to follow it. Whether it arrived is not known."},
		{Refused, "It was not safe. The Config was not written."},
		{TimedOut, "Time ran out before the Config was written."},
		{Unverified, "The Config was written, and time ran out before everything was seen to agree. What is open is listed."},
		{Reverted, "The Config was written, and a later refresh took it back, in whole or in part: the cloud did not have it."},
		{Overtaken, "The Config was written, and somebody else has changed the same fields since."},
		{Failed, "An error ended it."},
		{Interrupted, "It was interrupted. If the Config had been written by then, that is listed."},
	}
}

// ExplainCode is the text about a reason, and whether there is one.
func ExplainCode(name string) (string, bool) {
	for _, c := range Codes() {
		if string(c.Code) != name {
			continue
		}
		text := fmt.Sprintf("refused: %s\n  %s\n", c.Code, strings.ReplaceAll(c.What, "`", ""))
		if c.WayOut != "" {
			text += "  Way out: " + strings.ReplaceAll(c.WayOut, "`", "") + "\n"
		}
		if c.Accepted {
			text += "  --allow-collateral FIELD accepts it.\n"
		}
		return text, true
	}
	for _, o := range Outcomes() {
		if string(o.Outcome) == name {
			return fmt.Sprintf("outcome: %s\n  %s\n", o.Outcome, strings.ReplaceAll(o.What, "`", "")), true
		}
	}
	return "", false
}

// Markdown is the page about guarded changes in the documentation.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Guarded changes

The tables are generated from the code (` + "`make docs`" + `).

` + "`sync`, `set`, `manage`, `unmanage` and `restore`" + ` change a cluster's Config, or wake its
operator, and nothing else. They differ from a patch in what they do around it.

1. **Read.** The Cluster, the operator's resource, the refresh setting and the
   operator's Deployment are read from the server. Where the change is not safe it is
   refused, with a reason from the table below.
2. **Refresh.** The refresh annotation is removed, with the resourceVersion that was
   judged as precondition, so that Rancher reads the cloud again and takes over what
   others changed there. If a refresh could take somebody's edit back, Rancher's own
   next one is waited for instead; so it is if the Config was written since the last
   refresh, by the API server's account, and nobody can tell what was edited. The refresh
   is judged by the very state in which the annotation comes back: on AKS, GKE and ACK
   Rancher erases a failure a moment later.
3. **Read again**, and predict what the edit pushes now. Anything that nobody named is
   collateral, and refused unless ` + "`--allow-collateral`" + ` names it.
4. **Record.** What is about to be done is written to the journal, and synced to the
   disk, before it is done.
5. **Write** one JSON merge patch of only what changes, with the resourceVersion that
   was judged. A conflict leads back to the first step. A write that is not answered is
   looked up, and can be stored once at most.
6. **Verify.** Until Applied equals Config and a refresh newer than the write agrees.
   What is not seen in time is listed as not known, never called a success.

## What no client can protect

Rancher's push has no precondition. What changes in the cloud between Rancher's reading
of it and the operator's push, some seconds later, is pushed over. A guarded change
keeps that time to the seconds of its own work; a plain edit has it open since the last
refresh, five minutes by default, and on a frozen cluster without end.

And an edit in Rancher that puts back exactly what Rancher's last reading has, in the
second or two after that reading, and is never pushed: all of Rancher's copies agree then,
as if nobody had edited anything, and the API server's account of writers, which tells such
an edit at any other time, counts in seconds.

The race lab (` + "`make lab`" + `) plays a change among console edits, edits in Rancher, forms
opened long before, autoscalers, refreshes, restarts, faults, conflicts and crashes, a
million times. The figures stand in [PERFORMANCE.md](PERFORMANCE.md#the-race-lab).

## The journal

Every change has a file of its own below ` + "`$XDG_STATE_HOME/kubectl-hostedsync/journal`" + `,
readable by its owner alone, with the fields as they were and as they were to become.
` + "`journal`" + ` lists the changes; one that was cut off by a crash is explained from the
cluster as it is now. ` + "`restore`" + ` puts the fields of a change back.

## Outcomes

| outcome | meaning |
|---|---|
`)
	for _, o := range Outcomes() {
		fmt.Fprintf(&b, "| %s | %s |\n", o.Outcome, o.What)
	}
	b.WriteString("\n## Reasons for a refusal\n\n`explain REASON` says the same. Those marked with * are accepted by `--allow-collateral`.\n\n| reason | what was found | way out |\n|---|---|---|\n")
	for _, c := range Codes() {
		mark := ""
		if c.Accepted {
			mark = " *"
		}
		fmt.Fprintf(&b, "| %s%s | %s | %s |\n", c.Code, mark, c.What, c.WayOut)
	}
	return b.String()
}
