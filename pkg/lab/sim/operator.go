package sim

import (
	"errors"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

const (
	// pollEvery is the operators' pace while the cloud is at work.
	pollEvery = 30 * time.Second
	// retryAfter is how soon a failed pass is tried again, retryLater after some
	// failures in a row.
	retryAfter, retryLater = 2 * time.Second, 30 * time.Second
)

// OperatorWatcher sees what an operator does.
type OperatorWatcher interface {
	// PassBegun: the custom resource was read.
	PassBegun()
	// Pushed: a pass has called the cloud; before and after are readings.
	Pushed(before, after map[string]any, p operator.Pass)
	// PassEnded: the pass is over, with its status written or not.
	PassEnded(p operator.Pass)
}

// Operator is the process of a provider's operator, for one cluster. Each Step is
// one action that nothing else can fall into: reading the custom resource, the
// pass on the cloud, writing the status.
type Operator struct {
	API   API
	Cloud Cloud
	Name  string
	// Faults, if set, are what the cloud's calls meet in the pass at hand.
	Faults func() []operator.Fault
	Watch  OperatorWatcher
	// Took is called with the calls that began something in the cloud.
	Took func([]operator.Call)

	step     func() Rest
	cr       map[string]any
	pass     operator.Pass
	woken    bool
	failures int
}

// Notify wakes the operator: the custom resource has changed.
func (o *Operator) Notify() { o.woken = true }

// Woken tells whether a change waits to be looked at.
func (o *Operator) Woken() bool { return o.woken }

// Restart forgets everything; a new process looks at every resource.
func (o *Operator) Restart() { o.step, o.cr, o.woken, o.failures = nil, nil, true, 0 }

// Step does the next action.
func (o *Operator) Step() Rest {
	if o.step == nil {
		o.step = o.begin
	}
	return o.step()
}

func (o *Operator) rest(d time.Duration) Rest {
	o.step = o.begin
	return Rest{For: d, Idle: true}
}

func (o *Operator) begin() Rest {
	o.woken = false
	cr, err := o.API.Get(Resource)
	if errors.Is(err, ErrNotFound) {
		return o.rest(0) // its creation wakes the operator
	}
	if err != nil {
		return o.rest(retryAfter)
	}
	o.cr = cr
	if o.Watch != nil {
		o.Watch.PassBegun()
	}
	o.step = o.reconcile
	return Rest{Work: true}
}

func (o *Operator) visit() Visit {
	v := Visit{Name: o.Name, Config: hosted.Map(o.cr["spec"]), Status: hosted.Map(o.cr["status"])}
	if v.Status == nil {
		v.Status = map[string]any{"phase": ""}
	}
	return v
}

// reconcile compares the custom resource with the cloud and pushes.
func (o *Operator) reconcile() Rest {
	v := o.visit()
	var before map[string]any
	if o.Watch != nil {
		before, _ = o.Cloud.Read(v)
	}
	if o.Faults != nil {
		v.Faults = o.Faults()
	}
	o.pass = o.Cloud.Reconcile(v)
	if len(o.pass.Calls) > 0 {
		if o.Watch != nil {
			v.Faults = nil
			after, _ := o.Cloud.Read(v)
			o.Watch.Pushed(before, after, o.pass)
		}
		if o.Took != nil {
			o.Took(o.pass.Calls)
		}
	}
	o.step = o.write
	return Rest{}
}

// write stores the status. If somebody changed the resource since, the status is
// lost and the pass is made again.
func (o *Operator) write() Rest {
	p := o.pass
	status := p.Status
	if status == nil {
		status = map[string]any{"phase": p.Phase, "failureMessage": p.FailureMessage}
	}
	merged := hosted.Map(o.cr["status"])
	for k, v := range status {
		if !hosted.Equal(merged[k], v) {
			merged = put(merged, v, k)
		}
	}
	var err error
	if !p.Panic && !hosted.Equal(merged, o.cr["status"]) {
		_, err = o.API.Update(Resource, put(o.cr, merged, "status"), true)
	}
	if o.Watch != nil {
		o.Watch.PassEnded(p)
	}
	switch {
	case err != nil:
		return o.rest(retryAfter)
	case p.Failed():
		o.failures++
		if o.failures > 3 {
			return o.rest(retryLater)
		}
		return o.rest(retryAfter)
	}
	o.failures = 0
	switch p.Requeue {
	case "now":
		return o.rest(time.Millisecond)
	case "30s":
		return o.rest(pollEvery)
	}
	return o.rest(0)
}
