package eks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// recordsKey is a cluster's target within an account.
type recordsKey struct {
	cluster string
	target  target
}

// history collects the updates of one reading.
type history struct {
	*account
	*state
	since time.Time

	mu       sync.Mutex
	updates  []hosted.CloudUpdate
	problems []*live.Problem
	// newest is the update of a target that began last, whether or not it is told.
	newest map[target]hosted.CloudUpdate
}

// history fills in what changed lately, and why that is not known in full.
func (a *account) history(ctx context.Context, s *state, req live.Request, reading *hosted.Reading) {
	h := &history{account: a, state: s, since: req.Since, newest: map[target]hosted.CloudUpdate{}}
	targets := []target{{}}
	for _, name := range s.groups() {
		targets = append(targets, target{group: name})
	}
	if s.addon() != nil {
		targets = append(targets, target{addon: addonName})
	}
	// EKS lists the updates of node groups and add-ons apart, and in no order.
	lists := make(map[target][]string, len(targets))
	_ = each(ctx, targets, func(ctx context.Context, t target) *live.Problem { h.list(ctx, t, lists); return nil })
	var wanted []wantedUpdate
	for _, t := range targets {
		for _, id := range h.unknown(t, lists[t]) {
			wanted = append(wanted, wantedUpdate{t, id})
		}
	}
	_ = each(ctx, wanted, func(ctx context.Context, w wantedUpdate) *live.Problem { h.describe(ctx, w); return nil })
	for _, t := range targets {
		h.tell(t, lists[t])
	}
	h.traces()
	if req.Who {
		h.who(ctx, reading.At)
	}
	slices.SortStableFunc(h.updates, func(a, b hosted.CloudUpdate) int {
		return cmp.Or(b.Start.Compare(a.Start), cmp.Compare(a.ID, b.ID))
	})
	reading.Updates, reading.NoHistory = h.updates, h.missing()
}

// list lists the ids of a target's updates.
func (h *history) list(ctx context.Context, t target, into map[target][]string) {
	var ids []string
	problem := h.pages(ctx, callUpdates, func(ctx context.Context, token *string) (*string, error) {
		in := &awseks.ListUpdatesInput{Name: aws.String(h.name), NextToken: token}
		in.NodegroupName, in.AddonName = optional(t.group), optional(t.addon)
		out, err := h.eks.ListUpdates(ctx, in)
		if err != nil {
			return nil, err
		}
		ids = append(ids, out.UpdateIds...)
		return out.NextToken, nil
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	into[t] = ids
	h.failed(problem, t)
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// failed notes what could not be read. The caller holds the lock.
func (h *history) failed(p *live.Problem, t target) {
	if p == nil {
		return
	}
	own := *p
	own.Text = t.String() + ": " + p.Text
	h.problems = append(h.problems, &own)
}

// missing says in a line what could not be read, "" if all was.
func (h *history) missing() string {
	if len(h.problems) == 0 {
		return ""
	}
	// The order in which they came is chance.
	slices.SortFunc(h.problems, func(a, b *live.Problem) int { return cmp.Compare(a.Error(), b.Error()) })
	p := h.problems[0]
	out := p.Error() + "; " + p.Fix
	if n := len(h.problems) - 1; n > 0 {
		out += fmt.Sprintf(" (and %d more)", n)
	}
	return live.OneLine(out)
}

// wantedUpdate is an update to be described.
type wantedUpdate struct {
	target
	id string
}

// unknown are the ids of which no final record is kept. Records that EKS no longer
// lists are forgotten.
func (h *history) unknown(t target, ids []string) []string {
	h.account.mu.Lock()
	defer h.account.mu.Unlock()
	key := recordsKey{h.name, t}
	kept := map[string]*record{}
	var out []string
	for _, id := range ids {
		r := h.records[key][id]
		if r != nil {
			kept[id] = r
		}
		if r == nil || stateOf(r.update.Status) == hosted.UpdateRunning {
			out = append(out, id)
		}
	}
	if len(ids) > 0 {
		h.records[key] = kept
	}
	return out
}

// describe reads one update. An update that has ended does not change any more.
func (h *history) describe(ctx context.Context, w wantedUpdate) {
	problem := h.call(ctx, callUpdate, func(ctx context.Context) error {
		out, err := h.eks.DescribeUpdate(ctx, &awseks.DescribeUpdateInput{Name: aws.String(h.name), UpdateId: aws.String(w.id),
			NodegroupName: optional(w.group), AddonName: optional(w.addon)})
		if err != nil || out.Update == nil {
			return err
		}
		at, _ := middleware.GetServerTime(out.ResultMetadata)
		h.account.mu.Lock()
		defer h.account.mu.Unlock()
		key := recordsKey{h.name, w.target}
		if h.records[key] == nil {
			h.records[key] = map[string]*record{}
		}
		now := &record{update: *out.Update}
		before := h.records[key][w.id]
		switch {
		case stateOf(out.Update.Status) == hosted.UpdateRunning:
			now.running = at
		case before != nil && stateOf(before.update.Status) != hosted.UpdateRunning:
			now = before // another reading was faster
		case before != nil:
			now.running, now.over = before.running, at
		}
		h.records[key][w.id] = now
		return nil
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed(problem, w.target)
}

// tell adds the updates of a target that are asked for.
func (h *history) tell(t target, ids []string) {
	h.account.mu.Lock()
	defer h.account.mu.Unlock()
	records := h.records[recordsKey{h.name, t}]
	for _, id := range ids {
		r := records[id]
		if r == nil {
			continue
		}
		u := h.told(t, r)
		if last := h.newest[t]; u.Start.After(last.Start) {
			h.newest[t] = u
		}
		if lately(u, r, h.since) {
			h.updates = append(h.updates, u)
		}
	}
}
