package eks

import (
	"slices"
	"strconv"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// changeGroups brings the node groups that both sides have into line, in the
// cloud's order; each gets at most one kind of call. changed is what the operator
// believes at the end: a later group's tags overwrite it, so that earlier calls
// can be forgotten.
func (p *pass) changeGroups(up *spec, want map[string]group) (changed bool, added, deleted map[string]string, err error) {
	added, deleted = map[string]string{}, map[string]string{}
	for _, have := range up.NodeGroups {
		g := want[str(have.Name)]
		input, c, err := p.versionInput(have, g, added, deleted)
		if err != nil {
			return false, nil, nil, err
		}
		if input != nil {
			changed = true
			if err := p.sendVersion(g, input, c, added); err != nil && !inUse(err) {
				return false, nil, nil, err
			}
			continue
		}
		if input, c := p.configInput(have, g); input != nil {
			changed = true
			p.because(c)
			err := p.send("eks", "UpdateNodegroupConfig", input, func() *apiError { p.applyConfig(input); return nil })
			if err != nil {
				return false, nil, nil, err
			}
			continue
		}
		if g.Tags != nil {
			changed, err = p.updateTags(plain(g.Tags), plain(have.Tags), p.groupARNs[str(g.Name)], at(g).Key("tags"))
			if err != nil {
				return false, nil, nil, wrapTags(err)
			}
		}
	}
	return changed, added, deleted, nil
}

// wrapTags repeats the operator's wording, which says cluster for a group too.
func wrapTags(err error) error { return &wrapped{"error updating cluster tags: ", err} }

type wrapped struct {
	prefix string
	err    error
}

func (w *wrapped) Error() string { return w.prefix + w.err.Error() }
func (w *wrapped) Unwrap() error { return w.err }

// versionInput works out what UpdateNodegroupVersion is asked for, and makes a
// new version of Rancher's launch template if its data differ.
func (p *pass) versionInput(have, g group, added, deleted map[string]string) (map[string]any, cause, error) {
	c := cause{object: at(g).String()}
	input := map[string]any{}
	managed := false
	if have.LaunchTemplate != nil {
		lt, running := g.LaunchTemplate, deref(have.LaunchTemplate.Version)
		if lt == nil && p.st.ManagedLaunchTemplateID == str(have.LaunchTemplate.ID) {
			managed = true
			if fields := templateDifferences(have, g); fields != nil {
				c.fields = fields
				p.because(cause{fields: slices.Clone(fields), object: c.object})
				var err error
				if lt, err = p.newVersion(g); err != nil {
					return nil, c, err
				}
				if running > 0 {
					deleted[str(have.Name)] = strconv.FormatInt(running, 10)
				}
				added[str(g.Name)] = strconv.FormatInt(deref(lt.Version), 10)
			}
		}
		if lt != nil && deref(lt.Version) != running {
			if lt.Version == nil {
				crash()
			}
			template := map[string]any{"version": strconv.FormatInt(*lt.Version, 10)}
			if lt.ID != nil {
				template["id"] = *lt.ID
			}
			input["launchTemplate"] = template
			if !managed {
				c.fields = append(c.fields, at(g).Key("launchTemplate").Key("version").String())
			}
		}
	}
	if g.Version != nil && managed && str(have.Version) != *g.Version {
		input["version"] = *g.Version
		c.fields = append(c.fields, at(g).Key("version").String())
	}
	if len(input) == 0 {
		return nil, c, nil
	}
	input["clusterName"], input["nodegroupName"] = p.cfg.DisplayName, str(g.Name)
	return input, c, nil
}

// templateDifferences are the fields of Rancher's launch template in which the
// Config differs from what runs; null counts as zero.
func templateDifferences(have, g group) []string {
	var out []string
	add := func(differs bool, name string) {
		if differs {
			out = append(out, at(g).Key(name).String())
		}
	}
	add(str(have.UserData) != str(g.UserData), "userData")
	add(str(have.SSHKey) != str(g.SSHKey), "ec2SshKey")
	add(deref(have.DiskSize) != deref(g.DiskSize), "diskSize")
	add(str(have.ImageID) != str(g.ImageID), "imageId")
	add(!deref(have.RequestSpotInstances) && have.InstanceType != g.InstanceType, "instanceType")
	for _, k := range unequalKeys(have.ResourceTags, g.ResourceTags) {
		out = append(out, at(g).Key("resourceTags").Key(k).String())
	}
	return out
}

func unequalKeys(a, b map[string]string) []string {
	var out []string
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			out = append(out, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// sendVersion sends the version update. If it fails, the template version just
// made for it is deleted again.
func (p *pass) sendVersion(g group, input map[string]any, c cause, added map[string]string) error {
	p.because(c)
	err := p.send("eks", "UpdateNodegroupVersion", input, func() *apiError {
		ng := hosted.Map(p.Nodegroups[str(g.Name)]["nodegroup"])
		if v, ok := input["version"]; ok {
			ng["version"] = v
		}
		if lt := hosted.Map(input["launchTemplate"]); lt != nil {
			p.applyTemplate(ng, lt)
		}
		return nil
	})
	if err != nil {
		if v, ok := added[str(g.Name)]; ok {
			p.deleteVersions(p.st.ManagedLaunchTemplateID, []string{v})
		}
	}
	return err
}

func (p *pass) applyTemplate(ng, lt map[string]any) {
	running := hosted.Map(ng["launchTemplate"])
	if running == nil {
		running = map[string]any{}
		ng["launchTemplate"] = running
	}
	for k, v := range lt {
		running[k] = v
	}
	for _, v := range p.LaunchTemplateVersions {
		if v.ID == running["id"] {
			running["name"] = v.Name
		}
	}
}

// configInput works out what UpdateNodegroupConfig is asked for: labels that
// differ, and all non-null sizes if anything does.
func (p *pass) configInput(have, g group) (map[string]any, cause) {
	c := cause{object: at(g).String()}
	scaling := map[string]any{}
	input := map[string]any{"clusterName": p.cfg.DisplayName, "scalingConfig": scaling}
	if g.Name != nil {
		input["nodegroupName"] = *g.Name
	}
	if g.Labels != nil {
		gone := toDelete(plain(g.Labels), plain(have.Labels))
		set := toUpdate(plain(g.Labels), plain(have.Labels))
		labels := map[string]any{}
		if gone != nil {
			labels["removeLabels"] = anyList(gone)
		}
		if set != nil {
			labels["addOrUpdateLabels"] = anyMap(set)
		}
		if len(labels) > 0 {
			input["labels"] = labels
		}
		c.fields = append(keyFields(at(g).Key("labels"), gone), keyFields(at(g).Key("labels"), hosted.SortedKeys(set))...)
	}
	sizes(scaling, g)
	for _, s := range []struct {
		name       string
		want, have *int32
	}{{"desiredSize", g.DesiredSize, have.DesiredSize}, {"minSize", g.MinSize, have.MinSize}, {"maxSize", g.MaxSize, have.MaxSize}} {
		switch field := at(g).Key(s.name).String(); {
		case s.want == nil:
		case deref(s.want) != deref(s.have):
			c.fields = append(c.fields, field)
		default:
			c.carried = append(c.carried, field)
		}
	}
	if len(c.fields) == 0 {
		return nil, c
	}
	return input, c
}

// applyConfig is what EKS makes of an UpdateNodegroupConfig.
func (p *pass) applyConfig(input map[string]any) {
	ng := hosted.Map(p.Nodegroups[hosted.Str(input["nodegroupName"])]["nodegroup"])
	labels := hosted.Map(ng["labels"])
	if labels == nil {
		labels = map[string]any{}
		ng["labels"] = labels
	}
	change := hosted.Map(input["labels"])
	for _, k := range texts(change["removeLabels"]) {
		delete(labels, k)
	}
	for k, v := range hosted.Map(change["addOrUpdateLabels"]) {
		labels[k] = v
	}
	scaling := hosted.Map(ng["scalingConfig"])
	for k, v := range hosted.Map(input["scalingConfig"]) {
		scaling[k] = v
	}
}
