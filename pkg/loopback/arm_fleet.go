package loopback

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// azure is the part of the Azure side that is for readers: clusters at several
// places at once, what Azure tells of their past, and misbehaviour on the way.
type azure struct {
	fleet map[string]map[string]any
	// events are the Activity Log, changes the rows of Resource Graph's resourcechanges;
	// the latest first.
	events, changes []map[string]any
	// page is how many events or rows an answer holds, 0 for all.
	page int

	quirks  []*quirk
	visited []string
}

// place is the key of a cluster in the fleet. Azure does not mind upper case.
func place(subscription, group, name string) string {
	return strings.ToLower(subscription + "/" + group + "/" + name)
}

// AddAKS puts a cluster into a subscription and resource group, beside the one of
// SetAKS. It can be read there, under exactly this name, and not changed through
// calls. The document is what ManagedClusters.Get answers, whatever it is; nil takes
// the cluster away.
func (s *Server) AddAKS(subscription, group, name string, document map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.azure.fleet == nil {
		s.azure.fleet = map[string]map[string]any{}
	}
	key := place(subscription, group, name)
	if document == nil {
		delete(s.azure.fleet, key)
		return
	}
	s.azure.fleet[key] = hosted.CloneMap(document)
}

// SetActivityLog replaces the Activity Log of all subscriptions: events as Azure
// writes them, each with eventTimestamp, resourceId and resourceGroupName, the latest
// first.
func (s *Server) SetActivityLog(events ...map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.azure.events = events
}

// SetAzureChanges replaces what Resource Graph knows of changes: the properties of
// rows of resourcechanges, the latest first.
func (s *Server) SetAzureChanges(properties ...map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.azure.changes = properties
}

// PageAzure says how many events or rows an answer holds, 0 for all.
func (s *Server) PageAzure(size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.azure.page = size
}

// fleetCluster answers a read of a cluster in the fleet; ok is false if there is none
// at that place.
func (s *Server) fleetCluster(r request, at []string) (a answer, ok bool) {
	if r.method != http.MethodGet {
		return answer{}, false
	}
	c, ok := s.azure.fleet[place(r.path[1], at[0], at[1])]
	if !ok {
		return answer{}, false
	}
	return s.read(arm, "ManagedClusters.Get", strings.Join(at, "/"), func() (any, *failure) { return c, nil }), true
}

// pageOf cuts one page out of n items: those from a token to before end, and the
// token of the next page, "" after the last.
func (s *Server) pageOf(n int, token string) (from, end int, next string, f *failure) {
	if token != "" {
		var err error
		if from, err = strconv.Atoi(token); err != nil || from < 0 || from > n {
			return 0, 0, "", &failure{http.StatusBadRequest, "BadRequest", "The skip token is not valid."}
		}
	}
	if end = n; s.azure.page > 0 && from+s.azure.page < n {
		end = from + s.azure.page
		next = strconv.Itoa(end)
	}
	return from, end, next, nil
}

// nextLink is the address of a further page.
func nextLink(r request, token string) string {
	q := url.Values{}
	for k, v := range r.query {
		q[k] = v
	}
	q.Set("$skiptoken", token)
	return fmt.Sprintf("https://%s/%s?%s", r.host, strings.Join(r.path, "/"), q.Encode())
}
