// Package journal keeps a durable record of guarded changes on the local disk: what
// each was about to do, before it did it, and how it ended. With it a change can be
// explained after a crash at any point, and undone.
//
// Every change has a file of its own, of JSON lines that are only ever appended and
// synced to the disk one by one. A crash can leave the last line incomplete, which
// reading ignores: what that line would have announced was not done yet. Nothing is
// shared, so several programs can change clusters at the same time.
//
// The files hold the merge units of the Config that a change touches, as they were
// and as they were to become, since they could not be restored otherwise; user data
// can be among them. They are readable by their owner alone.
package journal
