package eks

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

type readCase struct {
	ID                      string
	RancherCluster          RancherCluster
	Cloud, Config           json.RawMessage
	ManagedLaunchTemplateID string
	Expect                  struct {
		OperatorView, RancherView json.RawMessage
		OperatorError, Error      *string
		HealthErrors              []string
	}
}

func object(raw json.RawMessage) map[string]any {
	if raw == nil {
		return nil
	}
	v, err := hosted.Decode(raw)
	if err != nil {
		return nil
	}
	return hosted.Map(v)
}

func TestConformanceEKSRead(t *testing.T) {
	vectors.Run(t, "eks.read", func(line []byte) (string, error) {
		var c readCase
		if err := json.Unmarshal(line, &c); err != nil {
			return "?", err
		}
		cloud, err := DecodeCloud(c.Cloud)
		if err != nil {
			return c.ID, err
		}
		v := Read(c.RancherCluster, object(c.Config), c.ManagedLaunchTemplateID, cloud)
		if err := sameView(v.OperatorView, object(c.Expect.OperatorView)); err != nil {
			return c.ID, fmt.Errorf("operator: %w", err)
		}
		if err := sameView(v.RancherView, object(c.Expect.RancherView)); err != nil {
			return c.ID, fmt.Errorf("rancher: %w", err)
		}
		if err := sameError(v.OperatorError, c.Expect.OperatorError); err != nil {
			return c.ID, fmt.Errorf("operator: %w", err)
		}
		want := c.Expect.Error
		if v.RancherView != nil && want != nil && len(v.HealthErrors) > 0 {
			want = nil // reported beside a usable view
		}
		if err := sameError(v.Error, want); err != nil {
			return c.ID, fmt.Errorf("rancher: %w", err)
		}
		if !slices.Equal(v.HealthErrors, c.Expect.HealthErrors) && len(v.HealthErrors)+len(c.Expect.HealthErrors) > 0 {
			return c.ID, fmt.Errorf("health %q, want %q", v.HealthErrors, c.Expect.HealthErrors)
		}
		return c.ID, nil
	})
}

func sameView(got, want map[string]any) error {
	for k := range want {
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

// sameError compares an error's text up to the details that the SDK writes.
func sameError(got string, want *string) error {
	if want == nil {
		if got != "" {
			return fmt.Errorf("error %q, want none", got)
		}
		return nil
	}
	g, _, _ := strings.Cut(got, ", ")
	w, _, _ := strings.Cut(*want, ", ")
	if got == "" || g != w {
		return fmt.Errorf("error %q, want %q", got, *want)
	}
	return nil
}
