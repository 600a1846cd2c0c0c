// Package gke reads Google Kubernetes Engine clusters from Google Cloud: as
// Rancher will see them at its next refresh, as they really are, and what Google
// did to them lately.
//
// # Tour
//
// A Reader (reader.go) is asked for one cluster at a time. The Config names it
// (place.go); the login is the user's own or Rancher's (login.go), with one client
// for each (client.go), which repeats calls as Google's library does and a bounded
// number of times where the quota is used up (retry.go). Two calls follow, both at
// once:
//
//   - GetCluster. document.go turns the answer into the document of Google's REST
//     API, which is what pkg/operator/gke reads as Rancher does. truth.go, with
//     window.go and endpoint.go, says what that reading misses, and sources.go from
//     which member of the answer a field comes.
//   - ListOperations, if the history is wanted. history.go picks the cluster's
//     operations and operation.go says what each can have changed.
//
// Whatever fails becomes a live.Problem in problem.go.
//
// # What it does not know
//
// Who asked for an operation: the operations do not tell, and Cloud Audit Logs are
// not read. What Google forgot: how long it keeps operations is not documented, so
// that an empty history is no proof that nothing happened.
package gke
