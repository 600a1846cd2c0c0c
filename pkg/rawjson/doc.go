// Package rawjson reads the JSON of large Kubernetes answers by parts: a list item
// by item as it arrives, and of each item only what is wanted.
//
// A Decoder gives the same values as hosted.Decode, but decodes only the parts
// that a Filter names, uses each map key's text once, and lets equal parts of one
// object share one value. A Reader splits a stream into values and a Kubernetes
// list into its items without holding more than one item.
//
// The package knows JSON, its own limits and hosted's generic form. It knows no
// kind of object.
package rawjson
