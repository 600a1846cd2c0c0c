// Package rbac holds the Kubernetes roles that users of the program need, as
// manifests to apply to Rancher's local cluster.
//
//   - Read grants what looking needs: Cluster objects, the Settings that set the
//     refresh intervals, the operators' resources and the operators' Deployments.
//   - Sync grants what changing needs on top: to patch Cluster objects. It is of
//     use only to somebody who has Read as well.
//
// Both are as narrow as Kubernetes allows: names where names are known, and no
// right to create, delete or read a Secret. They contain roles and no bindings.
//
// The package knows nothing of a client or of what the rights are used for;
// pkg/rancher's tests hold the roles to its own list of rights and to a real API
// server.
package rbac
