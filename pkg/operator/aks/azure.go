package aks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// azure is the cloud as the operator's clients meet it: it answers reads, takes
// writes, and fails where a fault says so.
type azure struct {
	cloud        Cloud
	behaviour    Behaviour
	subscription string
	group, name  string
	faults       []fault
	calls        []operator.Call
	noGroup      bool
}

// fault is an injected fault and how often its operation was met and failed.
type fault struct {
	operator.Fault
	met, fired int
}

// responseError is a failed call as the Azure SDK words it.
type responseError struct {
	method, url   string
	status        int
	code, message string
}

var statusTexts = map[int]string{
	400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
	408: "Request Timeout", 409: "Conflict", 412: "Precondition Failed", 429: "Too Many Requests",
	500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
}

func (e *responseError) Error() string {
	const line = "--------------------------------------------------------------------------------\n"
	code := "ERROR CODE: " + e.code
	if e.code == "" {
		code = "ERROR CODE UNAVAILABLE"
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	type detail struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	if err := enc.Encode(map[string]detail{"error": {e.code, e.message}}); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %s\n%sRESPONSE %d: %d %s\n%s\n%s%s%s",
		e.method, e.url, line, e.status, e.status, statusTexts[e.status], code, line, body.String(), line)
}

// request is one call: its operation and target in the vectors' spelling, the
// body, and where it goes.
type request struct {
	op, target, method, path string
	body                     any
	call                     operator.Call
}

// strike returns the error of a fault that hits the request, nil if none does.
func (a *azure) strike(r request) *responseError {
	for i := range a.faults {
		f := &a.faults[i]
		if f.Op != r.op || !strings.HasSuffix(r.target, f.Target) {
			continue
		}
		f.met++
		first := max(f.Nth, 1)
		if f.met < first || f.Count > 0 && f.met >= first+f.Count || f.Times > 0 && f.fired >= f.Times {
			continue
		}
		f.fired++
		return a.failure(r, max(f.HTTPStatus, f.Status), f.Code, f.Message)
	}
	return nil
}

func (a *azure) failure(r request, status int, code, message string) *responseError {
	return &responseError{r.method, a.cloud.endpoints().Base + r.path, status, code, message}
}

// read sends a request that changes nothing.
func (a *azure) read(r request) error {
	if err := a.strike(r); err != nil {
		return err
	}
	return nil
}

// write sends a request, records it and, if it succeeds, applies it.
func (a *azure) write(r request, apply func()) error {
	c := r.call
	c.Op, c.Target, c.Input = r.op, r.target, r.body
	if c.Effect == "" {
		c.Effect = operator.Update
	}
	if c.Fields == nil {
		c.Fields = []string{}
	}
	failed := a.strike(r)
	if failed != nil {
		c.Error, c.HTTPStatus = failed.code, failed.status
	}
	a.calls = append(a.calls, c)
	if failed != nil {
		return failed
	}
	apply()
	return nil
}

func (a *azure) clusterPath() string {
	return fmt.Sprintf("/subscriptions/%s/resourceGroups/%s/providers/Microsoft.ContainerService/managedClusters/%s",
		url.PathEscape(a.subscription), url.PathEscape(a.group), url.PathEscape(a.name))
}

func (a *azure) groupPath(group string) string {
	return fmt.Sprintf("/subscriptions/%s/resourcegroups/%s", url.PathEscape(a.subscription), url.PathEscape(group))
}

func (a *azure) target(parts ...string) string {
	return strings.Join(append([]string{a.group, a.name}, parts...), "/")
}

// named refuses what the SDK refuses to send.
func (a *azure) named() error {
	if a.group == "" {
		return errEmpty("resourceGroupName")
	}
	if a.name == "" {
		return errEmpty("resourceName")
	}
	return nil
}

func errEmpty(parameter string) error {
	return fmt.Errorf("parameter %s cannot be empty", parameter)
}

// get is ManagedClusters.Get.
func (a *azure) get() (map[string]any, error) {
	if err := a.named(); err != nil {
		return nil, err
	}
	r := request{op: "ManagedClusters.Get", target: a.target(), method: "GET", path: a.clusterPath()}
	if err := a.read(r); err != nil {
		return nil, err
	}
	if !a.cloud.Exists() {
		return nil, a.failure(r, 404, "ResourceNotFound", fmt.Sprintf("The Resource '%s' was not found.", a.target()))
	}
	return a.cloud.doc, nil
}

// accessProfile is ManagedClusters.GetAccessProfile for the cluster's
// administrator. Its answer does not matter here.
func (a *azure) accessProfile() error {
	if err := a.named(); err != nil {
		return err
	}
	r := request{op: "ManagedClusters.GetAccessProfile", target: a.target(), method: "POST",
		path: a.clusterPath() + "/accessProfiles/clusterAdmin/listCredential"}
	if err := a.read(r); err != nil {
		return err
	}
	if !a.cloud.Exists() {
		return a.failure(r, 404, "ResourceNotFound", fmt.Sprintf("The Resource '%s' was not found.", a.target()))
	}
	return nil
}

// groupExists is ResourceGroups.CheckExistence. The operator takes every error
// for "does not exist".
func (a *azure) groupExists() bool {
	err := a.read(request{op: "ResourceGroups.CheckExistence", target: a.group, method: "HEAD", path: a.groupPath(a.group)})
	return a.group != "" && err == nil && !a.noGroup
}

func (a *azure) createGroup(location string, cause operator.Call) error {
	if a.group == "" {
		return errEmpty("resourceGroupName")
	}
	return a.write(request{op: "ResourceGroups.CreateOrUpdate", target: a.group, method: "PUT", path: a.groupPath(a.group),
		body: map[string]any{"name": a.group, "location": location}, call: cause}, func() { a.noGroup = false })
}

func (a *azure) put(body map[string]any, cause operator.Call) error {
	return a.write(request{op: "ManagedClusters.BeginCreateOrUpdate", target: a.target(), method: "PUT", path: a.clusterPath(),
		body: body, call: cause}, func() { a.applyCluster(body) })
}

func (a *azure) putTags(tags map[string]any, cause operator.Call) error {
	return a.write(request{op: "ManagedClusters.BeginUpdateTags", target: a.target(), method: "PATCH", path: a.clusterPath(),
		body: map[string]any{"tags": tags}, call: cause}, func() { a.applyTags(tags) })
}

func (a *azure) poolRequest(op, method, name string) request {
	return request{op: op, target: a.target(name), method: method, path: a.clusterPath() + "/agentPools/" + url.PathEscape(name)}
}

func (a *azure) putPool(name string, properties map[string]any, cause operator.Call) error {
	if name == "" {
		return errEmpty("agentPoolName")
	}
	r := a.poolRequest("AgentPools.BeginCreateOrUpdate", "PUT", name)
	r.body, r.call = map[string]any{"properties": properties}, cause
	return a.write(r, func() { a.applyPool(name, properties) })
}

func (a *azure) deletePool(name string, cause operator.Call) error {
	if name == "" {
		return errEmpty("agentPoolName")
	}
	r := a.poolRequest("AgentPools.BeginDelete", "DELETE", name)
	r.call = cause
	return a.write(r, func() { a.applyPoolDelete(name) })
}

// workspaceID finds the workspace, or creates it, and returns its id. Without a
// fault that says otherwise it exists.
func (a *azure) workspaceID(w workspace, cause operator.Call) (string, error) {
	r := request{op: "Workspaces.Get", target: w.group + "/" + w.name, method: "GET",
		path: a.groupPath(w.group) + "/providers/Microsoft.OperationalInsights/workspaces/" + url.PathEscape(w.name)}
	id := workspaceResource(a.subscription, w.group, w.name)
	if a.read(r) == nil && w.group != "" {
		return id, nil
	}
	if w.group == "" {
		return "", errEmpty("resourceGroupName")
	}
	r.op, r.method, r.call = "Workspaces.BeginCreateOrUpdate", "PUT", cause
	r.body = map[string]any{"location": w.region, "properties": map[string]any{"sku": map[string]any{"name": "Standalone"}}}
	return id, a.write(r, func() {})
}

func workspaceResource(subscription, group, name string) string {
	return fmt.Sprintf("/subscriptions/%s/resourceGroups/%s/providers/Microsoft.OperationalInsights/workspaces/%s", subscription, group, name)
}
