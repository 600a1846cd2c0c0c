package resync

import (
	"errors"
	"fmt"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Do says what an Action asks for.
type Do string

// What the machine asks for.
const (
	// DoRead: read the Cluster and everything around it afresh.
	DoRead Do = "read"
	// DoRecord: make Entry durable before going on.
	DoRecord Do = "record"
	// DoWrite: send Patch.
	DoWrite Do = "write"
	// DoWait: wait until the Cluster or its custom resource changes, or until
	// Until.
	DoWait Do = "wait"
	// DoEnd: the change has ended with Result.
	DoEnd Do = "end"
)

// Action is one thing to do next.
type Action struct {
	Do     Do
	Entry  Entry
	Patch  Patch
	Until  time.Time
	Result *Result
	// Say tells people what is going on, "" for nothing new.
	Say string
}

// Patch is a JSON merge patch of one object.
type Patch struct {
	// Operator: of the operator's custom resource instead of the Cluster.
	Operator bool
	Body     map[string]any
	// DryRun: the server goes through everything and stores nothing.
	DryRun       bool
	FieldManager string
}

// Errors by which a backend says what a failed action means.
var (
	// ErrConflict: the precondition failed, nothing was written.
	ErrConflict = errors.New("the object has been modified")
	// ErrUncertain: a write was sent and not answered; it may have been carried
	// out.
	ErrUncertain = errors.New("sent, but not answered")
	// ErrTemporary: trying again may help; nothing was written.
	ErrTemporary = errors.New("temporary failure")
)

// Observation is what came of an Action.
type Observation struct {
	// Now is the management server's clock.
	Now time.Time
	// Snapshot is, after DoRead, everything; after DoWait, the Cluster object's
	// state at one change (one observation for every state, in order), nil if
	// only the custom resource changed or the time is up; after DoWrite, the
	// Cluster as stored, if the backend has it.
	Snapshot *hosted.Snapshot
	// Operator is the operator's state, after DoRead.
	Operator hosted.OperatorState
	// Updating: since the last DoWrite the custom resource was seen in the phase
	// "updating", be it for a moment.
	Updating bool
	// Gap: states of the Cluster may have been missed during DoWait.
	Gap bool
	// Edits counts, after DoRead and DoWait with a Snapshot, how often the Cluster's
	// Config has changed up to that Snapshot since the backend began to look;
	// EditsUnknown that it may have missed one.
	Edits        int
	EditsUnknown bool
	Err          error
	// Interrupted: the user wants to stop.
	Interrupted bool
}

// Machine is one guarded change under way. It has no effects and is not safe for
// concurrent use.
type Machine struct {
	intent  Intent
	options Options
	id      string

	now, deadline time.Time
	then          func(Observation) Action
	last          Do
	result        Result
	say           string
	ending        bool

	// recorded: the journal has something about the change; attempts counts
	// conflicts and refreshes.
	recorded bool
	attempts int
	// misses counts refreshes whose end was not watched.
	misses int

	// before is the refresh annotation as it was when a refresh began to be
	// waited for, gone that it was seen removed, seen the annotation of the last
	// refresh that was seen to succeed. unpushed: when it began to be waited for, the
	// operator had not been seen at work on what was written. ours: it was asked for,
	// here or by somebody else, and is not Rancher's regular one. awaited: some refresh
	// has been waited for, so that what it stirs up is waited for too.
	before   string
	gone     bool
	unpushed bool
	waitFrom time.Time
	seen     string
	ours     bool
	awaited  bool
	failures int
	// base is the last state behind which no edit can hide, edits how often the Config
	// had changed by the last snapshot, counted that this is known.
	base    base
	edits   int
	counted bool

	// written is the write that is to be verified, nil before. unanswered: the
	// Config's write was sent and not answered, and what became of it is not known.
	written    *written
	unanswered bool
	// sending: the last action was to write the Config.
	sending bool
}

// New makes a change. id names it in the journal; it must be unique there.
func New(intent Intent, id string, options Options) *Machine {
	m := &Machine{intent: intent, options: options.withDefaults(), id: id}
	m.result.Refusals, m.result.Unknown = []Refusal{}, []string{}
	return m
}

// Next tells the machine what came of its last action (nothing, the first time)
// and returns what to do next. After DoEnd it must not be called again.
func (m *Machine) Next(o Observation) Action {
	if o.Now.After(m.now) {
		m.now = o.Now
	}
	if m.then == nil {
		m.deadline = m.now.Add(m.options.Timeout)
		m.then = m.begin
	}
	if o.Updating && m.written != nil {
		m.written.pushed = true
	}
	if o.Snapshot != nil && (m.last == DoRead || m.last == DoWait) {
		m.edits, m.counted = o.Edits, !o.EditsUnknown
	}
	if o.Interrupted && !m.ending && !(m.last == DoWrite && o.Err == nil) {
		if m.last == DoWrite && errIs(o.Err, ErrUncertain) {
			m.unanswered = m.unanswered || m.sending
			if !m.sending {
				m.unknown("Rancher was asked to read the cloud, or the operator to push, and the server did not answer: it may do so")
			}
		}
		return m.finish(m.end(m.stopped(Interrupted)))
	}
	return m.finish(m.then(o))
}

// finish remembers what was asked for.
func (m *Machine) finish(a Action) Action {
	m.last = a.Do
	m.sending = a.Do == DoWrite && !a.Patch.DryRun && hosted.Map(a.Patch.Body["spec"]) != nil
	return a
}

func (m *Machine) begin(Observation) Action { return m.read(m.assess) }

// stopped is how a change ends early: what is written is not known to hold.
func (m *Machine) stopped(o Outcome) Outcome {
	if m.written != nil {
		m.unknown("the change was written, and was not seen to arrive")
	}
	m.mayBeStored()
	return o
}

const unanswered = "the write was sent and not answered: it may have been stored"

// mayBeStored says so of a write that was not answered, if there is one.
func (m *Machine) mayBeStored() bool {
	if m.unanswered {
		m.unknown(unanswered)
	}
	return m.unanswered
}

func (m *Machine) unknown(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, u := range m.result.Unknown {
		if u == text {
			return
		}
	}
	m.result.Unknown = append(m.result.Unknown, text)
}

// tell keeps a line for people until the next action.
func (m *Machine) tell(format string, args ...any) { m.say = fmt.Sprintf(format, args...) }

func (m *Machine) act(a Action, then func(Observation) Action) Action {
	m.then = then
	a.Say, m.say = m.say, ""
	return a
}

// read reads afresh. A server that is away for a while is waited for.
func (m *Machine) read(then func(Observation) Action) Action {
	return m.act(Action{Do: DoRead}, func(o Observation) Action {
		switch {
		case o.Err == nil && o.Snapshot != nil:
			m.failures = 0
			return then(o)
		case o.Err == nil:
			o.Err = errors.New("nothing was read")
		case errors.Is(o.Err, ErrTemporary):
			return m.again(o.Err, func() Action { return m.read(then) })
		}
		return m.fail(o.Err)
	})
}

// again waits a little longer each time before something is tried once more.
func (m *Machine) again(err error, try func() Action) Action {
	m.failures++
	if m.failures == 1 {
		m.tell("trying again: %v", err)
	}
	until := m.now.Add(min(time.Second<<min(m.failures-1, 4), 10*time.Second))
	if !until.Before(m.deadline) {
		return m.timeout(err.Error())
	}
	return m.act(Action{Do: DoWait, Until: until}, func(o Observation) Action {
		if o.Now.Before(until) && o.Err == nil {
			return m.act(Action{Do: DoWait, Until: until}, m.then)
		}
		return try()
	})
}

// record makes an entry durable. Before the write that must succeed.
func (m *Machine) record(e Entry, then func() Action) Action {
	e.Change, e.Time, e.Verb = m.id, m.now.UTC(), m.intent.Verb
	first := !m.recorded
	m.recorded, m.result.Change = true, m.id
	return m.act(Action{Do: DoRecord, Entry: e}, func(o Observation) Action {
		switch {
		case o.Err == nil:
		case m.written == nil && !m.ending:
			if first {
				m.recorded, m.result.Change = false, ""
			}
			return m.fail(fmt.Errorf("the change cannot be journalled, so it is not made: %w", o.Err))
		default:
			m.unknown("the journal lacks how this change ended: %v", o.Err)
		}
		return then()
	})
}

// end records the outcome, if anything was recorded, and ends.
func (m *Machine) end(outcome Outcome) Action {
	m.result.Outcome = outcome
	m.ending = true
	last := func() Action {
		r := m.result
		return m.act(Action{Do: DoEnd, Result: &r}, nil)
	}
	if !m.recorded {
		return last()
	}
	return m.record(Entry{Stage: StageEnd, Outcome: outcome, Text: m.summary()}, last)
}

func (m *Machine) fail(err error) Action {
	m.result.Error = err.Error()
	if m.written != nil {
		m.unknown("the change was written, and could not be followed: %v", err)
		return m.end(Unverified)
	}
	if m.mayBeStored() {
		return m.end(Unverified)
	}
	return m.end(Failed)
}

func (m *Machine) refuse(rs ...Refusal) Action {
	for _, r := range rs {
		if r.Fields == nil {
			r.Fields = []string{}
		}
		m.result.Refusals = append(m.result.Refusals, r)
	}
	return m.end(Refused)
}

// timeout ends a change whose time is up.
func (m *Machine) timeout(open string) Action {
	maybe := m.mayBeStored()
	m.unknown("%s", open)
	if m.written != nil || maybe {
		return m.end(Unverified)
	}
	return m.end(TimedOut)
}

// summary is the outcome's reason in one line.
func (m *Machine) summary() string {
	switch {
	case m.unanswered && m.result.Error != "":
		return unanswered + "; " + m.result.Error
	case m.result.Error != "":
		return m.result.Error
	case len(m.result.Refusals) > 0:
		return m.result.Refusals[0].Text
	case len(m.result.Unknown) > 0:
		return m.result.Unknown[0]
	}
	return ""
}
