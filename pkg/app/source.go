package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
)

// userAgent names the program to the server.
const userAgent = "kubectl-hostedsync"

// query is what a verb wants to see.
type query struct {
	names    []string
	selector string
}

// found is what a source has read.
type found struct {
	snapshots  []hosted.Snapshot
	problems   []hosted.Problem
	unread     []hosted.Unread
	serverTime time.Time
}

// source reads clusters, from wherever.
type source interface {
	read(ctx context.Context, q query) (found, error)
}

// source picks where clusters come from.
func (g *global) source() (source, error) {
	if _, err := labels.Parse(g.selector); err != nil {
		return nil, fmt.Errorf("--selector %q: %w", g.selector, err)
	}
	if len(g.files) > 0 {
		return &files{g: g, names: g.files}, nil
	}
	c, err := g.client()
	if err != nil {
		return nil, err
	}
	return server{c}, nil
}

// client connects to the server that the flags name, or to the demo.
func (g *global) client() (*rancher.Client, error) {
	if g.demo != nil {
		return g.demo.client()
	}
	return rancher.Connect(g.config.ToRawKubeConfigLoader(), userAgent)
}

// server reads from an API server.
type server struct{ client *rancher.Client }

func (s server) read(ctx context.Context, q query) (found, error) {
	defer s.client.Close()
	f, err := s.client.Read(ctx, rancher.Query{Names: q.names, LabelSelector: q.selector})
	if err != nil {
		return found{}, err
	}
	return found{f.Snapshots, f.Problems, f.Unread, f.ServerTime}, nil
}

// choose applies names and selector to snapshots that were all read, and puts
// them in the order of the server: by name.
func choose(all []hosted.Snapshot, q query) ([]hosted.Snapshot, error) {
	if len(q.names) > 0 {
		return hosted.Resolve(all, q.names)
	}
	sel, err := labels.Parse(q.selector)
	if err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(all, func(s hosted.Snapshot) bool { return !sel.Matches(labels.Set(s.Labels)) })
	slices.SortStableFunc(out, func(a, b hosted.Snapshot) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}
