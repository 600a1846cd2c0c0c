// Package lab is a management cluster without a cluster: an API server that
// lives in memory and answers the program's normal client as a real one would.
// The demo runs on it, and so do tests that need a server they can steer.
//
//   - Store holds the objects: revisions, preconditions, the separation of spec
//     and status, the bookkeeping of who wrote what, and enough history to watch
//     and to page through a list that changes meanwhile.
//   - API puts the Kubernetes protocol in front of a Store, as an
//     http.RoundTripper: no socket is opened and no goroutine is started.
//   - Clock is the server's time. Nothing here reads the wall clock, so that the
//     same objects, the same clock and the same requests give the same bytes.
//   - Package fleet invents the clusters to put into it.
//
// # What is served
//
// Rancher's Cluster and Setting, the four operators' resources and the Deployments
// that the operators run in: get, list, watch and patch, with status as a subresource where the real server has one;
// discovery, the version, and access reviews that allow everything. Objects are
// created and deleted only through the Store, never through the API. The rules are
// those of kubernetes/apiserver (pkg/endpoints/handlers, pkg/registry/generic,
// pkg/storage); a test asks a real server the same questions. What the API does
// not do: authentication, admission, quotas, server-side apply, tables and
// protobuf objects, warnings, and the pruning, defaulting and checking of operator
// resources, settings and Deployments against their schemas, so that unknown
// fields stay in those too.
// Field bookkeeping knows maps; a list is owned as a whole, finalizers and owner
// references included.
//
// The package may not know a provider's fields, a rule, a terminal or a client.
package lab
