package ack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback/alibaba"
)

var _ live.Reader = (*Reader)(nil)

// TestPermissionsAreTheCallsMade: the calls of a reading with everything asked for
// are those that Permissions lists, one without history those that are not
// optional, and every one of them is a GET.
func TestPermissionsAreTheCallsMade(t *testing.T) {
	r := newRig(t)
	r.put(demoDetail, demoPools)
	r.cloud.PutTask("T-1", map[string]any{"task_id": "T-1"})
	q := upgrading(r)
	q.Who = true
	full := called(t, r, q)
	q.Since = time.Time{}
	fewer := called(t, r, q)
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
	if !slices.Equal(full, want) || !slices.Equal(fewer, needed) {
		t.Errorf("called %v and %v, the permissions say %v and %v", full, fewer, want, needed)
	}
	for _, c := range r.cloud.Calls() {
		if c.Method != http.MethodGet || !strings.HasPrefix(c.Action, "Describe") {
			t.Errorf("%+v does not only read", c)
		}
	}
	if r.reader.Provider() != hosted.ACK {
		t.Error("provider")
	}
}

// called are the actions that a reading calls, sorted.
func called(t *testing.T, r *rig, q live.Request) []string {
	t.Helper()
	r.cloud.Forget()
	r.must(q)
	var out []string
	for _, a := range r.cloud.Actions() {
		out = append(out, "cs:"+a)
	}
	return out
}

// TestNoSecretIsTold plants recognisable secrets, lets everything fail that can,
// with answers that repeat the secrets, and searches all that comes out.
func TestNoSecretIsTold(t *testing.T) {
	echo := "you sent " + strings.Repeat(plantedKey+" and "+plantedID+" ", 40)
	for name, f := range map[string]alibaba.Fault{
		"nothing": {Action: "none"},
		"denied":  {HTTP: 403, Code: "StatusForbidden", Message: echo},
		"login":   {HTTP: 403, Code: "SignatureDoesNotMatch", Message: echo},
		"code":    {HTTP: 500, Code: echo, Message: echo},
		"task":    {Action: "DescribeTaskInfo", HTTP: 403, Code: echo, Message: echo},
		"page":    {Kind: alibaba.Page, HTTP: 502},
		"broken":  {Kind: alibaba.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.put(demoDetail, demoPools)
			r.cloud.Fail(f)
			got, err := r.reader.Read(context.Background(), upgrading(r))
			if (err == nil) != (f.Action != "") {
				t.Fatalf("err %v", err)
			}
			all := []any{got, err, r.login}
			for ; err != nil; err = unwrap(err) {
				all = append(all, err.Error())
			}
			for _, v := range all {
				doc, _ := json.Marshal(v)
				text := fmt.Sprintf("%v %+v %#v %s", v, v, v, doc)
				for _, p := range []string{plantedKey, plantedID, "planted-password"} {
					if strings.Contains(text, p) {
						t.Errorf("%T tells %s: %.500s", v, p, text)
					}
				}
			}
		})
	}
}

func unwrap(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return nil
}

// TestFleet reads many clusters at once while two calls of a hundred come too
// often: each is read in full, with its own contents.
func TestFleet(t *testing.T) {
	r := newRig(t)
	const clusters = 100
	for i := range clusters {
		id := fmt.Sprintf("c-%d", i)
		r.cloud.Put(id, &alibaba.Cluster{
			Detail:    map[string]any{"cluster_id": id, "current_version": fmt.Sprintf("1.33.%d", i)},
			NodePools: map[string]any{"nodepools": []any{map[string]any{"nodepool_info": map[string]any{"name": id}, "scaling_group": map[string]any{}}}},
		})
	}
	r.cloud.Throttle(0.02)
	var wg sync.WaitGroup
	bound := make(chan struct{}, 16)
	for i := range clusters {
		wg.Go(func() {
			bound <- struct{}{}
			defer func() { <-bound }()
			id := fmt.Sprintf("c-%d", i)
			config := map[string]any{"clusterId": id, "regionId": fmt.Sprintf("cn-region-%d", i%3), "alibabaCredentialSecret": "a:b"}
			got, err := r.reader.Read(context.Background(), live.Request{Snapshot: &hosted.Snapshot{Name: "c-abcde", Config: config}, Credential: r.login})
			if err != nil || got.Spec["kubernetesVersion"] != fmt.Sprintf("1.33.%d", i) || text(got.Truth, "nodePools") != `[{"name":"`+id+`"}]` {
				t.Errorf("%s: %v, %v", id, err, got.Truth)
			}
		})
	}
	wg.Wait()
}
