package operator

import "strings"

// Faults are injected faults with their counts: they say when one strikes. The
// zero value has none. It is changed by Strike and not safe for concurrent use.
type Faults struct{ faults []counted }

// counted is a fault, how often its operation was met and how often it struck.
type counted struct {
	Fault
	met, struck int
}

// NewFaults makes Faults of which nothing has been met.
func NewFaults(list []Fault) *Faults {
	s := &Faults{}
	for _, f := range list {
		s.faults = append(s.faults, counted{Fault: f})
	}
	return s
}

// Strike counts an operation for every fault that concerns it and returns the
// first that strikes, nil if none does.
func (s *Faults) Strike(op, target string) *Fault {
	var struck *Fault
	for i := range s.faults {
		f := &s.faults[i]
		if f.Op != op || !strings.HasSuffix(target, f.Target) {
			continue
		}
		f.met++
		first := max(f.Nth, 1)
		if f.met < first || f.Count > 0 && f.met >= first+f.Count || f.Times > 0 && f.struck >= f.Times {
			continue
		}
		if struck == nil {
			f.struck++
			struck = &f.Fault
		}
	}
	return struck
}

// Answer is the HTTP status that a fault answers with, however it was given.
func (f *Fault) Answer() int { return max(f.HTTPStatus, f.Status) }
