package eks

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// Input is what one reconcile starts from.
type Input struct {
	// Name is the custom resource's name.
	Name string
	// Config is its spec, Status its status; a status without phase is active.
	Config, Status map[string]any
	Cloud          Cloud
	Faults         []operator.Fault
}

// Reconcile is one pass of the operator.
func Reconcile(in Input) operator.Pass {
	a := newAPI(in.Cloud, in.Faults)
	p, _ := reconcile(a, in)
	return p
}

// pass is one reconcile under way. st is the status in memory, stored what the
// API server holds: they differ until somebody writes.
type pass struct {
	*api
	name       string
	cfg        spec
	st, stored status
	enqueued   bool
	waiting    bool
	groupARNs  map[string]string
}

func reconcile(a *api, in Input) (operator.Pass, status) {
	p := &pass{api: a, name: in.Name}
	a.calls, a.cause = nil, cause{}
	if err := decode("config", in.Config, &p.cfg); err != nil {
		return operator.Pass{Error: err.Error(), Requeue: "none"}, p.stored
	}
	if err := decode("status", in.Status, &p.st); err != nil {
		return operator.Pass{Error: err.Error(), Requeue: "none"}, p.stored
	}
	if _, ok := in.Status["phase"]; !ok {
		p.st.Phase = operator.PhaseActive
	}
	p.stored = p.st.clone()
	before := p.stored
	var failure error
	crashed := guarded(func() error { failure = p.run(); return nil })
	out := operator.Pass{Calls: a.calls, Waiting: p.waiting && failure == nil && crashed == "" && len(a.calls) == 0}
	if crashed != "" {
		out.Panic, out.Error = true, crashed
	} else {
		out.Error = p.record(failure)
	}
	out.Phase, out.FailureMessage, out.Status = p.stored.Phase, p.stored.FailureMessage, generic(p.stored)
	changed := !hosted.Equal(generic(before), generic(p.stored))
	out.WillRunAgain = failure != nil || crashed != "" || p.enqueued || changed
	out.Requeue = requeue(failure != nil || crashed != "", p.enqueued, p.waiting, changed)
	return out, p.stored
}

func requeue(failed, enqueued, waiting, changed bool) string {
	switch {
	case failed, enqueued && !waiting:
		return "now"
	case enqueued:
		return "30s"
	case changed:
		return "statusEvent"
	}
	return "none"
}

func (s status) clone() status {
	s.ManagedLaunchTemplateVersions = cloneMap(s.ManagedLaunchTemplateVersions)
	s.TemplateVersionsToDelete = slices.Clone(s.TemplateVersionsToDelete)
	s.CompletedUpdateIDs = slices.Clone(s.CompletedUpdateIDs)
	return s
}

func cloneMap(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// save writes the status in memory to the API server.
func (p *pass) save() { p.stored = p.st.clone() }

// record is what the operator does with the outcome: an error becomes the
// failure message and turns an active phase into updating.
func (p *pass) record(err error) string {
	text, message := "", ""
	if err != nil {
		text = err.Error()
		if !strings.Contains(text, "currently has update") {
			message = text
		}
	}
	if p.st.FailureMessage == message {
		return text
	}
	if message != "" && p.st.Phase == operator.PhaseActive {
		p.st.Phase = operator.PhaseUpdating
	}
	p.st.FailureMessage = message
	p.save()
	return text
}

func (p *pass) run() error {
	switch p.st.Phase {
	case operator.PhaseImporting:
		return p.importCluster()
	case operator.PhaseNone:
		return p.create()
	case operator.PhaseCreating:
		return p.awaitCreation()
	case operator.PhaseActive, operator.PhaseUpdating:
		return p.checkAndUpdate()
	}
	return nil
}

// wait waits for the cloud: the first time by writing the phase, then by polling.
func (p *pass) wait() error {
	p.waiting = true
	if p.st.Phase != operator.PhaseUpdating {
		p.st.Phase = operator.PhaseUpdating
		p.save()
		return nil
	}
	p.enqueued = true
	return nil
}

func (p *pass) checkAndUpdate() error {
	if err := p.validate(); err != nil {
		p.st.Phase = operator.PhaseUpdating
		p.save()
		return err
	}
	cluster, err := p.describeCluster(p.cfg.DisplayName)
	if err != nil {
		return err
	}
	if cluster == nil {
		crash()
	}
	if hosted.Str(cluster["status"]) == "UPDATING" {
		return p.wait()
	}
	busy, err := p.updates()
	if err != nil {
		return err
	}
	if busy {
		return p.wait()
	}
	groups, busy, err := p.groups()
	if err != nil || busy {
		return err
	}
	if p.st.Phase == operator.PhaseActive && len(p.st.TemplateVersionsToDelete) > 0 {
		p.cause = cause{}
		p.deleteVersions(p.st.ManagedLaunchTemplateID, p.st.TemplateVersionsToDelete)
		p.st.TemplateVersionsToDelete = nil
		p.save()
		return nil
	}
	r := reader{p.api, p.st.ManagedLaunchTemplateID, p.cfg.DisplayName}
	up, arn, err := r.build(cluster, groups, true)
	if err != nil {
		return err
	}
	return p.update(up, arn)
}

// updates asks for the cluster's updates that are not known to be finished.
func (p *pass) updates() (busy bool, err error) {
	known := map[string]bool{}
	for _, id := range p.st.CompletedUpdateIDs {
		known[id] = true
	}
	const page = 3
	var ids []map[string]any
	for at := 0; at == 0 || at < len(p.Updates); at += page {
		if err, empty := p.fault("EKS", "ListUpdates"); err != nil {
			return false, fmt.Errorf("failed to list updates: %w", err)
		} else if empty {
			break
		}
		for _, u := range p.Updates[at:min(at+page, len(p.Updates))] {
			if !known[hosted.Str(hosted.Map(u["update"])["id"])] {
				ids = append(ids, u)
			}
		}
	}
	var finished []string
	for _, u := range ids {
		if err, empty := p.fault("EKS", "DescribeUpdate"); err != nil {
			return false, err
		} else if empty {
			crash()
		}
		up := hosted.Map(u["update"])
		if hosted.Str(up["status"]) == "InProgress" {
			busy = true
		} else {
			finished = append(finished, hosted.Str(up["id"]))
		}
	}
	p.st.CompletedUpdateIDs = append(p.st.CompletedUpdateIDs, finished...)
	return busy, nil
}

// groups reads the first page of node groups; any that is in transition stops
// everything.
func (p *pass) groups() (all []map[string]any, busy bool, err error) {
	names, err := p.listNodegroups()
	if err != nil {
		return nil, false, err
	}
	p.groupARNs = map[string]string{}
	for _, n := range names {
		ng, err := p.describeNodegroup(n)
		if err != nil {
			return nil, false, err
		}
		if ng == nil {
			crash()
		}
		switch hosted.Str(ng["status"]) {
		case "UPDATING", "DELETING", "CREATING":
			p.waiting = true
			if p.st.Phase != operator.PhaseUpdating {
				p.st.Phase = operator.PhaseUpdating
				p.save()
			}
			p.enqueued = true
			return nil, true, nil
		}
		all = append(all, ng)
		p.groupARNs[n] = hosted.Str(ng["nodegroupArn"])
	}
	return all, false, nil
}

// validate checks the Config's versions and group names, before any call.
func (p *pass) validate() error {
	var cluster *version
	if p.cfg.KubernetesVersion != nil {
		v, err := parseVersion(str(p.cfg.KubernetesVersion))
		if err != nil {
			return fmt.Errorf("invalid version format for cluster [%s (id: %s)]: %s", p.cfg.DisplayName, p.name, str(p.cfg.KubernetesVersion))
		}
		cluster = &v
	}
	var errs []string
	seen := map[string]bool{}
	for _, g := range p.cfg.NodeGroups {
		if seen[str(g.Name)] {
			errs = append(errs, fmt.Sprintf("node group name [%s] is not unique within the cluster [%s (id: %s)] to avoid duplication", str(g.Name), p.cfg.DisplayName, p.name))
		}
		seen[str(g.Name)] = true
		if g.Version == nil {
			continue
		}
		v, err := parseVersion(*g.Version)
		switch {
		case err != nil:
			errs = append(errs, fmt.Sprintf("invalid version format for node group [%s]: %s", str(g.Name), *g.Version))
		case cluster == nil, *cluster == v, cluster.minor-v.minor <= 3: // unsigned: a newer group wraps
		default:
			errs = append(errs, fmt.Sprintf("versions for cluster [%s] and node group [%s] are not compatible: the node group version may only be up to three minor versions older than the cluster version",
				str(p.cfg.KubernetesVersion), *g.Version))
		}
	}
	if errs != nil {
		return errors.New(strings.Join(errs, ";"))
	}
	return nil
}

// version is major.minor as the operator's strict parser takes it.
type version struct{ major, minor uint64 }

func (v version) newer(o version) bool {
	return v.major > o.major || v.major == o.major && v.minor > o.minor
}

// parseVersion takes two numbers without leading zeros and nothing else.
func parseVersion(s string) (version, error) {
	parts := strings.Split(s, ".")
	if len(parts) != 2 {
		return version{}, fmt.Errorf("not major.minor: %q", s)
	}
	var n [2]uint64
	for i, part := range parts {
		v, err := strconv.ParseUint(part, 10, 64)
		if err != nil || len(part) > 1 && part[0] == '0' || strings.HasPrefix(part, "+") {
			return version{}, fmt.Errorf("not major.minor: %q", s)
		}
		n[i] = v
	}
	return version{n[0], n[1]}, nil
}

func (p *pass) importCluster() error {
	cluster, err := p.describeCluster(p.cfg.DisplayName)
	if err != nil {
		return err
	}
	if cluster == nil || hosted.Map(cluster["certificateAuthority"]) == nil {
		crash()
	}
	name := templateName(p.cfg.DisplayName)
	if err, empty := p.fault("EC2", "DescribeLaunchTemplates"); err == nil && !empty {
		for _, v := range p.LaunchTemplateVersions {
			if v.Name == name {
				p.st.ManagedLaunchTemplateID = v.ID
				break
			}
		}
	}
	vpc, ok := cluster["resourcesVpcConfig"].(map[string]any)
	if !ok {
		crash()
	}
	p.st.Subnets, p.st.SecurityGroups = texts(vpc["subnetIds"]), texts(vpc["securityGroupIds"])
	p.st.Phase = operator.PhaseActive
	p.save()
	return nil
}

// create covers what can be said of a cluster that exists in the cloud: an
// imported one goes on to importing, any other name is taken.
func (p *pass) create() error {
	if p.cfg.Imported {
		for _, g := range p.cfg.NodeGroups {
			if p.cfg.KubernetesVersion == nil {
				crash()
			}
			if str(g.Version) != *p.cfg.KubernetesVersion {
				return fmt.Errorf("nodegroup [%s] version must match cluster [%s (id: %s)] version on create", str(g.Name), p.cfg.DisplayName, p.name)
			}
		}
		p.st.Phase = operator.PhaseImporting
		p.save()
		return nil
	}
	if p.Cluster != nil {
		return fmt.Errorf("cannot create cluster [%s (id: %s)] because a cluster in EKS exists with the same name", p.cfg.DisplayName, p.name)
	}
	return fmt.Errorf("cluster [%s (id: %s)] does not exist yet: its creation is not predicted", p.cfg.DisplayName, p.name)
}

func (p *pass) awaitCreation() error {
	cluster, err := p.describeCluster(p.cfg.DisplayName)
	switch {
	case err != nil:
		return err
	case cluster == nil:
		return errors.New("no cluster data was returned")
	}
	switch state := hosted.Str(cluster["status"]); state {
	case "":
		return errors.New("no cluster status was returned")
	case "FAILED":
		return fmt.Errorf("creation failed for cluster named %q with ARN %q", hosted.Str(cluster["name"]), hosted.Str(cluster["arn"]))
	case "ACTIVE":
		if hosted.Map(cluster["certificateAuthority"]) == nil {
			crash()
		}
		p.st.Phase = operator.PhaseActive
		p.save()
		return nil
	}
	p.waiting, p.enqueued = true, true
	return nil
}

func templateName(cluster string) string { return "rancher-managed-lt-" + cluster }
