package aks

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// outside are the recorded cases that cannot come about here, with the reason.
var outside = map[string]string{
	"aks-read-0421": "a secret that is missing: the caller reads secrets, and hands none in for the user's own login",
	"aks-read-0423": "a secret that is missing",
}

type recorded struct {
	ID         string
	Config     map[string]any
	Cloud      map[string]any
	Faults     []operator.Fault
	Credential struct{ Secret, Without, Environment string }
	Expect     struct {
		Error       *string
		RancherView map[string]any
		Panic       bool
		AnyOf       map[string][]string
	}
}

// TestRecordedReadings serves the cloud of each recorded case to the real SDK and
// compares the view, or the error with all its text.
func TestRecordedReadings(t *testing.T) {
	agree, skipped := 0, 0
	vectors.Run(t, "aks.read", func(line []byte) (string, error) {
		c, err := decodeRecorded(line)
		if err != nil {
			return "", err
		}
		if _, ok := outside[c.ID]; ok {
			skipped++
			return c.ID, nil
		}
		if err := c.judge(t); err != nil {
			return c.ID, err
		}
		agree++
		return c.ID, nil
	})
	t.Logf("%d recorded readings agree over the wire, %d cannot be expressed", agree, skipped)
	if skipped != len(outside) || agree == 0 {
		t.Errorf("%d cases agree and %d are outside; %d are listed", agree, skipped, len(outside))
	}
}

func decodeRecorded(line []byte) (recorded, error) {
	var c recorded
	if err := json.Unmarshal(line, &c); err != nil {
		return c, err
	}
	all, err := hosted.Decode(line) // whose numbers are whole
	c.Config, c.Cloud = hosted.Map(hosted.Map(all)["config"]), hosted.Map(hosted.Map(all)["cloud"])
	c.Expect.RancherView = hosted.Map(hosted.Map(hosted.Map(all)["expect"])["rancherView"])
	return c, err
}

// sharedCloud is one loopback cloud and one reader for all cases, which share tokens
// and connections as a real reader's do.
var sharedCloud = func() func(t *testing.T) (*loopback.Server, *Reader) {
	var cloud *loopback.Server
	var reader *Reader
	return func(t *testing.T) (*loopback.Server, *Reader) {
		if cloud == nil {
			cloud = loopback.New(t)
			reader = New(Options{Now: func() time.Time { return clock }, Transport: cloud.Client(), Retry: quick})
			t.Cleanup(func() { cloud = nil })
		}
		return cloud, reader
	}
}()

func (c recorded) judge(t *testing.T) error {
	cloud, reader := sharedCloud(t)
	group, name := hosted.Str(c.Config["resourceGroup"]), hosted.Str(c.Config["clusterName"])
	cloud.AddAKS(subscription, group, name, c.Cloud)
	cloud.Behave()
	for _, f := range c.Faults {
		body, err := json.Marshal(map[string]any{"error": map[string]string{"code": f.Code, "message": f.Message}})
		if err != nil {
			return err
		}
		cloud.Misbehave(loopback.Quirk{Method: http.MethodGet, Path: "/managedClusters/", Status: f.Answer(),
			Header: map[string]string{"Content-Type": "application/json"}, Body: string(body)})
	}
	cred := credential(keyEnvironment, c.Credential.Environment)
	if c.Credential.Without != "" {
		delete(cred.Data, keyPrefix+c.Credential.Without)
	}
	got, err := reader.Read(t.Context(), live.Request{Snapshot: &hosted.Snapshot{Config: c.Config}, Credential: cred})
	if err == nil {
		return c.judgeView(got)
	}
	var p *live.Problem
	if !errors.As(err, &p) || p.Err == nil {
		return fmt.Errorf("not a problem with its cause: %w", err)
	}
	if c.Expect.Error == nil || p.Err.Error() != *c.Expect.Error {
		return fmt.Errorf("error %w, want %s", p.Err, hosted.Canonical(c.Expect.Error))
	}
	if got.Spec != nil || got.Error == "" || p.Text == "" || p.Fix == "" {
		return fmt.Errorf("not a complete problem, with reading %+v: %w", got, p)
	}
	return nil
}

func (c recorded) judgeView(got hosted.Reading) error {
	if c.Expect.Error != nil {
		return fmt.Errorf("no error, want %q", *c.Expect.Error)
	}
	if ids := c.Expect.AnyOf["userAssignedIdentity"]; len(ids) > 0 {
		if !slices.Contains(ids, hosted.Str(got.Spec["userAssignedIdentity"])) {
			return fmt.Errorf("identity %v, want one of %v", got.Spec["userAssignedIdentity"], ids)
		}
		got.Spec["userAssignedIdentity"] = c.Expect.RancherView["userAssignedIdentity"]
	}
	if g, w := hosted.Canonical(got.Spec), hosted.Canonical(c.Expect.RancherView); g != w {
		return fmt.Errorf("view\n got %s\nwant %s", g, w)
	}
	return nil
}
