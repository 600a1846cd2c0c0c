package ack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback/alibaba"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// recorded is a case of the reading, recorded from Rancher's own code.
type recorded struct {
	ID    string `json:"id"`
	Cloud struct {
		Cluster, NodePools json.RawMessage
		Nodes              map[string]any
	} `json:"cloud"`
	Faults     []operator.Fault `json:"faults"`
	Credential struct{ Secret, Without string }
	Expect     struct {
		Error       string
		Panic       bool
		RancherView json.RawMessage
	} `json:"expect"`
}

// TestConformanceACKRead serves every recorded cloud and reads it through Rancher's
// library. Errors are worded for people, hence compared by their kind and by what
// the recorded error is about.
//
// A secret that does not exist is nothing that a reader can meet: whoever calls it
// has read the secret. Those four cases are counted apart.
func TestConformanceACKRead(t *testing.T) {
	r := newRig(t)
	counts := map[string]int{}
	vectors.Run(t, "ack.read", func(line []byte) (string, error) {
		var rec recorded
		if err := json.Unmarshal(line, &rec); err != nil {
			return "", err
		}
		all, err := hosted.Decode(line)
		if err != nil {
			return rec.ID, err
		}
		m := hosted.Map(all)
		if rec.Credential.Secret == "missing" {
			counts["apart"]++
			return rec.ID, nil
		}
		s := &hosted.Snapshot{Name: "c-abcde", Config: hosted.Map(m["config"])}
		if status := hosted.Map(m["crStatus"]); status != nil {
			s.CR = &hosted.OperatorResource{Status: status}
		}
		q := live.Request{Snapshot: s, Credential: &live.Credential{Name: "cattle-global-data:cc-demo1", Data: map[string]string{}}}
		for k, v := range r.login.Data {
			if !strings.HasSuffix(k, "-"+rec.Credential.Without) || rec.Credential.Without == "" {
				q.Credential.Data[k] = v
			}
		}
		r.serve(rec)
		got, err := r.reader.Read(context.Background(), q)
		if rec.Expect.Error != "" {
			counts["failures"]++
			return rec.ID, sameFailure(rec, s.Config, err)
		}
		if err != nil {
			return rec.ID, err
		}
		counts["views"]++
		if empty := isNull(rec.Cloud.NodePools) || hit(rec, "DescribeClusterNodePools"); got.Partial != empty {
			return rec.ID, fmt.Errorf("partial %v: %s", got.Partial, got.Error)
		}
		want, err := hosted.Decode(rec.Expect.RancherView)
		if err != nil {
			return rec.ID, err
		}
		if g, w := hosted.Canonical(got.Spec), hosted.Canonical(want); g != w {
			return rec.ID, fmt.Errorf("rancherView:\n got %s\nwant %s", g, w)
		}
		return rec.ID, nil
	})
	t.Logf("agreed over the wire: %d views and %d failures; not expressible: %d, secret missing", counts["views"], counts["failures"], counts["apart"])
	if counts["views"] != 1360 || counts["failures"] != 100 || counts["apart"] != 4 {
		t.Errorf("counts differ from the recorded cases: %v", counts)
	}
}

func isNull(doc json.RawMessage) bool { return len(doc) == 0 || string(doc) == "null" }

// hit tells whether a fault strikes an action.
func hit(rec recorded, action string) bool {
	for _, f := range rec.Faults {
		if f.Op == action {
			return true
		}
	}
	return false
}

// serve puts the case's cloud in place, under the id that its cluster has.
func (r *rig) serve(rec recorded) {
	for _, id := range []string{"c123", "c999"} {
		r.cloud.Put(id, nil)
	}
	r.cloud.Heal()
	if !isNull(rec.Cloud.Cluster) {
		k := &alibaba.Cluster{Detail: rec.Cloud.Cluster, Nodes: rec.Cloud.Nodes}
		if !isNull(rec.Cloud.NodePools) {
			k.NodePools = rec.Cloud.NodePools
		}
		r.cloud.Put("c123", k)
	}
	for _, f := range rec.Faults {
		kind := alibaba.Error
		if f.Empty {
			kind = alibaba.Empty
		}
		r.cloud.Fail(alibaba.Fault{Action: f.Op, Kind: kind, HTTP: f.Answer(), Code: f.Code, Message: f.Message, Times: f.Times})
	}
}

// sameFailure demands the kind of problem that a recorded error amounts to.
func sameFailure(rec recorded, config map[string]any, err error) error {
	text := rec.Expect.Error
	want := func(kind live.Kind, says string) error {
		if err == nil {
			return fmt.Errorf("no error, want %s: %s", kind, says)
		}
		if live.KindOf(err) != kind || !strings.Contains(err.Error(), says) {
			return fmt.Errorf("got %s: %w; want %s: %s", live.KindOf(err), err, kind, says)
		}
		return nil
	}
	kinds := map[string]live.Kind{"404": live.Gone, "403": live.Denied, "400": live.Other, "409": live.Other}
	switch _, status, sdk := strings.Cut(text, "StatusCode: "); {
	case rec.Expect.Panic:
		return want(live.Unsupported, text)
	case rec.Credential.Without != "":
		return want(live.Login, rec.Credential.Without)
	case strings.Contains(text, "regionId can not be empty"):
		return want(live.Unsupported, "does not say regionId")
	case sdk && hosted.Str(config["clusterId"]) == "":
		// Rancher asks for the cluster with the empty id, which would be a list.
		return want(live.Unsupported, "does not say clusterId")
	case sdk:
		_, message, _ := strings.Cut(text, "Message: code: "+status[:3]+", ")
		message, _, _ = strings.Cut(message, " request id")
		return want(kinds[status[:3]], message)
	case text == "received empty cluster response":
		return want(live.Garbled, text)
	}
	return want(live.Unsupported, text)
}
