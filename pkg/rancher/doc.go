// Package rancher reads a Rancher management cluster through its Kubernetes API,
// and changes single objects of it.
//
//   - Connect makes a Client from a kubeconfig; New from a rest.Config.
//   - Client.Read answers most questions at once: a Fleet of hosted.Snapshots,
//     made from Cluster objects, operator resources and Settings, with everything
//     listed that could not be read.
//   - Client.Get, Client.List and Client.Watch work on one Resource; objects
//     arrive one by one and trimmed to what hosted.FromObjects looks at.
//   - Client.Patch changes one object. It sends a change once, and says Uncertain
//     where it cannot know whether the change was made.
//   - Client.Can says beforehand which rights are missing; package rbac has the
//     roles that grant them. Client.Operator says whether an operator runs.
//   - Client.Installed and Client.Schema say what is installed.
//   - Every failure is an *Error: one line that says what, where and what to do,
//     and a Kind to act on.
//
// The client makes no discovery requests, since all resources are known, applies
// no rate limit of its own, and decodes answers as a stream, so that a large fleet
// never lies in memory as text. Times are the server's (Client.ServerTime).
//
// The package knows the Kubernetes API and Rancher's kinds of objects. It knows
// nothing of what their contents mean (predict, race do), of flags or of terminals.
package rancher
