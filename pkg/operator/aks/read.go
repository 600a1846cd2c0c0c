package aks

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// View is what one reading of the cloud yields.
type View struct {
	// Operator is what the operator compares with, Rancher what the refresher
	// stores as UpstreamSpec: the same with the identity of the Config. Both
	// are nil if Error is set.
	Operator, Rancher map[string]any
	// Identities are the user-assigned identities if there are several. The
	// operator picks one of them at random; the views hold the last in order.
	Identities []string
	// Error is the reader's error, "" if it succeeded. Panic is set where the
	// real reader crashes; Error then starts with "panic: ".
	Error string
	Panic bool
}

// panicError stands for a crash of the real code.
type panicError struct{ text string }

func (e *panicError) Error() string { return "panic: runtime error: " + e.text }

var (
	errNil   = &panicError{"invalid memory address or nil pointer dereference"}
	errIndex = &panicError{"index out of range [0] with length 0"}
)

func isPanic(err error) bool {
	var p *panicError
	return errors.As(err, &p)
}

// Read reads the cloud as the operator and Rancher's refresher do, with the
// Config, credential, cloud and faults of in (rancher/aks-operator,
// controller/aks-cluster-config-handler.go, buildUpstreamClusterState;
// rancher/rancher, pkg/controllers/management/clusterupstreamrefresher,
// BuildAKSUpstreamSpec).
func Read(in Input) View {
	r, err := newRun(in)
	if err != nil {
		return View{Error: err.Error()}
	}
	if err := r.credential.check(r.config.credential); err != nil {
		return View{Error: "error getting credentials secret: " + err.Error()}
	}
	s, err := r.read()
	if err != nil {
		return View{Error: err.Error(), Panic: isPanic(err)}
	}
	v := View{Operator: s.encode(), Identities: identities(r.azure.cloud.doc)}
	s.clusterName, s.resourceGroup = r.config.clusterName, r.config.resourceGroup
	s.resourceLocation, s.credential = r.config.resourceLocation, r.config.credential
	s.imported = r.config.imported
	v.Rancher = s.encode()
	return v
}

// identities lists the cluster's user-assigned identities if there are several.
func identities(doc map[string]any) []string {
	ids := hosted.SortedKeys(hosted.Map(hosted.Map(doc["identity"])["userAssignedIdentities"]))
	if len(ids) < 2 {
		return nil
	}
	return ids
}

// readCluster makes the operator's view of a checked document.
func readCluster(doc map[string]any, config *spec, at Endpoints) (*spec, error) {
	properties, ok := doc["properties"].(map[string]any)
	if !ok {
		return nil, errNil
	}
	s := &spec{version: str(properties, "kubernetesVersion")}
	if s.version == nil {
		return nil, fmt.Errorf("cannot detect cluster [%s] upstream kubernetes version", config.clusterName)
	}
	s.baseURL, s.authBaseURL = &at.Base, &at.Login
	var err error
	if s.pools, err = readPools(properties, config.pools); err != nil {
		return nil, err
	}
	if err := s.readSettings(doc, properties); err != nil {
		return nil, err
	}
	return s, nil
}

// readSettings reads everything but the version and the pools.
func (s *spec) readSettings(doc, properties map[string]any) error {
	s.dnsPrefix = str(properties, "dnsPrefix")
	s.tags = plainTexts(textMap(doc, "tags"))
	for _, step := range []func(map[string]any) error{s.readNetwork, s.readLinux, s.readAddons, s.readAccess} {
		if err := step(properties); err != nil {
			return err
		}
	}
	s.readIdentity(doc)
	return nil
}

const stateSucceeded = "Succeeded"

func readPools(properties map[string]any, config []pool) ([]pool, error) {
	profiles, _ := properties["agentPoolProfiles"].([]any)
	var pools []pool
	for _, e := range profiles {
		p, err := readPool(hosted.Map(e), config)
		if err != nil {
			return nil, err
		}
		pools = append(pools, p)
	}
	return pools, nil
}

func readPool(m map[string]any, config []pool) (pool, error) {
	p := pool{
		name: str(m, "name"), count: poolCount(m, config), maxPods: int32Of(m, "maxPods"), diskGB: int32Of(m, "osDiskSizeGB"),
		diskType: text(str(m, "osDiskType")), version: str(m, "orchestratorVersion"),
		subnetID: str(m, "vnetSubnetID"), labels: textMap(m, "nodeLabels"),
		maxSurge: str(hosted.Map(m["upgradeSettings"]), "maxSurge"),
	}
	vmSize, mode, osType := str(m, "vmSize"), str(m, "mode"), str(m, "osType")
	if vmSize == nil || mode == nil || osType == nil {
		return p, errNil
	}
	p.vmSize, p.mode, p.osType = *vmSize, *mode, *osType
	var err error
	if p.zones, err = strs(m, "availabilityZones"); err != nil {
		return p, err
	}
	if p.taints, err = strs(m, "nodeTaints"); err != nil {
		return p, err
	}
	if p.autoscaling = boolean(m, "enableAutoScaling"); p.autoscaling != nil {
		p.minCount, p.maxCount = int32Of(m, "minCount"), int32Of(m, "maxCount")
	}
	if p.labels == nil {
		p.labels = map[string]*string{}
	}
	return p, nil
}

// poolCount is the number of nodes. Where it moves by itself, in an autoscaled
// pool or one that is not at rest, the Config's number counts as the cloud's.
func poolCount(m map[string]any, config []pool) *int32 {
	if text(str(m, "provisioningState")) != stateSucceeded || truth(boolean(m, "enableAutoScaling")) {
		for i := range config {
			if text(config[i].name) == text(str(m, "name")) {
				return config[i].count
			}
		}
	}
	return int32Of(m, "count")
}

func (s *spec) readNetwork(properties map[string]any) error {
	m, ok := properties["networkProfile"].(map[string]any)
	if !ok {
		return nil
	}
	if s.networkPlugin = str(m, "networkPlugin"); s.networkPlugin == nil {
		return errNil
	}
	s.dnsServiceIP, s.serviceCIDR, s.podCIDR = str(m, "dnsServiceIP"), str(m, "serviceCidr"), str(m, "podCidr")
	s.networkPolicy, s.outboundType, s.loadBalancer = str(m, "networkPolicy"), str(m, "outboundType"), str(m, "loadBalancerSku")
	return nil
}

func (s *spec) readLinux(properties map[string]any) error {
	m, ok := properties["linuxProfile"].(map[string]any)
	if !ok {
		return nil
	}
	ssh, ok := m["ssh"].(map[string]any)
	if !ok {
		return errNil
	}
	keys, _ := ssh["publicKeys"].([]any)
	if len(keys) == 0 {
		return errIndex
	}
	if keys[0] == nil {
		return errNil
	}
	s.adminUser, s.sshKey = str(m, "adminUsername"), str(hosted.Map(keys[0]), "keyData")
	return nil
}

// The keys under which the operator finds an addon. It does not know others,
// such as the lower-case ones that Azure also uses.
const (
	routingAddon    = "httpApplicationRouting"
	monitoringAddon = "omsAgent"
	workspaceKey    = "logAnalyticsWorkspaceResourceID"
)

var (
	workspaceGroupIn = regexp.MustCompile("/(?i)resourcegroups/(.+?)/")
	workspaceNameIn  = regexp.MustCompile("/(?i)workspaces/(.+?)$")
)

func (s *spec) readAddons(properties map[string]any) error {
	addons := hosted.Map(properties["addonProfiles"])
	s.httpRouting = boolean(hosted.Map(addons[routingAddon]), "enabled")
	agent := hosted.Map(addons[monitoringAddon])
	s.monitoring = boolean(agent, "enabled")
	config, ok := agent["config"].(map[string]any)
	if !truth(s.monitoring) || !ok {
		return nil
	}
	if len(config) == 0 {
		return errors.New("cannot set OMS Agent configuration retrieved from Azure")
	}
	id := text(str(config, workspaceKey))
	group, name := workspaceGroupIn.FindStringSubmatch(id), workspaceNameIn.FindStringSubmatch(id)
	if group == nil {
		return errors.New("OMS Agent configuration workspace group was not found")
	}
	if name == nil {
		return errors.New("OMS Agent configuration workspace name was not found")
	}
	s.workspaceGroup, s.workspaceName = &group[1], &name[1]
	return nil
}

func (s *spec) readAccess(properties map[string]any) error {
	m := hosted.Map(properties["apiServerAccessProfile"])
	if s.private = boolean(m, "enablePrivateCluster"); s.private == nil {
		s.private = new(bool)
	}
	var err error
	if s.ranges, err = strs(m, "authorizedIPRanges"); err != nil {
		return err
	}
	if s.ranges == nil {
		s.ranges = &[]string{}
	}
	s.privateDNSZone = str(m, "privateDNSZone")
	return nil
}

// readIdentity takes the last identity in order; the operator takes any.
func (s *spec) readIdentity(doc map[string]any) {
	identity, ok := doc["identity"].(map[string]any)
	s.managedIdentity = &ok
	for id := range hosted.Map(identity["userAssignedIdentities"]) {
		if s.userIdentity == nil || strings.Compare(id, *s.userIdentity) > 0 {
			s.userIdentity = &id
		}
	}
}
