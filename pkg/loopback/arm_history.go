package loopback

import (
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Paths of what Azure tells of the past.
const (
	activityPath = "subscriptions/*/providers/Microsoft.Insights/eventtypes/management/values"
	graphPath    = "providers/Microsoft.ResourceGraph/resources"
)

// activityFilter is the one filter of the log that is served. Azure allows few others.
var activityFilter = regexp.MustCompile(`^eventTimestamp ge '([^']+)' and eventTimestamp le '([^']+)' and resourceGroupName eq '([^']+)'$`)

// serveActivity lists events of a resource group in a time range.
func (s *Server) serveActivity(r request, subscription string) answer {
	if r.method != http.MethodGet {
		return s.unknown(r, arm)
	}
	return s.read(arm, "ActivityLogs.List", subscription, func() (any, *failure) {
		bad := &failure{http.StatusBadRequest, "BadRequest", "The $filter is not supported."}
		parts := activityFilter.FindStringSubmatch(r.query.Get("$filter"))
		if parts == nil {
			return nil, bad
		}
		from, err := time.Parse(time.RFC3339Nano, parts[1])
		to, err2 := time.Parse(time.RFC3339Nano, parts[2])
		if err != nil || err2 != nil {
			return nil, bad
		}
		events := []any{}
		for _, e := range s.azure.events {
			when, err := time.Parse(time.RFC3339Nano, hosted.Str(e["eventTimestamp"]))
			id := strings.ToLower(hosted.Str(e["resourceId"]))
			if err == nil && !when.Before(from) && !when.After(to) && strings.EqualFold(hosted.Str(e["resourceGroupName"]), parts[3]) &&
				strings.HasPrefix(id, "/subscriptions/"+strings.ToLower(subscription)+"/") {
				events = append(events, e)
			}
		}
		first, end, next, f := s.pageOf(len(events), r.query.Get("$skiptoken"))
		if f != nil {
			return nil, f
		}
		body := map[string]any{"value": events[first:end]}
		if next != "" {
			body["nextLink"] = nextLink(r, next)
		}
		return body, nil
	})
}

// The two queries of Resource Graph that are served, by the conditions in them.
var (
	graphCondition = regexp.MustCompile(`(\w+) =~ '([^']*)'`)
	graphSince     = regexp.MustCompile(`\bdatetime\(([^)]+)\)`)
)

// serveGraph answers the query for the places of a cluster, and the one for the
// changes of one resource. It is no interpreter: a query is known by its table and
// its conditions.
func (s *Server) serveGraph(r request) answer {
	if r.method != http.MethodPost {
		return s.unknown(r, arm)
	}
	query := hosted.Str(r.object["query"])
	table, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	conditions := map[string]string{}
	for _, m := range graphCondition.FindAllStringSubmatch(query, -1) {
		conditions[m[1]] = m[2]
	}
	return s.read(arm, "ResourceGraph.Resources", strings.ToLower(table), func() (any, *failure) {
		rows, f := s.graphRows(strings.ToLower(table), query, conditions)
		if f != nil {
			return nil, f
		}
		options := hosted.Map(r.object["options"])
		first, end, next, f := s.pageOf(len(rows), hosted.Str(options["$skipToken"]))
		if f != nil {
			return nil, f
		}
		body := map[string]any{"totalRecords": len(rows), "count": end - first, "resultTruncated": "false", "data": rows[first:end], "facets": []any{}}
		if next != "" {
			body["$skipToken"] = next
		}
		return body, nil
	})
}

func (s *Server) graphRows(table, query string, conditions map[string]string) ([]any, *failure) {
	rows := []any{}
	switch table {
	case "resources":
		for _, key := range hosted.SortedKeys(s.azure.fleet) {
			part := strings.Split(key, "/")
			if strings.EqualFold(part[1], conditions["resourceGroup"]) && strings.EqualFold(part[2], conditions["name"]) {
				rows = append(rows, map[string]any{"subscriptionId": part[0], "location": s.azure.fleet[key]["location"]})
			}
		}
		return rows, nil
	case "resourcechanges":
		since := graphSince.FindStringSubmatch(query)
		if since == nil || conditions["target"] == "" {
			break
		}
		from, err := time.Parse(time.RFC3339Nano, since[1])
		if err != nil {
			break
		}
		for _, p := range s.azure.changes {
			when, err := time.Parse(time.RFC3339Nano, hosted.Str(hosted.Map(p["changeAttributes"])["timestamp"]))
			if err == nil && when.After(from) && strings.EqualFold(hosted.Str(p["targetResourceId"]), conditions["target"]) {
				rows = append(rows, map[string]any{"properties": p})
			}
		}
		return rows, nil
	}
	return nil, &failure{http.StatusBadRequest, "BadRequest", "Please provide below info when asking for support: the query is not supported."}
}
