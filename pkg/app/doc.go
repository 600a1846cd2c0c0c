// Package app is the command line: the cobra tree, the flags, and the one place
// where clients, files and the demo are put together with the core.
//
// Main runs one command line and returns its exit code. Whatever comes from
// outside, the streams, the environment, the clock, the terminal, is handed in as
// Env, so that a test runs the same program.
//
// Each verb lies in a file of its own and has the same shape: an options struct
// that flags fill in, and a run method that loads a fleet, builds one document of
// package report and prints it. A fleet comes from the API server, from files
// (-f) or from the demo; the verbs do not know which.
//
// Only cmd imports this package.
package app
