package eks

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// sent ends a pass after a call: the operator comes back to wait for the cloud.
func (p *pass) sent() error {
	if p.st.Phase == operator.PhaseUpdating {
		p.enqueued = true
		return nil
	}
	p.st.Phase = operator.PhaseUpdating
	p.save()
	return nil
}

// update compares the Config with the reading, one kind of change after the
// other, and returns after the first that was sent.
func (p *pass) update(up *spec, arn string) error {
	if ipv6(p.cfg.IPFamily) {
		p.because(cause{fields: []string{"ipFamily"}})
		if _, err := p.identityProvider(); err != nil {
			return fmt.Errorf("error configuring OIDC provider for IPv6: %w", err)
		}
	}
	for _, step := range []struct {
		what string
		do   func() (bool, error)
	}{
		{"cluster version", func() (bool, error) { return p.updateVersion(up) }},
		{"cluster access config", func() (bool, error) { return p.updateAccess(up) }},
		{"cluster public access sources", func() (bool, error) { return p.updateSources(up) }},
		{"cluster tags", func() (bool, error) {
			if p.cfg.Tags == nil {
				return false, nil
			}
			return p.updateTags(p.cfg.Tags, up.Tags, arn, hosted.Path{}.Key("tags"))
		}},
		{"logging types", func() (bool, error) { return p.updateLogging(up) }},
	} {
		done, err := step.do()
		if err != nil && !inUse(err) {
			return fmt.Errorf("error updating %s: %w", step.what, err)
		}
		if done {
			return p.sent()
		}
	}
	if p.cfg.NodeGroups == nil {
		return p.rest()
	}
	return p.updateGroups(up)
}

// rest ends a pass in which nothing was left to do.
func (p *pass) rest() error {
	if p.st.Phase != operator.PhaseActive {
		p.st.Phase = operator.PhaseActive
		p.save()
	}
	return nil
}

func (p *pass) because(c cause) {
	slices.Sort(c.fields)
	slices.Sort(c.carried)
	p.cause = c
}

func (p *pass) updateVersion(up *spec) (bool, error) {
	if p.cfg.KubernetesVersion == nil || up.KubernetesVersion == nil {
		return false, nil
	}
	want, err := parseTolerant(*p.cfg.KubernetesVersion)
	if err != nil {
		return false, fmt.Errorf("couldn't parse config version: %w", err)
	}
	have, err := parseTolerant(*up.KubernetesVersion)
	if err != nil {
		return false, fmt.Errorf("couldn't parse upstream version: %w", err)
	}
	if !want.newer(have) {
		return false, nil
	}
	p.because(cause{fields: []string{"kubernetesVersion"}})
	input := map[string]any{"name": p.cfg.DisplayName, "version": *p.cfg.KubernetesVersion}
	err = p.send("eks", "UpdateClusterVersion", input, func() *apiError {
		hosted.Map(p.Cluster["cluster"])["version"] = *p.cfg.KubernetesVersion
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("error updating cluster [%s (id: %s)] kubernetes version: %w", p.cfg.DisplayName, p.name, err)
	}
	return true, nil
}

// parseTolerant takes what the operator's lenient parser takes of a version that
// validation has let through, and of what the cloud may report.
func parseTolerant(s string) (version, error) {
	parts := strings.SplitN(strings.TrimPrefix(strings.TrimSpace(s), "v"), ".", 3)
	for len(parts) < 2 {
		parts = append(parts, "0")
	}
	return parseVersion(strings.Join(parts[:2], "."))
}

func (p *pass) updateAccess(up *spec) (bool, error) {
	var fields, carried []string
	request := map[string]any{}
	for _, side := range []struct {
		field, member string
		want, have    *bool
	}{
		{"publicAccess", "endpointPublicAccess", p.cfg.PublicAccess, up.PublicAccess},
		{"privateAccess", "endpointPrivateAccess", p.cfg.PrivateAccess, up.PrivateAccess},
	} {
		if side.want == nil {
			continue
		}
		request[side.member] = *side.want
		if *side.want != deref(side.have) {
			fields = append(fields, side.field)
		} else {
			carried = append(carried, side.field)
		}
	}
	if fields == nil {
		return false, nil
	}
	p.because(cause{fields: fields, carried: carried})
	return p.updateVPC(request, "public/private access")
}

// updateVPC sends an UpdateClusterConfig; its members are merged in the cloud.
func (p *pass) updateVPC(request map[string]any, what string) (bool, error) {
	input := map[string]any{"name": p.cfg.DisplayName, "resourcesVpcConfig": request}
	err := p.send("eks", "UpdateClusterConfig", input, func() *apiError {
		vpc := hosted.Map(hosted.Map(p.Cluster["cluster"])["resourcesVpcConfig"])
		for k, v := range request {
			vpc[k] = hosted.Clone(v)
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("error updating cluster [%s (id: %s)] %s: %w", p.cfg.DisplayName, p.name, what, err)
	}
	return true, nil
}

const openIPv4, openIPv6 = "0.0.0.0/0", "::/0"

func (p *pass) updateSources(up *spec) (bool, error) {
	if p.cfg.PublicAccessSources == nil {
		return false, nil
	}
	want, have := restricted(p.cfg.PublicAccessSources, p.cfg.IPFamily), restricted(up.PublicAccessSources, up.IPFamily)
	if sameElements(want, have) {
		return false, nil
	}
	p.because(cause{fields: []string{"publicAccessSources"}})
	cidrs := p.cfg.PublicAccessSources
	if len(cidrs) == 0 {
		cidrs = []string{openIPv4}
		if ipv6(p.cfg.IPFamily) {
			cidrs = append(cidrs, openIPv6)
		}
	}
	return p.updateVPC(map[string]any{"publicAccessCidrs": anyList(cidrs)}, "public access sources")
}

// restricted is the list without the spelling of "open to all".
func restricted(sources []string, family *string) []string {
	switch {
	case ipv6(family) && len(sources) == 2 && slices.Contains(sources, openIPv4) && slices.Contains(sources, openIPv6):
		return nil
	case !ipv6(family) && len(sources) == 1 && sources[0] == openIPv4:
		return nil
	}
	return sources
}

// sameElements is the operator's test: as many, and each of the cloud's known.
func sameElements(want, have []string) bool {
	if len(want) != len(have) {
		return false
	}
	for _, h := range have {
		if !slices.Contains(want, h) {
			return false
		}
	}
	return true
}

func anyList(l []string) []any {
	out := make([]any, len(l))
	for i, s := range l {
		out[i] = s
	}
	return out
}

func anyMap(m map[string]string) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// toUpdate are the pairs that the cloud lacks or has differently. A missing key
// counts as an empty value, unless the cloud has none at all.
func toUpdate(want, have map[string]string) map[string]string {
	if len(want) == 0 {
		return nil
	}
	if len(have) == 0 {
		return want
	}
	var out map[string]string
	for k, v := range want {
		if have[k] != v {
			if out == nil {
				out = map[string]string{}
			}
			out[k] = v
		}
	}
	return out
}

func toDelete(want, have map[string]string) []string {
	var out []string
	for k := range have {
		if _, ok := want[k]; !ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

func keyFields(at hosted.Path, keys []string) []string {
	var out []string
	for _, k := range keys {
		out = append(out, at.Key(k).String())
	}
	return out
}

// updateTags sends the tags that differ and removes the ones nobody asked for.
func (p *pass) updateTags(want, have map[string]string, arn string, at hosted.Path) (bool, error) {
	done := false
	object := ""
	if len(at) > 1 {
		object = at[:2].String()
	}
	if set := toUpdate(want, have); set != nil {
		p.because(cause{fields: keyFields(at, hosted.SortedKeys(set)), object: object})
		input := map[string]any{"resourceArn": arn, "tags": anyMap(set)}
		err := p.send("eks", "TagResource", input, func() *apiError {
			if tags := p.tagsOf(arn, true); tags != nil {
				for k, v := range set {
					tags[k] = v
				}
			}
			return nil
		})
		if err != nil {
			return false, fmt.Errorf("error tagging cluster []: %w", err)
		}
		done = true
	}
	if gone := toDelete(want, have); gone != nil {
		p.because(cause{fields: keyFields(at, gone), object: object})
		input := map[string]any{"resourceArn": arn, "tagKeys": anyList(gone)}
		err := p.send("eks", "UntagResource", input, func() *apiError {
			for _, k := range gone {
				delete(p.tagsOf(arn, false), k)
			}
			return nil
		})
		if err != nil {
			return false, fmt.Errorf("error untagging cluster []: %w", err)
		}
		done = true
	}
	return done, nil
}

// tagsOf finds the tags of a cluster or node group by its ARN.
func (p *pass) tagsOf(arn string, create bool) map[string]any {
	owners := []map[string]any{hosted.Map(p.Cluster["cluster"])}
	arns := []string{"arn"}
	for _, body := range p.Nodegroups {
		owners, arns = append(owners, hosted.Map(body["nodegroup"])), append(arns, "nodegroupArn")
	}
	for i, o := range owners {
		if hosted.Str(o[arns[i]]) != arn {
			continue
		}
		if hosted.Map(o["tags"]) == nil && create {
			o["tags"] = map[string]any{}
		}
		return hosted.Map(o["tags"])
	}
	return nil
}

func (p *pass) updateLogging(up *spec) (bool, error) {
	if p.cfg.LoggingTypes == nil {
		return false, nil
	}
	var sets []any
	add := func(on bool, from, without []string) {
		var types []any
		for _, t := range from {
			if !slices.Contains(without, t) {
				types = append(types, t)
			}
		}
		if types != nil {
			sets = append(sets, map[string]any{"enabled": on, "types": types})
		}
	}
	add(false, up.LoggingTypes, p.cfg.LoggingTypes)
	add(true, p.cfg.LoggingTypes, up.LoggingTypes)
	if sets == nil {
		return false, nil
	}
	p.because(cause{fields: []string{"loggingTypes"}})
	input := map[string]any{"name": p.cfg.DisplayName, "logging": map[string]any{"clusterLogging": sets}}
	err := p.send("eks", "UpdateClusterConfig", input, func() *apiError { p.applyLogging(sets); return nil })
	if err != nil {
		return false, fmt.Errorf("error updating cluster [%s (id: %s)] logging types: %w", p.cfg.DisplayName, p.name, err)
	}
	return true, nil
}

// applyLogging answers as EKS does: the enabled set, then the disabled one.
func (p *pass) applyLogging(sets []any) {
	cluster := hosted.Map(p.Cluster["cluster"])
	on := map[string]bool{}
	for _, t := range []string{"api", "audit", "authenticator", "controllerManager", "scheduler"} {
		on[t] = false
	}
	old := hosted.List(hosted.Map(cluster["logging"])["clusterLogging"])
	for _, s := range slices.Concat(old, sets) {
		enabled, _ := hosted.Map(s)["enabled"].(bool)
		for _, t := range texts(hosted.Map(s)["types"]) {
			on[t] = enabled
		}
	}
	var enabled, disabled []any
	for _, t := range logOrder(on) {
		if on[t] {
			enabled = append(enabled, t)
		} else {
			disabled = append(disabled, t)
		}
	}
	var answer []any
	if enabled != nil {
		answer = append(answer, map[string]any{"enabled": true, "types": enabled})
	}
	if disabled != nil {
		answer = append(answer, map[string]any{"enabled": false, "types": disabled})
	}
	if p.Behaviour.LoggingDisabledFirst {
		slices.Reverse(answer)
	}
	cluster["logging"] = map[string]any{"clusterLogging": answer}
}

// logOrder is EKS's own order of the known types, then the others by name.
func logOrder(on map[string]bool) []string {
	known := []string{"api", "audit", "authenticator", "controllerManager", "scheduler"}
	out := slices.Clone(known)
	for _, t := range hosted.SortedKeys(on) {
		if !slices.Contains(known, t) {
			out = append(out, t)
		}
	}
	return out
}

// identityProvider makes sure that IAM knows the cluster's OIDC issuer.
func (p *pass) identityProvider() (string, error) {
	if err, _ := p.fault("IAM", "ListOpenIDConnectProviders"); err != nil {
		return "", err
	}
	cluster, err := p.describeCluster(p.cfg.DisplayName)
	if err != nil {
		return "", err
	}
	issuer, ok := hosted.Map(hosted.Map(cluster["identity"])["oidc"])["issuer"].(string)
	if !ok {
		crash()
	}
	id := path.Base(issuer)
	for _, arn := range p.OIDCProviders {
		if strings.Contains(arn, id) {
			return id, nil
		}
	}
	input := map[string]any{"clientIDList": []any{"sts.amazonaws.com"}, "tags": []any{}, "thumbprintList": []any{"<thumbprint>"}, "url": issuer}
	return id, p.send("iam", "CreateOpenIDConnectProvider", input, func() *apiError {
		p.OIDCProviders = append(p.OIDCProviders, "arn:aws:iam::123456789012:oidc-provider/"+strings.TrimPrefix(issuer, "https://"))
		return nil
	})
}

// enableDriver installs the EBS CSI add-on: identity provider, role, add-on.
func (p *pass) enableDriver() error {
	p.because(cause{fields: []string{"ebsCSIDriver"}})
	if _, err := p.identityProvider(); err != nil {
		return fmt.Errorf("could not configure oidc provider: %w", err)
	}
	role, err := p.stack(p.cfg.DisplayName+"-ebs-csi-driver-role", "<template:ebsCSIDriverRole>", "EBSCSIDriverRole")
	if err != nil {
		return fmt.Errorf("could not create ebs csi driver role: %w", err)
	}
	input := map[string]any{"addonName": addonName, "clusterName": p.cfg.DisplayName, "serviceAccountRoleArn": role}
	err = p.send("eks", "CreateAddon", input, func() *apiError {
		if p.Addons[addonName] != nil {
			return &apiError{"EKS", "CreateAddon", "ResourceInUseException", "Addon already exists.", 409}
		}
		p.Addons[addonName] = map[string]any{"addon": map[string]any{
			"addonName": addonName, "status": "ACTIVE",
			"addonArn": "arn:aws:eks:" + p.cfg.Region + ":123456789012:addon/" + p.cfg.DisplayName + "/" + addonName + "/0000",
		}}
		return nil
	})
	if err != nil {
		return fmt.Errorf("failed to install ebs csi driver addon: %w", err)
	}
	return nil
}

// stack creates a CloudFormation stack, or takes the one that exists, and
// returns one of its outputs.
func (p *pass) stack(name, body, output string) (string, error) {
	input := map[string]any{
		"capabilities": []any{"CAPABILITY_IAM"}, "parameters": []any{}, "stackName": name, "templateBody": body,
		"tags": []any{map[string]any{"key": "displayName", "value": p.cfg.DisplayName}},
	}
	err := p.send("cloudformation", "CreateStack", input, func() *apiError {
		if _, ok := p.Stacks[name]; ok {
			return &apiError{"CloudFormation", "CreateStack", "AlreadyExistsException", "Stack [" + name + "] already exists", 0}
		}
		p.Stacks[name] = Stack{Status: "CREATE_COMPLETE", Outputs: map[string]string{output: "arn:aws:iam::123456789012:role/" + name}}
		return nil
	})
	if failed := (*apiError)(nil); errors.As(err, &failed) && failed.code != "AlreadyExistsException" {
		return "", fmt.Errorf("error creating master: %w", err)
	}
	if err, _ := p.fault("CloudFormation", "DescribeStacks"); err != nil {
		return "", fmt.Errorf("error polling stack info: %w", err)
	}
	s := p.Stacks[name]
	if s.Status != "CREATE_COMPLETE" {
		reason := s.Reason
		if reason == "" {
			reason = "reason unknown"
		}
		return "", fmt.Errorf("stack failed to create: %v", reason)
	}
	return s.Outputs[output], nil
}
