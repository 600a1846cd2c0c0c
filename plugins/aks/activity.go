package aks

import (
	"context"
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/monitor/armmonitor"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

const (
	// lookBack is how much earlier the log is read, to find the beginnings of what
	// ended later. lookAhead lets the cloud's clock be ahead of this one.
	lookBack  = time.Hour
	lookAhead = 5 * time.Minute
	// logKeeps is how long Azure keeps the log, less a margin.
	logKeeps = 90*24*time.Hour - lookBack
)

// activity reads the Activity Log of the cluster's resource group. Azure's filter on
// one resource need not include what is below it, such as agent pools. With a problem
// it returns the events that it has read before.
func (s *session) activity(ctx context.Context, t target, since, now time.Time) ([]*armmonitor.EventData, *live.Problem) {
	client, err := armmonitor.NewActivityLogsClient(t.subscription, s.login, s.options)
	if err != nil {
		return nil, problemOf(ctx, callActivity, err)
	}
	until := now
	if since.After(until) {
		until = since
	}
	from := since.Add(-lookBack)
	var short *live.Problem
	if oldest := until.Add(-logKeeps); from.Before(oldest) {
		from = oldest
		short = &live.Problem{Kind: live.Unsupported, Call: callActivity, Text: "Azure keeps the Activity Log for 90 days only", Fix: "ask for a shorter time"}
	}
	pager := client.NewListPager(fmt.Sprintf("eventTimestamp ge '%s' and eventTimestamp le '%s' and resourceGroupName eq '%s'",
		stamp(from), stamp(until.Add(lookAhead)), t.group), nil)
	var events []*armmonitor.EventData
	for n := 0; pager.More(); n++ {
		if n == pageLimit {
			return events, &live.Problem{Kind: live.Unsupported, Call: callActivity, Text: tooMany, Fix: "ask for a shorter time"}
		}
		page, err := pager.NextPage(ctx)
		if err != nil {
			return events, problemOf(ctx, callActivity, err)
		}
		events = append(events, page.Value...)
	}
	return events, short
}

// stamp is a time as Azure's queries write it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.0000000Z") }
