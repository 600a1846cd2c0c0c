package await_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// now is the hour of all tests; the fixture's last refresh was 30 s before.
var now = time.Date(2026, 9, 1, 11, 0, 30, 0, time.UTC)

func at(d time.Duration) string { return strconv.FormatInt(now.Add(d).Unix(), 10) }

// fixture is a quiet EKS cluster in strings; a test changes what it is about.
type fixture struct {
	provider                              hosted.Provider
	config, upstream, applied, cr         string
	phase, failure, updated               string
	annotation, setting, version, writers string
	live                                  *hosted.Reading
	unread                                []hosted.Unread
	deleting                              bool
}

const spec = `{"displayName":"atlas","region":"eu-west-1","imported":true,"amazonCredentialSecret":"cattle-global-data:cc-1","privateAccess":true,"tags":{"a":"b"}}`

const edited = `{"displayName":"atlas","region":"eu-west-1","imported":true,"amazonCredentialSecret":"cattle-global-data:cc-1","privateAccess":true,"tags":{"a":"c"}}`

func quiet() fixture {
	return fixture{provider: hosted.EKS, config: spec, upstream: spec, applied: spec, cr: spec, phase: "active",
		annotation: at(-30 * time.Second), setting: "300", version: "7"}
}

// settled makes all copies but the reading another spec.
func (f fixture) with(config string) fixture {
	f.config, f.applied, f.cr = config, config, config
	return f
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	v, err := hosted.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return hosted.Map(v)
}

func (f fixture) snapshot(t *testing.T) *hosted.Snapshot {
	t.Helper()
	p := f.provider
	meta := map[string]any{"name": "c-1", "resourceVersion": f.version}
	if f.annotation != "" {
		meta["annotations"] = map[string]any{hosted.RefreshAnnotation: f.annotation}
	}
	if f.deleting {
		meta["deletionTimestamp"] = "2026-09-01T10:00:00Z"
	}
	if f.writers != "" {
		meta["managedFields"] = []any{decode(t, `{"manager":"kubectl-edit","operation":"Update","time":"`+f.writers+`",
			"fieldsV1":{"f:spec":{"f:`+p.ConfigKey()+`":{"f:tags":{}}}}}`)}
	}
	status := map[string]any{"driver": string(p), "apiEndpoint": "https://c-1.example.com"}
	if f.upstream != "" {
		status[p.StatusKey()] = map[string]any{"upstreamSpec": decode(t, f.upstream)}
	}
	if f.applied != "" {
		status["appliedSpec"] = map[string]any{p.ConfigKey(): decode(t, f.applied)}
	}
	state := "True"
	if f.updated != "" {
		state = "False"
	}
	status["conditions"] = []any{map[string]any{"type": "Updated", "status": state, "message": f.updated}}
	around := &hosted.Surroundings{Unread: f.unread}
	if f.cr != "" {
		around.AddResource(p, map[string]any{
			"metadata": map[string]any{"name": "c-1", "namespace": "cattle-global-data"}, "spec": decode(t, f.cr),
			"status": map[string]any{"phase": f.phase, "failureMessage": f.failure},
		})
	}
	if f.setting != "" {
		around.AddSetting(map[string]any{"metadata": map[string]any{"name": p.SettingName()}, "value": f.setting})
	}
	s, problems := hosted.FromObjects(map[string]any{
		"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": meta,
		"spec": map[string]any{"displayName": "atlas", p.ConfigKey(): decode(t, f.config)}, "status": status,
	}, around)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s.Live = f.live
	return &s
}
