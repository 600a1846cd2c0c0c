// Package report holds what the program says: view structs, the documents that
// machines read, and the writers that turn one into the other.
//
// Each verb builds one document (ClusterList, FieldDiffList, Prediction,
// RiskReport, …) from snapshots and predictions. The same document goes to every
// output format: Printer writes it as JSON, YAML, JSON lines, names, jsonpath or
// go-template, and each document renders its own text for people. Data goes to
// standard output; what is said to people beside it belongs on standard error.
//
// Every string from a cluster reaches a person through package termsafe, secrets
// are masked by key and by shape, and colour only repeats what a word says.
//
// Exits is the one table of exit codes.
//
// The package may not know a client, a command line or the wall clock.
package report
