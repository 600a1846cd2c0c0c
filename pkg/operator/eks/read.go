package eks

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// View is what is read of a cluster, by the operator and by Rancher's refresher.
type View struct {
	// OperatorView is what a reconcile compares the Config with; nil with
	// OperatorError.
	OperatorView  map[string]any
	OperatorError string
	// RancherView is what the refresher stores as UpstreamSpec; nil with Error.
	RancherView map[string]any
	Error       string
	// HealthErrors are the refresher's texts about unhealthy node groups. With
	// them the refresher reports an error beside a usable view.
	HealthErrors []string
}

// RancherCluster names the Rancher Cluster, for error texts.
type RancherCluster struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
}

// Read reads the cloud as the operator and as Rancher's refresher do.
func Read(cluster RancherCluster, config map[string]any, managedTemplateID string, c Cloud) View {
	var v View
	var s spec
	if err := decode("config", config, &s); err != nil {
		v.OperatorError, v.Error = err.Error(), err.Error()
		return v
	}
	a := newAPI(c, nil)
	v.OperatorError = guarded(func() error {
		r := reader{a, managedTemplateID, s.DisplayName}
		read, _, err := r.all(true)
		if err == nil {
			v.OperatorView = generic(read.spec)
		}
		return err
	})
	a = newAPI(c, nil) // faults are counted for each of the two
	v.Error = guarded(func() error { return v.refresher(cluster, s, managedTemplateID, a) })
	return v
}

// refresher is Rancher's own reading.
func (v *View) refresher(cluster RancherCluster, s spec, managedTemplateID string, a *api) error {
	r := reader{a, managedTemplateID, cluster.DisplayName}
	state, err := r.describeCluster(s.DisplayName)
	if err != nil {
		return err
	}
	names, err := r.listNodegroups()
	if err != nil {
		return err
	}
	var groups []map[string]any
	var unhealthy []string
	for _, name := range names {
		ng, err := r.describeNodegroup(name)
		if err != nil {
			return err
		}
		groups = append(groups, ng)
		if text := health(ng, cluster.Name); text != "" {
			unhealthy = append(unhealthy, text)
		}
	}
	read, _, err := r.build(state, groups, false)
	if err != nil {
		return err
	}
	read.DisplayName, read.Region, read.AmazonCredentialSecret, read.Imported = s.DisplayName, s.Region, s.AmazonCredentialSecret, s.Imported
	read.Subnets, read.SecurityGroups, read.ServiceRole = s.Subnets, s.SecurityGroups, s.ServiceRole
	v.RancherView, v.HealthErrors = generic(read), unhealthy
	return nil
}

// health describes a node group's issues, "" if there are none.
func health(ng map[string]any, cluster string) string {
	h, ok := ng["health"].(map[string]any)
	if !ok {
		crash()
	}
	issues := hosted.List(h["issues"])
	if len(issues) == 0 {
		return ""
	}
	var texts []string
	suffix := ""
	for _, i := range issues {
		issue := hosted.Map(i)
		texts = append(texts, hosted.Str(issue["message"]))
		switch hosted.Str(issue["code"]) {
		case "AsgInstanceLaunchFailures", "InstanceLimitExceeded", "InsufficientFreeAddresses", "ClusterUnreachable":
		default:
			suffix = ": node group cannot be updated, must be deleted and recreated"
		}
	}
	return fmt.Sprintf("health error for node group [%s] in cluster [%s]: %s%s", hosted.Str(ng["nodegroupName"]), cluster, strings.Join(texts, "; "), suffix)
}

// guarded runs f and turns a crash into the text that Go prints for it.
func guarded(f func() error) (text string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case nilDereference:
			text = "panic: runtime error: invalid memory address or nil pointer dereference"
		default:
			panic(r)
		}
	}()
	if err := f(); err != nil {
		return err.Error()
	}
	return ""
}

// reader builds a spec from answers. name stands in error texts.
type reader struct {
	*api
	managedTemplateID string
	name              string
}

// reading is a built spec with what a reconcile needs beside it.
type reading struct {
	spec
	arn string
}

// all reads the cluster and its first page of node groups and builds the spec.
func (r reader) all(withTemplate bool) (*reading, []map[string]any, error) {
	state, err := r.describeCluster(r.name)
	if err != nil {
		return nil, nil, err
	}
	names, err := r.listNodegroups()
	if err != nil {
		return nil, nil, err
	}
	var groups []map[string]any
	for _, name := range names {
		ng, err := r.describeNodegroup(name)
		if err != nil {
			return nil, nil, err
		}
		groups = append(groups, ng)
	}
	s, arn, err := r.build(state, groups, withTemplate)
	if err != nil {
		return nil, nil, err
	}
	return &reading{spec: *s, arn: arn}, groups, nil
}

// build turns answers into a spec (BuildUpstreamClusterState).
func (r reader) build(cluster map[string]any, groups []map[string]any, withTemplate bool) (*spec, string, error) {
	if cluster == nil {
		crash()
	}
	s := &spec{Imported: true, DisplayName: hosted.Str(cluster["name"]), Tags: map[string]string{}}
	if net, ok := cluster["kubernetesNetworkConfig"].(map[string]any); ok {
		s.IPFamily = ptr(hosted.Str(net["ipFamily"]))
	}
	version := hosted.Str(cluster["version"])
	if version == "" {
		return nil, "", fmt.Errorf("cannot detect cluster [%s] upstream kubernetes version", r.name)
	}
	s.KubernetesVersion = &version
	if tags := textMap(cluster["tags"]); len(tags) > 0 {
		s.Tags = tags
	}
	vpc, ok := cluster["resourcesVpcConfig"].(map[string]any)
	if !ok {
		crash()
	}
	public, _ := vpc["endpointPublicAccess"].(bool)
	private, _ := vpc["endpointPrivateAccess"].(bool)
	s.PublicAccess, s.PrivateAccess = &public, &private
	s.PublicAccessSources = orEmpty(texts(vpc["publicAccessCidrs"]))
	s.LoggingTypes = logging(cluster)
	arn, err := r.installedAddon(s.DisplayName)
	if err != nil {
		return nil, "", fmt.Errorf("error checking if ebs csi driver addon is installed in cluster [%s]: %w", r.name, err)
	}
	s.EBSCSIDriver = ptr(strings.Contains(arn, addonName))
	s.NodeGroups = make([]group, 0, len(groups))
	for _, ng := range groups {
		if err := r.addGroup(s, ng, withTemplate); err != nil {
			return nil, "", err
		}
	}
	s.Subnets, s.SecurityGroups = texts(vpc["subnetIds"]), texts(vpc["securityGroupIds"])
	encryption := hosted.List(cluster["encryptionConfig"])
	s.SecretsEncryption, s.KmsKey = ptr(len(encryption) > 0), ptr("")
	if len(encryption) > 0 {
		provider, ok := hosted.Map(encryption[0])["provider"].(map[string]any)
		if !ok {
			crash()
		}
		s.KmsKey = text(provider["keyArn"])
	}
	s.ServiceRole = ptr(hosted.Str(cluster["roleArn"]))
	return s, hosted.Str(cluster["arn"]), nil
}

// logging is the first log set, if it is enabled.
func logging(cluster map[string]any) []string {
	sets := hosted.List(hosted.Map(cluster["logging"])["clusterLogging"])
	if len(sets) == 0 {
		return []string{}
	}
	first := hosted.Map(sets[0])
	if on, _ := first["enabled"].(bool); !on {
		return []string{}
	}
	return orEmpty(texts(first["types"]))
}

func (r reader) addGroup(s *spec, ng map[string]any, withTemplate bool) error {
	if ng == nil {
		crash()
	}
	state := hosted.Str(ng["status"])
	if state == "DELETING" {
		return nil
	}
	scaling, ok := ng["scalingConfig"].(map[string]any)
	if !ok {
		crash()
	}
	g := group{
		Name: text(ng["nodegroupName"]), DiskSize: number(ng["diskSize"]), Labels: pointers(textMap(ng["labels"])),
		DesiredSize: number(scaling["desiredSize"]), MaxSize: number(scaling["maxSize"]), MinSize: number(scaling["minSize"]),
		NodeRole: text(ng["nodeRole"]), Subnets: texts(ng["subnets"]), Tags: pointers(textMap(ng["tags"])),
		RequestSpotInstances: ptr(hosted.Str(ng["capacityType"]) == "SPOT"),
	}
	// The real code compares pointers, which are never the same.
	if state != "UPDATING" {
		g.Version = text(ng["version"])
	}
	if *g.RequestSpotInstances {
		g.SpotInstanceTypes = texts(ng["instanceTypes"])
	}
	if lt, ok := ng["launchTemplate"].(map[string]any); ok {
		done, err := r.addTemplate(s, &g, lt, withTemplate)
		if done || err != nil {
			return err
		}
	} else {
		if types := texts(ng["instanceTypes"]); !*g.RequestSpotInstances && len(types) > 0 {
			g.InstanceType = types[0]
		}
		if remote, ok := ng["remoteAccess"].(map[string]any); ok {
			g.SSHKey = text(remote["ec2SshKey"])
		}
	}
	switch hosted.Str(ng["amiType"]) {
	case "AL2023_x86_64_NVIDIA":
		g.Gpu = ptr(true)
	case "AL2023_x86_64_STANDARD":
		g.Gpu = ptr(false)
	case "AL2023_ARM_64_STANDARD":
		g.Arm = ptr(true)
	}
	s.NodeGroups = append(s.NodeGroups, g)
	return nil
}

// addTemplate folds Rancher's own launch template into the group. It reports
// true when the group is complete already: the operator goes on without a
// template that is gone.
func (r reader) addTemplate(s *spec, g *group, lt map[string]any, withTemplate bool) (bool, error) {
	g.LaunchTemplate = &template{ID: text(lt["id"]), Name: text(lt["name"])}
	if n, err := strconv.ParseInt(hosted.Str(lt["version"]), 10, 64); err == nil {
		g.LaunchTemplate.Version = &n
	}
	if r.managedTemplateID != str(g.LaunchTemplate.ID) {
		return false, nil
	}
	v, err := r.templateVersion(g.LaunchTemplate.ID, text(lt["version"]))
	switch {
	case err != nil && (doesNotExist(err) || notFound(err)) && withTemplate:
		g.LaunchTemplate.ID = nil
		s.NodeGroups = append(s.NodeGroups, *g)
		return true, nil
	case err != nil && (doesNotExist(err) || notFound(err)):
		return false, fmt.Errorf("rancher-managed launch template for node group [%s] in cluster [%s] not found, must create new node group and destroy existing", str(g.Name), r.name)
	case err != nil || v == nil:
		return false, fmt.Errorf("error getting launch template info for node group [%s] in cluster [%s]", str(g.Name), r.name)
	}
	if v.Data == nil {
		crash()
	}
	disks := hosted.List(v.Data["blockDeviceMappings"])
	if len(disks) == 0 {
		return false, fmt.Errorf("launch template for node group [%s] in cluster [%s] is malformed", str(g.Name), r.name)
	}
	disk, ok := hosted.Map(disks[0])["ebs"].(map[string]any)
	if !ok {
		crash()
	}
	g.DiskSize, g.SSHKey, g.ImageID = number(disk["volumeSize"]), text(v.Data["keyName"]), text(v.Data["imageId"])
	g.InstanceType, g.ResourceTags = hosted.Str(v.Data["instanceType"]), instanceTags(v.Data)
	if data := hosted.Str(v.Data["userData"]); data != "" {
		if raw, err := base64.StdEncoding.DecodeString(data); err == nil {
			g.UserData = ptr(string(raw))
		}
	}
	if !withTemplate {
		g.LaunchTemplate = nil
	}
	return false, nil
}

func instanceTags(data map[string]any) map[string]string {
	out := map[string]string{}
	for _, s := range hosted.List(data["tagSpecifications"]) {
		if hosted.Str(hosted.Map(s)["resourceType"]) != "instance" {
			continue
		}
		for _, t := range hosted.List(hosted.Map(s)["tags"]) {
			out[hosted.Str(hosted.Map(t)["key"])] = hosted.Str(hosted.Map(t)["value"])
		}
	}
	return out
}

func text(v any) *string {
	if s, ok := v.(string); ok {
		return &s
	}
	return nil
}

func number(v any) *int32 {
	if n, ok := v.(int64); ok {
		return ptr(int32(n))
	}
	return nil
}

func texts(v any) []string {
	l, ok := v.([]any)
	if !ok {
		return nil
	}
	out := make([]string, len(l))
	for i, e := range l {
		out[i] = hosted.Str(e)
	}
	return out
}

func textMap(v any) map[string]string {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, e := range m {
		out[k] = hosted.Str(e)
	}
	return out
}

// pointers is never nil, as in the SDK's own conversion.
func pointers(m map[string]string) map[string]*string {
	out := make(map[string]*string, len(m))
	for k, v := range m {
		out[k] = &v
	}
	return out
}

func orEmpty(l []string) []string {
	if len(l) == 0 {
		return []string{}
	}
	return l
}
