package follow_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/follow"
	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

const (
	clusters  = "clusters.management.cattle.io"
	resources = "eksclusterconfigs.eks.cattle.io"
)

func setting(value string) map[string]any {
	return map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Setting",
		"metadata": map[string]any{"name": "eks-refresh"}, "value": value, "default": "300"}
}

// TestFollowReportsEverything: every change of the cluster, its operator's
// resource or its interval is a whole new state.
func TestFollowReportsEverything(t *testing.T) {
	srv := bed.Server(t)
	c1, r1 := cluster("c-all1", "all")
	c2, r2 := cluster("c-all2", "all")
	srv.Apply(t, c1, r1, setting("60"))
	defer func() { srv.Remove(t, setting("60"), c2, r2) }()
	play(t, srv.Config, follow.Options{Selector: "test=all", SettingsEvery: 100 * time.Millisecond}, []step{
		{"synced c-all1/b/active/60", func() {
			srv.Merge(t, "Cluster", "", "c-all1", `{"spec":{"eksConfig":{"tags":{"a":"c"}}}}`, false)
		}},
		{"changed c-all1/c/active/60", func() {
			srv.Merge(t, "EKSClusterConfig", testbed.GlobalNamespace, "c-all1", `{"status":{"phase":"updating"}}`, true)
		}},
		{"changed c-all1/c/updating/60", func() { srv.Merge(t, "Setting", "", "eks-refresh", `{"value":"90"}`, false) }},
		{"changed c-all1/c/updating/90", func() { srv.Remove(t, r1) }},
		{"changed c-all1/c/-/90", func() { srv.Apply(t, c2) }},
		{"changed c-all2/b/-/90", nil},
		{"changed c-all2/b/-/90", func() { srv.Remove(t, c1) }}, // its status was stored
		{"deleted c-all1", func() { srv.Apply(t, r2) }},
		{"changed c-all2/b//90", nil},
		{"changed c-all2/b/active/90", nil},
	})
}

// TestFollowSurvives: a killed connection, a change meanwhile, a server that is
// away for a while, and a version that the server no longer holds.
func TestFollowSurvives(t *testing.T) {
	srv := bed.Server(t)
	c1, r1 := cluster("c-kill1", "kill")
	srv.Apply(t, c1, r1)
	defer srv.Remove(t, c1, r1)
	p := srv.Proxy(t, srv.Config)
	tag := func(value string) {
		srv.Merge(t, "Cluster", "", "c-kill1", `{"spec":{"eksConfig":{"tags":{"a":"`+value+`"}}}}`, false)
	}
	got := play(t, p.Config, follow.Options{Names: []string{"the c-kill1"}}, []step{
		{"synced c-kill1/b/active", p.Down},
		{"lost ", func() {
			tag("while away")
			p.Up()
		}},
		{"", nil}, // the operators' watch may be back before the clusters'
		{"", func() {
			p.Expire()
			p.Kill()
		}},
		{"lost ", nil},
		{"resumed ", func() { tag("after") }},
		{"changed c-kill1/after/active", nil},
	})
	between := describe(got[2]) + " " + describe(got[3])
	if between != "resumed "+got[2].Source+" changed c-kill1/while away/active/" && between != "changed c-kill1/while away/active/ resumed "+got[3].Source {
		t.Errorf("after the server came back: %s", between)
	}
	if got[1].Err == nil || got[1].Retry <= 0 {
		t.Errorf("lost without a reason or a time: %+v", got[1])
	}
}

// TestTimeIsTheServers: with a server an hour ahead, and later than at its first
// answer as time goes on.
func TestTimeIsTheServers(t *testing.T) {
	srv := bed.Server(t)
	c1, r1 := cluster("c-time1", "time")
	srv.Apply(t, c1, r1)
	defer srv.Remove(t, c1, r1)
	p := srv.Proxy(t, srv.Config)
	p.Skew(time.Hour)
	var wake time.Time
	got := play(t, p.Config, follow.Options{Names: []string{"c-time1"}, Wake: func() time.Time { return wake }}, []step{
		{"synced c-time1", func() { wake = time.Now().Add(time.Hour + 200*time.Millisecond) }},
		{"tick", nil},
	})
	for _, u := range got {
		if d := time.Until(u.Now.Add(-time.Hour)); d < -4*time.Second || d > time.Second {
			t.Errorf("%s at %s, which is off by %s", u.Kind, u.Now, d)
		}
	}
	if got[1].Now.Before(wake) || got[0].Snapshots[0].ServerTime != got[0].Now {
		t.Errorf("woken at %s, wanted at %s; the snapshot says %s", got[1].Now, wake, got[0].Snapshots[0].ServerTime)
	}
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	got = play(t, p.Config, follow.Options{Names: []string{"c-time1"}, Start: start}, []step{{"synced c-time1", nil}})
	if d := got[0].Now.Sub(start); d < 0 || d > 10*time.Second {
		t.Errorf("a clock that starts at %s says %s", start, got[0].Now)
	}
}

// TestWithoutTheRightToWatch: it reads again and again, what cannot be read is
// unread, and a name is enough to follow one cluster.
func TestWithoutTheRightToWatch(t *testing.T) {
	srv := bed.Server(t)
	c1, r1 := cluster("c-poll1", "poll")
	c2, r2 := cluster("c-poll2", "poll")
	srv.Apply(t, c1, r1, c2, r2)
	defer srv.Remove(t, c1, r1, r2)
	owner := srv.User(t, "follow-owner", testbed.Grant{Verbs: "get", Resource: clusters, Names: []string{"c-poll1", "c-poll2"}})
	tag := func(name, value string) {
		srv.Merge(t, "Cluster", "", name, `{"spec":{"eksConfig":{"tags":{"a":"`+value+`"}}}}`, false)
	}
	o := follow.Options{Names: []string{"c-poll1", "c-poll2"}, PollEvery: 50 * time.Millisecond}
	got := play(t, owner.Config, o, []step{
		{"synced c-poll1/b/-/ c-poll2/b/-/", func() { tag("c-poll1", "c") }},
		{"changed c-poll1/c/-/", func() { srv.Remove(t, c2) }},
		{"deleted c-poll2", func() { tag("c-poll1", "d") }},
		{"changed c-poll1/d/-/", nil},
	})
	if len(got[0].Unread) == 0 || len(got[0].Snapshots[0].Unread) == 0 {
		t.Errorf("unread: %+v", got[0].Unread)
	}
	lister := srv.User(t, "follow-lister", testbed.Grant{Verbs: "get,list", Resource: clusters},
		testbed.Grant{Verbs: "get,list", Resource: resources, Namespace: testbed.GlobalNamespace})
	p := srv.Proxy(t, lister.Config)
	play(t, p.Config, follow.Options{Selector: "test=poll", PollEvery: 50 * time.Millisecond}, []step{
		{"synced c-poll1/d/active", func() { tag("c-poll1", "only polled") }}, // before the refusal to watch, perhaps
		{"changed c-poll1/only polled/active", p.Down},
		{"lost polling", p.Up},
		{"resumed polling", func() { tag("c-poll1", "e") }},
		{"changed c-poll1/e/active", nil},
	})
	half := srv.User(t, "follow-half", testbed.Grant{Verbs: "get,list,watch", Resource: clusters})
	got = play(t, half.Config, follow.Options{Selector: "test=poll"}, []step{
		{"synced c-poll1/e/-", func() { tag("c-poll1", "f") }},
		{"changed c-poll1/f/-", nil},
	})
	if len(got[0].Unread) < 2 || got[0].Unread[len(got[0].Unread)-1].What != "EKSClusterConfig" {
		t.Errorf("unread: %+v", got[0].Unread)
	}
}

func follows(t *testing.T, cfg *rest.Config, o follow.Options) error {
	t.Helper()
	c, err := rancher.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	o.Elapsed = func() time.Duration { return 0 }
	return follow.Follow(ctx, c, o, func(follow.Update) error { return errDone })
}

func TestFollowEndsWhereGoingOnCannotHelp(t *testing.T) {
	srv := bed.Server(t)
	c1, _ := cluster("c-end1", "end")
	srv.Apply(t, c1)
	defer srv.Remove(t, c1)
	var unknown *hosted.UnknownNameError
	if err := follows(t, srv.Config, follow.Options{Names: []string{"no-such"}}); !errors.As(err, &unknown) {
		t.Errorf("an unknown name: %v", err)
	}
	nobody := srv.User(t, "follow-nobody").Config
	for _, o := range []follow.Options{{}, {Names: []string{"c-end1"}}} {
		if err := follows(t, nobody, o); rancher.KindOf(err) != rancher.Forbidden {
			t.Errorf("without any right: %v", err)
		}
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	if err := follows(t, &rest.Config{Host: closed.URL}, follow.Options{}); rancher.KindOf(err) != rancher.Unreachable {
		t.Errorf("a server that never answered: %v", err)
	}
	if err := follows(t, srv.Config, follow.Options{Selector: "test=end"}); !errors.Is(err, errDone) {
		t.Errorf("the caller's own error: %v", err)
	}
}

// TestFollowSurvivesACrash: the API server is killed and comes back, and what was
// written after that is reported.
func TestFollowSurvivesACrash(t *testing.T) {
	srv, err := testbed.Start(t.Context(), testbed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := srv.Stop(); err != nil {
			t.Error(err)
		}
	}()
	c1, r1 := cluster("c-crash1", "crash")
	srv.Apply(t, c1, r1)
	play(t, srv.Config, follow.Options{}, []step{
		{"synced c-crash1/b/active", func() { srv.KillAPIServer(t) }},
		{"lost ", func() { srv.StartAPIServer(t) }},
		{"resumed ", func() {
			srv.Merge(t, "Cluster", "", "c-crash1", `{"spec":{"eksConfig":{"tags":{"a":"after"}}}}`, false)
		}},
		{"changed c-crash1/after/active", nil},
	})
}
