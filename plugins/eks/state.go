package eks

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/smithy-go"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	operator "github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

// addonName is the one add-on that a Config knows.
const addonName = "aws-ebs-csi-driver"

// state is how a cluster is.
type state struct {
	place
	cloud operator.Cloud
	// templates are the versions of launch templates that were found.
	templates map[templateKey]operator.LaunchTemplateVersion

	mu sync.Mutex
}

// templateKey is a version of a launch template as a node group names it.
type templateKey struct{ id, version string }

// cluster is the cluster itself, nil if the answer had none.
func (s *state) cluster() map[string]any { return hosted.Map(s.cloud.Cluster["cluster"]) }

// addon is the EBS add-on, nil without one.
func (s *state) addon() map[string]any { return hosted.Map(s.cloud.Addons[addonName]["addon"]) }

// groups are the names of all node groups, each once.
func (s *state) groups() []string {
	var out []string
	for _, name := range slices.Concat(s.cloud.ListNodegroups...) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (s *state) group(name string) map[string]any {
	return hosted.Map(s.cloud.Nodegroups[name]["nodegroup"])
}

// state asks for all that Rancher reads of a cluster, and for the pages of node
// groups and the launch templates that it does not.
func (a *account) state(ctx context.Context, at place) (*state, *live.Problem) {
	s := &state{place: at, templates: map[templateKey]operator.LaunchTemplateVersion{}}
	s.cloud.Nodegroups, s.cloud.Addons = map[string]map[string]any{}, map[string]map[string]any{}
	// First alone: if it fails, its error says more than any other's.
	problem := a.call(ctx, callCluster, func(ctx context.Context) error {
		out, err := a.eks.DescribeCluster(ctx, &awseks.DescribeClusterInput{Name: aws.String(at.name)})
		s.cloud.Cluster = document(out)
		return err
	})
	if problem != nil {
		return nil, problem
	}
	type step = func(context.Context, *state) *live.Problem
	if problem := each(ctx, []step{a.listGroups, a.describeAddon}, func(ctx context.Context, do step) *live.Problem { return do(ctx, s) }); problem != nil {
		return nil, problem
	}
	if problem := each(ctx, s.groups(), func(ctx context.Context, name string) *live.Problem { return a.describeGroup(ctx, s, name) }); problem != nil {
		return nil, problem
	}
	wanted := s.wantedTemplates()
	if problem := each(ctx, wanted, func(ctx context.Context, k templateKey) *live.Problem { return a.describeTemplate(ctx, s, k) }); problem != nil {
		return nil, problem
	}
	for _, k := range wanted { // in a fixed order
		if v, ok := s.templates[k]; ok {
			s.cloud.LaunchTemplateVersions = append(s.cloud.LaunchTemplateVersions, v)
		}
	}
	return s, nil
}

// call makes one call with its timeout and words its error.
func (a *account) call(ctx context.Context, name string, do func(context.Context) error) *live.Problem {
	ctx, cancel := context.WithTimeout(ctx, a.options.Timeout)
	defer cancel()
	if err := do(ctx); err != nil {
		return a.problem(name, err)
	}
	return nil
}

// pages asks page after page, first without a token, until one names no next.
func (a *account) pages(ctx context.Context, name string, ask func(ctx context.Context, token *string) (next *string, err error)) *live.Problem {
	var token *string
	for {
		var next *string
		problem := a.call(ctx, name, func(ctx context.Context) (err error) {
			next, err = ask(ctx, token)
			return err
		})
		switch {
		case problem != nil:
			return problem
		case aws.ToString(next) == "":
			return nil
		case token != nil && *token == *next:
			return &live.Problem{Kind: live.Garbled, Call: name, Text: "the list does not end: its pages point to themselves", Fix: "try again"}
		}
		token = next
	}
}

// listGroups keeps the pages apart, because Rancher reads only the first. It may not
// ask for another size of page than Rancher does.
func (a *account) listGroups(ctx context.Context, s *state) *live.Problem {
	return a.pages(ctx, callGroups, func(ctx context.Context, token *string) (*string, error) {
		out, err := a.eks.ListNodegroups(ctx, &awseks.ListNodegroupsInput{ClusterName: aws.String(s.name), NextToken: token})
		if err != nil {
			return nil, err
		}
		s.cloud.ListNodegroups = append(s.cloud.ListNodegroups, slices.Clone(out.Nodegroups))
		return out.NextToken, nil
	})
}

func (a *account) describeAddon(ctx context.Context, s *state) *live.Problem {
	return a.call(ctx, callAddon, func(ctx context.Context) error {
		out, err := a.eks.DescribeAddon(ctx, &awseks.DescribeAddonInput{ClusterName: aws.String(s.name), AddonName: aws.String(addonName)})
		if code(err) == "ResourceNotFoundException" {
			return nil
		}
		if err == nil {
			s.cloud.Addons[addonName] = document(out)
		}
		return err
	})
}

func (a *account) describeGroup(ctx context.Context, s *state, name string) *live.Problem {
	return a.call(ctx, callGroup, func(ctx context.Context) error {
		out, err := a.eks.DescribeNodegroup(ctx, &awseks.DescribeNodegroupInput{ClusterName: aws.String(s.name), NodegroupName: aws.String(name)})
		if err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cloud.Nodegroups[name] = document(out)
		return nil
	})
}

// code is the code of an error that AWS answered.
func code(err error) string {
	if e := smithy.APIError(nil); errors.As(err, &e) {
		return e.ErrorCode()
	}
	return ""
}

// wantedTemplates are the launch templates of the groups that are not on their way
// out.
func (s *state) wantedTemplates() []templateKey {
	var out []templateKey
	for _, name := range s.groups() {
		g := s.group(name)
		lt := hosted.Map(g["launchTemplate"])
		k := templateKey{hosted.Str(lt["id"]), hosted.Str(lt["version"])}
		if g["status"] != deleting && k.id != "" && k.version != "" && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// describeTemplate looks a version of a launch template up. That it is gone is no
// problem here: Rancher's view has words for it. Of other people's templates Rancher
// reads nothing, so they are only missed by the truth.
func (a *account) describeTemplate(ctx context.Context, s *state, k templateKey) *live.Problem {
	var found []operator.LaunchTemplateVersion
	problem := a.call(ctx, callTemplates, func(ctx context.Context) error {
		out, err := a.ec2.DescribeLaunchTemplateVersions(ctx, &ec2.DescribeLaunchTemplateVersionsInput{
			LaunchTemplateId: aws.String(k.id), Versions: []string{k.version}})
		if strings.HasPrefix(code(err), "InvalidLaunchTemplateId.") && strings.HasSuffix(code(err), "NotFound") {
			found = []operator.LaunchTemplateVersion{{}}
			return nil
		}
		if err != nil {
			return err
		}
		for _, v := range out.LaunchTemplateVersions {
			found = append(found, operator.LaunchTemplateVersion{ID: aws.ToString(v.LaunchTemplateId), Name: aws.ToString(v.LaunchTemplateName),
				Version: aws.ToInt64(v.VersionNumber), Data: document(v.LaunchTemplateData)})
		}
		return nil
	})
	switch {
	case problem == nil && len(found) > 0 && found[0].ID != "":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.templates[k] = found[0]
	case problem == nil && len(found) > 0:
	case k.id != s.managed:
	case problem == nil:
		return &live.Problem{Kind: live.Garbled, Call: callTemplates, Text: "the answer lacks version " + live.OneLine(k.version) + " of launch template " + live.OneLine(k.id),
			Fix: "read again"}
	default:
		return problem
	}
	return nil
}
