// Package ack restates what one reconcile of Rancher's Alibaba operator does:
// what it reads of an ACK cluster, which calls follow from the difference to the
// Config, with which bodies, and the state that it leaves behind.
//
// # Tour
//
// A Cloud (cloud.go) is what the operator asks for: the cluster, its
// node pools and their nodes, the last upgrade task. Read (read.go) turns it
// into the operator's view, a spec (spec.go). Reconcile (reconcile.go) runs one
// pass: create.go starts a cluster, update.go waits for it, upgrades it and
// compares, pools.go creates, changes and deletes node pools. Every call goes
// through alibaba.go, which records it, lets injected faults strike and applies
// it to the cloud (apply.go). Converge repeats passes until they are quiet.
// FromSpec (fromspec.go) goes the other way: from a spec to a quiet cloud that
// reads as that spec.
//
// # What it does not know
//
// The package knows JSON documents and the field tables of package schema. It
// knows no Rancher Cluster, clock, client or SDK. How Alibaba Cloud reacts to a
// call was not observed: a call is taken to do at once what it says.
package ack
