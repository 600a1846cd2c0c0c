// Package hosted is the vocabulary of the program: what a hosted cluster is,
// which copies of its specification exist, and how one place in such a copy is
// named.
//
// # The copies
//
// Rancher keeps a Config (what is asked for) and an UpstreamSpec (its last
// reading of the cloud) in every AKS, EKS, GKE and Alibaba ACK Cluster object,
// and beside them the Config it last saw carried out (Applied). A Live reading
// may be added by the caller. Snapshot holds all of them as they stood at one
// moment, together with everything that decides what happens next: the refresh
// annotation, the interval setting, the operator's phase.
//
// # Values
//
// All copies are JSON values in Go's generic form: nil, bool, int64, float64,
// string, []any and map[string]any. Integers are kept to 64 bits; absent and
// null are told apart by the map. Use Decode to obtain them.
//
// The package knows no provider's fields (package schema does), no rules
// (predict, race) and no client.
package hosted
