package eks

import "github.com/hostedsync/kubectl-hostedsync/pkg/operator"

// Converge runs passes until one is quiet: no call, no error, phase active and
// no template version left to delete. It gives up after limit passes or at a
// crash. Between passes what is under way in the cloud gets done.
func Converge(in Input, limit int) (passes []operator.Pass, gaveUp bool) {
	a := newAPI(in.Cloud, in.Faults)
	for range limit {
		p, st := reconcile(a, in)
		for i := range p.Calls {
			p.Calls[i].Pass = len(passes) + 1
		}
		passes = append(passes, p)
		switch {
		case p.Panic:
			return passes, true
		case len(p.Calls) == 0 && !p.Failed() && p.Phase == operator.PhaseActive && len(st.TemplateVersionsToDelete) == 0:
			return passes, false
		}
		in.Status = generic(st)
		a.settle()
	}
	return passes, true
}
