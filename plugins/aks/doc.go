// Package aks reads managed clusters of Azure for package live.
//
// # Tour
//
// reader.go runs a reading: identity.go says which cluster is meant and in which
// Azure, login.go makes and keeps the clients, find.go looks for the subscription
// where only the user's login is known. One ManagedClusters.Get tells the state:
// view.go hands it to pkg/operator/aks, which makes Rancher's view of it, and
// truth.go and truthpools.go say in the Config's words what is really there.
// fields.go is the table of where each field comes from.
//
// The past has up to three sources. running.go takes from the state what is under
// way; activity.go reads the Activity Log and events.go makes updates of it;
// changes.go asks Resource Graph who changed what. history.go puts them together.
//
// problem.go words what goes wrong, and scrub.go keeps secrets out of it.
//
// # What it does not know
//
// It does not know whether a difference matters, what Rancher does next, a flag or a
// terminal. It writes nothing, in Azure or on disk. It does not ask for an agent
// pool by itself, because the cluster's answer has all of them.
package aks
