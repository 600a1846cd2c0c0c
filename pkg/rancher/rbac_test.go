package rancher_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher/rbac"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// quiet is a log for what tests bring about on purpose.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// objects reads a manifest.
func objects(t *testing.T, manifest string) (out []map[string]any) {
	t.Helper()
	for _, doc := range strings.Split(manifest, "\n---\n") {
		raw, err := yaml.YAMLToJSON([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		v, err := hosted.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, hosted.Map(v))
	}
	return out
}

// bound makes the binding of a role to a user.
func bound(role map[string]any, user string) map[string]any {
	meta := map[string]any{"name": hosted.ObjectName(role) + "-" + user}
	if ns, ok := hosted.Dig(role, "metadata", "namespace"); ok {
		meta["namespace"] = ns
	}
	return map[string]any{
		"apiVersion": role["apiVersion"], "kind": hosted.Str(role["kind"]) + "Binding", "metadata": meta,
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": role["kind"], "name": hosted.ObjectName(role)},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}},
	}
}

// TestRolesGrantJustTheRights: the manifests and the program's own list of rights
// say the same, no right more and none less.
func TestRolesGrantJustTheRights(t *testing.T) {
	for name, c := range map[string]struct {
		manifest string
		want     []rancher.Access
	}{"read": {rbac.Read(), rancher.ReadRights()}, "sync": {rbac.Sync(), rancher.SyncRights()}} {
		var granted []string
		for _, role := range objects(t, c.manifest) {
			namespace, _ := hosted.Dig(role, "metadata", "namespace")
			if hosted.ObjectName(role) != "hostedsync-"+name || (role["kind"] == "Role") != (namespace != nil) {
				t.Errorf("%s %s in %v", role["kind"], hosted.ObjectName(role), namespace)
			}
			for _, r := range hosted.List(role["rules"]) {
				rule := hosted.Map(r)
				names := hosted.List(rule["resourceNames"])
				if names == nil {
					names = []any{""}
				}
				for _, group := range hosted.List(rule["apiGroups"]) {
					for _, resource := range hosted.List(rule["resources"]) {
						for _, verb := range hosted.List(rule["verbs"]) {
							for _, n := range names {
								granted = append(granted, rancher.Access{Verb: hosted.Str(verb), Resource: hosted.Str(resource) + "." + hosted.Str(group),
									Namespace: hosted.Str(namespace), Name: hosted.Str(n)}.String())
							}
						}
					}
				}
			}
		}
		var want []string
		for _, a := range c.want {
			want = append(want, a.String())
		}
		slices.Sort(granted)
		slices.Sort(want)
		if !slices.Equal(granted, want) {
			t.Errorf("%s grants\n%s\nwant\n%s", name, strings.Join(granted, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestRoles gives users the roles, on the real server, and has them do their work.
func TestRoles(t *testing.T) {
	srv := patched(t, "c-roles")
	srv.Apply(t, operatorDeployment(hosted.EKS))
	t.Cleanup(func() { srv.Remove(t, operatorDeployment(hosted.EKS)) })
	reading, syncing := objects(t, rbac.Read()), objects(t, rbac.Sync())
	srv.Apply(t, append(slices.Clone(reading), syncing...)...)
	t.Cleanup(func() { srv.Remove(t, append(slices.Clone(reading), syncing...)...) })
	as := func(name string, roles ...map[string]any) *rancher.Client {
		var bindings []map[string]any
		for _, r := range roles {
			bindings = append(bindings, bound(r, name))
		}
		srv.Apply(t, bindings...)
		t.Cleanup(func() { srv.Remove(t, bindings...) })
		cfg := rest.CopyConfig(srv.Config)
		cfg.Impersonate.UserName = name
		return client(t, cfg)
	}
	all := append(rancher.ReadRights(), rancher.SyncRights()...)

	missing, err := as("role-nobody").Can(t.Context(), all)
	if err != nil || !slices.Equal(missing, all) {
		t.Errorf("nobody lacks %v, %v", missing, err)
	}
	reader := as("role-reader", reading...)
	await(t, reader, rancher.ReadRights())
	if missing, err := reader.Can(t.Context(), all); err != nil || !slices.Equal(missing, rancher.SyncRights()) {
		t.Errorf("a reader lacks %v, %v", missing, err)
	}
	works(t, reader)
	_, err = reader.Patch(t.Context(), change("c-roles", `{"spec":{"displayName":"x"}}`))
	check(t, err, rancher.Forbidden, "patch clusters.management.cattle.io c-roles")

	syncer := as("role-syncer", append(slices.Clone(reading), syncing...)...)
	await(t, syncer, all)
	works(t, syncer)
	if _, err := syncer.Patch(t.Context(), change("c-roles", `{"spec":{"displayName":"x"}}`)); err != nil {
		t.Error(err)
	}
	other := rancher.Patch{Resource: rancher.OperatorResources(hosted.EKS), Name: "c-x", Body: []byte(`{}`)}
	_, err = syncer.Patch(t.Context(), other)
	check(t, err, rancher.Forbidden, other.Access().String())
}

// await waits until rights take effect.
func await(t *testing.T, c *rancher.Client, rights []rancher.Access) {
	t.Helper()
	var missing []rancher.Access
	var err error
	eventually(t, func() bool {
		missing, err = c.Can(t.Context(), rights)
		return err == nil && len(missing) == 0
	})
	if err != nil || len(missing) > 0 {
		t.Fatalf("rights do not take effect: %v, %v", missing, err)
	}
}

// eventually asks again and again until the answer is yes, for twenty seconds at
// most.
func eventually(t *testing.T, yes func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(20 * time.Second); !yes(); {
		select {
		case <-tick.C:
		case <-late:
			return
		}
	}
}

// works has a client read everything that there is to read.
func works(t *testing.T, c *rancher.Client) {
	t.Helper()
	got, err := c.Read(t.Context(), rancher.Query{})
	if err != nil || len(got.Snapshots) < fleetSize || len(got.Unread) > 0 {
		t.Errorf("%d clusters, unread %v, %v", len(got.Snapshots), got.Unread, err)
	}
	resources := []rancher.Resource{rancher.Clusters()}
	for _, p := range hosted.Providers() {
		resources = append(resources, rancher.OperatorResources(p))
		state, err := c.Operator(t.Context(), p)
		if err != nil || state.Unread != "" || state.Found != (p == hosted.EKS) {
			t.Errorf("%s: operator %+v, %v", p, state, err)
		}
	}
	for _, r := range resources {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		err := c.Watch(ctx, r, rancher.ListOptions{}, func(e rancher.Event) error {
			if e.Type == rancher.Synced {
				time.AfterFunc(100*time.Millisecond, cancel) // by then the watch itself is refused, if it is
			}
			return nil
		})
		if rancher.KindOf(err) != "" {
			t.Errorf("watch %s: %v", r, err)
		}
		cancel()
	}
}

// TestCanNotBeLearnt: without the review API there is an error, and no right is
// called missing.
func TestCanNotBeLearnt(t *testing.T) {
	for code, kind := range map[int]rancher.Kind{404: rancher.NotInstalled, 403: rancher.Forbidden, 500: rancher.ServerFailure} {
		c := serve(t, 0, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", code) })
		missing, err := c.Can(t.Context(), rancher.SyncRights())
		check(t, err, kind, "selfsubjectaccessreviews")
		if missing != nil {
			t.Errorf("%d: %v", code, missing)
		}
	}
	c := serve(t, 0, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) })
	_, err := c.Can(t.Context(), rancher.SyncRights())
	check(t, err, rancher.BadAnswer, "without a status")
}

// TestCanForOneName: a right on one object does not pass for one on all.
func TestCanForOneName(t *testing.T) {
	srv, _ := fleet(t)
	user := srv.User(t, "can-one", testbed.Grant{Verbs: "patch", Resource: clustersResource, Names: []string{"c-mine"}})
	one := func(name string) rancher.Access { return change(name, "").Access() }
	missing, err := client(t, user.Config).Can(t.Context(), []rancher.Access{one("c-mine"), one("c-yours"), one("")})
	if err != nil || !slices.Equal(missing, []rancher.Access{one("c-yours"), one("")}) {
		t.Errorf("missing %v, %v", missing, err)
	}
}
