package eks

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

func at(g group) hosted.Path { return hosted.Path{}.Key("nodeGroups").Item(str(g.Name)) }

// updateGroups creates, deletes and updates node groups, then the add-on.
func (p *pass) updateGroups(up *spec) error {
	have, want := byName(up.NodeGroups), byName(p.cfg.NodeGroups)
	added, deleted := map[string]string{}, map[string]string{}
	changed := false
	for _, g := range p.cfg.NodeGroups {
		if _, ok := have[str(g.Name)]; ok {
			continue
		}
		version, err := p.addGroup(g)
		if err != nil {
			return err
		}
		added[str(g.Name)] = version
		changed = true
	}
	for _, g := range up.NodeGroups {
		if _, ok := want[str(g.Name)]; ok {
			continue
		}
		version, err := p.deleteGroup(g)
		if err != nil {
			return err
		}
		changed = true
		if version != nil {
			deleted[str(g.Name)] = *version
		}
	}
	if changed {
		return p.groupsChanged(added, deleted, deleted)
	}
	changed, added, deleted, err := p.changeGroups(up, want)
	if err != nil {
		return err
	}
	if changed {
		return p.groupsChanged(added, deleted, added)
	}
	if deref(p.cfg.EBSCSIDriver) {
		arn, err := p.installedAddon(p.cfg.DisplayName)
		if err != nil {
			return fmt.Errorf("error checking if ebs csi driver addon is installed: %w", err)
		}
		if arn == "" {
			if err := p.enableDriver(); err != nil {
				return fmt.Errorf("error enabling ebs csi driver addon: %w", err)
			}
		}
	}
	return p.rest()
}

func byName(groups []group) map[string]group {
	out := make(map[string]group, len(groups))
	for _, g := range groups {
		out[str(g.Name)] = g
	}
	return out
}

// groupsChanged records the template versions that came and went.
func (p *pass) groupsChanged(added, deleted, subtract map[string]string) error {
	if len(added) == 0 && len(deleted) == 0 {
		return p.sent()
	}
	p.st.Phase = operator.PhaseUpdating
	for _, k := range hosted.SortedKeys(deleted) {
		p.st.TemplateVersionsToDelete = append(p.st.TemplateVersionsToDelete, deleted[k])
	}
	slices.Sort(p.st.TemplateVersionsToDelete) // the real order is random
	versions := cloneMap(p.st.ManagedLaunchTemplateVersions)
	for k := range subtract {
		delete(versions, k)
	}
	if versions == nil {
		versions = map[string]string{}
	}
	maps.Copy(versions, added)
	p.st.ManagedLaunchTemplateVersions = versions
	p.save()
	return nil
}

// ensureTemplate makes sure that Rancher's own launch template exists.
func (p *pass) ensureTemplate() error {
	err, _ := p.fault("EC2", "DescribeLaunchTemplates")
	known := slices.ContainsFunc(p.LaunchTemplateVersions, func(v LaunchTemplateVersion) bool { return v.ID == p.st.ManagedLaunchTemplateID })
	if p.st.ManagedLaunchTemplateID != "" && (err != nil && !doesNotExist(err)) {
		return fmt.Errorf("error checking for existing launch template: %w", err)
	}
	if p.st.ManagedLaunchTemplateID != "" && err == nil && known {
		return nil
	}
	name := templateName(p.cfg.DisplayName)
	id := ""
	input := map[string]any{
		"launchTemplateData": map[string]any{"userData": "cGxhY2Vob2xkZXIK"}, "launchTemplateName": name,
		"tagSpecifications": []any{map[string]any{"resourceType": "launch-template",
			"tags": []any{map[string]any{"key": "rancher-managed-template", "value": "do-not-modify-or-delete"}}}},
	}
	sendErr := p.send("ec2", "CreateLaunchTemplate", input, func() *apiError {
		if slices.ContainsFunc(p.LaunchTemplateVersions, func(v LaunchTemplateVersion) bool { return v.Name == name }) {
			return &apiError{"EC2", "CreateLaunchTemplate", "InvalidLaunchTemplateName.AlreadyExistsException", "Launch template name already in use.", 400}
		}
		p.made++
		id = fmt.Sprintf("lt-0new%013d", p.made)
		p.LaunchTemplateVersions = append(p.LaunchTemplateVersions, LaunchTemplateVersion{id, name, 1, map[string]any{"userData": "cGxhY2Vob2xkZXIK"}})
		p.highest[id] = 1
		return nil
	})
	if sendErr != nil {
		return fmt.Errorf("error creating launch template: %w", sendErr)
	}
	p.st.ManagedLaunchTemplateID = id
	return nil
}

// addGroup creates a node group and returns its launch template version.
func (p *pass) addGroup(g group) (string, error) {
	p.because(cause{fields: []string{at(g).String()}, object: at(g).String()})
	if err := p.ensureTemplate(); err != nil {
		return "", fmt.Errorf("error getting or creating launch template: %w", err)
	}
	if p.st.Phase != operator.PhaseUpdating {
		p.st.Phase = operator.PhaseUpdating
		p.save()
	}
	version, role, err := p.createGroup(g)
	if err != nil && !inUse(err) {
		return "", fmt.Errorf("error creating nodegroup: %w", err)
	}
	if p.st.GeneratedNodeRole == "" {
		p.st.GeneratedNodeRole = role
	}
	return version, err
}

func (p *pass) createGroup(g group) (version, role string, err error) {
	lt := g.LaunchTemplate
	if lt == nil {
		if lt, err = p.newVersion(g); err != nil {
			return "", "", err
		}
	}
	template := map[string]any{}
	if lt.ID != nil {
		template["id"] = *lt.ID
	}
	if deref(lt.Version) != 0 {
		version = strconv.FormatInt(*lt.Version, 10)
		template["version"] = version
	}
	input := p.groupInput(g)
	input["launchTemplate"] = template
	role = p.st.GeneratedNodeRole
	if str(g.NodeRole) == "" {
		if role == "" {
			if role, err = p.stack(p.cfg.DisplayName+"-node-instance-role", "<template:nodeInstanceRole>", "NodeInstanceRole"); err != nil {
				return "", "", err
			}
		}
		input["nodeRole"] = role
	} else {
		input["nodeRole"] = *g.NodeRole
	}
	p.cause.effect = operator.Create
	err = p.send("eks", "CreateNodegroup", input, func() *apiError { return p.applyCreate(g, input) })
	p.cause.effect = operator.Update
	if err != nil && lt.ID != nil {
		p.deleteVersions(*lt.ID, []string{version})
	}
	return version, role, err
}

func (p *pass) groupInput(g group) map[string]any {
	scaling := map[string]any{}
	sizes(scaling, g)
	input := map[string]any{"clusterName": p.cfg.DisplayName, "scalingConfig": scaling, "capacityType": "ON_DEMAND", "labels": anyMap(plain(g.Labels))}
	if g.Name != nil {
		input["nodegroupName"] = *g.Name
	}
	if len(g.ResourceTags) > 0 {
		input["tags"] = anyMap(g.ResourceTags)
	}
	if deref(g.RequestSpotInstances) {
		input["capacityType"] = "SPOT"
		if g.SpotInstanceTypes != nil {
			input["instanceTypes"] = anyList(g.SpotInstanceTypes)
		}
	}
	if str(g.ImageID) == "" {
		switch {
		case g.LaunchTemplate != nil:
			input["amiType"] = "CUSTOM"
		case deref(g.Arm):
			input["amiType"] = "AL2023_ARM_64_STANDARD"
		case deref(g.Gpu):
			input["amiType"] = "AL2023_x86_64_NVIDIA"
		default:
			input["amiType"] = "AL2023_x86_64_STANDARD"
		}
	}
	switch {
	case len(g.Subnets) > 0:
		input["subnets"] = anyList(g.Subnets)
	case p.st.Subnets != nil:
		input["subnets"] = anyList(p.st.Subnets)
	}
	return input
}

// sizes puts the non-null sizes into a scaling config.
func sizes(scaling map[string]any, g group) {
	for name, v := range map[string]*int32{"desiredSize": g.DesiredSize, "maxSize": g.MaxSize, "minSize": g.MinSize} {
		if v != nil {
			scaling[name] = int64(*v)
		}
	}
}

// applyCreate is what EKS makes of a CreateNodegroup.
func (p *pass) applyCreate(g group, input map[string]any) *apiError {
	name := str(g.Name)
	if _, ok := p.Nodegroups[name]; ok {
		return &apiError{"EKS", "CreateNodegroup", "ResourceInUseException", "NodeGroup already exists with name " + name + ".", 409}
	}
	cluster := hosted.Map(p.Cluster["cluster"])
	ng := map[string]any{
		"nodegroupName": name, "clusterName": p.cfg.DisplayName, "status": "CREATING", "version": cluster["version"],
		"nodegroupArn": "arn:aws:eks:" + p.cfg.Region + ":123456789012:nodegroup/" + p.cfg.DisplayName + "/" + name + "/new",
		"amiType":      "CUSTOM", "health": map[string]any{"issues": []any{}},
	}
	for _, k := range []string{"labels", "tags", "scalingConfig", "capacityType", "instanceTypes", "subnets", "nodeRole", "amiType"} {
		if v, ok := input[k]; ok {
			ng[k] = hosted.Clone(v)
		}
	}
	lt := hosted.CloneMap(hosted.Map(input["launchTemplate"]))
	if lt["version"] == nil {
		lt["version"] = "1"
	}
	for _, v := range p.LaunchTemplateVersions {
		if v.ID == lt["id"] {
			lt["name"] = v.Name
		}
	}
	ng["launchTemplate"] = lt
	p.Nodegroups[name] = map[string]any{"nodegroup": ng}
	last := len(p.Cloud.ListNodegroups) - 1
	p.Cloud.ListNodegroups[last] = append(p.Cloud.ListNodegroups[last], name)
	return nil
}

// newVersion makes a version of Rancher's launch template for a group.
func (p *pass) newVersion(g group) (*template, error) {
	data, err := p.templateData(g)
	if err != nil {
		return nil, err
	}
	id := p.st.ManagedLaunchTemplateID
	out := &template{ID: &id}
	err = p.send("ec2", "CreateLaunchTemplateVersion", map[string]any{"launchTemplateData": data, "launchTemplateId": id}, func() *apiError {
		i := slices.IndexFunc(p.LaunchTemplateVersions, func(v LaunchTemplateVersion) bool { return v.ID == id })
		if i < 0 {
			return &apiError{"EC2", "CreateLaunchTemplateVersion", "InvalidLaunchTemplateId.NotFound", "The specified launch template, with template ID " + id + ", does not exist.", 400}
		}
		name := p.LaunchTemplateVersions[i].Name
		p.highest[id]++
		out.Name, out.Version = &name, ptr(p.highest[id])
		p.LaunchTemplateVersions = append(p.LaunchTemplateVersions, LaunchTemplateVersion{id, name, p.highest[id], hosted.CloneMap(data)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (p *pass) templateData(g group) (map[string]any, error) {
	data := map[string]any{}
	if g.UserData != nil {
		text := *g.UserData
		if text != "" {
			if !strings.Contains(text, "Content-Type: multipart/mixed") {
				return nil, fmt.Errorf("userdata for nodegroup [%s] is not of mime time multipart/mixed", str(g.Name))
			}
			text = base64.StdEncoding.EncodeToString([]byte(text))
		}
		data["userData"] = text
	}
	device := "/dev/xvda"
	if image := str(g.ImageID); image != "" {
		data["imageId"] = image
		if err, empty := p.fault("EC2", "DescribeImages"); err != nil {
			return nil, err
		} else if empty {
			return nil, fmt.Errorf("no images returned for id %v", image)
		}
		root, ok := p.Images[image]
		if !ok {
			return nil, &apiError{"EC2", "DescribeImages", "InvalidAMIID.NotFound", "The image id '[" + image + "]' does not exist", 0}
		}
		if root != nil {
			device = *root
		}
	}
	ebs := map[string]any{}
	if g.DiskSize != nil {
		ebs["volumeSize"] = int64(*g.DiskSize)
	}
	data["blockDeviceMappings"] = []any{map[string]any{"deviceName": device, "ebs": ebs}}
	if g.SSHKey != nil {
		data["keyName"] = *g.SSHKey
	}
	if len(g.ResourceTags) > 0 {
		data["tagSpecifications"] = tagSpecifications(g.ResourceTags)
	}
	if !deref(g.RequestSpotInstances) && g.InstanceType != "" {
		data["instanceType"] = g.InstanceType
	}
	return data, nil
}

func tagSpecifications(tags map[string]string) []any {
	var list []any
	for _, k := range hosted.SortedKeys(tags) {
		list = append(list, map[string]any{"key": k, "value": tags[k]})
	}
	var out []any
	for _, kind := range []string{"instance", "volume", "spot-instances-request"} {
		out = append(out, map[string]any{"resourceType": kind, "tags": list})
	}
	return out
}

// deleteVersions asks for versions of a template to be deleted; it tries five
// times and then forgets.
func (p *pass) deleteVersions(id string, versions []string) {
	sorted := slices.Sorted(slices.Values(versions))
	for range 5 {
		err := p.send("ec2", "DeleteLaunchTemplateVersions", map[string]any{"launchTemplateId": id, "versions": anyList(sorted)}, func() *apiError {
			p.LaunchTemplateVersions = slices.DeleteFunc(p.LaunchTemplateVersions, func(v LaunchTemplateVersion) bool {
				return v.ID == id && slices.Contains(versions, strconv.FormatInt(v.Version, 10))
			})
			return nil
		})
		if err == nil {
			return
		}
	}
}

// deleteGroup deletes a node group that the Config does not have.
func (p *pass) deleteGroup(g group) (*string, error) {
	ng, err := p.describeNodegroup(str(g.Name))
	if err != nil {
		if notFound(err) {
			return nil, nil
		}
		return nil, err
	}
	if ng == nil {
		crash()
	}
	if hosted.Str(ng["status"]) == "DELETING" {
		return nil, nil
	}
	p.because(cause{fields: []string{at(g).String()}, object: at(g).String(), effect: operator.Delete})
	err = p.send("eks", "DeleteNodegroup", map[string]any{"clusterName": p.cfg.DisplayName, "nodegroupName": str(g.Name)}, func() *apiError {
		ng["status"] = "DELETING"
		return nil
	})
	if err != nil {
		return nil, err
	}
	if lt, ok := ng["launchTemplate"].(map[string]any); ok && hosted.Str(lt["id"]) == p.st.ManagedLaunchTemplateID {
		return text(lt["version"]), nil
	}
	return nil, nil
}
