// Package krew says what a release consists of: one archive for each platform, a
// list of checksums, and the manifest by which krew, kubectl's plugin manager,
// installs the plugin.
//
//   - Platforms lists the systems; a Platform names its archive and binary.
//   - Write packs an archive. The same files, the same time give the same bytes.
//   - Sums are the archives' checksums; Manifest fills hostedsync.yaml.tmpl with
//     them.
//
// What krew and its index demand of a manifest was read in kubernetes-sigs/krew
// (internal/index/validation, cmd/validate-krew-manifest) and in the index's
// review threads; the tests hold the manifest to it, and those behind the build
// tag e2e install, run and remove the plugin with krew itself.
//
// Command dist, below this folder, builds the binaries and does the writing.
//
// The package may not know what the plugin does, nor the rest of the project.
package krew
