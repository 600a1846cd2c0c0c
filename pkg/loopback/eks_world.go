package loopback

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/eks"
)

// eksState is one EKS cluster with what belongs to it.
type eksState struct {
	eks          eks.Cloud
	groupUpdates []groupUpdate
	// highest is the newest version that each launch template ever had. updates
	// and templates count what was made here.
	highest            map[string]int64
	updates, templates int
	// behind counts the answers that still call a busy thing active.
	behind int
}

func newEKSState(c eks.Cloud) (*eksState, error) {
	own, err := copyEKS(c)
	if err != nil {
		return nil, err
	}
	s := &eksState{eks: own, highest: map[string]int64{}}
	for _, v := range own.LaunchTemplateVersions {
		s.highest[v.ID] = max(s.highest[v.ID], v.Version)
	}
	return s, nil
}

// eksWorld is what AWS has beside the cluster of SetEKS: other clusters, time, and
// all that can go wrong.
type eksWorld struct {
	others map[EKSName]*eksState
	clock  func() time.Time
	lag    int
	mixed  bool
	trail  []TrailEvent
	seen   []string
	sky
}

// EKSName is where an EKS cluster is.
type EKSName struct{ Region, Name string }

// AddEKS adds a cluster to a region. Its name and region must be free.
func (s *Server) AddEKS(tb testing.TB, region string, c eks.Cloud) EKSName {
	tb.Helper()
	own, err := newEKSState(c)
	if err != nil {
		tb.Fatal(err)
	}
	name := EKSName{region, hosted.Str(hosted.Map(own.eks.Cluster["cluster"])["name"])}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.others == nil {
		s.others = map[EKSName]*eksState{}
	}
	if _, ok := s.others[name]; ok || name.Name == "" {
		tb.Fatalf("a second EKS cluster %q, or one without a name, in %s", name.Name, region)
	}
	s.others[name] = own
	return name
}

// AddEKSFleet adds count idle clusters, "fleet-000" and so on, spread evenly over
// regions. Each has up to three node groups, of which the first has a desired size
// that is the cluster's number modulo 7, plus one.
func (s *Server) AddEKSFleet(tb testing.TB, count int, regions ...string) []EKSName {
	tb.Helper()
	var out []EKSName
	for i := range count {
		region := regions[i%len(regions)]
		out = append(out, s.AddEKS(tb, region, fleetCluster(i, region)))
	}
	return out
}

func fleetCluster(i int, region string) eks.Cloud {
	name := fmt.Sprintf("fleet-%03d", i)
	arn := "arn:aws:eks:" + region + ":" + account
	c := eks.Cloud{Nodegroups: map[string]map[string]any{}, ListNodegroups: [][]string{{}}}
	c.Cluster = map[string]any{"cluster": map[string]any{
		"name": name, "arn": arn + ":cluster/" + name, "status": active, "version": "1.31", "createdAt": 1750000000.25,
		"roleArn": "arn:aws:iam::" + account + ":role/cluster", "kubernetesNetworkConfig": map[string]any{"ipFamily": "ipv4"},
		"resourcesVpcConfig": map[string]any{"endpointPublicAccess": true, "endpointPrivateAccess": false,
			"publicAccessCidrs": []any{"0.0.0.0/0"}, "subnetIds": []any{"subnet-1", "subnet-2"}, "securityGroupIds": []any{"sg-1"}},
		"tags": map[string]any{"fleet": name},
	}}
	for g := range i%3 + 1 {
		group := fmt.Sprintf("pool-%d", g)
		size := int64(i%7 + g + 1)
		c.ListNodegroups[0] = append(c.ListNodegroups[0], group)
		c.Nodegroups[group] = map[string]any{"nodegroup": map[string]any{
			"nodegroupName": group, "clusterName": name, "status": active, "version": "1.31", "amiType": "AL2023_x86_64_STANDARD",
			"capacityType": "ON_DEMAND", "instanceTypes": []any{"m5.large"}, "diskSize": int64(20), "health": map[string]any{"issues": []any{}},
			"scalingConfig": map[string]any{"desiredSize": size, "minSize": int64(1), "maxSize": size + 3},
			"nodegroupArn":  arn + ":nodegroup/" + name + "/" + group + "/1", "nodeRole": "arn:aws:iam::" + account + ":role/node",
			"subnets": []any{"subnet-1"}, "createdAt": 1750000100.5, "modifiedAt": 1750000200.5,
		}}
	}
	return c
}

// EditEKSOf is EditEKS for a cluster of AddEKS.
func (s *Server) EditEKSOf(name EKSName, change func(*eks.Cloud)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.others[name].eks)
}

// Clock sets the cloud's clock: new updates are created, and finished ones modify
// their node group, at its time.
func (s *Server) Clock(now func() time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock = now
}

// LagEKS makes the state of what is busy show late: that many answers of
// DescribeCluster and DescribeNodegroup after a call still say that all is idle.
func (s *Server) LagEKS(answers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lag = answers
}

// MixUpdates makes ListUpdates answer in no useful order, as EKS does.
func (s *Server) MixUpdates() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mixed = true
}

// EKSUpdate is an update that others have begun: of the node group or add-on that
// is named, or of the cluster. Body has the members of EKS's Update.
type EKSUpdate struct {
	Nodegroup, Addon string
	Body             map[string]any
}

// AddUpdates adds updates to the records of a cluster, SetEKS's for a zero name.
// They change nothing else.
func (s *Server) AddUpdates(name EKSName, updates ...EKSUpdate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.eksState
	if name != (EKSName{}) {
		state = s.others[name]
	}
	for _, u := range updates {
		if u.Nodegroup == "" && u.Addon == "" {
			state.eks.Updates = append(state.eks.Updates, map[string]any{"update": hosted.CloneMap(u.Body)})
			continue
		}
		state.groupUpdates = append(state.groupUpdates, groupUpdate{u.Nodegroup, u.Addon, hosted.CloneMap(u.Body)})
	}
}

// eachEKS does something with each cluster as the one that is asked.
func (s *Server) eachEKS(do func(*Server)) {
	first := s.eksState
	do(s)
	for _, name := range slices.SortedFunc(maps.Keys(s.others), func(a, b EKSName) int {
		if a.Region != b.Region {
			return slices.Compare([]string{a.Region}, []string{b.Region})
		}
		return slices.Compare([]string{a.Name}, []string{b.Name})
	}) {
		s.eksState = s.others[name]
		do(s)
	}
	s.eksState = first
}

// asked makes the cluster that a request is about the one that answers, until the
// function that it returns is called.
func (s *Server) asked(wanted func(EKSName, *eksState) bool) (back func()) {
	first := s.eksState
	for name, state := range s.others {
		if wanted(name, state) {
			s.eksState = state
			break
		}
	}
	return func() { s.eksState = first }
}

// now is the cloud's time in EKS's form, a constant without a clock.
func (s *Server) now() float64 {
	if s.clock == nil {
		return 1750000000.5
	}
	return float64(s.clock().UnixMilli()) / 1000
}
