package aks

import (
	"fmt"
	"math"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// spec is AKSClusterConfigSpec (rancher/aks-operator,
// pkg/apis/aks.cattle.io/v1). Nil means "not managed" in a Config and "not
// reported" in a view.
type spec struct {
	imported                                       bool
	resourceLocation, resourceGroup, clusterName   string
	credential                                     string
	baseURL, authBaseURL                           *string
	networkPlugin, networkPolicy                   *string
	vnetGroup, vnet, subnet                        *string
	dnsServiceIP, serviceCIDR, podCIDR, bridgeCIDR *string
	nodeResourceGroup, outboundType, loadBalancer  *string
	adminUser, sshKey, dnsPrefix, version          *string
	tags                                           map[string]string
	pools                                          []pool
	private                                        *bool
	privateDNSZone                                 *string
	ranges                                         *[]string
	httpRouting, monitoring                        *bool
	workspaceGroup, workspaceName                  *string
	managedIdentity                                *bool
	userIdentity                                   *string
}

// pool is AKSNodePool.
type pool struct {
	name                           *string
	count, maxPods, diskGB         *int32
	vmSize, diskType, mode, osType string
	version, maxSurge, subnetID    *string
	zones, taints                  *[]string
	minCount, maxCount             *int32
	autoscaling                    *bool
	labels                         map[string]*string
}

// member ties a JSON key to a place in T. An omitEmpty member is left out of
// the written form if it is empty.
type member[T any] struct {
	key       string
	omitEmpty bool
	at        func(*T) any
}

var specMembers = []member[spec]{
	{"imported", false, func(s *spec) any { return &s.imported }},
	{"resourceLocation", false, func(s *spec) any { return &s.resourceLocation }},
	{"resourceGroup", false, func(s *spec) any { return &s.resourceGroup }},
	{"clusterName", false, func(s *spec) any { return &s.clusterName }},
	{"azureCredentialSecret", false, func(s *spec) any { return &s.credential }},
	{"baseUrl", false, func(s *spec) any { return &s.baseURL }},
	{"authBaseUrl", false, func(s *spec) any { return &s.authBaseURL }},
	{"networkPlugin", false, func(s *spec) any { return &s.networkPlugin }},
	{"virtualNetworkResourceGroup", false, func(s *spec) any { return &s.vnetGroup }},
	{"virtualNetwork", false, func(s *spec) any { return &s.vnet }},
	{"subnet", false, func(s *spec) any { return &s.subnet }},
	{"dnsServiceIp", false, func(s *spec) any { return &s.dnsServiceIP }},
	{"serviceCidr", false, func(s *spec) any { return &s.serviceCIDR }},
	{"dockerBridgeCidr", false, func(s *spec) any { return &s.bridgeCIDR }},
	{"podCidr", false, func(s *spec) any { return &s.podCIDR }},
	{"nodeResourceGroup", true, func(s *spec) any { return &s.nodeResourceGroup }},
	{"outboundType", false, func(s *spec) any { return &s.outboundType }},
	{"loadBalancerSku", false, func(s *spec) any { return &s.loadBalancer }},
	{"networkPolicy", false, func(s *spec) any { return &s.networkPolicy }},
	{"linuxAdminUsername", true, func(s *spec) any { return &s.adminUser }},
	{"sshPublicKey", true, func(s *spec) any { return &s.sshKey }},
	{"dnsPrefix", true, func(s *spec) any { return &s.dnsPrefix }},
	{"kubernetesVersion", false, func(s *spec) any { return &s.version }},
	{"tags", false, func(s *spec) any { return &s.tags }},
	{"nodePools", false, func(s *spec) any { return &s.pools }},
	{"privateCluster", false, func(s *spec) any { return &s.private }},
	{"privateDnsZone", false, func(s *spec) any { return &s.privateDNSZone }},
	{"authorizedIpRanges", false, func(s *spec) any { return &s.ranges }},
	{"httpApplicationRouting", false, func(s *spec) any { return &s.httpRouting }},
	{"monitoring", false, func(s *spec) any { return &s.monitoring }},
	{"logAnalyticsWorkspaceGroup", false, func(s *spec) any { return &s.workspaceGroup }},
	{"logAnalyticsWorkspaceName", false, func(s *spec) any { return &s.workspaceName }},
	{"managedIdentity", false, func(s *spec) any { return &s.managedIdentity }},
	{"userAssignedIdentity", false, func(s *spec) any { return &s.userIdentity }},
}

var poolMembers = []member[pool]{
	{"name", true, func(p *pool) any { return &p.name }},
	{"count", true, func(p *pool) any { return &p.count }},
	{"maxPods", true, func(p *pool) any { return &p.maxPods }},
	{"vmSize", true, func(p *pool) any { return &p.vmSize }},
	{"osDiskSizeGB", true, func(p *pool) any { return &p.diskGB }},
	{"osDiskType", true, func(p *pool) any { return &p.diskType }},
	{"mode", true, func(p *pool) any { return &p.mode }},
	{"osType", true, func(p *pool) any { return &p.osType }},
	{"orchestratorVersion", true, func(p *pool) any { return &p.version }},
	{"availabilityZones", true, func(p *pool) any { return &p.zones }},
	{"maxSurge", true, func(p *pool) any { return &p.maxSurge }},
	{"maxCount", true, func(p *pool) any { return &p.maxCount }},
	{"minCount", true, func(p *pool) any { return &p.minCount }},
	{"enableAutoScaling", true, func(p *pool) any { return &p.autoscaling }},
	{"vnetSubnetID", true, func(p *pool) any { return &p.subnetID }},
	{"nodeLabels", true, func(p *pool) any { return &p.labels }},
	{"nodeTaints", true, func(p *pool) any { return &p.taints }},
}

// decodeSpec reads a Config as the operator sees it: Rancher writes the decoded
// Config to the custom resource through a form that drops empty omitEmpty
// members, so that nodeLabels {} arrives as null. Unknown members are ignored.
func decodeSpec(m map[string]any) (*spec, error) {
	s := &spec{}
	if err := decodeMembers(m, specMembers, s); err != nil {
		return nil, err
	}
	for i := range s.pools {
		if len(s.pools[i].labels) == 0 {
			s.pools[i].labels = nil
		}
	}
	return s, nil
}

// misfit is a value of the wrong type. Its place is put together on the way
// out, where it is needed, from the innermost step.
type misfit struct{ place, want, got string }

func (e *misfit) Error() string {
	return fmt.Sprintf("%s must be %s, not %s", strings.TrimPrefix(e.place, "."), e.want, e.got)
}

func wrongType(want string, v any) *misfit { return &misfit{want: want, got: hosted.Canonical(v)} }

// at puts a step before the place of a misfit; nil stays nil.
func at(step string, err *misfit) *misfit {
	if err != nil {
		err.place = step + err.place
	}
	return err
}

func atIndex(i int, err *misfit) *misfit {
	if err == nil {
		return nil
	}
	return at(fmt.Sprintf("[%d]", i), err)
}

func atKey(key string, err *misfit) *misfit {
	if err == nil {
		return nil
	}
	return at("."+key, err)
}

// decodeMembers is decodeObject with an ordinary error.
func decodeMembers[T any](m map[string]any, members []member[T], into *T) error {
	if err := decodeObject(m, members, into); err != nil {
		return err
	}
	return nil
}

func decodeObject[T any](m map[string]any, members []member[T], into *T) *misfit {
	for _, f := range members {
		v, ok := m[f.key]
		if !ok || v == nil {
			continue
		}
		if err := decodeValue(v, f.at(into)); err != nil {
			return atKey(f.key, err)
		}
	}
	return nil
}

func decodeValue(v, place any) *misfit {
	switch p := place.(type) {
	case *string:
		return decodeString(v, p)
	case **string:
		*p = new(string)
		return decodeString(v, *p)
	case *bool:
		return decodeBool(v, p)
	case **bool:
		*p = new(bool)
		return decodeBool(v, *p)
	case **int32:
		i, ok := v.(int64)
		if !ok || i < math.MinInt32 || i > math.MaxInt32 {
			return wrongType("a 32-bit integer", v)
		}
		n := int32(i)
		*p = &n
	case **[]string:
		return decodeStrings(v, p)
	case *map[string]string:
		return decodeTexts(v, p)
	case *map[string]*string:
		return decodeTextPointers(v, p)
	case *[]pool:
		return decodePools(v, p)
	}
	return nil
}

func decodeString(v any, p *string) *misfit {
	s, ok := v.(string)
	if !ok {
		return wrongType("a string", v)
	}
	*p = s
	return nil
}

func decodeBool(v any, p *bool) *misfit {
	b, ok := v.(bool)
	if !ok {
		return wrongType("a boolean", v)
	}
	*p = b
	return nil
}

func decodeStrings(v any, p **[]string) *misfit {
	l, ok := v.([]any)
	if !ok {
		return wrongType("a list of strings", v)
	}
	out := make([]string, len(l))
	for i, e := range l {
		if e == nil {
			continue
		}
		if err := decodeString(e, &out[i]); err != nil {
			return atIndex(i, err)
		}
	}
	*p = &out
	return nil
}

func decodeTexts(v any, p *map[string]string) *misfit {
	var texts map[string]*string
	if err := decodeTextPointers(v, &texts); err != nil {
		return err
	}
	*p = plainTexts(texts)
	return nil
}

func decodeTextPointers(v any, p *map[string]*string) *misfit {
	m, ok := v.(map[string]any)
	if !ok {
		return wrongType("a map of strings", v)
	}
	out := make(map[string]*string, len(m))
	for _, k := range hosted.SortedKeys(m) {
		if m[k] == nil {
			out[k] = nil
			continue
		}
		out[k] = new(string)
		if err := decodeString(m[k], out[k]); err != nil {
			return atKey(k, err)
		}
	}
	*p = out
	return nil
}

func decodePools(v any, p *[]pool) *misfit {
	l, ok := v.([]any)
	if !ok {
		return wrongType("a list", v)
	}
	out := make([]pool, len(l))
	for i, e := range l {
		m, ok := e.(map[string]any)
		if !ok && e != nil {
			return atIndex(i, wrongType("an object", e))
		}
		if err := decodeObject(m, poolMembers, &out[i]); err != nil {
			return atIndex(i, err)
		}
	}
	*p = out
	return nil
}
