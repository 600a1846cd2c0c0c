package rancher

import (
	"context"
	"sync"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rawjson"
)

// Installation says which APIs a server has.
type Installation struct {
	// Management: it has Rancher's API group.
	Management bool
	// Operators are the providers whose operator's API is present.
	Operators map[hosted.Provider]bool
}

// Installed asks the server for the API groups that matter, and for nothing else.
func (c *Client) Installed(ctx context.Context) (Installation, error) {
	groups := []string{ManagementGroup}
	for _, p := range hosted.Providers() {
		groups = append(groups, p.CRGroup())
	}
	present, errs := make([]bool, len(groups)), make([]error, len(groups))
	var wg sync.WaitGroup
	for i, g := range groups {
		wg.Go(func() {
			a := Access{Verb: "get", Resource: "apis/" + g}
			body, err := c.ask(ctx, request{path: []string{"apis", g}, access: a})
			if err == nil {
				body.Close()
				present[i] = true
			} else if KindOf(err) != NotInstalled {
				errs[i] = err
			}
		})
	}
	wg.Wait()
	out := Installation{Management: present[0], Operators: map[hosted.Provider]bool{}}
	for i, p := range hosted.Providers() {
		out.Operators[p] = present[i+1]
	}
	for _, err := range errs {
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// Schema is the OpenAPI schema of the spec of a provider's operator resource, as
// installed. A Config field that it lacks is pruned on its way to the operator.
// Reading it needs the right to get the resource's definition, which few have:
// expect Forbidden, and NotFound where the operator is not installed.
func (c *Client) Schema(ctx context.Context, p hosted.Provider) (map[string]any, error) {
	r := OperatorResources(p)
	const definitions = "customresourcedefinitions.apiextensions.k8s.io"
	a := Access{Verb: "get", Resource: definitions, Name: r.String()}
	body, err := c.ask(ctx, request{
		path:   []string{"apis", "apiextensions.k8s.io", "v1", "customresourcedefinitions", r.String()},
		access: a,
	})
	if err != nil {
		return nil, err
	}
	defer body.Close()
	head, _, err := rawjson.NewReader(body, 0).List(func([]byte) error { return nil })
	if err != nil {
		return nil, c.unreadable(err, a)
	}
	versions := &rawjson.Filter{Each: rawjson.Only("name", "schema")}
	v, err := (&rawjson.Decoder{}).Decode(head, rawjson.Only().With("spec", rawjson.Only().With("versions", versions)))
	if err != nil {
		return nil, c.unreadable(err, a)
	}
	list, _ := hosted.Dig(hosted.Map(v), "spec", "versions")
	for _, e := range hosted.List(list) {
		version := hosted.Map(e)
		if hosted.Str(version["name"]) != r.Version {
			continue
		}
		spec, _ := hosted.Dig(version, "schema", "openAPIV3Schema", "properties", "spec")
		if m := hosted.Map(spec); m != nil {
			return m, nil
		}
	}
	return nil, &Error{
		Kind: NotFound, Where: c.Host(), Access: a,
		What: "the definition of " + r.String() + " has no schema for " + r.Version,
		Fix:  "upgrade the operator's chart",
	}
}
