package rancher

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rawjson"
)

// PageSize is how many objects are asked for at a time, kubectl's own figure.
const PageSize = 500

// ListOptions restrict a list or a watch.
type ListOptions struct {
	// LabelSelector in kubectl's syntax, "" for all.
	LabelSelector string
	// Name restricts to the one object of that name, "" for all.
	Name string
	// PageSize is by default (0) the constant of that name.
	PageSize int
}

// Get reads one object, trimmed. It fails with NotFound, or NotInstalled if the
// server lacks the resource.
func (c *Client) Get(ctx context.Context, r Resource, name string) (map[string]any, error) {
	a := Access{"get", r.String(), r.Namespace, name}
	body, err := c.ask(ctx, request{path: r.path(name), access: a})
	if err != nil {
		return nil, err
	}
	defer body.Close()
	obj, err := readObject(body, r)
	if err != nil {
		return nil, c.unreadable(err, a)
	}
	return obj, nil
}

// readObject reads an answer that is one object.
func readObject(body io.Reader, r Resource) (map[string]any, error) {
	head, isList, err := rawjson.NewReader(body, 0).List(func([]byte) error { return nil })
	switch {
	case err != nil:
		return nil, err
	case isList:
		return nil, errors.New("a list in place of an object")
	}
	return decodeObject(&rawjson.Decoder{}, head, r)
}

// List reads all objects page by page and hands them to each as they arrive, in
// the server's order, trimmed; each may keep them but not change what is below
// spec and status, which may share parts. An error of each ends the list. The
// returned version is that of the list, from which to Watch.
func (c *Client) List(ctx context.Context, r Resource, o ListOptions, each func(obj map[string]any) error) (version string, err error) {
	size := o.PageSize
	if size <= 0 {
		size = PageSize
	}
	query := url.Values{"limit": {strconv.Itoa(size)}}
	if o.LabelSelector != "" {
		query.Set("labelSelector", o.LabelSelector)
	}
	if o.Name != "" {
		query.Set("fieldSelector", "metadata.name="+o.Name)
	}
	var d rawjson.Decoder
	token := ""
	for {
		if token != "" {
			query.Set("continue", token)
		}
		page, err := c.page(ctx, r, query, &d, each)
		if next := inconsistent(err, token); next != "" {
			token = next
			continue
		}
		if err != nil {
			return "", err
		}
		if version == "" {
			version = page.Metadata.ResourceVersion
		}
		if token = page.Metadata.Continue; token == "" {
			return version, nil
		}
	}
}

// inconsistent returns the token with which the server lets an expired list go
// on, at the price of a later state. The list keeps the version of its first
// page, so that a watch sees whatever it missed.
func inconsistent(err error, token string) string {
	var e *Error
	if token == "" || !errors.As(err, &e) || e.Kind != Expired || e.continueToken == token {
		return ""
	}
	return e.continueToken
}

// listHead is what a page says beside its items.
type listHead struct {
	Metadata struct {
		ResourceVersion string
		Continue        string
	}
}

func (c *Client) page(ctx context.Context, r Resource, query url.Values, d *rawjson.Decoder, each func(map[string]any) error) (listHead, error) {
	a := Access{"list", r.String(), r.Namespace, ""}
	body, err := c.ask(ctx, request{path: r.path(""), query: query, access: a})
	if err != nil {
		return listHead{}, err
	}
	defer body.Close()
	var own error
	raw, isList, err := rawjson.NewReader(body, 0).List(func(item []byte) error {
		obj, err := decodeObject(d, item, r)
		if err != nil {
			return err
		}
		own = each(obj)
		return own
	})
	if own != nil {
		return listHead{}, own
	}
	var head listHead
	if err == nil && !isList {
		err = errors.New("no list of items in it")
	}
	if err == nil {
		err = json.Unmarshal(raw, &head)
	}
	if err != nil {
		return listHead{}, c.unreadable(err, a)
	}
	_, _ = io.Copy(io.Discard, body) // to the end, for the connection to be used again
	return head, nil
}

// decodeObject decodes a trimmed object and adds the kind, which the items of a
// list may lack.
func decodeObject(d *rawjson.Decoder, raw []byte, r Resource) (map[string]any, error) {
	v, err := d.Decode(raw, r.filter)
	if err != nil {
		return nil, err
	}
	obj, ok := v.(map[string]any)
	if !ok || hosted.ObjectName(obj) == "" {
		return nil, errors.New("an object without metadata.name")
	}
	if obj["kind"] == nil {
		obj["kind"] = r.Kind
	}
	if obj["apiVersion"] == nil {
		obj["apiVersion"] = r.Group + "/" + r.Version
	}
	return obj, nil
}

// unreadable passes on what is already clear and explains what is not.
func (c *Client) unreadable(err error, a Access) error {
	var e *Error
	if errors.As(err, &e) || errors.Is(err, context.Canceled) {
		return err
	}
	return badAnswer(a, c.Host(), err)
}

// hasGroup tells whether the server has an API group; true if that cannot be
// learnt. It is asked only to explain a failure.
func (c *Client) hasGroup(ctx context.Context, group string) bool {
	a := Access{Verb: "get", Resource: "apis/" + group}
	body, err := c.ask(ctx, request{path: []string{"apis", group}, access: a})
	if err == nil {
		body.Close()
		return true
	}
	return KindOf(err) != NotInstalled
}

// explain looks closer at a failure to read Clusters: without Rancher's API group
// the server answers 404 to those who may see everything, 403 to all others.
func (c *Client) explain(ctx context.Context, err error) error {
	switch KindOf(err) {
	case NotInstalled:
		if !c.hasGroup(ctx, ManagementGroup) {
			return notManagement(c.Host())
		}
	case Forbidden:
		if !c.hasGroup(ctx, ManagementGroup) {
			return notManagement(c.Host())
		}
		var e *Error
		if errors.As(err, &e) && e.Access.Verb == "list" {
			named := *e
			named.Fix = "name the clusters (get c-xxxxx), or ask for the right; check with: " + canI(e.Access)
			return &named
		}
	}
	return err
}

// objectName tells whether a name can be that of an object.
func objectName(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	bad := func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '.')
	}
	return strings.IndexFunc(s, bad) < 0 && !strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".")
}
