package gke

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/container/apiv1/containerpb"
	"google.golang.org/grpc/codes"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback/google"
)

var _ live.Reader = (*Reader)(nil)

// TestPermissionsAreTheCallsMade: the calls of a reading with everything asked for
// are those that Permissions lists, one of a reading without history those that are
// not optional, and none of them writes.
func TestPermissionsAreTheCallsMade(t *testing.T) {
	r := newRig(t)
	r.put(demo, demoCluster)
	q := r.request()
	q.Who = true
	full := called(t, r, q)
	var want, needed []string
	for _, p := range r.reader.Permissions() {
		want = append(want, p.Call)
		if !p.Optional {
			needed = append(needed, p.Call)
		}
		if p.Right == "" || p.For == "" {
			t.Errorf("incomplete: %+v", p)
		}
	}
	q.Since = time.Time{}
	fewer := called(t, r, q)
	slices.Sort(want)
	if !slices.Equal(full, want) || !slices.Equal(fewer, needed) {
		t.Errorf("called %v and %v, the permissions say %v and %v", full, fewer, want, needed)
	}
	for _, c := range full {
		_, method, _ := strings.Cut(c, ":")
		if !strings.HasPrefix(method, "Get") && !strings.HasPrefix(method, "List") {
			t.Errorf("%s does not only read", c)
		}
	}
	if r.reader.Provider() != hosted.GKE {
		t.Error("provider")
	}
}

// called are the API's methods that a reading calls, sorted.
func called(t *testing.T, r *rig, q live.Request) []string {
	t.Helper()
	r.cloud.Forget()
	if _, err := r.reader.Read(context.Background(), q); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range r.cloud.Methods() {
		if m != "token" {
			out = append(out, "container:"+m)
		}
	}
	return out
}

// TestNoSecretIsTold plants recognisable secrets, lets everything fail that can,
// with answers that repeat the secrets, and searches all that comes out.
func TestNoSecretIsTold(t *testing.T) {
	file := keyFile(t, nil)
	planted := []string{"planted-key-id-1", "planted-token-1", theKey()[40:100], strings.ReplaceAll(theKey(), "\n", " ")[40:100]}
	search := func(what string, all ...any) {
		t.Helper()
		for _, v := range all {
			doc, _ := json.Marshal(v)
			text := fmt.Sprintf("%v %+v %#v %s", v, v, v, doc)
			for _, p := range planted {
				if strings.Contains(text, p) || strings.Contains(text, strings.Trim(fmt.Sprintf("%q", p), `"`)) {
					t.Errorf("%s tells %.20q: %.500s", what, p, text)
				}
			}
		}
	}
	echo := "you sent " + planted[0] + ", " + planted[1] + " and " + file
	for name, trouble := range map[string]func(*rig){
		"nothing": func(*rig) {},
		"denied": func(r *rig) {
			r.cloud.Fail(google.Fault{Method: "GetCluster", Code: codes.PermissionDenied, Message: echo})
		},
		"history": func(r *rig) {
			r.cloud.Fail(google.Fault{Method: "ListOperations", Code: codes.Internal, Message: echo})
		},
		"odd":        func(r *rig) { r.cloud.Fail(google.Fault{Code: codes.DataLoss, Message: echo}) },
		"page":       func(r *rig) { r.cloud.Fail(google.Fault{Kind: google.Page, HTTP: 502}) },
		"login":      func(r *rig) { r.cloud.RefuseLogin("invalid_grant", "you sent "+file) },
		"no key":     func(r *rig) { r.login = secret(strings.ReplaceAll(file, "BEGIN", "planted-key-id-1")) },
		"cut":        func(r *rig) { r.login = secret(file[:len(file)-2]) },
		"token host": func(r *rig) { r.login = secret(strings.ReplaceAll(file, "oauth2", "planted-key-id-1")) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.put(demo, demoCluster)
			trouble(r)
			got, err := r.read()
			if err == nil != (name == "nothing" || name == "history") {
				t.Fatalf("err %v", err)
			}
			search(name, got, err)
			for ; err != nil; err = unwrap(err) {
				search(name, err, err.Error())
			}
			search(name, r.login)
		})
	}
}

func unwrap(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return nil
}

// TestFleet reads clusters in several locations at once while two calls of a
// hundred are over the quota and one location is down: only that one's cluster
// fails, and every other is read in full.
func TestFleet(t *testing.T) {
	r := newRig(t)
	locations := []string{"europe-west1", "us-east1-b", "asia-east1", "dead-west1"}
	const each = 30
	for _, l := range locations {
		for i := range each {
			name := google.ClusterName("example-project-1", l, fmt.Sprintf("c-%d", i))
			r.cloud.Put(name, &containerpb.Cluster{Name: fmt.Sprintf("c-%d", i), Location: l, CurrentMasterVersion: fmt.Sprintf("1.34.%d", i)})
			r.cloud.Begin(name, "", containerpb.Operation_UPGRADE_MASTER)
		}
	}
	r.cloud.Throttle(0.02)
	r.cloud.Down("dead-west1")
	var wg sync.WaitGroup
	bound := make(chan struct{}, 16)
	for _, l := range locations {
		for i := range each {
			wg.Go(func() {
				bound <- struct{}{}
				defer func() { <-bound }()
				config := map[string]any{"projectID": "example-project-1", "zone": l, "clusterName": fmt.Sprintf("c-%d", i)}
				got, err := r.reader.Read(context.Background(), live.Request{
					Snapshot: &hosted.Snapshot{Name: "c-abcde", Config: config}, Credential: r.login, Since: start.Add(-1)})
				switch {
				case l == "dead-west1":
					if live.KindOf(err) != live.Unreachable || !strings.Contains(err.Error(), "dead-west1") {
						t.Errorf("%s %d: %v", l, i, err)
					}
				case err != nil:
					t.Errorf("%s %d: %v", l, i, err)
				case got.Spec["kubernetesVersion"] != fmt.Sprintf("1.34.%d", i) || len(got.Updates) != 1 || got.NoHistory != "":
					t.Errorf("%s %d: %v, %d updates, %q", l, i, got.Spec["kubernetesVersion"], len(got.Updates), got.NoHistory)
				}
			})
		}
	}
	wg.Wait()
	logins, calls := 0, 0
	for _, c := range r.cloud.Calls() {
		if c.Method == "token" {
			logins++
		}
		calls++
	}
	if logins != 1 {
		t.Errorf("%d logins for %d calls", logins, calls)
	}
}
