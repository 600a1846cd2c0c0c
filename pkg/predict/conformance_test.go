package predict

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// refreshCase is one line of the refresh vectors.
type refreshCase struct {
	ID         string            `json:"id"`
	Provider   string            `json:"provider"`
	Cluster    json.RawMessage   `json:"cluster"`
	CloudSpec  json.RawMessage   `json:"cloudSpec"`
	CloudError *cloudError       `json:"cloudError"`
	Now        time.Time         `json:"now"`
	Settings   map[string]string `json:"settings"`
	Expect     json.RawMessage   `json:"expect"`
}

type cloudError struct {
	Message string `json:"message"`
	Partial bool   `json:"partial"`
}

func TestConformanceRefresh(t *testing.T) {
	vectors.Run(t, "refresh", func(line []byte) (string, error) {
		var c refreshCase
		if err := json.Unmarshal(line, &c); err != nil {
			return "?", err
		}
		return c.ID, c.check()
	})
}

func (c refreshCase) check() error {
	in, err := c.input()
	if err != nil {
		return err
	}
	want, err := hosted.Decode(c.Expect)
	if err != nil {
		return err
	}
	sched, out := Refresh(in)
	text, err := json.Marshal(map[string]any{
		"ready": sched.Ready, "nextRefreshUnix": sched.NextUnix, "refreshes": out.Refreshes,
		"upstreamSpecChanged": out.UpstreamSpecChanged, "skippedBecauseUpdating": out.SkippedBecauseUpdating,
		"overwrittenKeys": out.OverwrittenKeys, "configAfter": out.ConfigAfter,
		"upstreamSpecAfter": out.UpstreamSpecAfter, "updatedCondition": out.UpdatedCondition,
		"annotationAfter": out.AnnotationAfter, "error": out.Error,
	})
	if err != nil {
		return err
	}
	got, err := hosted.Decode(text)
	if err != nil {
		return err
	}
	return difference(hosted.Map(got), hosted.Map(want))
}

func (c refreshCase) input() (RefreshInput, error) {
	in := RefreshInput{Now: c.Now, Interval: c.interval()}
	cluster, err := hosted.Decode(c.Cluster)
	if err != nil {
		return in, err
	}
	in.Cluster = hosted.Map(cluster)
	spec, err := hosted.Decode(c.CloudSpec)
	if err != nil {
		return in, err
	}
	in.Cloud.Spec = hosted.Map(spec)
	if c.CloudError != nil {
		in.Cloud.Failed, in.Cloud.Message = true, c.CloudError.Message
	}
	return in, nil
}

// interval reads the provider's setting as Rancher does: a missing Setting is
// empty, an empty value means the default, which the vectors fix at 300.
func (c refreshCase) interval() string {
	p, _ := hosted.ParseProvider(c.Provider)
	v, ok := c.Settings[p.SettingName()]
	if ok && v == "" {
		return "300"
	}
	return v
}

func difference(got, want map[string]any) error {
	var diffs []string
	for _, k := range hosted.SortedKeys(want) {
		if !hosted.Equal(got[k], want[k]) {
			diffs = append(diffs, fmt.Sprintf("%s:\n   got  %.600s\n   want %.600s", k, hosted.Canonical(got[k]), hosted.Canonical(want[k])))
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			diffs = append(diffs, k+": not expected")
		}
	}
	if diffs == nil {
		return nil
	}
	return errors.New(strings.Join(diffs, "\n  "))
}
