package gke

import (
	"fmt"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// Input is what one reconcile starts from.
type Input struct {
	// Name is the custom resource's name, "c-ab12c".
	Name string
	// Config is spec.gkeConfig as stored.
	Config map[string]any
	// Status is the custom resource's status: phase and failureMessage. Without
	// a phase it counts as active.
	Status     map[string]any
	Cloud      Cloud
	Faults     []operator.Fault
	Credential Credential
}

// Credential is the cloud credential as far as it matters. The zero value is a
// usable one.
type Credential struct {
	// Missing: the secret does not exist. Malformed: it lacks the expected key.
	Missing, Malformed bool
}

// check is how the operator gets at the credential that a Config refers to as
// "namespace:name" (controller/external.go, GetSecret).
func (c Credential) check(reference string) error {
	namespace, name, ok := strings.Cut(reference, ":")
	if !ok {
		namespace, name = "", reference
	}
	switch {
	case c.Missing:
		return fmt.Errorf("secrets %q not found", name)
	case c.Malformed:
		return fmt.Errorf("could not read malformed cloud credential secret %s from namespace %s", name, namespace)
	}
	return nil
}

// run is a custom resource and its cloud over one or more passes.
type run struct {
	name           string
	config         *spec
	phase, failure string
	credential     Credential
	google         *google
	// order ranks node pools by name; nil ranks them alphabetically. The real
	// order is random.
	order map[string]int

	// What happened in the pass at hand: wake is how the operator asked to come
	// back, wrote a written status, waiting and settled what the pass found.
	wake                    string
	wrote, waiting, settled bool
}

func newRun(in Input) (*run, error) {
	config, err := decodeSpec(in.Config)
	if err != nil {
		return nil, fmt.Errorf("cannot read the config: %w", err)
	}
	r := &run{name: in.Name, config: config, phase: operator.PhaseActive, credential: in.Credential}
	for key, at := range map[string]*string{"phase": &r.phase, "failureMessage": &r.failure} {
		v, ok := in.Status[key]
		if !ok || v == nil {
			continue
		}
		if *at, ok = v.(string); !ok {
			return nil, fmt.Errorf("cannot read the status: %s must be a string", key)
		}
	}
	r.google = &google{cloud: in.Cloud, place: placeOf(config), faults: operator.NewFaults(in.Faults)}
	return r, nil
}

// Reconcile runs one pass of the operator. A Config or status of the wrong type
// is reported as the pass's error; no call is made then.
//
// Node pools are handled by name, new and changed ones before those that go.
// See Alternatives.
func Reconcile(in Input) operator.Pass {
	r, err := newRun(in)
	if err != nil {
		return unreadable(err)
	}
	return r.pass()
}

func unreadable(err error) operator.Pass {
	return operator.Pass{Error: err.Error(), Requeue: "none"}
}

// pass runs the reconcile once and does the bookkeeping of errors around it
// (controller/gke-cluster-config-handler.go, recordError).
func (r *run) pass() operator.Pass {
	r.wake, r.wrote, r.waiting, r.settled = "", false, false, false
	r.google.calls = nil
	phase := r.phase
	err := r.reconcile()
	p := operator.Pass{Waiting: r.waiting, Panic: isPanic(err)}
	if err != nil {
		p.Error = err.Error()
	}
	if p.Panic {
		r.phase, r.wrote, r.wake = phase, false, ""
	} else {
		r.recordError(p.Error)
	}
	p.Calls, p.Phase, p.FailureMessage = r.google.calls, r.phase, r.failure
	p.Status = map[string]any{"phase": r.phase, "failureMessage": r.failure}
	p.Requeue = r.requeue()
	p.WillRunAgain = p.Requeue != "none" || p.Error != ""
	return p
}

func (r *run) recordError(message string) {
	if r.failure == message {
		return
	}
	if message != "" && r.phase == operator.PhaseActive {
		r.phase = operator.PhaseUpdating
	}
	r.failure, r.wrote = message, true
}

func (r *run) requeue() string {
	switch {
	case r.wake != "":
		return r.wake
	case r.wrote:
		return "statusEvent"
	}
	return "none"
}

// setPhase writes the status, whose event brings the operator back.
func (r *run) setPhase(phase string) { r.phase, r.wrote = phase, true }

// again makes the operator come back at once, in phase updating.
func (r *run) again() {
	if r.phase == operator.PhaseUpdating {
		r.wake = "now"
		return
	}
	r.setPhase(operator.PhaseUpdating)
}

func (r *run) later() { r.wake, r.waiting = "30s", true }

// reconcile does what the phase asks for; an unknown phase asks for nothing.
func (r *run) reconcile() error {
	if err := r.credential.check(r.config.credential); err != nil {
		return err
	}
	switch r.phase {
	case operator.PhaseImporting:
		return r.importCluster()
	case operator.PhaseNone:
		return r.create()
	case operator.PhaseCreating:
		return r.awaitCreation()
	case operator.PhaseActive, operator.PhaseUpdating:
		return r.checkAndUpdate()
	}
	return nil
}

// id is how error texts name the cluster.
func (r *run) id() string { return fmt.Sprintf("[%s (id: %s)]", r.config.clusterName, r.name) }

// checkAndUpdate waits while Google Cloud is at work, else compares and pushes.
func (r *run) checkAndUpdate() error {
	c, err := r.google.get()
	if err != nil {
		return err
	}
	if c.Status == stateReconciling {
		r.waiting = true
		if r.phase != operator.PhaseUpdating {
			r.setPhase(operator.PhaseUpdating)
			return nil
		}
		r.later()
		return nil
	}
	for _, p := range c.NodePools {
		if p == nil {
			return errNil
		}
		if p.Status == stateReconciling || p.Status == stateStopping || p.Status == stateProvisioning {
			if r.phase != operator.PhaseUpdating {
				r.setPhase(operator.PhaseUpdating)
			}
			r.later()
			return nil
		}
	}
	upstream, err := readCluster(c)
	if err != nil {
		return err
	}
	return r.update(upstream)
}
