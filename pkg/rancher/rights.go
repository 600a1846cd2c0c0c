package rancher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// ReadRights are the rights that Read, Watch and Operator make use of. With fewer
// they answer less. Package rbac has a role that grants just these.
func ReadRights() []Access {
	var out []Access
	reads := func(r Resource) {
		for _, verb := range []string{"get", "list", "watch"} {
			out = append(out, Access{verb, r.String(), r.Namespace, ""})
		}
	}
	one := func(r Resource, name string) { out = append(out, Access{"get", r.String(), r.Namespace, name}) }
	reads(Clusters())
	one(Settings(), hosted.VersionSetting)
	for _, p := range hosted.Providers() {
		one(Settings(), p.SettingName())
		reads(OperatorResources(p))
		one(Deployments(), p.OperatorName())
	}
	return out
}

// SyncRights are the rights that changing a cluster needs beside ReadRights.
func SyncRights() []Access {
	return []Access{{verbPatch, Clusters().String(), "", ""}}
}

// Can asks the server which of the rights the user lacks, all at once, and
// returns those, in the order given. Nearly everybody may ask that of themselves;
// an error means that it could not be learnt, and says nothing about the rights:
// go on, and let the requests themselves be refused.
func (c *Client) Can(ctx context.Context, rights []Access) (missing []Access, err error) {
	allowed, errs := make([]bool, len(rights)), make([]error, len(rights))
	slots := make(chan struct{}, readers)
	var wg sync.WaitGroup
	for i, a := range rights {
		slots <- struct{}{}
		wg.Go(func() {
			allowed[i], errs[i] = c.can(ctx, a)
			<-slots
		})
	}
	wg.Wait()
	for i, a := range rights {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if !allowed[i] {
			missing = append(missing, a)
		}
	}
	return missing, nil
}

const (
	authorizationGroup = "authorization.k8s.io"
	accessReviews      = "selfsubjectaccessreviews"
)

// can asks for one right.
func (c *Client) can(ctx context.Context, a Access) (bool, error) {
	resource, group, _ := strings.Cut(a.Resource, ".")
	attributes := map[string]string{"verb": a.Verb, "group": group, "resource": resource, "namespace": a.Namespace, "name": a.Name}
	question, err := json.Marshal(map[string]any{
		"apiVersion": authorizationGroup + "/v1", "kind": "SelfSubjectAccessReview",
		"spec": map[string]any{"resourceAttributes": attributes},
	})
	if err != nil {
		return false, fmt.Errorf("cannot ask whether %s is allowed: %w", a, err)
	}
	review := Access{Verb: "create", Resource: accessReviews + "." + authorizationGroup}
	body, err := c.ask(ctx, request{
		method: http.MethodPost, mediaType: "application/json", body: question,
		path: []string{"apis", authorizationGroup, "v1", accessReviews}, access: review,
	})
	if err != nil {
		return false, err
	}
	defer body.Close()
	var answer struct {
		Status *struct{ Allowed bool }
	}
	err = json.NewDecoder(body).Decode(&answer)
	if err == nil && answer.Status == nil {
		err = errors.New("an access review without a status")
	}
	if err != nil {
		return false, c.unreadable(err, review)
	}
	return answer.Status.Allowed, nil
}
