package loopback

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// moving are the states that end by themselves.
var moving = []string{"Updating", "InProgress", "Creating", "Scaling", "Upgrading", "Deleting"}

// setState writes the provisioning state of a cluster or of a pool as it is asked
// for alone.
func setState(resource map[string]any, state string) {
	member(resource, "properties")["provisioningState"] = state
}

// putCluster replaces the cluster by the request's, which is what the operators
// rely on: what they leave out is gone.
func (s *Server) putCluster(r request, at []string) (int, any, *failure) {
	old, f := s.managed(at)
	if f != nil {
		return 0, nil, f
	}
	if f := busy(old); f != nil {
		return 0, nil, f
	}
	doc := hosted.CloneMap(r.object)
	doc["id"], doc["name"] = old["id"], old["name"]
	if doc["id"] == nil {
		doc["id"] = "/" + strings.Join(r.path, "/")
	}
	s.arm = doc
	for _, p := range s.pools() {
		if m := hosted.Map(p); m["provisioningState"] == nil {
			m["provisioningState"] = "Succeeded"
		}
	}
	setState(s.arm, "Updating")
	s.began()
	return http.StatusOK, s.arm, nil
}

func (s *Server) putTags(r request, at []string) (int, any, *failure) {
	c, f := s.managed(at)
	if f != nil {
		return 0, nil, f
	}
	if f := busy(c); f != nil {
		return 0, nil, f
	}
	c["tags"] = hosted.Clone(r.object["tags"])
	setState(c, "Updating")
	s.began()
	return http.StatusOK, c, nil
}

// busy refuses a change while another one is under way.
func busy(cluster map[string]any) *failure {
	if state := stateOf(cluster); slices.Contains(moving, state) {
		return &failure{http.StatusConflict, "OperationNotAllowed",
			"Operation is not allowed because there's an in progress operation on the managed cluster: " + state}
	}
	return nil
}

func (s *Server) pools() []any {
	return hosted.List(hosted.Map(s.arm["properties"])["agentPoolProfiles"])
}

// pool finds an agent pool and its index.
func (s *Server) pool(name string) (map[string]any, int, bool) {
	pools := s.pools()
	i := slices.IndexFunc(pools, func(p any) bool { return hosted.Map(p)["name"] == name })
	if i < 0 {
		return nil, i, false
	}
	return hosted.Map(pools[i]), i, true
}

func poolBody(r request, name string, pool map[string]any) map[string]any {
	properties := hosted.CloneMap(pool)
	delete(properties, "name")
	return map[string]any{"id": "/" + strings.Join(r.path, "/"), "name": name,
		"type": "Microsoft.ContainerService/managedClusters/agentPools", "properties": properties}
}

func (s *Server) getPool(r request, at []string) (any, *failure) {
	if _, f := s.managed(at); f != nil {
		return nil, f
	}
	p, _, ok := s.pool(at[2])
	if !ok {
		return nil, missing(strings.Join(at, "/"))
	}
	return poolBody(r, at[2], p), nil
}

// putPool adds a pool, or changes the members of one that the request has; an
// empty text changes nothing. The pool's state tells what is being done to it, as
// Azure's does; the cluster's own stays.
func (s *Server) putPool(r request, at []string) (int, any, *failure) {
	if _, f := s.managed(at); f != nil {
		return 0, nil, f
	}
	asked := hosted.CloneMap(hosted.Map(r.object["properties"]))
	p, _, ok := s.pool(at[2])
	if !ok {
		asked["name"], asked["provisioningState"] = at[2], "Creating"
		properties := member(s.arm, "properties")
		properties["agentPoolProfiles"] = append(s.pools(), asked)
		s.began()
		return http.StatusCreated, poolBody(r, at[2], asked), nil
	}
	if f := busy(map[string]any{"properties": p}); f != nil {
		return 0, nil, f
	}
	state := "Updating"
	switch {
	case differs(asked, p, "orchestratorVersion"):
		state = "Upgrading"
	case differs(asked, p, "count"):
		state = "Scaling"
	}
	maps.DeleteFunc(asked, func(k string, v any) bool { return v == "" && p[k] != nil })
	maps.Copy(p, asked)
	p["provisioningState"] = state
	s.began()
	return http.StatusOK, poolBody(r, at[2], p), nil
}

func differs(asked, have map[string]any, key string) bool {
	v, ok := asked[key]
	return ok && !hosted.Equal(v, have[key])
}

func (s *Server) deletePool(at []string) (int, any, *failure) {
	if _, f := s.managed(at); f != nil {
		return 0, nil, f
	}
	p, _, ok := s.pool(at[2])
	if !ok {
		return http.StatusNoContent, nil, nil
	}
	p["provisioningState"] = "Deleting"
	s.began()
	return http.StatusAccepted, nil, nil
}

// settleARM ends what is under way.
func (s *Server) settleARM() {
	if s.arm == nil {
		return
	}
	if slices.Contains(moving, stateOf(s.arm)) {
		setState(s.arm, "Succeeded")
	}
	have := s.pools()
	if have == nil {
		return
	}
	pools := make([]any, 0, len(have))
	for _, p := range have {
		m := hosted.Map(p)
		switch state := hosted.Str(m["provisioningState"]); {
		case state == "Deleting":
			continue
		case slices.Contains(moving, state):
			m["provisioningState"] = "Succeeded"
		}
		pools = append(pools, p)
	}
	member(s.arm, "properties")["agentPoolProfiles"] = pools
}
