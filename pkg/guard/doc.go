// Package guard carries out guarded changes on a management cluster: it gives the
// machine of pkg/resync a server to read, watch and patch, and its clock.
package guard
