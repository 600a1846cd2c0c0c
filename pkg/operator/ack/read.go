package ack

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// View is what one reading of the cloud yields.
type View struct {
	// Operator is what the reader makes of the cloud, Rancher what the refresher
	// stores as UpstreamSpec: the same with the identity of the Config. Both are
	// nil if Error is set. If the cloud does not answer about node pools, both
	// are the Config itself.
	Operator, Rancher map[string]any
	// Error is the reader's error, "" if it succeeded. Panic is set where the
	// real reader crashes; Error then starts with "panic: ".
	Error string
	Panic bool
}

// panicError stands for a crash of the real code.
type panicError struct{ text string }

func (e *panicError) Error() string { return "panic: runtime error: " + e.text }

var errNil = &panicError{"invalid memory address or nil pointer dereference"}

func isPanic(err error) bool {
	var p *panicError
	return errors.As(err, &p)
}

// Read reads the cloud as Rancher's refresher does, with the Config, credential,
// cloud and faults of in (rancher/ali-operator, controller/external.go,
// BuildUpstreamClusterState; rancher/rancher,
// pkg/controllers/management/clusterupstreamrefresher,
// BuildAlibabaUpstreamSpec).
func Read(in Input) View {
	r, err := newRun(in)
	if err != nil {
		return View{Error: err.Error()}
	}
	s, err := r.read()
	if err != nil {
		return View{Error: err.Error(), Panic: isPanic(err)}
	}
	v := View{Operator: s.encode()}
	own := *s
	own.clusterName, own.region = r.config.clusterName, r.config.region
	own.credential, own.imported = r.config.credential, r.config.imported
	v.Rancher = own.encode()
	return v
}

func (r *run) read() (*spec, error) {
	if err := r.credential.check(r.config); err != nil {
		return nil, err
	}
	c, err := r.alibaba.detail(r.config.clusterID)
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return nil, errors.New("received empty cluster response")
	}
	s, err := readCluster(c, r.config)
	if err != nil {
		return nil, err
	}
	list, err := r.alibaba.pools(r.config.clusterID)
	switch {
	case err != nil:
		return nil, err
	case list == nil:
		return r.config, nil
	}
	s.pools, err = readPools(list.Nodepools)
	return s, err
}

// readCluster makes the view of everything but the node pools.
func readCluster(c *cluster, config *spec) (*spec, error) {
	str := schema.OrZero[string]
	s := &spec{
		clusterName: str(c.Name), clusterID: str(c.ID), clusterType: str(c.Type), clusterSpec: str(c.Spec),
		version: str(c.CurrentVersion), region: str(c.RegionID), vpc: str(c.VpcID), vswitches: texts(c.VswitchIDs),
		containerCIDR: str(c.ContainerCidr), serviceCIDR: str(c.ServiceCidr), proxyMode: str(c.ProxyMode),
		securityGroup: str(c.SecurityGroupID), resourceGroup: str(c.ResourceGroupID),
		enterpriseGroup: config.enterpriseGroup, publicAccess: config.publicAccess, zones: config.zones,
	}
	if s.zones == nil {
		s.zones = []string{str(c.ZoneID)}
	}
	if u := str(c.MasterURL); u != "" {
		var urls map[string]any
		if err := json.Unmarshal([]byte(u), &urls); err != nil {
			return nil, fmt.Errorf("error parsing master_url of cluster: %w", err)
		}
		_, public := urls["api_server_endpoint"]
		s.publicAccess = &public
	}
	if v := str(c.Parameters["SNatEntry"]); v != "" {
		snat := strings.EqualFold(v, "true")
		s.snat = &snat
	}
	if v := str(c.Parameters["PodVswitchIds"]); v != "" && v != "[]" {
		// What cannot be parsed is dropped, or kept as far as it could be.
		var ids []string
		_ = json.Unmarshal([]byte(v), &ids)
		s.podVswitches = filled(ids)
	}
	s.nodeMask = maskOf(c, 0)
	return s, nil
}

// maskOf reads the node mask; what is missing or no number leaves it as it was.
func maskOf(c *cluster, was int64) int64 {
	n, err := strconv.Atoi(schema.OrZero(c.NodeCidrMask))
	if err != nil {
		return was
	}
	return int64(n)
}

// texts is nil for an empty list; a null in it is "".
func texts(l []*string) []string {
	var out []string
	for _, s := range l {
		out = append(out, schema.OrZero(s))
	}
	return out
}

// readPools crashes over a pool without a scaling group, as the operator does.
func readPools(list []*nodePool) ([]pool, error) {
	var out []pool
	for _, np := range list {
		if np == nil || np.ScalingGroup == nil {
			return nil, errNil
		}
		out = append(out, readPool(np))
	}
	return out, nil
}

func readPool(np *nodePool) pool {
	str, num := schema.OrZero[string], schema.OrZero[int64]
	g := np.ScalingGroup
	p := pool{
		desired: g.DesiredSize, autoRenew: schema.OrZero(g.AutoRenew), autoRenewPeriod: num(g.AutoRenewPeriod),
		chargeType: str(g.InstanceChargeType), instanceTypes: texts(g.InstanceTypes), keyPair: str(g.KeyPair),
		period: num(g.Period), periodUnit: str(g.PeriodUnit), imageType: str(g.ImageType), imageID: str(g.ImageID),
		diskCategory: str(g.SystemDiskCategory), diskSize: num(g.SystemDiskSize), vswitches: texts(g.VswitchIDs),
	}
	for _, d := range g.DataDisks {
		if d != nil {
			p.disks = append(p.disks, disk{str(d.Category), str(d.Encrypted), str(d.AutoSnapshotPolicyID), num(d.Size)})
		}
	}
	if i := np.NodepoolInfo; i != nil {
		p.id, p.name = str(i.ID), str(i.Name)
	}
	if a := np.AutoScaling; a != nil {
		p.scalingType, p.autoscaling, p.most, p.least = str(a.Type), a.Enable, a.MaxInstances, a.MinInstances
	}
	if k := np.KubernetesConfig; k != nil {
		p.runtime, p.runtimeVersion = str(k.Runtime), str(k.RuntimeVersion)
	}
	return p
}
