package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/manifest"
)

// shownKinds is how many kinds of ignored objects are named.
const shownKinds = 5

// files reads clusters from -f.
type files struct {
	g     *global
	names []string
}

func (f *files) read(ctx context.Context, q query) (found, error) {
	fleet, err := f.manifest(ctx)
	if err != nil {
		return found{}, err
	}
	if text := ignored(fleet.Ignored); text != "" {
		f.g.say("ignored: %s", text)
	}
	f.g.absent(fleet.Unread)
	s, err := choose(fleet.Snapshots, q)
	for i := range s {
		s[i].Unread, s[i].Setting.Unreadable = nil, ""
	}
	return found{snapshots: s, problems: fleet.Problems}, err
}

// manifest reads the files. A terminal or pipe may keep a read waiting for ever,
// so an interruption does not wait for it.
func (f *files) manifest(ctx context.Context) (manifest.Fleet, error) {
	type answer struct {
		fleet manifest.Fleet
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		fleet, err := manifest.Read(f.names, f.g.env.In)
		done <- answer{fleet, err}
	}()
	select {
	case a := <-done:
		return a.fleet, a.err
	case <-ctx.Done():
		return manifest.Fleet{}, ctx.Err()
	}
}

// absent says once what a file lacks. That is an answer, not a failure to read:
// a server without these objects would give the same.
func (g *global) absent(unread []hosted.Unread) {
	var names []string
	for _, u := range unread {
		if u.What != hosted.SettingLabel(hosted.VersionSetting) {
			names = append(names, u.What)
		}
	}
	if len(names) > 0 {
		g.say("note: not in the input, taken as absent: %s", strings.Join(names, ", "))
	}
}

// ignored counts what was passed over, by kind.
func ignored(kinds map[string]int) string {
	var parts []string
	for i, k := range hosted.SortedKeys(kinds) {
		if i == shownKinds {
			parts = append(parts, fmt.Sprintf("and %d more kinds", len(kinds)-shownKinds))
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", kinds[k], k))
	}
	return strings.Join(parts, ", ")
}
