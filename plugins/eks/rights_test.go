package eks_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// The calls that are made are those whose rights are listed, and none changes
// anything.
func TestRights(t *testing.T) {
	var required, optional []string
	_, r := newAtlas(t)
	if r.Provider() != hosted.EKS {
		t.Errorf("provider %s", r.Provider())
	}
	for _, p := range r.Permissions() {
		if p.For == "" || p.Right == "" || p.Call == "" {
			t.Errorf("permission %+v", p)
		}
		if p.Optional {
			optional = append(optional, p.Call)
		} else {
			required = append(required, p.Call)
		}
	}
	for _, c := range []struct {
		req  live.Request
		want []string
	}{
		{live.Request{Snapshot: atlas()}, required},
		{live.Request{Snapshot: atlas(), Since: at.Add(-time.Hour)}, slices.Concat(required, []string{"eks:ListUpdates", "eks:DescribeUpdate"})},
		{live.Request{Snapshot: atlas(), Since: at.Add(-time.Hour), Who: true}, slices.Concat(required, optional)},
	} {
		s, r := newAtlas(t)
		s.AddUpdates(loopback.EKSName{}, loopback.EKSUpdate{Body: update("c-1", "LoggingUpdate", "InProgress", at)})
		before := hosted.Canonical(raw(s.EKS(t)))
		must(t, r, c.req)
		seen := s.Seen()
		slices.Sort(seen)
		want := slices.Sorted(slices.Values(c.want))
		if seen = slices.Compact(seen); !slices.Equal(seen, want) {
			t.Errorf("calls %v, want %v", seen, want)
		}
		for _, call := range seen {
			_, op, _ := strings.Cut(call, ":")
			if !strings.HasPrefix(op, "Describe") && !strings.HasPrefix(op, "List") && op != "LookupEvents" {
				t.Errorf("%s is no reading call", call)
			}
		}
		if n := len(s.Calls()); n != 0 || hosted.Canonical(raw(s.EKS(t))) != before {
			t.Errorf("%d changing calls, or the cloud has changed", n)
		}
	}
}

// Without any right that is not optional nothing can be read, without an optional
// one everything but its part can.
func TestMissingRights(t *testing.T) {
	_, r := newAtlas(t)
	for _, p := range r.Permissions() {
		s, r := newAtlas(t)
		s.AddUpdates(loopback.EKSName{}, loopback.EKSUpdate{Body: update("c-1", "LoggingUpdate", "InProgress", at)})
		_, op, _ := strings.Cut(p.Call, ":")
		s.Fail(operator.Fault{Op: op, HTTPStatus: 403, Code: "AccessDeniedException", Message: "no"})
		got, err := r.Read(t.Context(), live.Request{Snapshot: atlas(), Since: at.Add(-time.Hour), Who: true})
		switch {
		case p.Optional && (err != nil || got.Spec == nil || !strings.Contains(got.NoHistory, p.Right)):
			t.Errorf("without %s: %v, no history %q", p.Right, err, got.NoHistory)
		case !p.Optional && live.KindOf(err) != live.Denied:
			t.Errorf("without %s: %v", p.Right, err)
		}
	}
}
