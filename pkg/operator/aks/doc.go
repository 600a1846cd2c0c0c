// Package aks restates what one reconcile of Rancher's AKS operator does: what
// it reads of a managed cluster, which Azure calls follow from the difference
// to the Config, with which bodies, and the state that it leaves behind.
//
// # Tour
//
// A Cloud (cloud.go) is the answer of ManagedClusters.Get, checked for the
// types of the members that matter and otherwise untouched. Read (read.go)
// turns it into the operator's view, a spec (spec.go). Reconcile
// (reconcile.go) runs one pass: create.go starts a cluster, update.go compares
// and pushes tags and the whole cluster, pools.go one agent pool, body.go
// builds the request bodies. Every call goes through azure.go, which records
// it, lets injected faults strike and applies it to the cloud (apply.go).
// Converge repeats passes until they are quiet. FromSpec (fromspec.go) goes the
// other way: from a spec to a quiet cloud that reads as that spec.
// attribution.go names the Config fields behind a call.
//
// # What it does not know
//
// The package knows JSON documents and the operator's tables of regions. It
// knows no Rancher Cluster, clock, client or SDK, and nothing of how Azure
// reacts beyond "the body is stored": see Behaviour for the open questions.
package aks
