package eks

import (
	"encoding/base64"
	"strconv"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// accountARN starts the names of things whose real ones a spec does not hold.
const accountARN = "arn:aws:eks:region:account:"

// FromSpec builds the quiet cloud that reads as the given spec. A group without
// a launch template in the spec uses Rancher's own if the status knows a version
// for it or, failing that, if it has data that only a template holds; the data
// then stand in that template.
func FromSpec(upstream, config, st map[string]any) (Cloud, error) {
	var s, c spec
	var known status
	for _, d := range []struct {
		what string
		from map[string]any
		into any
	}{{"upstream spec", upstream, &s}, {"config", config, &c}, {"status", st, &known}} {
		if err := decode(d.what, d.from, d.into); err != nil {
			return Cloud{}, err
		}
	}
	b := builder{spec: s, status: known}
	b.cluster()
	b.cloud.ListNodegroups = [][]string{{}}
	b.cloud.Nodegroups = map[string]map[string]any{}
	for i, g := range s.NodeGroups {
		b.group(i, g)
	}
	if known.ManagedLaunchTemplateID != "" && !b.templated {
		b.version(LaunchTemplateVersion{known.ManagedLaunchTemplateID, templateName(s.DisplayName), 1, map[string]any{"userData": "cGxhY2Vob2xkZXIK"}})
	}
	b.cloud.OIDCProviders = []string{"arn:aws:iam::account:oidc-provider/" + s.DisplayName}
	return b.cloud, nil
}

type builder struct {
	cloud     Cloud
	spec      spec
	status    status
	templated bool
}

func (b *builder) cluster() {
	s := b.spec
	cluster := map[string]any{
		"name": s.DisplayName, "arn": accountARN + "cluster/" + s.DisplayName, "status": "ACTIVE",
		"version": str(s.KubernetesVersion), "tags": anyMap(s.Tags),
		"certificateAuthority": map[string]any{"data": ""},
		"identity":             map[string]any{"oidc": map[string]any{"issuer": "https://oidc.invalid/id/" + s.DisplayName}},
		"resourcesVpcConfig": map[string]any{
			"endpointPublicAccess": deref(s.PublicAccess), "endpointPrivateAccess": deref(s.PrivateAccess),
			"publicAccessCidrs": anyList(s.PublicAccessSources), "subnetIds": anyList(s.Subnets), "securityGroupIds": anyList(s.SecurityGroups),
		},
	}
	if s.ServiceRole != nil {
		cluster["roleArn"] = *s.ServiceRole
	}
	if s.IPFamily != nil {
		cluster["kubernetesNetworkConfig"] = map[string]any{"ipFamily": *s.IPFamily}
	}
	if len(s.LoggingTypes) > 0 {
		cluster["logging"] = map[string]any{"clusterLogging": []any{map[string]any{"enabled": true, "types": anyList(s.LoggingTypes)}}}
	}
	if deref(s.SecretsEncryption) {
		provider := map[string]any{}
		if s.KmsKey != nil {
			provider["keyArn"] = *s.KmsKey
		}
		cluster["encryptionConfig"] = []any{map[string]any{"provider": provider}}
	}
	if deref(s.EBSCSIDriver) {
		b.cloud.Addons = map[string]map[string]any{addonName: {"addon": map[string]any{
			"addonName": addonName, "status": "ACTIVE", "addonArn": accountARN + "addon/" + s.DisplayName + "/" + addonName,
		}}}
	}
	b.cloud.Cluster = map[string]any{"cluster": cluster}
}

func (b *builder) group(i int, g group) {
	name := str(g.Name)
	scaling := map[string]any{}
	sizes(scaling, g)
	ng := map[string]any{
		"status": "ACTIVE", "nodegroupArn": accountARN + "nodegroup/" + b.spec.DisplayName + "/" + name,
		"labels": anyMap(plain(g.Labels)), "tags": anyMap(plain(g.Tags)), "scalingConfig": scaling,
		"health": map[string]any{"issues": []any{}}, "capacityType": "ON_DEMAND",
	}
	for k, v := range map[string]*string{"nodegroupName": g.Name, "nodeRole": g.NodeRole, "version": g.Version} {
		if v != nil {
			ng[k] = *v
		}
	}
	if g.Subnets != nil {
		ng["subnets"] = anyList(g.Subnets)
	}
	switch {
	case deref(g.Gpu):
		ng["amiType"] = "AL2023_x86_64_NVIDIA"
	case g.Gpu != nil:
		ng["amiType"] = "AL2023_x86_64_STANDARD"
	case deref(g.Arm):
		ng["amiType"] = "AL2023_ARM_64_STANDARD"
	}
	if deref(g.RequestSpotInstances) {
		ng["capacityType"] = "SPOT"
		if g.SpotInstanceTypes != nil {
			ng["instanceTypes"] = anyList(g.SpotInstanceTypes)
		}
	}
	switch {
	case g.LaunchTemplate != nil:
		ng["launchTemplate"] = foreign(g.LaunchTemplate)
		if g.DiskSize != nil {
			ng["diskSize"] = int64(*g.DiskSize)
		}
	case b.managed(g):
		ng["launchTemplate"] = b.template(i, g)
	default:
		b.plainGroup(ng, g)
	}
	b.cloud.Nodegroups[name] = map[string]any{"nodegroup": ng}
	b.cloud.ListNodegroups[0] = append(b.cloud.ListNodegroups[0], name)
}

func foreign(t *template) map[string]any {
	lt := map[string]any{}
	for k, v := range map[string]*string{"id": t.ID, "name": t.Name} {
		if v != nil {
			lt[k] = *v
		}
	}
	if t.Version != nil {
		lt["version"] = strconv.FormatInt(*t.Version, 10)
	}
	return lt
}

// managed tells whether a group runs on Rancher's own launch template. Only a
// reading of such a template has resource tags, empty ones included.
func (b *builder) managed(g group) bool {
	return b.status.ManagedLaunchTemplateVersions[str(g.Name)] != "" || g.ResourceTags != nil || g.UserData != nil || g.ImageID != nil
}

// template puts a group's data into a version of Rancher's launch template.
func (b *builder) template(i int, g group) map[string]any {
	id := b.status.ManagedLaunchTemplateID
	n, err := strconv.ParseInt(b.status.ManagedLaunchTemplateVersions[str(g.Name)], 10, 64)
	if err != nil || n < 1 {
		n = int64(i + 2)
	}
	ebs := map[string]any{}
	if g.DiskSize != nil {
		ebs["volumeSize"] = int64(*g.DiskSize)
	}
	data := map[string]any{"instanceType": g.InstanceType, "blockDeviceMappings": []any{map[string]any{"ebs": ebs}}}
	if len(g.ResourceTags) > 0 {
		data["tagSpecifications"] = tagSpecifications(g.ResourceTags)
	}
	for k, v := range map[string]*string{"keyName": g.SSHKey, "imageId": g.ImageID} {
		if v != nil {
			data[k] = *v
		}
	}
	if g.ImageID != nil {
		if b.cloud.Images == nil {
			b.cloud.Images = map[string]*string{}
		}
		b.cloud.Images[*g.ImageID] = nil
	}
	if g.UserData != nil {
		data["userData"] = base64.StdEncoding.EncodeToString([]byte(*g.UserData))
	}
	for b.taken(id, n, data) {
		n++
	}
	b.version(LaunchTemplateVersion{id, templateName(b.spec.DisplayName), n, data})
	return map[string]any{"id": id, "name": templateName(b.spec.DisplayName), "version": strconv.FormatInt(n, 10)}
}

// taken tells whether a version number is in use for other data.
func (b *builder) taken(id string, n int64, data map[string]any) bool {
	for _, v := range b.cloud.LaunchTemplateVersions {
		if v.ID == id && v.Version == n {
			return !hosted.Equal(v.Data, data)
		}
	}
	return false
}

func (b *builder) version(v LaunchTemplateVersion) {
	b.templated = true
	b.cloud.LaunchTemplateVersions = append(b.cloud.LaunchTemplateVersions, v)
}

func (b *builder) plainGroup(ng map[string]any, g group) {
	if g.DiskSize != nil {
		ng["diskSize"] = int64(*g.DiskSize)
	}
	if g.InstanceType != "" {
		ng["instanceTypes"] = []any{g.InstanceType}
	}
	if g.SSHKey != nil {
		ng["remoteAccess"] = map[string]any{"ec2SshKey": *g.SSHKey}
	}
}
