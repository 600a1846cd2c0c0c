package eks

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Types of changes that EKS keeps no record of, in the words of its calls.
const (
	typeCreateGroup = "CreateNodegroup"
	typeDeleteGroup = "DeleteNodegroup"
	typeCreateAddon = "CreateAddon"
	typeDeleteAddon = "DeleteAddon"
	typeTag         = "TagResource"
	typeUntag       = "UntagResource"
	// typeModified is a node group's date of which no record tells the cause, for
	// example of tags.
	typeModified = "NodegroupModified"
)

// traces adds what left no record but a date or a state. A node group or add-on that
// is gone has left nothing.
func (h *history) traces() {
	for _, name := range h.groups() {
		g := h.group(name)
		h.thing(target{group: name}, g, "nodegroup", typeCreateGroup, typeDeleteGroup)
		h.modified(name, g)
	}
	if a := h.addon(); a != nil {
		h.thing(target{addon: addonName}, a, "addon", typeCreateAddon, typeDeleteAddon)
	}
}

// thing tells the creation of a node group or add-on, and a deletion under way.
func (h *history) thing(t target, of map[string]any, member, create, remove string) {
	status := hosted.Str(of["status"])
	source := "DescribeNodegroup: nodegroup."
	fields := []string{t.path()}
	if t.addon != "" {
		source, fields = "DescribeAddon: "+member+".", []string{"ebsCSIDriver"}
	}
	created := instant(of["createdAt"])
	if created.After(h.since) || status == creating {
		u := hosted.CloudUpdate{Type: create, Status: status, State: hosted.UpdateDone, Start: created, Target: t.path(), Fields: fields,
			Source: source + "createdAt"}
		switch status {
		case creating:
			u.State = hosted.UpdateRunning
		case createFailed:
			u.State, u.Errors = hosted.UpdateFailed, issues(of)
		}
		h.updates = append(h.updates, u)
	}
	if status == deleting {
		h.updates = append(h.updates, hosted.CloudUpdate{Type: remove, Status: status, State: hosted.UpdateRunning, Start: instant(of["modifiedAt"]),
			Target: t.path(), Fields: fields, Source: source + "status"})
	}
}

// modified dates the end of a node group's newest update, no later than which it
// ended. If none of the updates can be the reason for the date, something else was.
func (h *history) modified(name string, g map[string]any) {
	at, t := instant(g["modifiedAt"]), target{group: name}
	if !at.After(h.since) {
		return
	}
	newest := h.newest[t]
	for i := range h.updates {
		u := &h.updates[i]
		if newest.ID == "" || u.ID != newest.ID || u.Target != t.path() {
			continue
		}
		if u.State != hosted.UpdateRunning && !at.Before(u.Start) && (u.End.IsZero() || at.Before(u.End)) {
			u.End = at
			u.Source += ", DescribeNodegroup: nodegroup.modifiedAt"
		}
		return
	}
	if created := instant(g["createdAt"]); created.After(h.since) || g["status"] == deleting || g["status"] == creating {
		return
	}
	u := hosted.CloudUpdate{Type: typeModified, Status: hosted.Str(g["status"]), State: hosted.UpdateDone, Start: at, End: at, Target: t.path(),
		Source: "DescribeNodegroup: nodegroup.modifiedAt"}
	if u.Status == updating { // by an update whose record cannot be read
		u.State, u.End = hosted.UpdateRunning, time.Time{}
	}
	if newest.ID != "" {
		u.Params = []hosted.CloudParam{{Name: "newest update before", Value: newest.Type + " " + newest.ID + " of " + newest.Start.Format(time.RFC3339)}}
	}
	h.updates = append(h.updates, u)
}

// issues are the texts of what is wrong with a node group.
func issues(of map[string]any) []string {
	var out []string
	for _, i := range hosted.List(hosted.Map(of["health"])["issues"]) {
		out = append(out, hosted.Str(hosted.Map(i)["code"])+": "+hosted.Str(hosted.Map(i)["message"]))
	}
	return out
}

// instant is a time of a document, zero if it has none.
func instant(v any) time.Time {
	n, ok := v.(float64)
	if !ok {
		return time.Time{}
	}
	return time.UnixMilli(int64(n * 1000)).UTC()
}
