package loopback

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// trailPage is how many events one answer of LookupEvents has.
const trailPage = 2

// caller is who the audit trail says made the calls of this cloud's clients.
const caller = "arn:aws:sts::" + account + ":assumed-role/console/operator-1"

// TrailEvent is an entry of the audit trail.
type TrailEvent struct {
	Region, Name string
	Time         time.Time
	// User is the ARN of who called.
	User string
	// Request and Response are requestParameters and responseElements.
	Request, Response map[string]any
}

// AddTrail adds entries to the audit trail. Changes of EKS that are made through
// this cloud with a Clock are in it anyway.
func (s *Server) AddTrail(events ...TrailEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trail = append(s.trail, events...)
}

// audit notes a change of EKS that was carried out.
func (s *Server) audit(r request, op string, in map[string]any, body any) {
	if s.clock != nil {
		s.trail = append(s.trail, TrailEvent{regionOf(r.host), op, s.clock(), caller, hosted.CloneMap(in), hosted.CloneMap(hosted.Map(body))})
	}
}

// serveTrail serves LookupEvents, the latest first.
func (s *Server) serveTrail(r request) answer {
	const op = "LookupEvents"
	return s.asAWS(rest, "cloudtrail", op, func() answer {
		return s.read(rest, op, "", func() (any, *failure) { return s.lookupEvents(r) })
	})
}

func (s *Server) lookupEvents(r request) (any, *failure) {
	var found []TrailEvent
	for _, e := range s.trail {
		if e.Region == regionOf(r.host) && wantedEvent(e, r.object) {
			found = append(found, e)
		}
	}
	slices.SortStableFunc(found, func(a, b TrailEvent) int { return b.Time.Compare(a.Time) })
	from := 0
	if token := hosted.Str(r.object["NextToken"]); token != "" {
		n, err := strconv.Atoi(token)
		if err != nil || n > len(found) {
			return nil, &failure{http.StatusBadRequest, "InvalidNextTokenException", "invalid NextToken"}
		}
		from = n
	}
	to := min(from+trailPage, len(found))
	events := []any{}
	for _, e := range found[from:to] {
		events = append(events, e.document())
	}
	body := map[string]any{"Events": events}
	if to < len(found) {
		body["NextToken"] = strconv.Itoa(to)
	}
	return body, nil
}

func wantedEvent(e TrailEvent, in map[string]any) bool {
	at := float64(e.Time.Unix())
	if start, ok := seconds(in["StartTime"]); ok && at < start {
		return false
	}
	if end, ok := seconds(in["EndTime"]); ok && at > end {
		return false
	}
	for _, a := range hosted.List(in["LookupAttributes"]) {
		value := hosted.Str(hosted.Map(a)["AttributeValue"])
		switch hosted.Map(a)["AttributeKey"] {
		case "EventName":
			return value == e.Name
		case "EventSource":
			return value == eventSource
		default:
			return false
		}
	}
	return true
}

const eventSource = "eks.amazonaws.com"

func seconds(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

func (e TrailEvent) document() map[string]any {
	whole, err := json.Marshal(map[string]any{
		"eventTime": e.Time.UTC().Format(time.RFC3339), "eventName": e.Name, "eventSource": eventSource, "awsRegion": e.Region,
		"userIdentity":      map[string]any{"type": "AssumedRole", "arn": e.User, "accountId": account},
		"requestParameters": e.Request, "responseElements": e.Response,
	})
	if err != nil {
		whole = nil
	}
	return map[string]any{"EventName": e.Name, "EventSource": eventSource, "EventTime": e.Time.Unix(), "CloudTrailEvent": string(whole)}
}
