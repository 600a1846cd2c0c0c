package eks_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	operatoreks "github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
	"github.com/hostedsync/kubectl-hostedsync/plugins/eks"
)

func fail(op string, status int, code, message string) func(*loopback.Server) {
	return func(s *loopback.Server) {
		s.Fail(operator.Fault{Op: op, HTTPStatus: status, Code: code, Message: message})
	}
}

func breakOf(op string, nth int, how loopback.How) func(*loopback.Server) {
	return func(s *loopback.Server) { s.Break(op, nth, 0, how) }
}

func TestProblems(t *testing.T) {
	for name, c := range map[string]struct {
		disturb func(*loopback.Server)
		kind    live.Kind
		call    string
		// text and fix are parts of what is said.
		text, fix string
	}{
		"not allowed": {fail("DescribeCluster", 403, "AccessDeniedException", "User is not authorized to perform: eks:DescribeCluster"),
			live.Denied, "eks:DescribeCluster", "not authorized", "grant the right eks:DescribeCluster"},
		"list not allowed":  {fail("ListNodegroups", 403, "AccessDeniedException", "no"), live.Denied, "eks:ListNodegroups", "no", "grant"},
		"group not allowed": {fail("DescribeNodegroup", 403, "AccessDeniedException", "no"), live.Denied, "eks:DescribeNodegroup", "no", "grant"},
		"addon not allowed": {fail("DescribeAddon", 403, "AccessDeniedException", "no"), live.Denied, "eks:DescribeAddon", "no", "grant"},
		"template not allowed": {fail("DescribeLaunchTemplateVersions", 403, "UnauthorizedOperation", "You may not. Encoded authorization failure message: c2VjcmV0"),
			live.Denied, "ec2:DescribeLaunchTemplateVersions", "You may not.", "grant the right ec2:DescribeLaunchTemplateVersions"},
		"expired token": {fail("DescribeCluster", 403, "ExpiredTokenException", "The security token included in the request is expired"),
			live.Login, "eks:DescribeCluster", "does not accept the login (ExpiredTokenException)", "log in again"},
		"expired for EC2": {fail("DescribeLaunchTemplateVersions", 400, "RequestExpired", "expired"),
			live.Login, "ec2:DescribeLaunchTemplateVersions", "RequestExpired", "log in again"},
		"gone": {func(s *loopback.Server) {
			s.EditEKS(func(c *operatoreks.Cloud) { hosted.Map(c.Cluster["cluster"])["name"] = "other" })
		}, live.Gone, "eks:DescribeCluster", "No cluster found", "deleted in AWS"},
		"group gone since it was listed": {func(s *loopback.Server) {
			s.EditEKS(func(c *operatoreks.Cloud) { delete(c.Nodegroups, "plain") })
		}, live.Other, "eks:DescribeNodegroup", "it has gone since it was listed", "read again"},
		"throttled": {func(s *loopback.Server) { s.SetWeather(loopback.Weather{Throttle: 1}) },
			live.Throttled, "eks:DescribeCluster", "ThrottlingException", "wait"},
		"EC2 throttled": {fail("DescribeLaunchTemplateVersions", 503, "RequestLimitExceeded", "Request limit exceeded."),
			live.Throttled, "ec2:DescribeLaunchTemplateVersions", "RequestLimitExceeded", "wait"},
		"a fault of AWS": {fail("DescribeCluster", 500, "ServerException", "oops"), live.Other, "eks:DescribeCluster", "AWS has a fault (ServerException): oops", "later"},
		"refused":        {fail("DescribeCluster", 400, "InvalidParameterException", "not so"), live.Other, "eks:DescribeCluster", "InvalidParameterException: not so", "text"},
		"no answer": {func(s *loopback.Server) { s.KillRegion("us-west-2") },
			live.Unreachable, "eks:DescribeCluster", "cannot be reached", "network"},
		"cut off":              {breakOf("DescribeCluster", 1, loopback.CutOff), live.Garbled, "eks:DescribeCluster", "cut off", "proxy"},
		"half a body":          {breakOf("DescribeNodegroup", 2, loopback.HalfBody), live.Garbled, "eks:DescribeNodegroup", "not what AWS's API sends", "proxy"},
		"half a body of EC2":   {breakOf("DescribeLaunchTemplateVersions", 1, loopback.HalfBody), live.Garbled, "ec2:DescribeLaunchTemplateVersions", "", "proxy"},
		"a proxy's page":       {breakOf("DescribeCluster", 1, loopback.Page), live.Garbled, "eks:DescribeCluster", "", "HTTPS_PROXY"},
		"a proxy's error page": {breakOf("DescribeCluster", 1, loopback.ErrorPage), live.Garbled, "eks:DescribeCluster", "web page", "HTTPS_PROXY"},
		"a page for EC2":       {breakOf("DescribeLaunchTemplateVersions", 1, loopback.ErrorPage), live.Garbled, "ec2:DescribeLaunchTemplateVersions", "web page", "HTTPS_PROXY"},
		"the second page of node groups is refused": {func(s *loopback.Server) {
			s.Fail(operator.Fault{Op: "ListNodegroups", Nth: 2, HTTPStatus: 403, Code: "AccessDeniedException", Message: "not any more"})
		}, live.Denied, "eks:ListNodegroups", "not any more", "grant"},
		"the second page of node groups is cut off": {breakOf("ListNodegroups", 2, loopback.CutOff), live.Garbled, "eks:ListNodegroups", "cut off", "proxy"},
		"Rancher's template is gone": {func(s *loopback.Server) {
			s.EditEKS(func(c *operatoreks.Cloud) { c.LaunchTemplateVersions = nil })
		}, live.Unsupported, "", "Rancher itself cannot read this cluster: rancher-managed launch template", "Rancher's refresh fails"},
	} {
		t.Run(name, func(t *testing.T) {
			s, r := newAtlas(t)
			c.disturb(s)
			got, err := r.Read(t.Context(), live.Request{Snapshot: atlas(), Since: at.Add(-time.Hour)})
			p := problemOf(t, got, err)
			if p.Kind != c.kind || p.Call != c.call || !strings.Contains(p.Text, c.text) || !strings.Contains(p.Fix, c.fix) || strings.ContainsAny(p.Text+p.Fix, "\n\r") {
				t.Errorf("problem %q of kind %s by %q, fix %q", p.Text, p.Kind, p.Call, p.Fix)
			}
			if strings.Contains(p.Text, "c2VjcmV0") {
				t.Errorf("EC2's encoded message is shown: %s", p.Text)
			}
			if (got.Truth != nil) != (c.kind == live.Unsupported) {
				t.Errorf("truth %v", got.Truth)
			}
		})
	}
}

// What a disturbance passes, the SDK repeats: no problem comes of it.
func TestWhatPassesIsNoProblem(t *testing.T) {
	for name, disturb := range map[string]func(*loopback.Server){
		"two throttled calls": func(s *loopback.Server) {
			s.Fail(operator.Fault{Op: "DescribeCluster", Count: 2, HTTPStatus: 429, Code: "TooManyRequestsException", Message: "slow"})
		},
		"a fault": func(s *loopback.Server) {
			s.Fail(operator.Fault{Op: "ListNodegroups", Count: 1, HTTPStatus: 503, Code: "X"})
		},
		"one group cut off": func(s *loopback.Server) { s.Break("DescribeNodegroup", 1, 1, loopback.ErrorPage) },
		"another's template": func(s *loopback.Server) {
			s.EditEKS(func(c *operatoreks.Cloud) { c.LaunchTemplateVersions = c.LaunchTemplateVersions[:1] })
		},
		"2 of 100 are too many": func(s *loopback.Server) { s.SetWeather(loopback.Weather{Throttle: 0.02, Seed: 7}) },
	} {
		t.Run(name, func(t *testing.T) {
			s, r := newAtlas(t)
			disturb(s)
			if got := must(t, r, live.Request{Snapshot: atlas()}); len(hosted.List(got.Truth["nodeGroups"])) != 3 {
				t.Errorf("%d node groups", len(hosted.List(got.Truth["nodeGroups"])))
			}
		})
	}
}

func TestTimeIsOver(t *testing.T) {
	s, _ := newAtlas(t)
	s.SetWeather(loopback.Weather{Latency: time.Minute})
	o := options(s)
	o.Timeout = 50 * time.Millisecond
	got, err := eks.New(o).Read(t.Context(), live.Request{Snapshot: atlas()})
	if p := problemOf(t, got, err); p.Kind != live.Unreachable || p.Text != "AWS did not answer in time" || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timeout: %+v", p)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	got, err = eks.New(options(s)).Read(ctx, live.Request{Snapshot: atlas()})
	if p := problemOf(t, got, err); p.Kind != live.Unreachable || p.Text != "AWS did not answer in time" {
		t.Errorf("deadline: %+v", p)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	got, err = eks.New(options(s)).Read(ctx, live.Request{Snapshot: atlas()})
	if p := problemOf(t, got, err); p.Kind != live.Unreachable || !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %+v", p)
	}
}

// Nothing listens, or something that is not AWS.
func TestUnreachable(t *testing.T) {
	s, _ := newAtlas(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	o := options(s)
	o.HTTPClient, o.Endpoint = &http.Client{Transport: transport}, closed
	got, err := eks.New(o).Read(t.Context(), live.Request{Snapshot: atlas()})
	if p := problemOf(t, got, err); p.Kind != live.Unreachable || p.Call != "eks:DescribeCluster" || !strings.Contains(p.Text, "connection refused") {
		t.Errorf("nobody listens: %+v", p)
	}
	o.HTTPClient = doer(func(r *http.Request) (*http.Response, error) {
		return nil, &net.DNSError{Err: "no such host", Name: r.URL.Host, IsNotFound: true}
	})
	o.Endpoint = ""
	got, err = eks.New(o).Read(t.Context(), live.Request{Snapshot: atlas()})
	if p := problemOf(t, got, err); p.Kind != live.Unreachable || !strings.Contains(p.Text, "eks.us-west-2.amazonaws.com is not known") || !strings.Contains(p.Fix, "region") {
		t.Errorf("no such host: %+v", p)
	}
	// The loopback cloud's certificate is trusted by its own client only.
	strict := s.Client()
	strict.Transport.(*http.Transport).TLSClientConfig = nil
	o.HTTPClient = strict
	got, err = eks.New(o).Read(t.Context(), live.Request{Snapshot: atlas()})
	if p := problemOf(t, got, err); p.Kind != live.Unreachable || !strings.Contains(p.Text, "certificate") || !strings.Contains(p.Fix, "AWS_CA_BUNDLE") {
		t.Errorf("untrusted: %+v", p)
	}
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

// A Config that names no place is not asked about at all.
func TestNoPlace(t *testing.T) {
	s, r := newAtlas(t)
	for name, config := range map[string]map[string]any{
		"none":                  nil,
		"no region":             {"displayName": "atlas"},
		"region is no text":     {"displayName": "atlas", "region": int64(1)},
		"region is a host":      {"displayName": "atlas", "region": "example.com/?x=us-west-2"},
		"region has a port":     {"displayName": "atlas", "region": "us-west-2:443"},
		"no name":               {"region": "us-west-2"},
		"name is empty":         {"region": "us-west-2", "displayName": ""},
		"name leaves its place": {"region": "us-west-2", "displayName": "../x"},
		"name is no text":       {"region": "us-west-2", "displayName": []any{"x"}},
	} {
		in := snapshot(config, "")
		got, err := r.Read(t.Context(), live.Request{Snapshot: in})
		if p := problemOf(t, got, err); p.Kind != live.Unsupported || p.Call != "" || strings.ContainsAny(p.Text, "\n") {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if _, err := r.Read(t.Context(), live.Request{}); live.KindOf(err) != live.Unsupported {
		t.Errorf("no snapshot: %v", err)
	}
	if n := s.Requests(); n != 0 {
		t.Errorf("%d requests", n)
	}
	// The right form, and a Config that Rancher's types cannot hold.
	bad := atlas()
	bad.Config["tags"] = "none"
	got, err := r.Read(t.Context(), live.Request{Snapshot: bad})
	if p := problemOf(t, got, err); p.Kind != live.Unsupported || !strings.Contains(p.Text, "cannot read the config") {
		t.Errorf("wrong type: %+v", p)
	}
}

// Unhealthy node groups are an error beside a usable view, as in Rancher.
func TestUnhealthyGroupIsPartial(t *testing.T) {
	s, r := newAtlas(t)
	s.EditEKS(func(c *operatoreks.Cloud) {
		hosted.Map(c.Nodegroups["managed"]["nodegroup"])["health"] = map[string]any{"issues": []any{map[string]any{"code": "AsgInstanceLaunchFailures", "message": "no capacity"}}}
	})
	got := must(t, r, live.Request{Snapshot: atlas()})
	if !got.Partial || got.Spec == nil || got.Error != "health error for node group [managed] in cluster [c-abc12]: no capacity" {
		t.Errorf("partial %v %q", got.Partial, got.Error)
	}
}
