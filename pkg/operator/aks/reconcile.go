package aks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// Input is what one reconcile starts from.
type Input struct {
	// Name is the custom resource's name, "c-ab12c".
	Name string
	// Config is spec.aksConfig as stored.
	Config map[string]any
	// Status is the custom resource's status: phase, failureMessage,
	// rbacEnabled. Without a phase it counts as active.
	Status     map[string]any
	Cloud      Cloud
	Faults     []operator.Fault
	Credential Credential
	Behaviour  Behaviour
}

// Credential is the cloud credential as far as it matters. The zero value is a
// complete one with the subscription and ids of the recorded cases.
type Credential struct {
	// Missing: the secret does not exist. Without names a key that it lacks.
	Missing bool
	Without string
	// Subscription, ClientID and ClientSecret go into requests; "" stands for
	// an invented value.
	Subscription, ClientID, ClientSecret string
}

func (c Credential) subscription() string {
	return orElse(c.Subscription, "00000000-0000-0000-0000-000000000000")
}

func (c Credential) clientID() string {
	return orElse(c.ClientID, "00000000-0000-0000-0000-0000000000bb")
}

func (c Credential) clientSecret() string { return orElse(c.ClientSecret, "example") }

func orElse(s, or string) string {
	if s == "" {
		return or
	}
	return s
}

// check is the operator's own check of the credential that a Config refers to
// as "namespace:name" (pkg/aks/client.go, GetSecrets).
func (c Credential) check(reference string) error {
	if reference == "" {
		return fmt.Errorf("secret name not provided")
	}
	namespace, name, ok := strings.Cut(reference, ":")
	if !ok {
		namespace, name = "", reference
	}
	if c.Missing {
		return fmt.Errorf("couldn't find secret [%s] in namespace [%s]", name, namespace)
	}
	if slices.Contains([]string{"subscriptionId", "clientId", "clientSecret"}, c.Without) {
		return fmt.Errorf("field [azurecredentialConfig-%s] must be provided in cloud credential", c.Without)
	}
	return nil
}

// status is AKSClusterConfigStatus.
type status struct {
	phase, failure string
	rbac           *bool
}

var statusMembers = []member[status]{
	{"phase", false, func(s *status) any { return &s.phase }},
	{"failureMessage", false, func(s *status) any { return &s.failure }},
	{"rbacEnabled", false, func(s *status) any { return &s.rbac }},
}

// run is a custom resource and its cloud over one or more passes.
type run struct {
	name       string
	config     *spec
	status     status
	credential Credential
	behaviour  Behaviour
	azure      *azure
	// choice is the index of the agent pool that is handled among those that
	// could be: the real order is random.
	choice int

	// What happened in the pass at hand: wake is how the operator asked to come
	// back, wrote a written status, waiting and settled what the pass found,
	// choices how many agent pools there were to choose from.
	wake                    string
	wrote, waiting, settled bool
	choices                 int
}

func newRun(in Input) (*run, error) {
	config, err := decodeSpec(in.Config)
	if err != nil {
		return nil, fmt.Errorf("cannot read the config: %w", err)
	}
	r := &run{name: in.Name, config: config, credential: in.Credential, behaviour: in.Behaviour}
	r.status.phase = operator.PhaseActive
	if _, ok := in.Status["phase"].(string); ok {
		r.status.phase = ""
	}
	if err := decodeMembers(in.Status, statusMembers, &r.status); err != nil {
		return nil, fmt.Errorf("cannot read the status: %w", err)
	}
	r.azure = &azure{cloud: in.Cloud, behaviour: in.Behaviour, subscription: in.Credential.subscription(),
		group: config.resourceGroup, name: config.clusterName, noGroup: in.Behaviour.ResourceGroupMissing}
	for _, f := range in.Faults {
		r.azure.faults = append(r.azure.faults, fault{Fault: f})
	}
	return r, nil
}

// Reconcile runs one pass of the operator. A Config or status of the wrong type
// is reported as the pass's error; no call is made then.
//
// Where several agent pools are due, the pass handles the first by name. See
// Alternatives.
func Reconcile(in Input) operator.Pass {
	r, err := newRun(in)
	if err != nil {
		return unreadable(err)
	}
	return r.pass()
}

// Alternatives lists the distinct outcomes that one pass can have: the operator
// walks agent pools in random order and handles one. The first is Reconcile's.
func Alternatives(in Input) []operator.Pass {
	var out []operator.Pass
	for choice, choices := 0, 1; choice < choices; choice++ {
		r, err := newRun(in)
		if err != nil {
			return []operator.Pass{unreadable(err)}
		}
		r.choice = choice
		p := r.pass()
		choices = max(r.choices, 1)
		if !slices.ContainsFunc(out, func(q operator.Pass) bool { return sameOutcome(p, q) }) {
			out = append(out, p)
		}
	}
	return out
}

func sameOutcome(p, q operator.Pass) bool {
	return p.Phase == q.Phase && p.Error == q.Error && p.Requeue == q.Requeue &&
		slices.EqualFunc(p.Calls, q.Calls, func(a, b operator.Call) bool {
			return a.Op == b.Op && a.Target == b.Target && a.HTTPStatus == b.HTTPStatus && hosted.Equal(a.Input, b.Input)
		})
}

func unreadable(err error) operator.Pass {
	return operator.Pass{Error: err.Error(), Requeue: "none"}
}

// pass runs the reconcile once and does the bookkeeping of errors around it
// (controller/aks-cluster-config-handler.go, recordError).
func (r *run) pass() operator.Pass {
	r.wake, r.wrote, r.waiting, r.settled, r.choices = "", false, false, false, 0
	r.azure.calls = nil
	before := r.status
	err := r.reconcile()
	p := operator.Pass{Waiting: r.waiting}
	if err != nil {
		p.Error = err.Error()
	}
	if p.Panic = isPanic(err); p.Panic {
		r.status, r.wrote, r.wake = before, false, ""
	} else {
		r.recordError(p.Error)
	}
	p.Calls = r.azure.calls
	p.Phase, p.FailureMessage = r.status.phase, r.status.failure
	p.Status = encodeMembers(statusMembers, &r.status)
	p.Requeue = r.requeue()
	p.WillRunAgain = p.Requeue != "none" || p.Error != ""
	return p
}

func (r *run) recordError(message string) {
	if r.status.failure == message {
		return
	}
	if message != "" && r.status.phase == operator.PhaseActive {
		r.status.phase = operator.PhaseUpdating
	}
	r.status.failure = message
	r.wrote = true
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
func (r *run) setPhase(phase string) {
	r.status.phase = phase
	r.wrote = true
}

// again makes the operator come back at once, in phase updating.
func (r *run) again() {
	if r.status.phase == operator.PhaseUpdating {
		r.wake = "now"
		return
	}
	r.setPhase(operator.PhaseUpdating)
}

func (r *run) later() {
	r.wake, r.waiting = "30s", true
}

func (r *run) reconcile() error {
	if err := r.credential.check(r.config.credential); err != nil {
		return fmt.Errorf("error getting Azure clients: error getting credentials: %w", err)
	}
	switch r.status.phase {
	case operator.PhaseImporting:
		return r.importCluster()
	case operator.PhaseNone:
		return r.create()
	case operator.PhaseCreating:
		return r.awaitCreation()
	case operator.PhaseActive, operator.PhaseUpdating:
		return r.checkAndUpdate()
	}
	return fmt.Errorf("invalid phase: %v", r.status.phase)
}

// read makes the operator's view of the cloud.
func (r *run) read() (*spec, error) {
	doc, err := r.azure.get()
	if err != nil {
		return nil, err
	}
	return readCluster(doc, r.config, r.azure.cloud.endpoints())
}

// id is how error texts name the cluster.
func (r *run) id() string { return fmt.Sprintf("[%s (id: %s)]", r.config.clusterName, r.name) }

// checkAndUpdate waits while Azure is at work, else compares and pushes.
func (r *run) checkAndUpdate() error {
	doc, err := r.azure.get()
	if err != nil {
		return err
	}
	properties, ok := doc["properties"].(map[string]any)
	if !ok {
		return errNil
	}
	if rbac := boolean(properties, "enableRBAC"); r.status.rbac == nil && rbac != nil {
		r.status.rbac, r.wrote = rbac, true
		return nil
	}
	state := str(properties, "provisioningState")
	if state == nil {
		return errNil
	}
	if *state == "Failed" {
		return fmt.Errorf("update failed for cluster %s, status: %s", r.id(), *state)
	}
	if slices.Contains(busyCluster, *state) {
		r.await()
		return nil
	}
	for _, p := range hosted.List(properties["agentPoolProfiles"]) {
		if p == nil {
			return errNil
		}
		if slices.Contains(busyPool, text(str(hosted.Map(p), "provisioningState"))) {
			r.await()
			return nil
		}
	}
	upstream, err := r.read()
	if err != nil {
		return err
	}
	return r.update(upstream)
}

// await leaves an active cluster alone until something else wakes the operator:
// whatever goes on was not begun by Rancher.
func (r *run) await() {
	if r.status.phase == operator.PhaseActive {
		r.waiting = true
		return
	}
	r.later()
}
