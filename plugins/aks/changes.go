package aks

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// graphKeeps is how long Resource Graph keeps changes.
const graphKeeps = 14 * 24 * time.Hour

// changes asks Resource Graph for the changes of the cluster with values and actors.
func (s *session) changes(ctx context.Context, t target, since, now time.Time) ([]map[string]any, *live.Problem) {
	query := fmt.Sprintf("resourcechanges | extend target = tostring(properties.targetResourceId), "+
		"changed = todatetime(properties.changeAttributes.timestamp) | where target =~ '%s' and changed > datetime(%s) "+
		"| order by changed desc | project properties", t.id(), stamp(since))
	rows, p := s.graph(ctx, query, []*string{&t.subscription})
	var out []map[string]any
	for _, row := range rows {
		if m := hosted.Map(row["properties"]); m != nil {
			out = append(out, m)
		}
	}
	if p == nil && since.Before(now.Add(-graphKeeps)) {
		p = &live.Problem{Kind: live.Unsupported, Call: callGraph, Text: "Azure keeps values and actors for 14 days only", Fix: "ask for a shorter time"}
	}
	return out, p
}

// withChanges adds what Resource Graph knows to the updates with the same correlation
// id; a change that the log does not have yet becomes an update of its own.
func withChanges(list []hosted.CloudUpdate, changes []map[string]any, doc map[string]any) []hosted.CloudUpdate {
	for _, change := range changes {
		attributes := hosted.Map(change["changeAttributes"])
		at, err := time.Parse(time.RFC3339Nano, hosted.Str(attributes["timestamp"]))
		if err != nil {
			continue
		}
		effects := effectsOf(hosted.Map(change["changes"]), doc)
		id, met := hosted.Str(attributes["correlationId"]), false
		for i := range list {
			if own, _, _ := strings.Cut(list[i].ID, "/"); id != "" && strings.EqualFold(own, id) {
				met = true
				enrich(&list[i], attributes, effects)
			}
		}
		if met {
			continue
		}
		u := hosted.CloudUpdate{ID: id, Type: hosted.Str(attributes["operation"]), Status: hosted.Str(change["changeType"]),
			State: hosted.UpdateDone, Start: at.UTC(), End: at.UTC(), Source: callGraph}
		if u.Type == "" {
			u.Type = "resourcechanges"
		}
		enrich(&u, attributes, effects)
		list = append(list, u)
	}
	return list
}

// effect is one changed member: the field that it makes, and the values. Without a
// field it is a member that no Config holds.
type effect struct {
	field, member string
	values        string
	unseen        bool
}

func enrich(u *hosted.CloudUpdate, attributes map[string]any, effects []effect) {
	if by := hosted.Str(attributes["changedBy"]); u.By == "" && !strings.EqualFold(by, "Unspecified") {
		u.By = by
	}
	if client := hosted.Str(attributes["clientType"]); client != "" {
		u.Params = append(u.Params, hosted.CloudParam{Name: "clientType", Value: live.OneLine(client)})
	}
	var fields []string
	known := len(effects) > 0
	for _, e := range effects {
		switch {
		case e.field == "":
			known = known && e.unseen
			if !e.unseen {
				u.Params = append(u.Params, hosted.CloudParam{Name: "changed", Value: e.member})
			}
		case u.Target == "" || strings.HasPrefix(e.field, u.Target):
			if !slices.Contains(fields, e.field) {
				fields = append(fields, e.field)
			}
			u.Params = append(u.Params, hosted.CloudParam{Name: e.field, Value: e.values})
		}
	}
	if len(fields) > 0 {
		u.Fields, u.None = fields, false
	} else if known && u.Source == callGraph {
		u.None = true
	}
}

// effectsOf turns the changed members of the cluster into fields, in order.
func effectsOf(changes, doc map[string]any) []effect {
	var out []effect
	for _, key := range hosted.SortedKeys(changes) {
		c := hosted.Map(changes[key])
		values := shown(c["previousValue"]) + " → " + shown(c["newValue"])
		member, fields := fieldsOf(key, doc)
		if len(fields) == 0 {
			out = append(out, effect{member: member, unseen: isUnseen(member)})
		}
		for _, f := range fields {
			out = append(out, effect{field: f, member: member, values: values})
		}
	}
	return out
}

func shown(v any) string {
	if v == nil {
		return "nothing"
	}
	return live.OneLine(fmt.Sprint(v))
}

var (
	poolIn    = regexp.MustCompile(`(?i)^properties\.agentPoolProfiles\["?([^\]"]+)"?\](.*)$`)
	anyItem   = regexp.MustCompile(`\[[^\]]*\]`)
	mapMember = regexp.MustCompile(`(?i)^(tags|properties\.agentPoolProfiles\[\]\.nodeLabels)(?:\.(.+)|\["(.+)"\])$`)
)

// fieldsOf reads a member's path as Resource Graph writes it: items of a list by their
// index or name, keys of a map with a dot or quoted. It returns the path without items
// and the fields of the Config that the member makes.
func fieldsOf(key string, doc map[string]any) (member string, fields []string) {
	member, pool := key, ""
	if m := poolIn.FindStringSubmatch(key); m != nil {
		member, pool = poolsMember+m[2], poolNamed(m[1], doc)
	}
	suffix := func(string) string { return "" }
	if m := mapMember.FindStringSubmatch(member); m != nil {
		member = m[1]
		suffix = func(field string) string {
			p, err := hosted.ParsePath(field)
			if err != nil {
				return field
			}
			return p.Key(m[2] + m[3]).String()
		}
	} else {
		member = anyItem.ReplaceAllString(member, "[]")
	}
	for _, t := range told {
		if !under(member, t.member) && !under(t.member, member) {
			continue
		}
		field := t.field
		if strings.HasPrefix(field, poolsField) {
			if field = "nodePools"; pool != "" {
				field = poolPath(pool) + strings.TrimPrefix(t.field, poolsField)
			}
		}
		if s := suffix(field); s != "" {
			field = s
		}
		fields = append(fields, field)
	}
	return member, slices.Compact(fields)
}

// poolNamed is the pool that an index or name means, "" if it is not there any more.
func poolNamed(item string, doc map[string]any) string {
	i, err := strconv.Atoi(item)
	if err != nil {
		return item
	}
	if pools := poolsOf(doc); i >= 0 && i < len(pools) {
		return hosted.Str(pools[i]["name"])
	}
	return ""
}
