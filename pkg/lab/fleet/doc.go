// Package fleet invents the clusters of the demo: a management cluster of Rancher
// 2.15 with about a dozen hosted clusters, each in a state that is worth seeing,
// and the clouds behind them.
//
// Demo gives the whole World at one moment. Every object is as Rancher and its
// operators would have written it: specs have passed through the provider's type
// (package schema), times lie before the given one, and managedFields say who
// wrote last. What the clouds hold stands beside it as UpstreamSpecs, in the form
// in which Rancher would read them. The same moment gives the same bytes.
//
//   - world.go is what comes out, state.go the list of states;
//   - eks.go, aks.go, gke.go and ack.go hold the clusters of each provider: what
//     its cloud reads as, and who did what when;
//   - object.go, status.go and writers.go turn that into objects.
//
// Names, accounts and addresses are invented. The package may not know a rule, a
// prediction, a server or a clock.
package fleet
