// Package loopback is a cloud for tests: EKS and Azure's ARM as far as Rancher's
// operators and the clouds' own SDKs use them, answered on this machine.
//
// Unmodified programs reach it through a proxy that ends TLS itself, so they
// need a few environment variables (EnvFor) and no change. No request leaves the
// machine: the proxy dials nobody, and a host that it does not know gets an
// error.
//
//   - The state is the Cloud of pkg/operator/eks and of pkg/operator/aks, in the
//     clouds' own member names. What a restated operator is given, the real one
//     can be given as well (SetEKS, SetAKS), and what it left can be read (EKS,
//     AKS).
//   - A call is acknowledged at once and takes time: the cluster or node group is
//     busy until Settle, or for as long as Takes says. EditEKS and EditAKS are
//     what a user does in the cloud's console.
//   - Calls are the calls that change something, in the spelling of pkg/operator:
//     service, operation, target and input, and the error that was answered.
//   - Fail makes operations fail as operator.Fault says. Of AWS there are besides
//     further clusters by region (AddEKS, AddEKSFleet), records and an audit trail
//     (AddUpdates, AddTrail), bad weather (SetWeather, KillRegion) and broken
//     answers (Break); Seen are the operations that were asked.
//
// server.go is the surface and proxy.go the way in; eks.go, eksapply.go and
// updates.go are EKS, ec2.go and query.go what EKS needs of EC2 and STS,
// eks_world.go, eks_sky.go and eks_trail.go what only readers of AWS meet, arm.go
// and armapply.go Azure. For readers of Azure there are clusters at many places
// (arm_fleet.go), what Azure tells of their past (arm_history.go) and, for any
// provider, networks and proxies that misbehave (arm_quirks.go).
//
// The effects of calls are written down here once more, apart from those in
// pkg/operator, because this package is what those are compared with. It is for
// tests only. It does not know why a call is made: Fields and Carried of a Call
// stay empty. It serves neither IAM nor CloudFormation, nor the creation and
// deletion of clusters.
package loopback
