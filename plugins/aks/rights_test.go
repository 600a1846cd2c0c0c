package aks

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// callOf names a request, "login" if it only makes a token. Any other request is
// none that a reader may make.
func callOf(visit string) string {
	for _, c := range []struct{ call, pattern string }{
		{callState, `^GET management\.azure\.com/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.ContainerService/managedClusters/[^/]+$`},
		{callActivity, `^GET management\.azure\.com/subscriptions/[^/]+/providers/Microsoft\.Insights/eventtypes/management/values$`},
		{callGraph, `^POST management\.azure\.com/providers/Microsoft\.ResourceGraph/resources$`},
		{"login", `^(GET|POST) login\.microsoftonline\.com/.*(/instance|/openid-configuration|/token)$`},
	} {
		if regexp.MustCompile(c.pattern).MatchString(visit) {
			return c.call
		}
	}
	return ""
}

// TestRightsAreThoseUsed makes every kind of reading, in a cloud that is busy and in
// one that refuses everything, and holds the calls against the rights. All of them
// read: the one POST is a query.
func TestRightsAreThoseUsed(t *testing.T) {
	calls := map[string]bool{}
	visit := func(r *rig) {
		for _, v := range r.cloud.Visited() {
			call := callOf(v)
			if call == "" {
				t.Errorf("the reader made the request %s", v)
			}
			if call != "login" {
				calls[call] = true
			}
		}
		for _, c := range r.cloud.Calls() {
			t.Errorf("the reader changed something: %s", c.Op)
		}
	}
	r := newRig(t)
	r.edit(func(_, p map[string]any) {
		p["provisioningState"], pool(p, 0)["provisioningState"] = "Updating", "Scaling"
	})
	mustRead(t, r, request(t))
	visit(r)
	if len(calls) != 1 {
		t.Errorf("the state alone needs %v", calls)
	}
	readPast(t, r)
	visit(r)
	if calls[callGraph] {
		t.Error("Resource Graph is asked without being told to")
	}
	readPast(t, r, who)
	visit(r)
	own := newRig(t, func(o *Options) { o.Login = ownLogin{} })
	req := request(t)
	req.Credential = nil
	mustRead(t, own, req)
	visit(own)
	refusing := newRig(t)
	// This refusal makes the SDK register a provider, if it is let.
	refusing.cloud.Misbehave(jsonError(409, "MissingSubscriptionRegistration"))
	if _, err := refusing.reader.Read(t.Context(), request(t)); err == nil {
		t.Error("no error")
	}
	visit(refusing)

	var listed []string
	for _, p := range r.reader.Permissions() {
		listed = append(listed, p.Call)
		if !strings.HasSuffix(p.Right, "/read") || p.For == "" || p.Optional == (p.Call == callState) {
			t.Errorf("right %+v", p)
		}
	}
	slices.Sort(listed)
	same(t, "calls", hosted.SortedKeys(calls), listed)
}

// A caller cannot change the list for others.
func TestPermissionsAreACopy(t *testing.T) {
	r := New(Options{})
	r.Permissions()[0].Right = "changed"
	if got := r.Permissions()[0].Right; got != rightState {
		t.Errorf("right %s", got)
	}
}
