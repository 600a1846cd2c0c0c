package aks

import (
	"encoding/json"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/monitor/armmonitor"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// updatesOf makes updates of the log's events: all events of one operation on one
// resource with one correlation id are one update. Those about other clusters, and
// those that only read, are left out. An update whose end is not among the events
// counts as running until withRunning knows better.
func updatesOf(events []*armmonitor.EventData, t target) []hosted.CloudUpdate {
	var out []hosted.CloudUpdate
	index := map[[3]string]int{}
	for _, e := range events {
		if e == nil || e.EventTimestamp == nil {
			continue
		}
		operation := value(e.OperationName)
		pool, ok := concerns(deref(e.ResourceID), operation, t)
		if !ok {
			continue
		}
		key := [3]string{strings.ToLower(deref(e.CorrelationID)), pool, strings.ToLower(operation)}
		at, known := index[key]
		if !known {
			at = len(out)
			index[key] = at
			out = append(out, newUpdate(e, operation, pool))
		}
		add(&out[at], e)
	}
	return out
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func value(s *armmonitor.LocalizableString) string {
	if s == nil {
		return ""
	}
	return deref(s.Value)
}

const (
	clusterOperations = "microsoft.containerservice/managedclusters/"
	tagOperations     = "microsoft.resources/tags/"
)

// concerns tells whether an operation on a resource can change the cluster, and which
// of its pools if it is one.
func concerns(resource, operation string, t target) (pool string, ok bool) {
	if !under(strings.ReplaceAll(resource, "/", "."), strings.ReplaceAll(t.id(), "/", ".")) {
		return "", false
	}
	operation = strings.ToLower(operation)
	if !strings.HasPrefix(operation, clusterOperations) && !strings.HasPrefix(operation, tagOperations) {
		return "", false
	}
	parts := strings.Split(operation, "/")
	last := parts[len(parts)-1]
	if last == "read" || last == "action" && strings.HasPrefix(parts[len(parts)-2], "list") {
		return "", false
	}
	rest := strings.Split(strings.Trim(resource[len(t.id()):], "/"), "/")
	if len(rest) >= 2 && strings.EqualFold(rest[0], "agentPools") {
		pool = rest[1]
	}
	return pool, true
}

func newUpdate(e *armmonitor.EventData, operation, pool string) hosted.CloudUpdate {
	u := hosted.CloudUpdate{ID: deref(e.CorrelationID), Type: operation, State: hosted.UpdateRunning, By: deref(e.Caller), Source: callActivity}
	if pool != "" {
		u.ID += "/" + pool
		u.Target = poolPath(pool)
	}
	u.Fields, u.None = operationEffect(strings.ToLower(operation), u.Target)
	if app := deref(e.Claims["appid"]); app != "" {
		u.Params = append(u.Params, hosted.CloudParam{Name: "application", Value: app})
	}
	return u
}

// operationEffect is what an operation can change of the Config. A write of the
// cluster can change any field, tags included; one of a pool only that pool.
func operationEffect(operation, target string) (fields []string, none bool) {
	name, _ := strings.CutPrefix(operation, clusterOperations)
	switch {
	case strings.HasPrefix(operation, tagOperations):
		return []string{"tags"}, false
	case strings.HasSuffix(name, "/action"):
		action := strings.TrimPrefix(strings.TrimSuffix(name, "/action"), "agentpools/")
		switch action {
		case "start", "stop", "rotateclustercertificates", "rotateserviceaccountsigningkeys", "resetaadprofile", "resetserviceprincipalprofile",
			"runcommand", "upgradenodeimageversion", "unpin":
			return nil, true
		case "deletemachines":
			return []string{target + ".count"}, false
		}
	case strings.HasPrefix(name, "agentpools/upgradenodeimageversion/"), strings.HasPrefix(name, "maintenanceconfigurations/"),
		strings.HasPrefix(name, "privateendpointconnections/"):
		return nil, true
	}
	if target != "" {
		return []string{target}, false
	}
	return nil, false
}

// add takes an event into its update. Events come in any order.
func add(u *hosted.CloudUpdate, e *armmonitor.EventData) {
	status, when := value(e.Status), e.EventTimestamp.UTC()
	state, final := finalStates[strings.ToLower(status)]
	switch {
	case final && !when.Before(u.End):
		u.Status, u.State, u.End = status, state, when
	case !final && (u.Start.IsZero() || when.Before(u.Start)):
		u.Start = when
	}
	if u.State == hosted.UpdateRunning {
		u.Status = status
	}
	if u.By == "" {
		u.By = deref(e.Caller)
	}
	if sub := value(e.SubStatus); sub != "" && final {
		u.Params = append(u.Params, hosted.CloudParam{Name: "subStatus", Value: live.OneLine(sub)})
	}
	if state == hosted.UpdateFailed {
		if text := statusMessage(deref(e.Properties["statusMessage"])); text != "" {
			u.Errors = append(u.Errors, text)
		}
	}
}

// finalStates are the words with which the log ends an operation.
var finalStates = map[string]hosted.UpdateState{
	"succeeded": hosted.UpdateDone, "failed": hosted.UpdateFailed,
	"canceled": hosted.UpdateCancelled, "cancelled": hosted.UpdateCancelled,
}

// statusMessage is the error in an event's message, which is mostly JSON.
func statusMessage(text string) string {
	var m struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal([]byte(text), &m) == nil && m.Error.Code+m.Error.Message != "" {
		text = strings.Trim(m.Error.Code+": "+m.Error.Message, ": ")
	}
	return live.OneLine(text)
}
