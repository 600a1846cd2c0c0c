package gke

import (
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/container/apiv1/containerpb"
	"google.golang.org/grpc/codes"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// byGoogle is who repairs and resizes on its own account.
const byGoogle = "Google"

// update is one operation. pool is the node pool that it is about, "" for the
// cluster.
func update(op *containerpb.Operation, pool string) hosted.CloudUpdate {
	u := hosted.CloudUpdate{
		ID: op.GetName(), Type: op.GetOperationType().String(), Status: op.GetStatus().String(),
		Start: moment(op.GetStartTime()), End: moment(op.GetEndTime()),
		Params: params(op), Errors: failures(op), Source: "ListOperations",
	}
	u.State = state(op)
	if pool != "" {
		u.Target = hosted.Path{}.Key("nodePools").Item(pool).String()
	}
	u.Fields, u.None = fields(u.Type, u.Target)
	switch u.Type {
	case "REPAIR_CLUSTER", "RESIZE_CLUSTER",
		"AUTO_REPAIR_NODES", "AUTO_UPGRADE_NODES":
		u.By = byGoogle
	}
	return u
}

// moment is a time as Google writes it, zero if it is not one.
func moment(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

// state: DONE is any end, a failure and a cancellation too, which only the error
// tells apart; ABORTING is still under way.
func state(op *containerpb.Operation) hosted.UpdateState {
	switch {
	case op.GetStatus() != containerpb.Operation_DONE:
		return hosted.UpdateRunning
	case codes.Code(op.GetError().GetCode()) == codes.Canceled:
		return hosted.UpdateCancelled
	case op.GetError() != nil || op.GetStatusMessage() != "": //nolint:staticcheck // SA1019: see failures
		return hosted.UpdateFailed
	}
	return hosted.UpdateDone
}

// failures are the texts of what went wrong; the second and the third place are
// deprecated and still filled by old operations.
func failures(op *containerpb.Operation) []string {
	var out []string
	add := func(s string) {
		s = live.OneLine(s)
		for _, known := range out {
			if known == s {
				return
			}
		}
		if s != "" {
			out = append(out, s)
		}
	}
	add(op.GetError().GetMessage())
	if op.GetStatus() == containerpb.Operation_DONE {
		add(op.GetStatusMessage()) //nolint:staticcheck // SA1019: see above
	}
	for _, c := range op.GetClusterConditions() { //nolint:staticcheck // SA1019: see above
		add(c.GetMessage())
	}
	for _, c := range op.GetNodepoolConditions() { //nolint:staticcheck // SA1019: see above
		add(c.GetMessage())
	}
	return out
}

// fields are the places in the Config that an operation of a type can change; none
// says that it changes nothing that a Config can hold. A type that can change
// anything, or that is not known, yields neither. The table follows the comments on
// Operation.Type in cloud.google.com/go/container v1.56.1; some types are no longer
// used.
func fields(kind, target string) (paths []string, none bool) {
	below := func(members ...string) []string {
		if target == "" {
			return []string{"nodePools"}
		}
		for i, m := range members {
			members[i] = target + "." + m
		}
		return members
	}
	switch kind {
	case "UPGRADE_MASTER":
		return []string{"kubernetesVersion"}, false
	case "UPGRADE_NODES":
		return below("version", "config"), false
	case "AUTO_UPGRADE_NODES":
		return below("version"), false
	case "SET_NODE_POOL_SIZE":
		return below("initialNodeCount"), false
	case "SET_NODE_POOL_MANAGEMENT":
		return below("management"), false
	case "CREATE_NODE_POOL", "DELETE_NODE_POOL":
		if target == "" {
			return below(), false
		}
	case "SET_LABELS":
		return []string{"labels"}, false
	case "SET_NETWORK_POLICY":
		return []string{"networkPolicyEnabled"}, false
	case "SET_MAINTENANCE_POLICY":
		return []string{"maintenanceWindow"}, false
	case "REPAIR_CLUSTER", "RESIZE_CLUSTER", "AUTO_REPAIR_NODES",
		"SET_MASTER_AUTH", "FLEET_FEATURE_UPGRADE":
		return nil, true
	}
	if target != "" {
		return []string{target}, false
	}
	return nil, false
}

// params are the details of an operation: what it says, how far it has come, and
// on which node it works.
func params(op *containerpb.Operation) []hosted.CloudParam {
	var out []hosted.CloudParam
	add := func(name, value string) {
		if value != "" {
			out = append(out, hosted.CloudParam{Name: live.OneLine(name), Value: live.OneLine(value)})
		}
	}
	add("detail", op.GetDetail())
	add("stage", op.GetProgress().GetName())
	for _, m := range op.GetProgress().GetMetrics() {
		switch v := m.GetValue().(type) {
		case *containerpb.OperationProgress_Metric_IntValue:
			add(m.GetName(), strconv.FormatInt(v.IntValue, 10))
		case *containerpb.OperationProgress_Metric_DoubleValue:
			add(m.GetName(), fmt.Sprint(v.DoubleValue))
		case *containerpb.OperationProgress_Metric_StringValue:
			add(m.GetName(), v.StringValue)
		}
	}
	return out
}
