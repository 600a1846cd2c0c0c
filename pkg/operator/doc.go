// Package operator defines what one reconcile of a Rancher hosted-cluster
// operator amounts to: the mutating cloud calls it makes, in order, and the
// state it leaves behind. The subpackages eks, aks, gke and ack restate each
// operator's rules; the cases under testdata/vectors, recorded from the real
// operators, hold them to it.
//
// # One path for every question
//
// A subpackage works on the cloud's own answers (the JSON bodies of
// DescribeCluster, ManagedClusters.Get, clusters.get …). Where only a spec is
// known, an UpstreamSpec or a spec read elsewhere, it first builds the quiet
// cloud that reads as that spec, so that "what would be pushed" is answered by
// the same code whatever the input was.
//
// The package and its subpackages know JSON documents. They know no Rancher
// Cluster, no clock, no client and no SDK.
package operator
