package app

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// maxLive bounds a file of live specs.
const maxLive = 64 << 20

// addLive gives the snapshots the readings of --live-from, or the demo's clouds.
func (g *global) addLive(snapshots []hosted.Snapshot) error {
	if g.liveFrom == "" {
		if g.demo != nil {
			g.demo.addLive(snapshots)
		}
		return nil
	}
	text, err := g.readFile(g.liveFrom)
	if err != nil {
		return fmt.Errorf("--live-from: %w", err)
	}
	v, err := decodeAny(text)
	if err != nil {
		return fmt.Errorf("--live-from %s: %w", g.liveFrom, err)
	}
	hostedOnes, found := 0, 0
	for i := range snapshots {
		s := &snapshots[i]
		if !s.Hosted() {
			continue
		}
		hostedOnes++
		spec, ok := liveOf(v, s, len(snapshots) == 1)
		if !ok {
			continue
		}
		if s.Live, err = reading(s, spec, g.liveFrom); err != nil {
			return fmt.Errorf("--live-from %s: %s: %w", g.liveFrom, s.Name, err)
		}
		found++
	}
	if found == 0 && hostedOnes > 0 {
		return fmt.Errorf("--live-from %s: holds no spec for any of the %d clusters: name one cluster, or map cluster names to specs", g.liveFrom, hostedOnes)
	}
	return nil
}

// liveOf picks a cluster's part of the file.
func liveOf(v any, s *hosted.Snapshot, only bool) (any, bool) {
	m := hosted.Map(v)
	table := schema.For(s.Provider)
	for _, name := range []string{s.Name, s.DisplayName} {
		part, ok := m[name]
		if _, field := table.Unit(name); !ok || field || name == "" {
			continue
		}
		if _, object := part.(map[string]any); object || part == nil {
			return part, true
		}
	}
	return v, only
}

// failedReadings lists the clouds that --live-from says could not be read, or not
// in full: what is said about them is incomplete.
func failedReadings(snapshots []hosted.Snapshot) []hosted.Unread {
	var out []hosted.Unread
	for _, s := range snapshots {
		if l := s.Live; l != nil && (l.Spec == nil || l.Partial) {
			out = append(out, hosted.Unread{What: "the cloud of " + s.Name, Why: cmp.Or(l.Error, "no reason is given")})
		}
	}
	return out
}

// resembles tells whether a bare spec has any field of the provider's: one that
// has none is something else, and would pass for a cloud that lost everything.
func resembles(table schema.Spec, spec map[string]any) bool {
	for k := range spec {
		if _, ok := table.Unit(k); ok {
			return true
		}
	}
	return false
}

// reading makes a Reading of a bare spec, or of an envelope with spec, error and
// at. null is a cloud that could not be read.
func reading(s *hosted.Snapshot, v any, origin string) (*hosted.Reading, error) {
	r := &hosted.Reading{Origin: origin}
	m, ok := v.(map[string]any)
	switch {
	case v == nil:
		r.Error = "the cloud could not be read"
		return r, nil
	case !ok:
		return nil, fmt.Errorf("want a spec (an object), found %.40s", hosted.Canonical(v))
	}
	if envelope(m) {
		if err := unwrap(r, m); err != nil {
			return nil, err
		}
		if m = hosted.Map(m["spec"]); m == nil {
			r.Partial = false
			return r, nil
		}
	}
	table := schema.For(s.Provider)
	if !resembles(table, m) {
		return nil, fmt.Errorf("not a spec of %s: it has none of its fields", s.Provider)
	}
	if _, err := table.Decode(m); err != nil {
		return nil, fmt.Errorf("not a spec of %s: %w", s.Provider, err)
	}
	r.Spec = m
	return r, nil
}

// unwrap reads what an envelope says about its spec. An error may be empty, which
// is not the same as none; partial alone needs words.
func unwrap(r *hosted.Reading, m map[string]any) error {
	_, _, specErr := member[map[string]any](m, "spec", "an object")
	message, failed, messageErr := member[string](m, "error", "a text")
	partial, _, partialErr := member[bool](m, "partial", "true or false")
	at, _, atErr := member[string](m, "at", "an RFC 3339 time")
	if err := cmp.Or(specErr, messageErr, partialErr, atErr); err != nil {
		return err
	}
	if r.Error, r.Partial = message, failed || partial; partial && !failed {
		r.Error = "only a part of it was read"
	}
	if at != "" {
		t, err := time.Parse(time.RFC3339Nano, at)
		if err != nil {
			return fmt.Errorf("at: %q is not an RFC 3339 time", at)
		}
		r.At = t
	}
	return nil
}

// member reads a key of an envelope; null is as good as none.
func member[T any](m map[string]any, key, want string) (value T, present bool, err error) {
	v := m[key]
	if v == nil {
		return value, false, nil
	}
	if value, present = v.(T); !present {
		err = fmt.Errorf("%s: want %s, found %.40s", key, want, hosted.Canonical(v))
	}
	return value, present, err
}

func envelope(m map[string]any) bool {
	for k := range m {
		switch k {
		case "spec", "error", "partial", "at", "apiVersion", "kind":
		default:
			return false
		}
	}
	_, spec := m["spec"]
	_, failed := m["error"]
	return spec || failed
}

// readFile reads a file, or standard input for -.
func (g *global) readFile(name string) ([]byte, error) {
	var r io.Reader = g.env.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	text, err := io.ReadAll(io.LimitReader(r, maxLive+1))
	if len(text) > maxLive {
		return nil, fmt.Errorf("%s is larger than %d MiB", name, maxLive>>20)
	}
	return text, err
}

// decodeAny reads one JSON or YAML document.
func decodeAny(text []byte) (any, error) {
	v, err := hosted.Decode(text)
	if err == nil {
		return v, nil
	}
	asJSON, yamlErr := yaml.YAMLToJSON(text)
	if yamlErr != nil {
		return nil, fmt.Errorf("neither JSON nor YAML: %w", yamlErr)
	}
	return hosted.Decode(asJSON)
}
