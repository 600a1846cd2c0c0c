package sim

import (
	"strconv"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
)

// refresh is the refresher's turn: is it due?
func (r *Rancher) refresh() Rest {
	sched, _ := predict.Refresh(r.input(predict.Cloud{}))
	switch {
	case !sched.Ready || sched.Error != nil || sched.NextUnix == nil:
		return r.rest(0)
	case !sched.Due:
		return r.rest(time.Unix(*sched.NextUnix, 0).Add(time.Second).Sub(r.Now()))
	}
	return r.next(r.readCloud, false)
}

func (r *Rancher) input(c predict.Cloud) predict.RefreshInput {
	return predict.RefreshInput{Cluster: r.obj, Interval: r.Interval, Cloud: c, Now: r.Now()}
}

// readCloud reads the cloud; what it finds is written some seconds later.
func (r *Rancher) readCloud() Rest {
	if r.Watch != nil {
		r.Watch.RefreshRead()
	}
	cr, _ := r.API.Get(Resource)
	r.reading = predict.Cloud{}
	if r.Unreadable != nil {
		r.reading.Message = r.Unreadable()
	}
	if r.reading.Failed = r.reading.Message != ""; !r.reading.Failed {
		r.reading.Spec, r.reading.Message = r.Cloud.Read(Visit{Name: r.Name, Config: r.config(), Status: r.status(cr)})
		r.reading.Failed = r.reading.Message != ""
	}
	if r.OneWrite {
		return r.next(r.writeAtOnce, true)
	}
	return r.next(r.writeConfig, true)
}

// outcome is what the refresher decides, on the Cluster that the pass began with.
func (r *Rancher) outcome() predict.Outcome {
	in := r.input(r.reading)
	_, out := predict.Refresh(in)
	return out
}

// writeConfig is the first of three writes: the Config, if it changes.
func (r *Rancher) writeConfig() Rest {
	out := r.outcome()
	if out.Error != nil {
		return r.rest(errorRequeue)
	}
	if len(out.OverwrittenKeys) > 0 {
		before := r.config()
		obj, err := r.API.Update(Cluster, put(r.obj, out.ConfigAfter, "spec", r.provider().ConfigKey()), false)
		if err != nil {
			return r.failed(err)
		}
		r.obj = obj
		if r.Watch != nil {
			r.Watch.ConfigWritten(before, out.ConfigAfter)
		}
	}
	return r.next(func() Rest { return r.writeStatus(out) }, false)
}

// writeStatus is the second: the reading and the condition, on a fresh copy.
func (r *Rancher) writeStatus(out predict.Outcome) Rest {
	obj, err := r.API.Get(Cluster)
	if err != nil {
		return r.failed(err)
	}
	r.obj = obj
	if !r.update(r.withStatus(obj, out)) {
		return r.failed(ErrConflict)
	}
	return r.next(r.writeAnnotation, false)
}

func (r *Rancher) withStatus(obj map[string]any, out predict.Outcome) map[string]any {
	if !out.ReadFailed {
		obj = put(obj, out.UpstreamSpecAfter, "status", r.provider().StatusKey(), "upstreamSpec")
	}
	if c := out.UpdatedCondition; c != nil {
		obj, _ = condition(obj, "Updated", c.Status, c.Message)
	}
	return obj
}

// writeAnnotation is the third.
func (r *Rancher) writeAnnotation() Rest {
	mark := strconv.FormatInt(r.Now().Unix(), 10)
	config, err := r.encoded() // the whole object is written as Rancher's type has it
	if err != nil {
		return r.failed(err)
	}
	obj := put(r.obj, config, "spec", r.provider().ConfigKey())
	obj, err = r.API.Update(Cluster, put(obj, mark, "metadata", "annotations", hosted.RefreshAnnotation), false)
	if err != nil {
		return r.failed(err)
	}
	r.obj = obj
	return r.ended(mark)
}

func (r *Rancher) ended(mark string) Rest {
	if r.Watch != nil {
		r.Watch.Refreshed(mark)
	}
	seconds, err := strconv.Atoi(r.Interval)
	if err != nil {
		seconds = predict.DefaultIntervalSeconds
	}
	return r.rest(time.Duration(seconds+1) * time.Second)
}

// writeAtOnce is the refresher's only write before 2.15.
func (r *Rancher) writeAtOnce() Rest {
	out := r.outcome()
	if out.Error != nil {
		return r.rest(errorRequeue)
	}
	before := r.config()
	mark := strconv.FormatInt(r.Now().Unix(), 10)
	obj := put(r.withStatus(r.obj, out), mark, "metadata", "annotations", hosted.RefreshAnnotation)
	obj = put(obj, out.ConfigAfter, "spec", r.provider().ConfigKey())
	stored, err := r.API.Update(Cluster, obj, false)
	if err != nil {
		return r.failed(err)
	}
	r.obj = stored
	if r.Watch != nil && len(out.OverwrittenKeys) > 0 {
		r.Watch.ConfigWritten(before, out.ConfigAfter)
	}
	return r.ended(mark)
}
