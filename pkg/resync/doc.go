// Package resync makes guarded changes: changes of a hosted cluster that are made
// only after a fresh look at both sides, with a precondition that the API server
// enforces, and that are verified afterwards.
//
// A change is a state machine, Machine, without any effects of its own. It says
// what to do next (Action: read, record, write, wait, done) and is told what came
// of it (Observation). Run drives it against a real management cluster and a
// journal; the race lab drives the same machine through its interleavings, and
// stops it at any point, as a crash would.
//
// The order that keeps other people's changes alive is built in:
//
//	read      Is it allowed at all? A cluster that is firing, frozen or broken is
//	          left alone, with the reason.
//	refresh   Rancher reads the cloud again (its annotation is removed, with the
//	          Cluster's resourceVersion as precondition), so that the Config holds
//	          what others changed there. Where a refresh could take back an edit
//	          that has not reached the cloud, Rancher's own is waited for instead.
//	re-read   Did the refresh succeed? What would the edit push now, and what of
//	          that did nobody ask for?
//	record    What is about to be done goes to the journal first.
//	write     One merge patch of only what changes, with the resourceVersion that
//	          was judged. A conflict leads back to the start.
//	verify    Until Applied equals Config and a refresh newer than the write
//	          agrees. Anything else is reported as what it is, never as success.
//
// What cannot be protected by any client: a change in the cloud that falls between
// Rancher's reading of it and the operator's push, some seconds later. Rancher's
// push has no precondition.
package resync
