package eks

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudtrail"
	"github.com/aws/aws-sdk-go-v2/service/cloudtrail/types"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// trailPages bounds how many pages of one kind of event are read: AWS allows two
// requests a second for a whole account and region.
const trailPages = 10

// trailEvent is what is read of an event. The rest, such as the caller's keys, is
// not decoded.
type trailEvent struct {
	Name      string    `json:"eventName"`
	Time      time.Time `json:"eventTime"`
	ErrorCode string    `json:"errorCode"`
	Identity  struct {
		Type      string `json:"type"`
		ARN       string `json:"arn"`
		InvokedBy string `json:"invokedBy"`
	} `json:"userIdentity"`
	Request  map[string]any `json:"requestParameters"`
	Response map[string]any `json:"responseElements"`
}

func (e *trailEvent) by() string {
	for _, s := range []string{e.Identity.ARN, e.Identity.InvokedBy, e.Identity.Type} {
		if s != "" {
			return s
		}
	}
	return ""
}

// who adds who asked for the updates, and the changes that only the audit trail
// knows. CloudTrail delivers after some minutes, so that what is missing in it may
// still come.
func (h *history) who(ctx context.Context, until time.Time) {
	from := h.since
	names := []string{typeTag, typeUntag, typeDeleteGroup, typeDeleteAddon}
	for _, u := range h.updates {
		if u.Start.Before(from) && !u.Start.IsZero() {
			from = u.Start
		}
		names = append(names, eventNames(u)...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) { // one after another: see trailPages
		events, problem := h.lookUp(ctx, name, from, until)
		h.failed(problem, target{})
		for i := range events {
			h.join(&events[i])
		}
		if problem != nil && problem.Kind != live.Garbled {
			return // the next would fail for the same reason
		}
	}
}

// eventNames are the calls by which an update can have been asked for.
func eventNames(u hosted.CloudUpdate) []string {
	switch {
	case u.ID == "" && u.Type != typeModified:
		return []string{u.Type}
	case u.Type == "AddonUpdate":
		return []string{"UpdateAddon"}
	case u.Target != "" && u.Type == "VersionUpdate":
		return []string{"UpdateNodegroupVersion"}
	case u.Target != "":
		return []string{"UpdateNodegroupConfig"}
	case u.Type == "VersionUpdate", u.Type == "VersionRollback":
		return []string{"UpdateClusterVersion"}
	case strings.HasSuffix(u.Type, "ssociateEncryptionConfig"), strings.HasSuffix(u.Type, "ssociateIdentityProviderConfig"):
		return []string{u.Type}
	}
	return []string{"UpdateClusterConfig"}
}

// lookUp reads the events of a name.
func (h *history) lookUp(ctx context.Context, name string, from, until time.Time) ([]trailEvent, *live.Problem) {
	var out []trailEvent
	pages := 0
	problem := h.pages(ctx, callTrail, func(ctx context.Context, token *string) (*string, error) {
		page, err := h.trail.LookupEvents(ctx, &cloudtrail.LookupEventsInput{
			StartTime: aws.Time(from), EndTime: aws.Time(until), NextToken: token,
			LookupAttributes: []types.LookupAttribute{{AttributeKey: types.LookupAttributeKeyEventName, AttributeValue: aws.String(name)}},
		})
		if err != nil {
			return nil, err
		}
		for _, e := range page.Events {
			var event trailEvent
			if json.Unmarshal([]byte(aws.ToString(e.CloudTrailEvent)), &event) == nil && event.ErrorCode == "" {
				out = append(out, event)
			}
		}
		if pages++; pages >= trailPages {
			return nil, nil
		}
		return page.NextToken, nil
	})
	if problem == nil && pages >= trailPages {
		problem = &live.Problem{Kind: live.Garbled, Call: callTrail, Text: "there are too many events of " + name + " to read them all", Fix: "ask for a shorter time"}
	}
	return out, problem
}

// join adds an event to the update that came of it, or as an update of its own.
func (h *history) join(e *trailEvent) {
	if id, _ := hosted.Dig(e.Response, "update", "id"); hosted.Str(id) != "" {
		for i := range h.updates {
			if h.updates[i].ID == id {
				h.updates[i].By = e.by()
			}
		}
		return
	}
	u := hosted.CloudUpdate{Type: e.Name, State: hosted.UpdateDone, Start: e.Time.UTC(), By: e.by(), Source: "LookupEvents"}
	switch e.Name {
	case typeTag, typeUntag:
		// Tags are set at once.
		if u.Target, u.Fields = h.tagged(hosted.Str(e.Request["resourceArn"])); u.Fields == nil || !u.Start.After(h.since) {
			return
		}
		u.End = u.Start
		h.updates = append(h.updates, u)
	case typeCreateGroup, typeDeleteGroup, typeCreateAddon, typeDeleteAddon:
		h.joinThing(e, u)
	}
}

// tagged is the cluster or node group with an ARN as a target, and its tags. The
// trail has the ARN as it stood in the request's path.
func (h *history) tagged(arn string) (path string, fields []string) {
	if plain, err := url.PathUnescape(arn); err == nil {
		arn = plain
	}
	parts := strings.Split(arn, "/")
	switch {
	case arn == hosted.Str(h.cluster()["arn"]) && arn != "":
		return "", []string{"tags"}
	case len(parts) >= 3 && strings.HasSuffix(parts[0], ":nodegroup") && parts[1] == h.name:
		t := target{group: parts[2]}
		return t.path(), []string{t.path() + ".tags"}
	}
	return "", nil
}

// joinThing adds the creation or deletion of a node group or add-on.
func (h *history) joinThing(e *trailEvent, u hosted.CloudUpdate) {
	cluster := hosted.Str(e.Request["clusterName"])
	if cluster == "" {
		cluster = hosted.Str(e.Request["name"])
	}
	t := target{group: hosted.Str(e.Request["nodegroupName"])}
	u.Fields = []string{t.path()}
	if t.group == "" {
		t.addon = hosted.Str(e.Request["addonName"])
		u.Fields = []string{"ebsCSIDriver"}
	}
	if cluster != h.name || t.group == "" && t.addon != addonName {
		return
	}
	u.Target = t.path()
	for i := range h.updates {
		if o := &h.updates[i]; o.Type == u.Type && o.Target == u.Target && o.Source != u.Source {
			o.By = u.By
			return
		}
	}
	if u.Start.After(h.since) {
		h.updates = append(h.updates, u)
	}
}
