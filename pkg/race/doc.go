// Package race finds the ways in which two writers of a hosted cluster are about
// to destroy one another's work: someone at the cloud's console, someone at
// Rancher, the refresh that copies the cloud into the Config, and the operator
// that pushes the Config to the cloud.
//
// # How it goes
//
// Gather works out once, from a Snapshot and a clock, what every rule needs: the
// refresh schedule, the differences, whether the sync is frozen, and the hot
// set: the managed fields that the operator's next reconcile would push. Check
// runs the rules over that and CheckFleet the ones that look at several
// clusters. Rules lists them; there is one file per rule or tight pair of rules,
// and Explain and Markdown render the text that stands beside each.
//
// # Armed, firing, absorbed
//
// A hot field of a cluster at rest is armed: any reconcile, whatever caused it,
// reverts the cloud; the next refresh disarms it. While the operator works it is
// firing: no refresh helps, because the sync is frozen. What differs and is not
// hot is absorbed by the next refresh.
//
// # Evidence
//
// A Finding says what was read and where. What could not be read is never taken
// for a good sign: a rule that needs a reading of the cloud and has none answers
// with the status Unknown, and a list without findings means only that the
// evidence at hand shows nothing.
//
// The package may not know a client, a terminal, a cloud SDK or the wall clock.
package race
