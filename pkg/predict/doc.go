// Package predict says what happens next to a hosted cluster: what Rancher's
// next refresh decides and writes, and which cloud calls a change of the Config
// would cause. Both are pure functions of a snapshot and a clock.
//
// # The refresh
//
// Refresh restates Rancher's upstream refresher (rancher/rancher,
// pkg/controllers/management/clusterupstreamrefresher,
// cluster_upstream_refresher.go): readiness, due time with its overflows, the
// strict comparison of Config and Applied that freezes the sync, the merge by
// top-level key, and what the rewriting through Go types does besides. It works
// on the Cluster as the API server holds it. The cases under
// testdata/vectors/refresh were recorded from Rancher's own handler and win
// over any intuition.
//
// # The push
//
// Push runs the restated operator (pkg/operator) against a cloud until it is
// quiet, once with the Config as edited, and separates what the edit asked for
// from its collateral: managed fields nobody edited that are sent too.
//
// The package may not know a client, a terminal or the wall clock.
package predict
