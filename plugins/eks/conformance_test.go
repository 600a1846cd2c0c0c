package eks_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
	"github.com/hostedsync/kubectl-hostedsync/plugins/eks"
)

type readCase struct {
	ID                      string
	RancherCluster          struct{ Name, DisplayName string }
	Cloud, Config           json.RawMessage
	ManagedLaunchTemplateID string
	Expect                  struct {
		RancherView  json.RawMessage
		Error        *string
		HealthErrors []string
	}
}

// The recorded cases, served over loopback and read through the real SDK.
func TestConformanceEKSRead(t *testing.T) {
	shared := loopback.New(t)
	reader := eks.New(options(shared))
	views, failures, partial := 0, 0, 0
	vectors.Run(t, "eks.read", func(line []byte) (string, error) {
		var c readCase
		if err := json.Unmarshal(line, &c); err != nil {
			return "?", err
		}
		cloud := decodeCloud(t, c.Cloud)
		s, r := shared, reader
		if len(cloud.Faults) > 0 { // they stay with a server
			s = loopback.New(t)
			r = eks.New(options(s))
		}
		s.SetEKS(t, cloud)
		in := snapshot(decode(t, c.Config), c.ManagedLaunchTemplateID)
		in.Name, in.DisplayName = c.RancherCluster.Name, c.RancherCluster.DisplayName
		got, err := r.Read(t.Context(), live.Request{Snapshot: in})
		if err == nil {
			views++
		} else {
			failures++
		}
		if got.Partial {
			partial++
		}
		return c.ID, agree(c, got, err)
	})
	t.Logf("%d views, %d of them with a health error; %d failures; none left out", views, partial, failures)
	if views == 0 || failures == 0 || partial == 0 {
		t.Error("the cases show too little")
	}
}

// agree compares a reading with what Rancher's own code was recorded to make of it.
func agree(c readCase, got hosted.Reading, err error) error {
	if len(c.Expect.RancherView) == 0 || string(c.Expect.RancherView) == "null" {
		return sameFailure(c, got, err)
	}
	if err != nil {
		return fmt.Errorf("problem %w, want a view", err)
	}
	want, e := hosted.Decode(c.Expect.RancherView)
	if e != nil {
		return e
	}
	if err := sameView(got.Spec, hosted.Map(want)); err != nil {
		return err
	}
	if text := strings.Join(c.Expect.HealthErrors, "; "); got.Error != text || got.Partial != (len(c.Expect.HealthErrors) > 0) {
		return fmt.Errorf("partial %v %q, want %q", got.Partial, got.Error, text)
	}
	return nil
}

func sameView(got, want map[string]any) error {
	for _, k := range hosted.SortedKeys(want) {
		if !hosted.Equal(got[k], want[k]) {
			return fmt.Errorf("%s: got %s, want %s", k, hosted.Canonical(got[k]), hosted.Canonical(want[k]))
		}
	}
	for k, v := range got {
		if _, ok := want[k]; !ok && v != nil {
			return fmt.Errorf("%s: got %s, want nothing", k, hosted.Canonical(v))
		}
	}
	return nil
}

// sameFailure compares a problem with Rancher's error: the same text if Rancher's
// own code refused the cluster, the same failed call if AWS did.
func sameFailure(c readCase, got hosted.Reading, err error) error {
	if c.Expect.Error == nil {
		return fmt.Errorf("the case has neither view nor error")
	}
	var p *live.Problem
	if !errors.As(err, &p) || got.Spec != nil {
		return fmt.Errorf("got view %v, want error %q, not %w", got.Spec, *c.Expect.Error, err)
	}
	want, _, _ := strings.Cut(*c.Expect.Error, ", ")
	_, op, _ := strings.Cut(p.Call, ":")
	text := ""
	if p.Err != nil {
		text, _, _ = strings.Cut(p.Err.Error(), ", ")
	}
	switch {
	case p.Kind == live.Unsupported && text == want && p.Call == "":
	case op != "" && strings.HasSuffix(want, "operation error EKS: "+op) && text == "operation error EKS: "+op:
	// Rancher drops what EC2 says.
	case op == "DescribeLaunchTemplateVersions" && strings.HasPrefix(want, "error getting launch template info for node group ["):
	default:
		return fmt.Errorf("want error %q, not %w (%w)", *c.Expect.Error, err, p.Err)
	}
	return nil
}
