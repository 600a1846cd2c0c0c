package sim

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

const (
	// pushWait is how long the handler watches for the operator to begin
	// (rancher/rancher, pkg/controllers/management/eks, updateEKSClusterConfig).
	pushWait = 10 * time.Second
	// requeue is the handler's pace while something is under way (enqueueTime).
	requeue = 5 * time.Second
	// errorRequeue is how soon a pass that failed is tried again.
	errorRequeue = time.Second
)

// Rest is how long an actor rests after a step.
type Rest struct {
	// For is when to step again at the latest; Idle says that a change of the
	// objects wakes it earlier.
	For  time.Duration
	Idle bool
	// Work: the step that follows takes its time (a call to the cloud).
	Work bool
}

// Watcher sees what the actors do, for those who keep accounts. All methods are
// called in the order of events.
type Watcher interface {
	// HandlerRead: a pass of the cluster handler and refresher has read the
	// Cluster that it will work with.
	HandlerRead()
	// ResourceWritten: the Config of that Cluster was copied to the operator.
	ResourceWritten()
	// ResourceSame: the operator has that Cluster's Config already.
	ResourceSame()
	// RefreshRead: the refresher has read the cloud.
	RefreshRead()
	// ConfigWritten: the refresher has replaced the Config.
	ConfigWritten(before, after map[string]any)
	// Refreshed: the annotation was written.
	Refreshed(annotation string)
}

// Rancher is the process that handles one cluster: the provider's cluster handler
// and, in the same pass, the refresher. Each Step is one action that nothing else
// can fall into.
type Rancher struct {
	API   API
	Cloud Cloud
	Name  string
	Now   func() time.Time
	// Interval is the refresh setting.
	Interval string
	// PushWait is how long the handler watches for the operator to begin, by
	// default ten seconds, as Rancher's.
	PushWait time.Duration
	// OneWrite: the refresher writes everything at once, as before Rancher 2.15.
	OneWrite bool
	// Unreadable, if set, makes the refresher's reads of the cloud fail with its
	// text while it returns one.
	Unreadable func() string
	Watch      Watcher

	step func() Rest
	// obj is the Cluster of the pass, woken that something changed since it began.
	obj      map[string]any
	woken    bool
	deadline time.Time
	reading  predict.Cloud
	again    time.Duration
	// The Config that was encoded last, and what came of it.
	lastConfig, lastEncoded map[string]any
}

// Notify wakes the process: an object has changed.
func (r *Rancher) Notify() { r.woken = true }

// Woken tells whether a change waits to be looked at.
func (r *Rancher) Woken() bool { return r.woken }

// Restart forgets everything, as a new process does.
func (r *Rancher) Restart() { r.step, r.obj, r.woken = nil, nil, true }

// Step does the next action.
func (r *Rancher) Step() Rest {
	if r.step == nil {
		r.step = r.begin
	}
	return r.step()
}

// rest ends the pass. Whatever changed while it ran starts the next one at once.
func (r *Rancher) rest(d time.Duration) Rest {
	r.step = r.begin
	if r.again > 0 && (d == 0 || r.again < d) {
		d = r.again
	}
	r.again = 0
	return Rest{For: d, Idle: true}
}

func (r *Rancher) next(f func() Rest, work bool) Rest {
	r.step = f
	return Rest{Work: work}
}

func (r *Rancher) failed(error) Rest { return r.rest(errorRequeue) }

func (r *Rancher) provider() hosted.Provider { return hosted.ProviderOf(r.obj) }

func (r *Rancher) config() map[string]any {
	return hosted.Map(at(r.obj, "spec", r.provider().ConfigKey()))
}

// begin reads the Cluster. The handler comes first, then the refresher; an error
// of the handler does not stop the refresher.
func (r *Rancher) begin() Rest {
	r.woken = false
	obj, err := r.API.Get(Cluster)
	if err != nil {
		return r.failed(err)
	}
	r.obj = obj
	if r.Watch != nil {
		r.Watch.HandlerRead()
	}
	if at(obj, "metadata", "deletionTimestamp") != nil || r.provider() == hosted.None {
		return r.rest(0)
	}
	return r.next(r.handle, false)
}

// handle compares the Config with the custom resource (rancher/rancher,
// pkg/controllers/management/{eks,aks,gke,alibaba}, onClusterChange).
func (r *Rancher) handle() Rest {
	spec, err := r.encoded()
	if err != nil {
		return r.failed(err)
	}
	cr, err := r.API.Get(Resource)
	if errors.Is(err, ErrNotFound) {
		return r.create(spec)
	}
	if err != nil {
		return r.failed(err)
	}
	if hosted.Equal(spec, cr["spec"]) {
		if r.Watch != nil {
			r.Watch.ResourceSame()
		}
		return r.follow(cr)
	}
	if _, err := r.API.Update(Resource, put(cr, spec, "spec"), false); err != nil {
		r.again = errorRequeue
		return r.next(r.refresh, false)
	}
	if r.Watch != nil {
		r.Watch.ResourceWritten()
	}
	wait := cmp.Or(r.PushWait, pushWait)
	r.deadline = r.Now().Add(wait)
	r.woken = false
	r.step = r.awaitPush
	return Rest{For: wait, Idle: true}
}

// encoded is the Config once it has passed through Rancher's type.
func (r *Rancher) encoded() (map[string]any, error) {
	config := r.config()
	if r.lastConfig != nil && hosted.Same(config, r.lastConfig) {
		return r.lastEncoded, nil
	}
	table := schema.For(r.provider())
	typed, err := table.Decode(config)
	if err != nil {
		return nil, err
	}
	r.lastConfig, r.lastEncoded = config, table.Encode(typed)
	if hosted.Equal(config, r.lastEncoded) {
		r.lastEncoded = config // one object for all that is equal
	}
	return r.lastEncoded, nil
}

func (r *Rancher) create(spec map[string]any) Rest {
	p := r.provider()
	cr := map[string]any{
		"apiVersion": p.CRGroup() + "/v1", "kind": p.CRKind(), "spec": spec,
		"metadata": map[string]any{"name": r.Name, "namespace": "cattle-global-data"},
	}
	if _, err := r.API.Create(Resource, cr); err != nil {
		return r.failed(err)
	}
	r.setCondition("Waiting", "Unknown", "Waiting for API to be available")
	return r.rest(requeue)
}

// awaitPush watches the custom resource for ten seconds. If the operator does not
// begin in that time, the edit counts as applied all the same; ACK leaves it open.
func (r *Rancher) awaitPush() Rest {
	cr, err := r.API.Get(Resource)
	if err == nil && at(cr, "status", "phase") != operator.PhaseActive {
		r.setCondition("Updated", "Unknown", "")
		r.again = requeue
		return r.next(r.refresh, false)
	}
	if left := r.deadline.Sub(r.Now()); left > 0 {
		r.woken = false
		return Rest{For: left, Idle: true}
	}
	r.woken = true
	if r.provider() != hosted.ACK {
		r.recordApplied()
	}
	return r.next(r.refresh, false)
}

// follow acts on the operator's phase.
func (r *Rancher) follow(cr map[string]any) Rest {
	failure := hosted.Str(at(cr, "status", "failureMessage"))
	switch hosted.Str(at(cr, "status", "phase")) {
	case operator.PhaseActive:
		r.active(cr)
	case operator.PhaseUpdating:
		if failure == "" {
			r.setCondition("Updated", "Unknown", "")
		} else {
			r.setCondition("Updated", "False", failure)
		}
		r.again = requeue
	default:
		r.again = requeue
	}
	return r.next(r.refresh, false)
}

// active records what is applied. On EKS a standing complaint of the refresher
// keeps it from that.
func (r *Rancher) active(cr map[string]any) {
	p := r.provider()
	if at(r.obj, "status", p.StatusKey(), "upstreamSpec") == nil {
		spec, problem := r.Cloud.Read(Visit{Name: r.Name, Config: r.config(), Status: r.status(cr)})
		if spec == nil || problem != "" {
			r.again = requeue
			return
		}
		r.update(put(r.obj, spec, "status", p.StatusKey(), "upstreamSpec"))
	}
	if status, message := conditionMessage(r.obj, "Updated"); p == hosted.EKS && status == "False" && strings.HasPrefix(message, "[Syncing error") {
		r.again = errorRequeue
		return
	}
	r.recordApplied()
	r.setCondition("Updated", "True", "")
}

// status is the provider's status as the refresher's reader uses it.
func (r *Rancher) status(cr map[string]any) map[string]any {
	out := hosted.Map(at(cr, "status"))
	if id := at(r.obj, "status", r.provider().StatusKey(), "managedLaunchTemplateID"); id != nil {
		out = put(out, id, "managedLaunchTemplateID")
	}
	return out
}

// recordApplied copies the pass's own Config to Applied.
func (r *Rancher) recordApplied() {
	key := r.provider().ConfigKey()
	applied, err := r.encoded()
	if err != nil {
		return
	}
	if hosted.Equal(at(r.obj, "status", "appliedSpec", key), applied) {
		return
	}
	r.update(put(r.obj, applied, "status", "appliedSpec", key))
}

func (r *Rancher) setCondition(kind, status, message string) {
	if obj, changed := condition(r.obj, kind, status, message); changed {
		r.update(obj)
	}
}

// update writes the Cluster's status; a conflict leaves the pass's copy as it was
// and has the pass tried again.
func (r *Rancher) update(obj map[string]any) bool {
	out, err := r.API.Update(Cluster, obj, true)
	if err != nil {
		r.again = errorRequeue
		return false
	}
	r.obj = out
	return true
}
