package gke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cloud.google.com/go/container/apiv1/containerpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback/google"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// recorded is a case of the reading, recorded from Rancher's own code.
type recorded struct {
	ID               string           `json:"id"`
	Cloud            json.RawMessage  `json:"cloud"`
	Faults           []operator.Fault `json:"faults"`
	CredentialSecret string           `json:"credentialSecret"`
}

// answers are gRPC's statuses for those that REST answers with.
var answers = map[int]codes.Code{400: codes.InvalidArgument, 401: codes.Unauthenticated, 403: codes.PermissionDenied, 404: codes.NotFound}

// kinds are what a reader makes of them.
var kinds = map[int]live.Kind{400: live.Other, 401: live.Login, 403: live.Denied, 404: live.Gone}

// TestConformanceGKERead serves every recorded cloud over gRPC and reads it through
// Google's library. Errors are worded for people, hence compared by their kind and
// by Google's own message in them.
//
// A secret that does not exist is nothing that a reader can meet: whoever calls it
// has read the secret. Those two cases are counted apart.
func TestConformanceGKERead(t *testing.T) {
	r := newRig(t)
	views, failures, lost, apart := 0, 0, 0, 0
	vectors.Run(t, "gke.read", func(line []byte) (string, error) {
		var rec recorded
		if err := json.Unmarshal(line, &rec); err != nil {
			return "", err
		}
		all, err := hosted.Decode(line)
		if err != nil {
			return rec.ID, err
		}
		m := hosted.Map(all)
		expect := hosted.Map(m["expect"])
		req := live.Request{Snapshot: &hosted.Snapshot{Name: "c-abcde", Config: hosted.Map(m["config"])}, Credential: r.login}
		switch rec.CredentialSecret {
		case "missing":
			apart++
			return rec.ID, nil
		case "malformed":
			failures++
			req.Credential = &live.Credential{Name: "cattle-global-data:cc-demo1", Data: map[string]string{"other": "x"}}
			_, err := r.reader.Read(context.Background(), req)
			return rec.ID, wantProblem(err, live.Login, "cattle-global-data:cc-demo1")
		}
		status, message, err := r.serve(req.Snapshot, rec)
		if err != nil {
			return rec.ID, err
		}
		got, err := r.reader.Read(context.Background(), req)
		if status != 0 {
			failures++
			return rec.ID, wantProblem(err, kinds[status], message)
		}
		if err != nil {
			return rec.ID, err
		}
		views++
		if expect["error"] != nil || got.Partial {
			return rec.ID, fmt.Errorf("error: got none (partial %v: %s), want %v", got.Partial, got.Error, expect["error"])
		}
		want := hosted.Map(expect["rancherView"])
		if blunt := notCarried[rec.ID]; blunt != nil {
			before := hosted.Canonical(want)
			blunt(want)
			if hosted.Canonical(want) == before {
				return rec.ID, errors.New("the case is listed as not carried, and nothing in it is lost")
			}
			lost++
		}
		if g, w := hosted.Canonical(got.Spec), hosted.Canonical(want); g != w {
			return rec.ID, fmt.Errorf("rancherView:\n got %s\nwant %s", g, w)
		}
		return rec.ID, nil
	})
	t.Logf("agreed over the wire: %d views (%d of them but for a null that protobuf cannot tell from empty) and %d failures; not expressible: %d, secret missing",
		views, lost, failures, apart)
	if views != 501 || lost != len(notCarried) || failures != 5 || apart != 2 {
		t.Errorf("counts differ from the recorded cases: %d, %d, %d, %d", views, lost, failures, apart)
	}
}

// notCarried are the cases that say in REST what no protobuf message can say: an
// empty list that is there, or the zero of an enumeration by its name. Both arrive
// as absent. Each is compared with the recorded view without that.
var notCarried = map[string]func(view map[string]any){
	"gke-read-0059": noLocations, "gke-read-0384": noLocations, "gke-read-0392": noLocations, "gke-read-0402": noLocations,
	"gke-read-0527": noLocations, "gke-read-0545": noLocations, "gke-read-0713": noLocations, "gke-read-0780": noLocations,
	"gke-read-0781": noLocations,
	"gke-read-0325": noEffect, "gke-read-0391": noEffect, "gke-read-0512": noEffect,
	"gke-read-0746": noEffect, "gke-read-0747": noEffect, "gke-read-0793": noEffect,
}

// noLocations turns an empty list of locations into null.
func noLocations(view map[string]any) {
	if l := hosted.List(view["locations"]); l != nil && len(l) == 0 {
		view["locations"] = nil
	}
}

// noEffect takes the name of the zero effect out of taints.
func noEffect(view map[string]any) {
	for _, p := range hosted.List(view["nodePools"]) {
		for _, e := range hosted.List(hosted.Map(hosted.Map(p)["config"])["taints"]) {
			if taint := hosted.Map(e); taint["effect"] == "EFFECT_UNSPECIFIED" {
				delete(taint, "effect")
			}
		}
	}
}

// serve puts the case's cloud in place. status is what the API will answer, 0 for
// the cluster.
func (r *rig) serve(s *hosted.Snapshot, rec recorded) (status int, message string, err error) {
	at, problem := placeOf(s)
	if problem != nil {
		return 0, "", problem
	}
	r.cloud.Heal()
	r.cloud.Put(at.cluster(), nil)
	for _, f := range rec.Faults {
		r.cloud.Fail(google.Fault{Method: "GetCluster", Code: answers[f.HTTPStatus], Message: f.Message})
		return f.HTTPStatus, f.Message, nil
	}
	if string(rec.Cloud) == "null" {
		return 404, "Not found: " + at.cluster() + ".", nil
	}
	c := &containerpb.Cluster{}
	if err := protojson.Unmarshal(rec.Cloud, c); err != nil {
		return 0, "", err
	}
	r.cloud.Put(at.cluster(), c)
	return 0, "", nil
}

// wantProblem demands a kind of problem that says something.
func wantProblem(err error, kind live.Kind, says string) error {
	switch {
	case err == nil:
		return fmt.Errorf("no error, want %s: %s", kind, says)
	case live.KindOf(err) != kind || !strings.Contains(err.Error(), says):
		return fmt.Errorf("got %s: %w; want %s: %s", live.KindOf(err), err, kind, says)
	}
	return nil
}
