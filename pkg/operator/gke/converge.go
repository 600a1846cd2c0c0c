package gke

import (
	"slices"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// idleAfter is the number of passes after which whatever was going on in the
// cloud at the start has ended.
const idleAfter = 2

// Converge repeats the reconcile, each pass on the cloud and status that the
// one before left, until a pass compares, finds nothing to do and leaves phase
// active; that pass is the last one returned. It gives up after limit passes or
// at a crash. Where the operator would wait for an event, the next pass runs
// anyway.
func Converge(in Input, limit int) (passes []operator.Pass, gaveUp bool) {
	r, err := newRun(in)
	if err != nil {
		return []operator.Pass{unreadable(err)}, true
	}
	return r.converge(limit)
}

func (r *run) converge(limit int) (passes []operator.Pass, gaveUp bool) {
	for len(passes) < limit {
		p := r.pass()
		n := len(passes) + 1
		for i := range p.Calls {
			p.Calls[i].Pass = n
		}
		passes = append(passes, p)
		if n == idleAfter {
			r.google.settle()
		}
		if p.Panic || r.settled && len(p.Calls) == 0 {
			return passes, p.Panic
		}
	}
	return passes, true
}

// orders bounds how many orders of the node pools are looked at.
const orders = 120

// Alternatives lists the distinct outcomes that one pass can have: the operator
// walks node pools in random order and stops at the first error. The first is
// Reconcile's. Of more than five pools not every order is looked at.
func Alternatives(in Input) []operator.Pass {
	var out []operator.Pass
	in.eachOrder(func(r *run) {
		p := r.pass()
		if !slices.ContainsFunc(out, func(q operator.Pass) bool { return sameOutcome(p, q) }) {
			out = append(out, p)
		}
	})
	if out == nil {
		return []operator.Pass{Reconcile(in)}
	}
	return out
}

// eachOrder calls do with a fresh run for each order of the node pools.
func (in Input) eachOrder(do func(*run)) {
	r, err := newRun(in)
	if err != nil {
		return
	}
	names := r.poolNames()
	left := orders
	permute(names, 0, func() bool {
		rank := make(map[string]int, len(names))
		for i, n := range names {
			rank[n] = i
		}
		r.order = rank
		do(r)
		left--
		r, err = newRun(in)
		return left > 0 && err == nil
	})
}

// poolNames are the names of all node pools, wanted and existing, sorted.
func (r *run) poolNames() []string {
	names := map[string]bool{}
	for _, p := range r.config.pools {
		if p.name != nil {
			names[*p.name] = true
		}
	}
	if c := r.google.cloud.cluster; c != nil {
		for _, p := range c.NodePools {
			if p != nil {
				names[p.Name] = true
			}
		}
	}
	return hosted.SortedKeys(names)
}

// permute calls visit for every order of l, beginning with the one it has, until
// visit returns false. It tells whether visit wants more.
func permute(l []string, from int, visit func() bool) bool {
	if from >= len(l)-1 {
		return visit()
	}
	for i := from; i < len(l); i++ {
		rotate(l[from : i+1])
		more := permute(l, from+1, visit)
		rotateBack(l[from : i+1])
		if !more {
			return false
		}
	}
	return true
}

// rotate moves the last item to the front.
func rotate(l []string) {
	last := l[len(l)-1]
	copy(l[1:], l)
	l[0] = last
}

func rotateBack(l []string) {
	first := l[0]
	copy(l, l[1:])
	l[len(l)-1] = first
}

// sameOutcome ignores the order of the calls.
func sameOutcome(p, q operator.Pass) bool {
	return p.Phase == q.Phase && p.Error == q.Error && p.Requeue == q.Requeue &&
		slices.Equal(sortedCalls(p.Calls), sortedCalls(q.Calls))
}

func sortedCalls(calls []operator.Call) []string {
	var out []string
	for _, c := range calls {
		out = append(out, hosted.Canonical([]any{c.Op, c.Target, c.HTTPStatus, c.Input}))
	}
	slices.Sort(out)
	return out
}
