package app

import (
	"context"
	"fmt"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// files reads clusters from -f.
type files struct {
	g     *global
	names []string
}

func (f *files) read(_ context.Context, q query) (found, error) {
	all := &hosted.Collector{}
	for _, n := range f.names {
		text, err := f.g.readFile(n)
		if err != nil {
			return found{}, err
		}
		v, err := decodeAny(text)
		if err != nil {
			return found{}, fmt.Errorf("%s: %w", n, err)
		}
		objs := []any{v}
		if l := hosted.List(hosted.Map(v)["items"]); l != nil {
			objs = l
		}
		for _, o := range objs {
			m := hosted.Map(o)
			switch k := hosted.Str(m["kind"]); k {
			case "Cluster":
				all.AddCluster(m)
			case "Setting":
				all.AddSetting(m)
			default:
				for _, p := range hosted.Providers() {
					if k == p.CRKind() {
						all.AddResource(p, m)
					}
				}
			}
		}
	}
	s, problems := all.Finish()
	s, err := choose(s, q)
	return found{snapshots: s, problems: problems}, err
}
