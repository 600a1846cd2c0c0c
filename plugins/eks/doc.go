// Package eks reads EKS clusters for package live: what Rancher makes of AWS's
// answers, what the cluster really is, and what changed lately. It only reads.
//
//   - reader.go is the surface: Options, Reader and the rights that it uses;
//   - place.go finds a cluster by its Config, client.go logs in, hide.go keeps
//     what was logged in with out of every text;
//   - state.go asks EKS and EC2 how the cluster is, ask.go bounds how many calls
//     are under way, document.go turns the SDK's types back into the API's JSON, of
//     which pkg/operator/eks makes Rancher's view;
//   - truth.go, truthgroup.go and sources.go say the same in the Config's words
//     without Rancher's blind spots;
//   - history.go collects the records of updates, update.go and params.go translate
//     one, traces.go tells what left no record but a date, trail.go asks the audit
//     trail who it was;
//   - problem.go words what went wrong.
//
// EKS tells when an update was asked for and never when it ended, and it keeps no
// record of tags, of creations and of deletions. So the history dates a difference
// between two readings and does not prove that there was none.
package eks
