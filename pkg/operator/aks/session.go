package aks

import (
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// Session is one cluster in Azure over time. Unlike Converge it leaves it to the
// caller when the operator runs, what others change in between, and when the cloud
// has finished what it was asked for. It is not safe for concurrent use.
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
	s.cloud = r.azure.cloud
	return p
}

// Read is what Rancher's refresher stores as UpstreamSpec, nil with an error's
// text if the read fails.
func (s *Session) Read(in Input) (view map[string]any, problem string) {
	in.Cloud = s.cloud
	v := Read(in)
	return v.Rancher, v.Error
}

// Begin makes what somebody other than the operator changed take time: the
// cluster is updating until Settle. Of the operator's own calls it polls those on
// the cluster and its tags to their end; those on pools end at once here.
func (s *Session) Begin([]operator.Call) {
	properties := with(hosted.Map(s.cloud.doc["properties"]), "provisioningState", "Updating")
	s.cloud.doc = with(s.cloud.doc, "properties", properties)
}

// Settle lets the cloud finish everything that is under way.
func (s *Session) Settle() {
	a := azure{cloud: s.cloud}
	a.settle()
	s.cloud = a.cloud
}
