package predict

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/vectors"
)

// What the verdicts call overwritten or reset is exactly what Rancher's own
// code overwrote in the recorded cases.
func TestConformanceVerdicts(t *testing.T) {
	vectors.Run(t, "refresh", func(line []byte) (string, error) {
		var c refreshCase
		if err := json.Unmarshal(line, &c); err != nil {
			return "?", err
		}
		in, err := c.input()
		if err != nil {
			return c.ID, err
		}
		_, out := NextRefresh(in)
		var named []string
		for _, v := range Verdicts(in) {
			if v.Code == VerdictOverwritten || v.Code == VerdictReset {
				named = append(named, v.Unit)
				if v.AtUnix == nil {
					return c.ID, fmt.Errorf("%s: %s at no time", v.Unit, v.Code)
				}
			}
		}
		slices.Sort(named)
		if !slices.Equal(named, out.OverwrittenKeys) && len(named)+len(out.OverwrittenKeys) > 0 {
			return c.ID, fmt.Errorf("verdicts name %v, the refresh overwrites %v", named, out.OverwrittenKeys)
		}
		return c.ID, nil
	})
}

func TestVerdicts(t *testing.T) {
	cluster := object(t, `{"metadata":{"name":"c-ab12c","annotations":{"`+hosted.RefreshAnnotation+`":"1790000000"}},
		"spec":{"eksConfig":{"displayName":"atlas","imported":false,"region":"eu-west-1","amazonCredentialSecret":"a:b",
			"privateAccess":false,"tags":null,"loggingTypes":["api"],"ipFamily":"ipv4","publicAccess":true,"future":1}},
		"status":{"driver":"EKS","eksStatus":{"upstreamSpec":{}}}}`)
	hosted.Map(cluster["status"])["appliedSpec"] = map[string]any{"eksConfig": hosted.Map(cluster["spec"])["eksConfig"]}
	reading := object(t, `{"displayName":"atlas","imported":false,"region":"eu-west-1","amazonCredentialSecret":"a:b",
		"privateAccess":true,"tags":{"a":"b"},"loggingTypes":null,"publicAccess":true}`)
	want := map[string]string{
		"displayName": "copied never-drifts", "privateAccess": "managed overwritten", "tags": "unmanaged ignored",
		"loggingTypes": "managed reset-to-null", "ipFamily": "unseen kept", "publicAccess": "managed in-sync",
		"future": "unknown dropped",
	}
	got := map[string]string{}
	for _, v := range Verdicts(RefreshInput{Cluster: cluster, Cloud: Cloud{Spec: reading}}) {
		got[v.Unit] = string(v.Owner) + " " + v.Code
	}
	for unit, w := range want {
		if got[unit] != w {
			t.Errorf("%s: %q, want %q", unit, got[unit], w)
		}
	}
}
