package eks

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// nilDereference is where the real code would crash. It never leaves the package.
type nilDereference struct{}

// crash stops a pass as the real code's nil dereference would.
func crash() { panic(nilDereference{}) }

// apiError is an error of an AWS call.
type apiError struct {
	service, op, code, message string
	status                     int
}

func (e *apiError) Error() string {
	s := fmt.Sprintf("operation error %s: %s, ", e.service, e.op)
	if e.status > 0 {
		s += fmt.Sprintf("https response error StatusCode: %d, ", e.status)
	}
	return s + fmt.Sprintf("api error %s: %s", e.code, e.message)
}

// api is the cloud as one pass after another sees it.
type api struct {
	*Cloud
	faults *operator.Faults
	calls  []operator.Call
	// cause describes the next mutating call.
	cause cause
	// highest is the newest version each launch template ever had, made how many
	// templates were made.
	highest map[string]int64
	made    int
}

// cause says why a call is made.
type cause struct {
	fields, carried []string
	effect          operator.Effect
	object          string
}

func newAPI(c Cloud, faults []operator.Fault) *api {
	a := &api{Cloud: c.clone(), faults: operator.NewFaults(slices.Concat(c.Faults, faults)), highest: map[string]int64{}}
	for _, v := range a.LaunchTemplateVersions {
		a.highest[v.ID] = max(a.highest[v.ID], v.Version)
	}
	return a
}

// fault counts a call and returns the error that it gets, if any; empty tells
// that it succeeds with an empty answer.
func (a *api) fault(service, op string) (err *apiError, empty bool) {
	f := a.faults.Strike(op, "")
	switch {
	case f == nil:
		return nil, false
	case f.Empty:
		return nil, true
	}
	return &apiError{service, op, f.Code, f.Message, f.Answer()}, false
}

// send records a mutating call and applies it if it succeeds.
func (a *api) send(service, op string, input map[string]any, apply func() *apiError) error {
	if err := invalid(op, input); err != nil {
		return err
	}
	err, empty := a.fault(serviceName(service), op)
	if err == nil && !empty {
		err = apply()
	}
	c := operator.Call{Service: service, Op: op, Input: input, Fields: a.cause.fields, Carried: a.cause.carried,
		Effect: cmp.Or(a.cause.effect, operator.Update), Object: a.cause.object}
	if err != nil {
		c.Error = err.code
	}
	a.calls = append(a.calls, c)
	if err != nil {
		return err
	}
	return nil
}

// required are the members that the SDK insists on before it sends anything:
// those of a path must not even be empty.
var required = map[string]struct{ present, path []string }{
	"CreateNodegroup":        {[]string{"nodegroupName", "subnets"}, []string{"clusterName"}},
	"DeleteNodegroup":        {nil, []string{"clusterName", "nodegroupName"}},
	"UpdateNodegroupConfig":  {nil, []string{"clusterName", "nodegroupName"}},
	"UpdateNodegroupVersion": {nil, []string{"clusterName", "nodegroupName"}},
	"UpdateClusterVersion":   {nil, []string{"name"}},
	"UpdateClusterConfig":    {nil, []string{"name"}},
	"TagResource":            {nil, []string{"resourceArn"}},
	"UntagResource":          {nil, []string{"resourceArn"}},
	"CreateAddon":            {nil, []string{"clusterName"}},
}

// invalid is the error of a request that never leaves the SDK.
func invalid(op string, input map[string]any) error {
	for _, m := range required[op].present {
		if input[m] == nil {
			return fmt.Errorf("operation error EKS: %s, 1 validation error(s) found: missing required field %s", op, m)
		}
	}
	for _, m := range required[op].path {
		if hosted.Str(input[m]) == "" {
			return fmt.Errorf("operation error EKS: %s, serialization failed: input member %s must not be empty", op, m)
		}
	}
	return nil
}

func serviceName(s string) string {
	if s == "cloudformation" {
		return "CloudFormation"
	}
	return strings.ToUpper(s)
}

// inUse tells whether an error is the ResourceInUse that the operator swallows.
// The SDK has no such type for the tag operations, so there it never matches.
func inUse(err error) bool {
	e := (*apiError)(nil)
	return errors.As(err, &e) && e.code == "ResourceInUseException" && e.service == "EKS" && e.op != "TagResource" && e.op != "UntagResource"
}

func doesNotExist(err error) bool {
	return err != nil && strings.Contains(err.Error(), "does not exist")
}

func notFound(err error) bool {
	e := (*apiError)(nil)
	return errors.As(err, &e) && e.code == "ResourceNotFoundException" || err != nil && strings.Contains(err.Error(), "VersionNotFound")
}

func (a *api) describeCluster(name string) (map[string]any, error) {
	if name == "" {
		return nil, fmt.Errorf("operation error EKS: DescribeCluster, serialization failed: the name must not be empty")
	}
	err, empty := a.fault("EKS", "DescribeCluster")
	switch {
	case err != nil:
		return nil, err
	case empty:
		return nil, nil
	case a.Cluster == nil || hosted.Map(a.Cluster["cluster"])["name"] != nil && hosted.Map(a.Cluster["cluster"])["name"] != name:
		return nil, &apiError{"EKS", "DescribeCluster", "ResourceNotFoundException", "No cluster found for name: " + name + ".", 404}
	}
	return hosted.Map(a.Cluster["cluster"]), nil
}

func (a *api) listNodegroups() ([]string, error) {
	if err, empty := a.fault("EKS", "ListNodegroups"); err != nil || empty {
		return nil, wrap(err)
	}
	return slices.Clone(a.Cloud.ListNodegroups[0]), nil
}

// wrap keeps a nil *apiError from becoming a non-nil error.
func wrap(err *apiError) error {
	if err == nil {
		return nil
	}
	return err
}

func (a *api) describeNodegroup(name string) (map[string]any, error) {
	err, empty := a.fault("EKS", "DescribeNodegroup")
	if err != nil || empty {
		return nil, wrap(err)
	}
	body, ok := a.Nodegroups[name]
	if !ok {
		return nil, &apiError{"EKS", "DescribeNodegroup", "ResourceNotFoundException", "No node group found for name: " + name + ".", 404}
	}
	return hosted.Map(body["nodegroup"]), nil
}

// installedAddon is the ARN of the EBS add-on, "" if it is not there or broken.
func (a *api) installedAddon(cluster string) (string, error) {
	if cluster == "" {
		return "", fmt.Errorf("operation error EKS: DescribeAddon, serialization failed: the cluster's name must not be empty")
	}
	err, empty := a.fault("EKS", "DescribeAddon")
	if err != nil {
		if err.code == "ResourceNotFoundException" {
			return "", nil
		}
		return "", err
	}
	addon := hosted.Map(a.Addons[addonName]["addon"])
	if empty || addon == nil {
		return "", nil
	}
	if s := hosted.Str(addon["status"]); s == "CREATE_FAILED" || s == "DEGRADED" {
		return "", nil
	}
	arn, ok := addon["addonArn"].(string)
	if !ok {
		crash()
	}
	return arn, nil
}

// templateVersion looks a launch template version up.
func (a *api) templateVersion(id *string, version *string) (*LaunchTemplateVersion, error) {
	if id == nil {
		return nil, fmt.Errorf("launch template ID is nil")
	}
	err, empty := a.fault("EC2", "DescribeLaunchTemplateVersions")
	if err != nil || empty {
		return nil, wrap(err)
	}
	var all []LaunchTemplateVersion
	for _, v := range a.LaunchTemplateVersions {
		if v.ID == *id {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return nil, &apiError{"EC2", "DescribeLaunchTemplateVersions", "InvalidLaunchTemplateId.NotFound",
			"The specified launch template, with template ID " + *id + ", does not exist.", 400}
	}
	byVersion := func(x, y LaunchTemplateVersion) int { return cmp.Compare(x.Version, y.Version) }
	switch str(version) {
	case "$Latest":
		return ptr(slices.MaxFunc(all, byVersion)), nil
	case "$Default":
		return ptr(slices.MinFunc(all, byVersion)), nil
	}
	for i := range all {
		if strconv.FormatInt(all[i].Version, 10) == str(version) {
			return &all[i], nil
		}
	}
	return nil, &apiError{"EC2", "DescribeLaunchTemplateVersions", "InvalidLaunchTemplateId.VersionNotFound",
		"Could not find launch template version " + str(version), 400}
}
