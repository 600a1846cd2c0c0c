// Package eks restates what Rancher's eks-operator does in one reconcile: how it
// reads an EKS cluster, in which order it compares the Config with that reading,
// and which calls it sends to EKS, EC2, IAM and CloudFormation.
//
// The rules were read in rancher/eks-operator v1.15.0 (controller/
// eks-cluster-config-handler.go, external.go and nodegroup.go; pkg/eks) and in
// rancher/rancher (clusterupstreamrefresher/eks_upstream_spec.go). They include
// the ones nobody would guess: only the first page of node groups exists, only
// the first log set counts, a later group's tags make earlier calls forgotten.
//
//   - cloud.go holds the cloud's answers, api.go the calls and what each does to
//     the cloud;
//   - read.go turns answers into a spec, as the operator and as Rancher see it;
//   - reconcile.go, update.go and groups.go are one pass, converge.go many;
//   - fromspec.go builds the quiet cloud that reads as a given spec.
//
// Where the real code dereferences nil, a pass ends with Panic set; nothing here
// panics outwards. The package may not know a clock, a client or an SDK.
package eks
