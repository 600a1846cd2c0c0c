// Package follow keeps the snapshots of chosen clusters current while a management
// cluster changes, and reports each new state.
//
// Follow is all there is to call. It watches Rancher's Clusters and the resources
// of the operators in use and asks for the few Settings now and then; every event
// becomes a whole hosted.Snapshot, made the way a single read makes it. Nothing is
// held back or merged: whoever judges must know that Rancher's refresh is three
// writes. Where the rights to watch are missing, it reads again and again instead.
//
// A lost connection is reported and taken up where it broke off; what was missed
// comes as differences. The first connection must succeed.
//
// Times are the server's, estimated from the Date of its answers and a monotonic
// clock that the caller hands in, so that a wrong local clock does no harm.
//
// The package may not know what a state means, a flag or a terminal.
package follow
