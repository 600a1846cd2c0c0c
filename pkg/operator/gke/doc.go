// Package gke restates what one reconcile of Rancher's GKE operator does: what
// it reads of a cluster, which Google Cloud calls follow from the difference to
// the Config, with which bodies, and the state that it leaves behind.
//
// # Tour
//
// A Cloud (cloud.go) is the answer of projects.locations.clusters.get, decoded
// as Google's Go client decodes it. Read (read.go) turns it into the operator's
// view, a spec (spec.go). Reconcile (reconcile.go) runs one pass: create.go
// starts a cluster, update.go sends one kind of difference of the cluster,
// pools.go the differences of all node pools, one call for each. Every call goes
// through google.go, which records it, lets injected faults strike and applies
// it to the cloud (apply.go). Converge repeats passes until they are quiet.
// FromSpec (fromspec.go) goes the other way: from a spec to a quiet cloud that
// reads as that spec. attribution.go names the Config fields behind a call.
//
// # What it does not know
//
// The package knows JSON documents and the field tables of package schema. It
// knows no Rancher Cluster, clock, client or SDK, and nothing of how Google
// Cloud reacts beyond "the request is stored": see Omission for the one open
// question.
package gke
