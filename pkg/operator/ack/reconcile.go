package ack

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// Input is what one reconcile starts from.
type Input struct {
	// Name is the custom resource's name, "c-ab12c".
	Name string
	// Config is spec.aliConfig as stored.
	Config map[string]any
	// Status is the custom resource's status: phase, failureMessage and
	// upgradeTaskId. Without a phase it counts as active.
	Status map[string]any
	// ClusterID is spec.clusterId of the custom resource where it is known: the
	// operator writes it there when it has created the cluster, and Rancher
	// copies it into the Config later (rancher/rancher,
	// pkg/controllers/management/alibaba, fixAliConfig). It wins over the
	// Config's.
	ClusterID  string
	Cloud      Cloud
	Faults     []operator.Fault
	Credential Credential
}

// Credential is the cloud credential as far as it matters. The zero value is a
// complete one.
type Credential struct {
	// Missing: the secret does not exist. Without names a key that it lacks,
	// "accessKeyId" or "accessKeySecret".
	Missing bool
	Without string
}

// check is how the operator gets at the credential that a Config refers to as
// "namespace:name", and makes a client (pkg/alibaba/client.go, GetSecrets;
// pkg/alibaba/services/cs.go, NewClustersClient).
func (c Credential) check(config *spec) error {
	reference := config.credential
	namespace, name, ok := strings.Cut(reference, ":")
	if !ok {
		namespace, name = "default", reference
	}
	var err error
	switch {
	case reference == "":
		err = errors.New("secret name not provided")
	case c.Missing:
		err = fmt.Errorf("error getting credential secret [%s] in namespace [%s]: secrets %q not found", name, namespace, name)
	case c.Without != "":
		err = fmt.Errorf("field [alibabacredentialConfig-%s] must be provided in cloud credential", c.Without)
	case config.region == "":
		return errors.New("error creating client secret credential: regionId can not be empty")
	}
	if err != nil {
		return fmt.Errorf("error getting credentials: %w", err)
	}
	return nil
}

// run is a custom resource and its cloud over one or more passes.
type run struct {
	name           string
	config         *spec
	phase, failure string
	taskID         string
	credential     Credential
	alibaba        *alibaba

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
	for key, at := range map[string]*string{"phase": &r.phase, "failureMessage": &r.failure, "upgradeTaskId": &r.taskID} {
		v, ok := in.Status[key]
		if !ok || v == nil {
			continue
		}
		if *at, ok = v.(string); !ok {
			return nil, fmt.Errorf("cannot read the status: %s must be a string", key)
		}
	}
	r.alibaba = &alibaba{cloud: in.Cloud.answers, faults: operator.NewFaults(in.Faults)}
	config.clusterID = r.knownID(in.ClusterID)
	return r, nil
}

// knownID is the cluster's id. A Config that has none although the operator
// works on a cluster is one that Rancher has not completed yet; the cloud's own
// id then stands for the custom resource's.
func (r *run) knownID(own string) string {
	if own != "" {
		return own
	}
	at := r.phase == operator.PhaseActive || r.phase == operator.PhaseUpdating
	if c := r.alibaba.cloud.Cluster; r.config.clusterID == "" && at && c != nil {
		return schema.OrZero(c.ID)
	}
	return r.config.clusterID
}

// Reconcile runs one pass of the operator. A Config or status of the wrong type
// is reported as the pass's error; no call is made then.
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
// (controller/ali-cluster-config-handler.go, recordError).
func (r *run) pass() operator.Pass {
	r.wake, r.wrote, r.waiting, r.settled = "", false, false, false
	r.alibaba.calls = nil
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
	p.Calls, p.Phase, p.FailureMessage = r.alibaba.calls, r.phase, r.failure
	p.Status = map[string]any{"phase": r.phase, "failureMessage": r.failure, "upgradeTaskId": r.taskID}
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

// again makes the operator come back in 30 seconds or, if it was not yet in
// phase updating, by the event of going there.
func (r *run) again() {
	if r.phase == operator.PhaseUpdating {
		r.wake = "30s"
		return
	}
	r.setPhase(operator.PhaseUpdating)
}

// reconcile does what the phase asks for.
func (r *run) reconcile() error {
	if err := r.credential.check(r.config); err != nil {
		return fmt.Errorf("error getting Alibaba clients: %w", err)
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
	return fmt.Errorf("invalid phase: %v", r.phase)
}
