package gke

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"cloud.google.com/go/container/apiv1/containerpb"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// history is what is known of the cluster's past.
type history struct {
	updates []hosted.CloudUpdate
	// missing says why it is not known in full.
	missing string
}

// nobody is what is missing when it was asked who changed something.
const nobody = "who asked for a change is unknown: Google's operations do not tell, and Cloud Audit Logs are not read"

// history asks for the operations of the cluster's location and picks the
// cluster's own. The answer is one page: the API has no others.
func (r *Reader) history(ctx context.Context, a *account, at place, req live.Request) history {
	if req.Since.IsZero() {
		return history{missing: "not asked for"}
	}
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	answer, err := a.client.ListOperations(ctx, &containerpb.ListOperationsRequest{Parent: at.parent()})
	if err != nil {
		p := a.problem(callOperations, rightOperations, err)
		if p.Kind == live.Denied {
			return history{missing: "the login lacks the right " + rightOperations + ": " + p.Text}
		}
		return history{missing: p.Error()}
	}
	h := history{}
	for _, op := range answer.GetOperations() {
		to := parseLink(op.GetTargetLink())
		if to.cluster != at.name || to.location != at.location {
			continue
		}
		u := update(op, to.pool)
		if u.State == hosted.UpdateRunning || u.Start.After(req.Since) || u.End.After(req.Since) {
			h.updates = append(h.updates, u)
		}
	}
	slices.SortStableFunc(h.updates, later)
	var gaps []string
	if zones := answer.GetMissingZones(); len(zones) > 0 {
		gaps = append(gaps, "Google could not tell the operations of "+live.OneLine(strings.Join(zones, ", ")))
	}
	if req.Who {
		gaps = append(gaps, nobody)
	}
	h.missing = strings.Join(gaps, "; ")
	return h
}

// later puts the latest first. An operation that waits for its turn has no
// beginning yet, and is the latest.
func later(a, b hosted.CloudUpdate) int {
	if a.Start.IsZero() != b.Start.IsZero() {
		if a.Start.IsZero() {
			return -1
		}
		return 1
	}
	return b.Start.Compare(a.Start)
}

// link is what the address of a resource says. The project may be an id or a
// number.
type link struct{ project, location, cluster, pool string }

// parseLink reads an address such as
// "https://container.googleapis.com/v1/projects/1/zones/z/clusters/c/nodePools/p".
// An address of another kind is empty.
func parseLink(address string) link {
	var l link
	u, err := url.Parse(address)
	if err != nil {
		return l
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	for i := 0; i+1 < len(parts); i++ {
		var to *string
		switch parts[i] {
		case "projects":
			to = &l.project
		case "zones", "locations":
			to = &l.location
		case "clusters":
			to = &l.cluster
		case "nodePools":
			to = &l.pool
		default:
			continue
		}
		*to = parts[i+1]
		i++
	}
	return l
}
