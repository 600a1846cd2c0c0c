// Package ack reads Alibaba Cloud's Kubernetes clusters (ACK) as Rancher will see
// them at its next refresh and as they really are.
//
// # Tour
//
// A Reader (reader.go) is asked for one cluster at a time. The Config, or the
// operator's custom resource, names it (place.go); the login is the user's own from
// the environment or Rancher's (login.go). Rancher's own client library makes the
// calls (client.go) over a transport that tells an answer of the API from one of a
// proxy (transport.go). state.go asks for the cluster and for its node pools at
// once and puts the answers together as pkg/operator/ack reads them, which is as
// Rancher does. truth.go says what that reading misses or copies from the Config,
// and sources.go from which member of which answer a field comes. history.go makes
// what there is of a history: states, dates of the last change, and the upgrade that
// Rancher asked for. Whatever fails becomes a live.Problem in problem.go.
//
// # What it does not know
//
// A history. The API has none: changes are recorded by ActionTrail, for which
// Rancher's library has no client. And other logins than access keys: the library
// has no chain of them.
package ack
