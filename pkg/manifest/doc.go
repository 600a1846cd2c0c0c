// Package manifest reads a fleet from files instead of a server: kubectl dumps in
// YAML or JSON, support bundles' lists, several documents in one file.
//
// Read picks out Rancher's Cluster and Setting objects and the operators'
// resources, counts everything else by kind, and makes the same hosted.Snapshots
// of them as the live client does of a server's answers.
//
// Input may be large and hostile. JSON lists are read item by item. YAML is cut
// into documents, and a large YAML list into its items, before anything is parsed;
// what is not wanted is passed over unparsed. A single object, a document that
// cannot be cut and the expansion of aliases are limited.
//
// The package knows file formats and the names of the wanted kinds. It knows no
// server and nothing of what the objects mean.
package manifest
