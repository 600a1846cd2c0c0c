// Package vectors runs conformance cases, recorded from the real systems' own
// code, against a restatement of their rules. It is for tests only.
//
// Cases lie in *.jsonl and *.jsonl.gz files, one JSON object a line, below the
// folder named by the environment variable HOSTEDSYNC_VECTORS, by default the
// project's testdata/vectors. A file's name starts with the kind of case it
// holds: refresh., eks.push., aks.read. and so on.
//
// The package may not know what a case means.
package vectors
