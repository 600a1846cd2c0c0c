package aks

import (
	"context"
	"fmt"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/resourcegraph/armresourcegraph"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

const fixSubscription = "name the subscription, log in as somebody who may read the cluster, or read with Rancher's credential"

// locate completes the target's subscription: a Config does not name one. Only where
// neither the credential nor the caller does is Resource Graph asked, once for each
// cluster.
func (r *Reader) locate(ctx context.Context, s *session, t *target) *live.Problem {
	if t.subscription = s.subscription; t.subscription != "" {
		if !plainID.MatchString(t.subscription) {
			return &live.Problem{Kind: live.Unsupported, Text: "what was given as the subscription is no subscription id", Fix: "give the subscription's id"}
		}
		return nil
	}
	key := strings.ToLower(t.environment + "/" + t.group + "/" + t.name)
	r.mu.Lock()
	t.subscription = r.found[key]
	r.mu.Unlock()
	if t.subscription != "" {
		return nil
	}
	found, p := s.find(ctx, *t)
	if p != nil {
		return p
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found[key], t.subscription = found, found
	return nil
}

// find asks Resource Graph, which searches all subscriptions that the login can see.
// Seeing none does not mean that the cluster is gone.
func (s *session) find(ctx context.Context, t target) (string, *live.Problem) {
	query := fmt.Sprintf("resources | where type =~ 'microsoft.containerservice/managedclusters' and name =~ '%s' and resourceGroup =~ '%s' "+
		"| project subscriptionId, location", t.name, t.group)
	rows, p := s.graph(ctx, query, nil)
	if p != nil {
		return "", p
	}
	if len(rows) > 1 {
		rows = atLocation(rows, t.location)
	}
	var found []string
	for _, row := range rows {
		if id := hosted.Str(row["subscriptionId"]); plainID.MatchString(id) {
			found = append(found, id)
		}
	}
	where := fmt.Sprintf("cluster %s in resource group %s", t.name, t.group)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &live.Problem{Kind: live.Denied, Call: callGraph, Text: "this login can see no " + where + " in any subscription", Fix: fixSubscription}
	}
	return "", &live.Problem{Kind: live.Unsupported, Call: callGraph,
		Text: fmt.Sprintf("%d subscriptions have a %s: %s", len(found), where, strings.Join(found, ", ")), Fix: "name the subscription"}
}

func atLocation(rows []map[string]any, location string) []map[string]any {
	var out []map[string]any
	for _, row := range rows {
		if plainLocation(hosted.Str(row["location"])) == plainLocation(location) {
			out = append(out, row)
		}
	}
	return out
}

// plainLocation is a location as Azure compares it: "East US" is eastus.
func plainLocation(l string) string { return strings.ToLower(strings.ReplaceAll(l, " ", "")) }

// graph asks Resource Graph and reads all pages of the answer.
func (s *session) graph(ctx context.Context, query string, subscriptions []*string) ([]map[string]any, *live.Problem) {
	client, err := armresourcegraph.NewClient(s.login, s.options)
	if err != nil {
		return nil, problemOf(ctx, callGraph, err)
	}
	var rows []map[string]any
	options := &armresourcegraph.QueryRequestOptions{ResultFormat: to.Ptr(armresourcegraph.ResultFormatObjectArray)}
	for range pageLimit {
		answer, err := client.Resources(ctx, armresourcegraph.QueryRequest{Query: &query, Subscriptions: subscriptions, Options: options}, nil)
		if err != nil {
			return rows, problemOf(ctx, callGraph, err)
		}
		list, ok := answer.Data.([]any)
		if !ok {
			return rows, &live.Problem{Kind: live.Garbled, Call: callGraph, Text: "the answer is not the list of rows that was asked for", Fix: fixGarbled}
		}
		for _, row := range list {
			rows = append(rows, hosted.Map(row))
		}
		if answer.SkipToken == nil || *answer.SkipToken == "" {
			return rows, nil
		}
		options.SkipToken = answer.SkipToken
	}
	return rows, &live.Problem{Kind: live.Unsupported, Call: callGraph, Text: tooMany, Fix: "ask for a shorter time"}
}

// pageLimit bounds how many pages of an answer about the past are read.
const pageLimit = 50

var tooMany = fmt.Sprintf("the answer has more than %d pages", pageLimit)
