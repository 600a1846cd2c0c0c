package eks

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	operator "github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

// Options are what a Reader takes from outside. All but Now may be left out.
type Options struct {
	// Now is the clock that dates readings.
	Now func() time.Time
	// HTTPClient sends the requests, nil for the SDK's own client.
	HTTPClient aws.HTTPClient
	// Endpoint is the URL that stands for all of AWS, "" for AWS's own.
	Endpoint string
	// Login replaces the user's own login, nil for the SDK's chain: the environment,
	// the shared configuration with its profiles, and the machine's role.
	Login aws.CredentialsProvider
	// Retryer makes what decides on repetitions, nil for the SDK's standard.
	Retryer func() aws.Retryer
	// Timeout bounds each call, its repetitions included; 0 is 30 s. An earlier
	// deadline of the context wins.
	Timeout time.Duration
}

const defaultTimeout = 30 * time.Second

var _ live.Reader = (*Reader)(nil)

// Reader reads EKS clusters. It implements live.Reader.
type Reader struct {
	options Options

	mu sync.Mutex
	// own is the user's login once it was found, accounts are the clients by region
	// and login.
	own      *aws.Config
	accounts map[accountKey]*account
}

// New makes a Reader. It opens no connection and looks for no login yet.
func New(o Options) *Reader {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if c, ok := o.HTTPClient.(*http.Client); ok && c == nil {
		o.HTTPClient = nil
	}
	return &Reader{options: o, accounts: map[accountKey]*account{}}
}

// Provider is EKS.
func (r *Reader) Provider() hosted.Provider { return hosted.EKS }

// The calls that Read makes. In AWS the right that a call needs has its name.
const (
	callCluster   = "eks:DescribeCluster"
	callGroups    = "eks:ListNodegroups"
	callGroup     = "eks:DescribeNodegroup"
	callAddon     = "eks:DescribeAddon"
	callTemplates = "ec2:DescribeLaunchTemplateVersions"
	callUpdates   = "eks:ListUpdates"
	callUpdate    = "eks:DescribeUpdate"
	callTrail     = "cloudtrail:LookupEvents"
)

// Permissions are the IAM actions that Read uses.
func (r *Reader) Permissions() []live.Permission {
	right := func(name string, optional bool, what string) live.Permission {
		return live.Permission{Right: name, Call: name, Optional: optional, For: what}
	}
	return []live.Permission{
		right(callCluster, false, "the control plane; without it nothing can be read"),
		right(callGroups, false, "which node groups there are; without it nothing can be read"),
		right(callGroup, false, "the node groups; without it no cluster that has one can be read"),
		right(callAddon, false, "whether the EBS CSI add-on is installed; without it nothing can be read, by Rancher neither"),
		right(callTemplates, false, "disk, image, SSH key and tags of node groups with a launch template; "+
			"without it no cluster with a launch template of Rancher's can be read"),
		right(callUpdates, true, "which updates there were; without it only creations and deletions of node groups are known"),
		right(callUpdate, true, "what an update changed and whether it is under way; without it only creations and deletions of node groups are known"),
		right(callTrail, true, "who asked for a change; used on request only"),
	}
}

// Read reads one cluster. See live.Reader. A cluster that Rancher's own code cannot
// read is a Problem too, beside which the Reading has the Truth.
func (r *Reader) Read(ctx context.Context, req live.Request) (hosted.Reading, error) {
	reading := hosted.Reading{At: r.options.Now()}
	fail := func(p *live.Problem) (hosted.Reading, error) {
		reading.Error = p.Error()
		return reading, p
	}
	at, problem := placeOf(req.Snapshot)
	if problem != nil {
		return fail(problem)
	}
	reading.Origin = "EKS " + at.region
	a, problem := r.account(ctx, at.region, req.Credential)
	if problem != nil {
		return fail(problem)
	}
	reading.Origin = a.origin("")
	s, problem := a.state(ctx, at)
	if problem != nil {
		return fail(problem)
	}
	reading.Origin = a.origin(hosted.Str(s.cluster()["arn"]))
	if reading.Truth = s.truth(); reading.Truth != nil {
		reading.Sources = sources()
	}
	problem = r.view(&reading, req.Snapshot, s)
	if !req.Since.IsZero() {
		a.history(ctx, s, req, &reading)
	}
	if problem != nil {
		return fail(problem)
	}
	return reading, nil
}

// view fills in what Rancher makes of the state.
func (r *Reader) view(reading *hosted.Reading, snapshot *hosted.Snapshot, s *state) *live.Problem {
	name := operator.RancherCluster{Name: snapshot.Name, DisplayName: snapshot.DisplayName}
	v := operator.Read(name, snapshot.Config, s.managed, s.cloud)
	if v.Error != "" {
		return &live.Problem{Kind: live.Unsupported, Text: "Rancher itself cannot read this cluster: " + live.OneLine(v.Error), Err: errors.New(v.Error),
			Fix: "correct what the text names, in AWS or in the Config; until then Rancher's refresh fails for the same reason"}
	}
	reading.Spec = v.RancherView
	if len(v.HealthErrors) > 0 {
		reading.Partial, reading.Error = true, strings.Join(v.HealthErrors, "; ")
	}
	return nil
}
