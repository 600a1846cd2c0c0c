package ack

import "github.com/hostedsync/kubectl-hostedsync/pkg/operator"

// idleAfter is the number of passes after which whatever was going on in the
// cloud at the start has ended.
const idleAfter = 2

// Converge repeats the reconcile, each pass on the cloud and status that the one
// before left, until a pass compares, finds no difference and leaves phase
// active; that pass is the last one returned. It gives up after limit passes or
// at a crash. Where the operator would wait for an event, the next pass runs
// anyway.
func Converge(in Input, limit int) (passes []operator.Pass, gaveUp bool) {
	r, err := newRun(in)
	if err != nil {
		return []operator.Pass{unreadable(err)}, true
	}
	for len(passes) < limit {
		p := r.pass()
		n := len(passes) + 1
		for i := range p.Calls {
			p.Calls[i].Pass = n
		}
		passes = append(passes, p)
		if n == idleAfter {
			r.alibaba.settle()
		}
		if p.Panic || r.settled {
			return passes, p.Panic
		}
	}
	return passes, true
}
