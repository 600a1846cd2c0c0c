package aks

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// importCluster stores the address of an imported cluster's API.
func (r *run) importCluster() error {
	if err := r.azure.accessProfile(); err != nil {
		return err
	}
	r.setPhase(operator.PhaseActive)
	return nil
}

// create begins an import or a creation.
func (r *run) create() error {
	if err := r.validate(); err != nil {
		return err
	}
	if r.config.imported {
		r.setPhase(operator.PhaseImporting)
		return nil
	}
	if doc, err := r.azure.get(); err == nil && text(str(doc, "name")) == r.config.clusterName {
		return fmt.Errorf("cluster %s already exists in AKS. Update configuration or import the existing one", r.id())
	}
	cause := operator.Call{Effect: operator.Create}
	if !r.azure.groupExists() {
		if err := r.azure.createGroup(r.config.resourceLocation, cause); err != nil {
			return fmt.Errorf("error creating resource group [%s] with message %w", r.config.resourceGroup, err)
		}
	}
	body, err := r.desiredCluster(r.config, cause)
	if err == nil {
		err = r.azure.put(body, cause)
	}
	if err != nil {
		return fmt.Errorf("error failed to create cluster: %w ", err)
	}
	r.setPhase(operator.PhaseCreating)
	return nil
}

func (r *run) awaitCreation() error {
	doc, err := r.azure.get()
	if err != nil {
		return err
	}
	properties, _ := doc["properties"].(map[string]any)
	state := str(properties, "provisioningState")
	switch {
	case state == nil:
		return errNil
	case *state == "Failed":
		return fmt.Errorf("creation for cluster %s status: %s", r.id(), *state)
	case *state != stateSucceeded:
		r.later()
		return nil
	}
	return r.importCluster()
}

func (r *run) missing(field string) error {
	return fmt.Errorf("field [%s] must be provided for cluster %s config", field, r.id())
}

// validate is what the operator demands of a new Config (validateConfig).
func (r *run) validate() error {
	c := r.config
	if other := r.behaviour.OtherConfigWithClusterName; other != "" && other == c.clusterName {
		return fmt.Errorf("cannot create cluster %s because an AKSClusterConfig exists with the same name", r.id())
	}
	for _, f := range []struct{ key, value string }{
		{"resourceLocation", c.resourceLocation}, {"resourceGroup", c.resourceGroup}, {"clusterName", c.clusterName},
	} {
		if f.value == "" {
			return r.missing(f.key)
		}
	}
	if c.imported {
		return nil
	}
	if c.version == nil {
		return r.missing("kubernetesVersion")
	}
	if c.dnsPrefix == nil {
		return r.missing("dnsPrefix")
	}
	if err := r.validatePools(); err != nil {
		return err
	}
	return r.validateNetwork()
}

func (r *run) validatePools() error {
	seen := map[string]bool{}
	system := false
	for i := range r.config.pools {
		p := &r.config.pools[i]
		if p.name == nil {
			return r.missing("NodePool.Name")
		}
		if seen[*p.name] {
			return fmt.Errorf("nodePool names must be unique within the %s cluster to avoid duplication", r.id())
		}
		seen[*p.name] = true
		if err := r.validatePool(p); err != nil {
			return err
		}
		system = system || p.mode == modeSystem
	}
	if !system {
		return errors.New("at least one NodePool with mode System is required")
	}
	return nil
}

func (r *run) validatePool(p *pool) error {
	for _, f := range []struct {
		key     string
		missing bool
	}{
		{"Count", p.count == nil}, {"MaxPods", p.maxPods == nil}, {"VMSize", p.vmSize == ""},
		{"OsDiskSizeGB", p.diskGB == nil}, {"OSDiskType", p.diskType == ""}, {"Mode", p.mode == ""}, {"OsType", p.osType == ""},
	} {
		if f.missing {
			return r.missing("NodePool." + f.key)
		}
	}
	if p.osType == "Windows" {
		return errors.New("windows node pools are not currently supported")
	}
	return nil
}

func (r *run) validateNetwork() error {
	c := r.config
	plugin, policy := text(c.networkPlugin), text(c.networkPolicy)
	if c.networkPlugin != nil && plugin != pluginKubenet && plugin != pluginAzure {
		return fmt.Errorf("invalid network plugin value [%s] for %s cluster config", plugin, r.id())
	}
	if c.networkPolicy != nil && policy != policyAzure && policy != policyCalico {
		return fmt.Errorf("invalid network policy value [%s] for %s cluster config", policy, r.id())
	}
	if policy == policyAzure && plugin != pluginAzure {
		return fmt.Errorf("azure network policy can be used only with Azure CNI network plugin for %s cluster", r.id())
	}
	if err := r.validateOutbound(plugin); err != nil {
		return err
	}
	if plugin != pluginAzure {
		return nil
	}
	for _, f := range []struct {
		key   string
		value *string
	}{
		{"virtualNetwork", c.vnet}, {"subnet", c.subnet}, {"dnsServiceIp", c.dnsServiceIP},
		{"dockerBridgeCidr", c.bridgeCIDR}, {"serviceCidr", c.serviceCIDR},
	} {
		if f.value == nil {
			return fmt.Errorf("%w when Azure CNI network plugin is used", r.missing(f.key))
		}
	}
	return nil
}

func (r *run) validateOutbound(plugin string) error {
	switch outbound := strings.ToLower(text(r.config.outboundType)); outbound {
	case "", strings.ToLower(outboundLoadBalancer), strings.ToLower(outboundManagedNAT), strings.ToLower(outboundAssignedNAT):
		return nil
	case strings.ToLower(outboundRouting):
	default:
		return fmt.Errorf("invalid outbound type value [%s] for %s cluster config", outbound, r.id())
	}
	if plugin != pluginAzure {
		return fmt.Errorf("user defined routing can be used only with Azure CNI network plugin for %s cluster", r.id())
	}
	if text(r.config.subnet) == "" {
		return fmt.Errorf("subnet must be provided for cluster %s config when user defined routing is used", r.id())
	}
	return nil
}
