package alibaba

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// signer is the access key's id in the signature.
var signer = regexp.MustCompile(`^ACS3-HMAC-SHA256 Credential=([^,]+),SignedHeaders=[^,]+,Signature=[0-9a-f]{64}$`)

// serve records a call, lets trouble strike and else answers.
func (c *Cloud) serve(w http.ResponseWriter, r *http.Request) {
	action := r.Header.Get("x-acs-action")
	c.mu.Lock()
	c.calls = append(c.calls, Call{action, r.Method, r.URL.Path})
	f := c.trouble.strike(action)
	if f == nil {
		f = c.login(r)
	}
	c.mu.Unlock()
	if f != nil {
		c.fail(w, r, f)
		return
	}
	status, body := c.answer(action, r)
	write(w, status, body)
}

// login returns the fault of a call whose key is not known.
func (c *Cloud) login(r *http.Request) *Fault {
	refused := func(code string) *Fault {
		return &Fault{HTTP: http.StatusForbidden, Code: code, Message: "Specified access key or token is not accepted."}
	}
	m := signer.FindStringSubmatch(r.Header.Get("Authorization"))
	if m == nil {
		return refused("IncompleteSignature")
	}
	token, known := c.keys[m[1]]
	switch {
	case !known:
		return refused("InvalidAccessKeyId.NotFound")
	case token != r.Header.Get("x-acs-security-token"):
		return refused("InvalidSecurityToken.Expired")
	}
	return nil
}

// answer is the status and the body of an answer.
func (c *Cloud) answer(action string, r *http.Request) (int, any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	missing := func(code, what string) (int, any) {
		return http.StatusNotFound, map[string]any{"code": code, "message": code + ": " + what + " is not found", "requestId": "-"}
	}
	if r.Method != http.MethodGet || len(parts) < 2 {
		return http.StatusMethodNotAllowed, map[string]any{"code": "NotServed", "message": action + " is not served here", "requestId": "-"}
	}
	if action == "DescribeTaskInfo" {
		task, ok := c.tasks[parts[1]]
		if !ok {
			return missing("ErrorTaskNotFound", "task "+parts[1])
		}
		return http.StatusOK, task
	}
	k, ok := c.clusters[parts[1]]
	if !ok {
		return missing("ErrorClusterNotFound", "cluster "+parts[1])
	}
	switch action {
	case "DescribeClusterDetail":
		return http.StatusOK, k.Detail
	case "DescribeClusterNodePools":
		return http.StatusOK, k.NodePools
	case "DescribeClusterNodes":
		return http.StatusOK, k.Nodes[r.URL.Query().Get("nodepool_id")]
	}
	return http.StatusMethodNotAllowed, map[string]any{"code": "NotServed", "message": action + " is not served here", "requestId": "-"}
}

// write sends an answer; nil is none.
func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body)
	}
}
