package gke

import "github.com/hostedsync/kubectl-hostedsync/pkg/operator"

// Session is one cluster in Google Cloud over time. Unlike Converge it leaves it
// to the caller when the operator runs, what others change in between, and when
// the cloud has finished what it was asked for. It is not safe for concurrent use.
type Session struct{ cloud Cloud }

// NewSession starts with a cloud.
func NewSession(c Cloud) *Session { return &Session{c} }

// Reconcile is one pass of the operator on the cloud as it is now; the cloud keeps
// what the pass changes. in.Cloud is not looked at.
func (s *Session) Reconcile(in Input) operator.Pass {
	in.Cloud = s.cloud
	r, err := newRun(in)
	if err != nil {
		return unreadable(err)
	}
	p := r.pass()
	s.cloud = r.google.cloud
	return p
}

// Read is what Rancher's refresher stores as UpstreamSpec, nil with an error's
// text if the read fails.
func (s *Session) Read(in Input) (view map[string]any, problem string) {
	in.Cloud = s.cloud
	v := Read(in)
	return v.Rancher, v.Error
}

// Begin makes what was asked for take time: the cluster is reconciling until
// Settle.
func (s *Session) Begin([]operator.Call) {
	g := google{cloud: s.cloud}
	g.change(func(c *cluster) { c.Status = stateReconciling })
	s.cloud = g.cloud
}

// Settle lets the cloud finish everything that is under way.
func (s *Session) Settle() {
	g := google{cloud: s.cloud}
	g.settle()
	s.cloud = g.cloud
}
