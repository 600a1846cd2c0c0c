// Package termsafe is the only way from an untrusted string to a terminal.
//
// Names, tags, messages and errors come from clusters, clouds, logs and
// kubeconfigs, and any of them may hold escape sequences that move the cursor,
// hide text, write the clipboard or turn the reading direction. A Text is such a
// string made harmless: every control, every invisible or direction-changing
// character and every invalid byte becomes a visible escape, while letters of
// all scripts, CJK and emoji stay as they are.
//
// The package may not know what a text means, or where it goes.
package termsafe
