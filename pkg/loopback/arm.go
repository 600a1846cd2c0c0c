package loopback

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// pollAfter is how soon a client asks again how an operation gets on.
const pollAfter = "50"

// arm is ARM's protocol.
var arm = dialect{
	reply: func(status int, body any) answer {
		a := answer{status: status, body: body, header: map[string]string{}}
		if slices.Contains(moving, stateOf(hosted.Map(body))) {
			a.header["retry-after-ms"] = pollAfter
		}
		return a
	},
	fail: func(f failure) answer {
		// Without a line's end, which the SDK would quote.
		text := hosted.Canonical(map[string]any{"error": map[string]any{"code": f.code, "message": f.message}})
		return answer{f.status, map[string]string{"Content-Type": "application/json"}, text}
	},
}

func stateOf(resource map[string]any) string {
	return hosted.Str(hosted.Map(resource["properties"])["provisioningState"])
}

// serveLogin is as much of Entra as a client with a secret needs.
func (s *Server) serveLogin(r request) answer {
	last := r.path[len(r.path)-1]
	switch {
	case last == "instance":
		return arm.reply(http.StatusOK, map[string]any{
			"tenant_discovery_endpoint": "https://" + r.host + "/tenant/v2.0/.well-known/openid-configuration", "api-version": "1.1",
			"metadata": []any{map[string]any{"preferred_network": r.host, "preferred_cache": r.host, "aliases": []any{r.host}}}})
	case last == "openid-configuration":
		base := "https://" + r.host + "/" + r.path[0]
		return arm.reply(http.StatusOK, map[string]any{"token_endpoint": base + "/oauth2/v2.0/token",
			"authorization_endpoint": base + "/oauth2/v2.0/authorize", "issuer": base + "/v2.0"})
	case last == "token" && r.method == http.MethodPost:
		return arm.reply(http.StatusOK, map[string]any{"token_type": "Bearer", "expires_in": 3599, "ext_expires_in": 3599, "access_token": "loopback"})
	}
	return s.unknown(r, arm)
}

// Paths of ARM.
const (
	groupPath     = "subscriptions/*/resourceGroups/*"
	clusterPath   = groupPath + "/providers/Microsoft.ContainerService/managedClusters/*"
	poolPath      = clusterPath + "/agentPools/*"
	accessPath    = clusterPath + "/accessProfiles/clusterAdmin/listCredential"
	workspacePath = groupPath + "/providers/Microsoft.OperationalInsights/workspaces/*"
	deletedPath   = clusterPath + "/deletedAgentPools/*"
)

func (s *Server) serveARM(r request) answer {
	for _, route := range []struct {
		path  string
		serve func(request, []string) answer
	}{
		{groupPath, s.serveGroup}, {clusterPath, s.serveCluster}, {poolPath, s.servePool},
		{accessPath, s.serveAccess}, {workspacePath, s.serveWorkspace}, {deletedPath, s.serveDeleted},
	} {
		if values, ok := match(route.path, r.path); ok {
			return route.serve(r, values[1:])
		}
	}
	if values, ok := match(activityPath, r.path); ok {
		return s.serveActivity(r, values[0])
	}
	if _, ok := match(graphPath, r.path); ok {
		return s.serveGraph(r)
	}
	return s.unknown(r, arm)
}

// armCall is a call without its body if that is empty.
func armCall(op, target string, r request) operator.Call {
	c := operator.Call{Op: op, Target: target, Effect: effectOf(op)}
	if len(r.object) > 0 {
		c.Input = r.object
	}
	return c
}

func (s *Server) serveGroup(r request, at []string) answer {
	body := map[string]any{"id": "/" + strings.Join(r.path, "/"), "name": at[0], "location": s.arm["location"],
		"properties": map[string]any{"provisioningState": "Succeeded"}}
	switch r.method {
	case http.MethodHead:
		a := s.read(arm, "ResourceGroups.CheckExistence", at[0], func() (any, *failure) { return nil, nil })
		if a.status == http.StatusOK {
			a.status = http.StatusNoContent
		}
		return a
	case http.MethodPut:
		return s.write(arm, armCall("ResourceGroups.CreateOrUpdate", at[0], r), func() (int, any, *failure) { return http.StatusOK, body, nil })
	}
	return s.unknown(r, arm)
}

// managed is the cluster, or an error if there is none of that name.
func (s *Server) managed(at []string) (map[string]any, *failure) {
	if s.arm == nil || s.arm["name"] != at[1] {
		return nil, missing(strings.Join(at, "/"))
	}
	return s.arm, nil
}

func missing(what string) *failure {
	return &failure{http.StatusNotFound, "ResourceNotFound", "The Resource '" + what + "' was not found."}
}

func (s *Server) serveCluster(r request, at []string) answer {
	if a, ok := s.fleetCluster(r, at); ok {
		return a
	}
	target := strings.Join(at, "/")
	switch r.method {
	case http.MethodGet:
		return s.read(arm, "ManagedClusters.Get", target, func() (any, *failure) {
			c, f := s.managed(at)
			return c, f
		})
	case http.MethodPut:
		return s.write(arm, armCall("ManagedClusters.BeginCreateOrUpdate", target, r), func() (int, any, *failure) {
			return s.putCluster(r, at)
		})
	case http.MethodPatch:
		return s.write(arm, armCall("ManagedClusters.BeginUpdateTags", target, r), func() (int, any, *failure) {
			return s.putTags(r, at)
		})
	}
	return s.unknown(r, arm)
}

func (s *Server) servePool(r request, at []string) answer {
	target := strings.Join(at, "/")
	switch r.method {
	case http.MethodGet:
		return s.read(arm, "AgentPools.Get", target, func() (any, *failure) { return s.getPool(r, at) })
	case http.MethodPut:
		return s.write(arm, armCall("AgentPools.BeginCreateOrUpdate", target, r), func() (int, any, *failure) {
			return s.putPool(r, at)
		})
	case http.MethodDelete:
		a := s.write(arm, armCall("AgentPools.BeginDelete", target, r), func() (int, any, *failure) {
			return s.deletePool(at)
		})
		if a.status == http.StatusAccepted {
			a.header["Location"] = "https://" + r.host + strings.Replace("/"+strings.Join(r.path, "/"), "/agentPools/", "/deletedAgentPools/", 1) +
				"?api-version=" + r.query.Get("api-version")
			a.header["retry-after-ms"] = pollAfter
		}
		return a
	}
	return s.unknown(r, arm)
}

// serveDeleted tells whether a pool is gone: the operation of its deletion.
func (s *Server) serveDeleted(_ request, at []string) answer {
	if _, _, ok := s.pool(at[2]); ok {
		return answer{http.StatusAccepted, map[string]string{"retry-after-ms": pollAfter}, nil}
	}
	return answer{status: http.StatusNoContent}
}

// serveAccess is the administrator's kubeconfig, of a cluster that nobody can
// reach.
func (s *Server) serveAccess(r request, at []string) answer {
	return s.read(arm, "ManagedClusters.GetAccessProfile", strings.Join(at, "/"), func() (any, *failure) {
		c, f := s.managed(at)
		if f != nil {
			return nil, f
		}
		config := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c",
"clusters":[{"name":"c","cluster":{"server":"https://%s.invalid","certificate-authority-data":"Y2E="}}],
"users":[{"name":"c","user":{"token":"loopback"}}],"contexts":[{"name":"c","context":{"cluster":"c","user":"c"}}]}`, at[1])
		return map[string]any{"id": "/" + strings.Join(r.path, "/"), "location": c["location"],
			"properties": map[string]any{"kubeConfig": base64.StdEncoding.EncodeToString([]byte(config))}}, nil
	})
}

// serveWorkspace answers that any log analytics workspace exists.
func (s *Server) serveWorkspace(r request, at []string) answer {
	target := strings.Join(at, "/")
	body := map[string]any{"id": "/" + strings.Join(r.path, "/"), "name": at[1], "location": s.arm["location"],
		"properties": map[string]any{"provisioningState": "Succeeded"}}
	switch r.method {
	case http.MethodGet:
		return s.read(arm, "Workspaces.Get", target, func() (any, *failure) { return body, nil })
	case http.MethodPut:
		return s.write(arm, armCall("Workspaces.BeginCreateOrUpdate", target, r), func() (int, any, *failure) { return http.StatusOK, body, nil })
	}
	return s.unknown(r, arm)
}
