// Package fielddiff walks up to four copies of one provider's spec side by side
// (Config, UpstreamSpec, Live, Applied) and says, place by place, which of them
// differ.
//
// List items are matched by the identity that the schema names, never by
// position, so that a group added in front of others is one difference. A
// change of order alone in a list that the cloud treats as a set is no
// difference; it is marked OrderOnly, because Rancher's refresh compares lists
// in order and will rewrite the Config all the same.
//
// What counts as equal follows the Go types that the values pass through:
// absent and null are the same, a plain scalar's absence is its zero value, and
// an empty container that the type omits is the same as none. Null and an empty
// list or map are different where the type writes both.
//
// The walk visits each value once. The package may not know who writes next or
// when, what is managed, or what an operator pushes.
package fielddiff
