// Package await judges whether a cluster has reached a condition that somebody
// waits for, and says what changed between two states of it.
//
// The conditions build on one another: settled (the last edit is carried out and
// nothing fails), refreshed (a refresh has ended since), synced (settled, and the
// reading confirms it) and safe (nothing that anybody knows of would be lost by an
// edit at this moment). Judge is where to start; every reason it gives is one
// sentence with the fact behind it.
//
// Two things are easily judged wrongly. A refresh of Rancher 2.15 and later is
// three writes, so a watcher sees states in which the Config is new and the
// refresh annotation old; and of a failed refresh of AKS, GKE and ACK clusters
// only the moved annotation remains, because the cluster handler wipes the error
// at once. A Memory holds what a follower has seen of both; without one Judge
// says in a note what it could not know.
//
// What could not be read is never taken for good news. The package may not know a
// client, a terminal or the wall clock.
package await
