package rancher

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// getAtMost is how many operator resources are read one by one before listing
// them is cheaper, and readers how many of those reads run at once.
const (
	getAtMost = 20
	readers   = 8
)

// Query says what to read.
type Query struct {
	// Names are object names or display names; none means all clusters.
	Names []string
	// LabelSelector restricts the clusters when there are no Names.
	LabelSelector string
	// PageSize is by default (0) the constant of that name.
	PageSize int
}

// Fleet is what was read.
type Fleet struct {
	// Snapshots are in the order of Query.Names, else of the server.
	Snapshots []hosted.Snapshot
	// Problems are oddities in single objects, Unread what could not be read.
	Problems []hosted.Problem
	Unread   []hosted.Unread
	// Version is the version of the list of clusters, "" if they were read one by
	// one.
	Version string
	// ServerTime is the server's clock at the end.
	ServerTime time.Time
}

// Read reads clusters and everything around them. What cannot be read beside the
// clusters themselves is listed in Unread and does not fail the whole. With Names
// the right to list clusters is needed only for display names.
func (c *Client) Read(ctx context.Context, q Query) (Fleet, error) {
	all := &hosted.Collector{}
	version, err := c.clusters(ctx, q, all)
	if err != nil {
		return Fleet{}, err
	}
	// Not earlier: it is now known what is needed, and the connection stands.
	byProvider := configs(all.Clusters())
	settings := c.startSettings(ctx, byProvider)
	err = c.resources(ctx, byProvider, len(q.Names) > 0, all)
	s := <-settings
	if err == nil && ctx.Err() != nil {
		err = transportError(ctx, ctx.Err(), Access{Verb: "get", Resource: Settings().String()}, c.Host())
	}
	if err != nil {
		return Fleet{}, err
	}
	for _, obj := range s.found {
		all.AddSetting(obj)
	}
	all.Unread = append(s.unread, all.Unread...)
	all.ServerTime, _ = c.ServerTime()
	out := Fleet{Unread: all.Unread, Version: version, ServerTime: all.ServerTime}
	out.Snapshots, out.Problems = all.Finish()
	return out, nil
}

// clusters reads the named clusters, in the order of names, or all.
func (c *Client) clusters(ctx context.Context, q Query, all *hosted.Collector) (version string, err error) {
	if len(q.Names) == 0 {
		return c.allClusters(ctx, q, all)
	}
	version, err = c.candidates(ctx, q, all)
	if err != nil {
		return "", err
	}
	some, err := hosted.Resolve(all.Clusters(), q.Names)
	all.Keep(some)
	return version, err
}

// candidates reads at least the named clusters: each by itself if all names are
// those of objects, else all that can be listed.
func (c *Client) candidates(ctx context.Context, q Query, all *hosted.Collector) (version string, err error) {
	var found []map[string]any
	for _, name := range q.Names {
		if !objectName(name) {
			return c.allClusters(ctx, Query{PageSize: q.PageSize}, all)
		}
		obj, err := c.Get(ctx, Clusters(), name)
		if kind := KindOf(err); kind == NotFound || kind == Forbidden {
			// It may be a display name, which only a list can tell.
			version, listErr := c.allClusters(ctx, Query{PageSize: q.PageSize}, all)
			if KindOf(listErr) == Forbidden {
				return "", unknownObject(err)
			}
			return version, listErr
		}
		if err != nil {
			return "", c.explain(ctx, err)
		}
		found = append(found, obj)
	}
	for _, obj := range found {
		all.AddCluster(obj)
	}
	return "", nil
}

// unknownObject explains a name that is no readable object's to a user who may
// not list.
func unknownObject(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	out.Fix = "if it is a display name, that needs the right to list; use the object's name (c-xxxxx), which Rancher's web address of the cluster shows"
	if e.Kind == Forbidden {
		out.Fix += "; check your rights with: " + canI(e.Access)
	}
	return &out
}

func (c *Client) allClusters(ctx context.Context, q Query, all *hosted.Collector) (version string, err error) {
	o := ListOptions{LabelSelector: q.LabelSelector, PageSize: q.PageSize}
	version, err = c.List(ctx, Clusters(), o, func(obj map[string]any) error {
		all.AddCluster(obj)
		return nil
	})
	if err != nil {
		return "", c.explain(ctx, err)
	}
	if len(all.Clusters()) == 0 && q.LabelSelector == "" {
		return "", &Error{
			Kind: NoClusters, Where: c.Host(), What: "the server knows Rancher's Cluster but has none",
			Fix: "point --context at Rancher's local cluster, or check that Rancher has finished starting",
		}
	}
	return version, nil
}

// settingsRead is the outcome of reading the Settings.
type settingsRead struct {
	found  []map[string]any
	unread []hosted.Unread
}

// startSettings reads the few Settings that matter, by name, in the background:
// the right to list all of them is not needed.
func (c *Client) startSettings(ctx context.Context, byProvider providerConfigs) <-chan settingsRead {
	names := []string{hosted.VersionSetting}
	for _, p := range hosted.Providers() {
		if len(byProvider[p]) > 0 {
			names = append(names, p.SettingName())
		}
	}
	out := make(chan settingsRead, 1)
	go func() {
		objs, errs := make([]map[string]any, len(names)), make([]error, len(names))
		var wg sync.WaitGroup
		for i, name := range names {
			wg.Go(func() { objs[i], errs[i] = c.Get(ctx, Settings(), name) })
		}
		wg.Wait()
		var s settingsRead
		for i, name := range names {
			switch {
			case errs[i] == nil:
				s.found = append(s.found, objs[i])
			case KindOf(errs[i]) != NotFound:
				s.unread = append(s.unread, unread(hosted.SettingLabel(name), errs[i]))
			}
		}
		out <- s
	}()
	return out
}

// resources reads the operators' resources of the providers in the fleet: one by
// one for a few named clusters, else as lists.
func (c *Client) resources(ctx context.Context, byProvider providerConfigs, named bool, all *hosted.Collector) error {
	errs := map[hosted.Provider]error{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for p, own := range byProvider {
		wg.Go(func() {
			err := c.providerResources(ctx, p, own, named, func(obj map[string]any) {
				mu.Lock()
				defer mu.Unlock()
				all.AddResource(p, obj)
			})
			mu.Lock()
			defer mu.Unlock()
			errs[p] = err
		})
	}
	wg.Wait()
	for _, p := range hosted.Providers() {
		if err := errs[p]; err != nil {
			if ctx.Err() != nil {
				return err
			}
			all.Unread = append(all.Unread, c.unreadResource(ctx, p, err))
		}
	}
	return nil
}

// providerConfigs are the Configs of each provider's clusters, by name.
type providerConfigs map[hosted.Provider]map[string]map[string]any

func configs(clusters []hosted.Snapshot) providerConfigs {
	out := providerConfigs{}
	for i := range clusters {
		s := &clusters[i]
		if !s.Hosted() {
			continue
		}
		if out[s.Provider] == nil {
			out[s.Provider] = map[string]map[string]any{}
		}
		out[s.Provider][s.Name] = s.Config
	}
	return out
}

func (c *Client) providerResources(ctx context.Context, p hosted.Provider, configs map[string]map[string]any, named bool, add func(map[string]any)) error {
	take := func(obj map[string]any) error {
		config, wanted := configs[hosted.ObjectName(obj)]
		if !wanted {
			return nil
		}
		// Most equal their Config; keeping one of the two halves the memory.
		if hosted.Equal(obj["spec"], config) {
			obj["spec"] = config
		}
		add(obj)
		return nil
	}
	if named && len(configs) <= getAtMost {
		return c.eachResource(ctx, p, hosted.SortedKeys(configs), take)
	}
	_, err := c.List(ctx, OperatorResources(p), ListOptions{}, take)
	return err
}

func (c *Client) eachResource(ctx context.Context, p hosted.Provider, names []string, add func(map[string]any) error) error {
	objs, errs := make([]map[string]any, len(names)), make([]error, len(names))
	slots := make(chan struct{}, readers)
	var wg sync.WaitGroup
	for i, name := range names {
		slots <- struct{}{}
		wg.Go(func() {
			objs[i], errs[i] = c.Get(ctx, OperatorResources(p), name)
			<-slots
		})
	}
	wg.Wait()
	for i := range names {
		if KindOf(errs[i]) == NotFound {
			continue
		}
		if errs[i] != nil {
			return errs[i]
		}
		if err := add(objs[i]); err != nil {
			return err
		}
	}
	return nil
}

// unreadResource explains why an operator's resources were not read. To those
// without rights a missing resource looks like a forbidden one.
func (c *Client) unreadResource(ctx context.Context, p hosted.Provider, err error) hosted.Unread {
	r := OperatorResources(p)
	missing := KindOf(err) == NotInstalled || KindOf(err) == Forbidden && !c.hasGroup(ctx, r.Group)
	if missing {
		return hosted.Unread{
			What: p.CRKind(), Why: "the server has no " + r.String(),
			Fix: "the operator's charts (rancher-" + r.Group[:3] + "-operator, …-crd) are installed with its first cluster; check Rancher's Apps of the local cluster",
		}
	}
	return unread(p.CRKind(), err)
}

func unread(what string, err error) hosted.Unread {
	var e *Error
	if errors.As(err, &e) {
		return hosted.Unread{What: what, Why: e.What, Fix: e.Fix}
	}
	return hosted.Unread{What: what, Why: err.Error()}
}
