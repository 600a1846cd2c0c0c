package manifest

import (
	"bytes"
	"encoding/json"

	"sigs.k8s.io/yaml"
)

// conversion is a piece on its way to JSON.
type conversion struct {
	piece piece
	json  []byte
	err   error
	done  chan struct{}
}

func (v *conversion) run() {
	defer close(v.done)
	raw := bytes.TrimSpace(v.piece.text)
	if raw[0] == '{' && json.Valid(raw) {
		v.json = raw
		return
	}
	v.json, v.err = yaml.YAMLToJSON(v.piece.text)
}

// queue converts pieces several at a time and hands them on in their order, one
// at a time.
type queue struct {
	take func(conversion) error
	// limit is how many pieces may be under way.
	limit int

	pending []*conversion
	size    int
}

// add starts the conversion of a piece, whose text is copied, and hands on what is
// ready. What is under way together is no larger than the largest piece allowed.
func (q *queue) add(p piece) error {
	for len(q.pending) > 0 && q.size+len(p.text) > largestPiece {
		if err := q.finish(len(q.pending) - 1); err != nil {
			return err
		}
	}
	p.text = bytes.Clone(p.text)
	v := &conversion{piece: p, done: make(chan struct{})}
	q.pending = append(q.pending, v)
	q.size += len(p.text)
	go v.run()
	return q.finish(q.limit)
}

// finish hands on pieces until no more than some are left.
func (q *queue) finish(left int) error {
	for len(q.pending) > left {
		v := q.pending[0]
		<-v.done
		q.pending = q.pending[1:]
		q.size -= len(v.piece.text)
		if err := q.take(*v); err != nil {
			return err
		}
	}
	return nil
}

// abandon waits for what is still under way, after an error.
func (q *queue) abandon() {
	for _, v := range q.pending {
		<-v.done
	}
	q.pending = nil
}
