// Package google is Google Kubernetes Engine's API on loopback, for tests of
// programs that read it through Google's own client library: gRPC over TLS,
// service google.container.v1.ClusterManager, for any number of clusters in any
// number of projects and locations, and the token endpoint of Google's login.
//
//   - The state (cloud.go) is Google's own messages. Put places a cluster, Edit
//     changes it as a user would, Begin and Finish are operations; their times are
//     those of SetTime.
//   - The answers (answers.go) are those of GetCluster, ListNodePools,
//     ListOperations and GetOperation. Every other method is recorded and refused as
//     unimplemented, so that a test sees a write.
//   - Trouble (faults.go) is a status, an answer that never comes, a proxy's page,
//     an answer that is cut off or a broken stream; a location that is down; and a
//     rate of calls that are over the quota.
//   - The login (login.go) hands out one token, or refuses to.
//
// It is for tests only. It knows neither the code under test nor Rancher.
package google
