// Package testbed is what the tests stand on: a real kube-apiserver and etcd with
// Rancher's resource definitions, users with exactly the rights they are given,
// and invented fleets of hosted clusters to fill it with.
//
// It is for tests only and may be imported only by _test files and by programs
// that serve tests.
//
//   - Bed and Run give a test package one server, started by the first test that
//     asks for it and stopped when the package is done.
//   - Assets finds the server's binaries, or builds them from source with
//     testdata/controlplane/build.sh; nothing is skipped for want of them.
//   - CRDs are Rancher's and its operators' resource definitions, made from a
//     compact table (rancher/rancher, pkg/crds/dashboard; the operators'
//     charts/*-crd).
//   - Server.Apply stores raw objects, status and bookkeeping included;
//     Server.User makes a user from a list of grants.
//   - Server.KillAPIServer and Server.StartAPIServer make the API server crash and
//     come back, with the same address and database.
//   - Tripwire is a proxy that stops at every request, for tests that kill a client
//     or cut its connection in the middle of a change.
//   - StartOperator runs Rancher's real eks-operator or aks-operator, built by
//     testdata/operators/build.sh, as a child process.
//   - Fleet invents clusters in every state that the program knows.
//
// The package knows nothing of the program's logic: it uses pkg/hosted for names
// only.
package testbed
