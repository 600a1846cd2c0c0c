// Package alibaba is Alibaba Cloud's API for Kubernetes clusters (ACK, CS
// 2015-12-15) on loopback, for tests of programs that read it through Rancher's
// client library: DescribeClusterDetail, DescribeClusterNodePools,
// DescribeClusterNodes and DescribeTaskInfo for any number of clusters.
//
// The state (cloud.go) is the API's own documents, which are served as they are. A
// call must be signed by a key that is known (serve.go); the signature itself is
// not verified. Trouble (faults.go) is an error, an empty answer, one that never
// comes or is cut off, a proxy's page, a broken connection, and a rate of calls that
// come too often. Whatever is not served is recorded and refused, so that a test
// sees a write.
//
// It is for tests only. It knows neither the code under test nor Rancher.
package alibaba
