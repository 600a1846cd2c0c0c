// Package schema holds, as data, what is known about every field of the four
// providers' Config types: its shape, whether null means unmanaged, how lists
// identify their items, where Rancher's reading takes the value from, what an
// operator pushes and how it compares.
//
// # Two jobs
//
// The tables answer questions about a field (Provider, Lookup, IdentityKey) and
// they drive the conversion that decides half of Rancher's behaviour: a Config
// passes through a Go type at every step, and that passage separates null from
// empty, drops what the type omits and forgets what it does not know. Decode
// and Encode reproduce the passage on generic JSON values.
//
// The shapes come from the operators' types:
// rancher/eks-operator, aks-operator and gke-operator v1.15.0, and
// ali-operator v1.15.0-rc.3, file pkg/apis/<group>/v1/types.go. Where Rancher's
// reading takes a value from was read in rancher/rancher,
// pkg/controllers/management/clusterupstreamrefresher, and in each operator's
// controller/external.go; what is pushed in its controller and update code.
//
// A field that a table does not have is unknown to this version of the program:
// callers keep it, compare it and label it, but Rancher's types would drop it
// too if they do not know it.
//
// The package may not know a cluster, a clock or a rule about time.
package schema
