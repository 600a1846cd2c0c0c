package aks

import (
	"fmt"
	"math"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Cloud is what Azure answers about one cluster. The zero value is a cluster
// that does not exist, in public Azure. A Cloud is never changed: applying a
// call makes a new one.
type Cloud struct {
	// doc is ManagedCluster as the SDK would write it again, nil if there is
	// none. Members that shapes names have the types that shapes says.
	doc map[string]any
	// Endpoints tells which Azure the cluster lives in.
	Endpoints Endpoints
}

// Endpoints are the addresses of one Azure environment, which the operator
// takes from the cloud credential and puts into its view.
type Endpoints struct{ Base, Login string }

// EndpointsOf returns the endpoints of an environment as a cloud credential
// names it. Anything unknown is public Azure (rancher/aks-operator,
// pkg/aks/client.go, GetEnvironment).
func EndpointsOf(environment string) Endpoints {
	switch environment {
	case "AzureChinaCloud":
		return Endpoints{"https://management.chinacloudapi.cn", "https://login.chinacloudapi.cn/"}
	case "AzureUSGovernmentCloud":
		return Endpoints{"https://management.usgovcloudapi.net", "https://login.microsoftonline.us/"}
	}
	return Endpoints{"https://management.azure.com", "https://login.microsoftonline.com/"}
}

func (c Cloud) endpoints() Endpoints {
	if c.Endpoints == (Endpoints{}) {
		return EndpointsOf("")
	}
	return c.Endpoints
}

// Exists tells whether there is a cluster.
func (c Cloud) Exists() bool { return c.doc != nil }

// Document returns a copy of the cluster as Azure answers it, without null
// members; nil if there is none.
func (c Cloud) Document() map[string]any { return hosted.CloneMap(c.doc) }

// DecodeCloud reads the body of ManagedClusters.Get; null is a cluster that
// does not exist. A member that the operator looks at and that has the wrong
// type is an error which names it. Null members of objects count as absent, as
// they do for the Azure SDK; members that this package does not know are kept.
func DecodeCloud(data []byte) (Cloud, error) {
	v, err := hosted.Decode(data)
	if err != nil {
		return Cloud{}, fmt.Errorf("the cluster's answer is %w", err)
	}
	return cloudFrom(v)
}

func cloudFrom(v any) (Cloud, error) {
	if v == nil {
		return Cloud{}, nil
	}
	doc, err := clusterShape.check(v)
	if err != nil {
		return Cloud{}, at("cluster", err)
	}
	return Cloud{doc: doc.(map[string]any)}, nil
}

// kind is the JSON type that a member must have.
type kind int

const (
	anything kind = iota
	aString
	aBool
	anInt32
	anObject
	aList
	aMap
)

// shape describes a value: an object by its members, a list or a map by its
// elements.
type shape struct {
	kind    kind
	members map[string]shape
	elem    *shape
}

func object(members map[string]shape) shape { return shape{kind: anObject, members: members} }
func listOf(elem shape) shape               { return shape{kind: aList, elem: &elem} }
func mapOf(elem shape) shape                { return shape{kind: aMap, elem: &elem} }

// The members that matter, by the Azure SDK's models (armcontainerservice v5,
// models.go). A map keeps null values, an object loses null members.
var (
	stringShape = shape{kind: aString}
	boolShape   = shape{kind: aBool}
	intShape    = shape{kind: anInt32}
	anyShape    = shape{}

	poolShape = object(map[string]shape{
		"name": stringShape, "count": intShape, "maxPods": intShape, "vmSize": stringShape,
		"osDiskSizeGB": intShape, "osDiskType": stringShape, "mode": stringShape, "osType": stringShape,
		"orchestratorVersion": stringShape, "availabilityZones": listOf(stringShape),
		"enableAutoScaling": boolShape, "minCount": intShape, "maxCount": intShape,
		"vnetSubnetID": stringShape, "nodeLabels": mapOf(stringShape), "nodeTaints": listOf(stringShape),
		"upgradeSettings":   object(map[string]shape{"maxSurge": stringShape}),
		"provisioningState": stringShape, "tags": mapOf(stringShape),
	})

	networkShape = object(map[string]shape{
		"networkPlugin": stringShape, "networkPolicy": stringShape, "dnsServiceIP": stringShape,
		"serviceCidr": stringShape, "podCidr": stringShape, "outboundType": stringShape, "loadBalancerSku": stringShape,
	})

	linuxShape = object(map[string]shape{
		"adminUsername": stringShape,
		"ssh": object(map[string]shape{
			"publicKeys": listOf(object(map[string]shape{"keyData": stringShape})),
		}),
	})

	clusterShape = object(map[string]shape{
		"name": stringShape, "location": stringShape, "tags": mapOf(stringShape),
		"identity": object(map[string]shape{
			"userAssignedIdentities": mapOf(anyShape), "delegatedResources": mapOf(anyShape),
		}),
		"properties": object(map[string]shape{
			"kubernetesVersion": stringShape, "dnsPrefix": stringShape, "enableRBAC": boolShape,
			"provisioningState": stringShape, "agentPoolProfiles": listOf(poolShape),
			"networkProfile": networkShape, "linuxProfile": linuxShape,
			"addonProfiles": mapOf(object(map[string]shape{
				"enabled": boolShape, "config": mapOf(stringShape),
			})),
			"apiServerAccessProfile": object(map[string]shape{
				"enablePrivateCluster": boolShape, "privateDNSZone": stringShape,
				"authorizedIPRanges": listOf(stringShape),
			}),
			"identityProfile": mapOf(anyShape),
		}),
	})
)

// check returns a copy of v without null object members, or an error that names
// the first place with a wrong type.
func (s shape) check(v any) (any, *misfit) {
	switch s.kind {
	case anything:
		return withoutNulls(v), nil
	case aString:
		if _, ok := v.(string); !ok {
			return nil, wrongType("a string", v)
		}
	case aBool:
		if _, ok := v.(bool); !ok {
			return nil, wrongType("a boolean", v)
		}
	case anInt32:
		if i, ok := v.(int64); !ok || i < math.MinInt32 || i > math.MaxInt32 {
			return nil, wrongType("a 32-bit integer", v)
		}
	case aList:
		return s.checkList(v)
	case aMap, anObject:
		return s.checkObject(v)
	}
	return v, nil
}

func (s shape) checkList(v any) (any, *misfit) {
	l, ok := v.([]any)
	if !ok {
		return nil, wrongType("a list", v)
	}
	out := make([]any, len(l))
	for i, e := range l {
		if e == nil {
			continue
		}
		var err *misfit
		if out[i], err = s.elem.check(e); err != nil {
			return nil, atIndex(i, err)
		}
	}
	return out, nil
}

func (s shape) checkObject(v any) (any, *misfit) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, wrongType("an object", v)
	}
	out := make(map[string]any, len(m))
	for _, k := range hosted.SortedKeys(m) {
		if m[k] == nil {
			if s.kind == aMap {
				out[k] = nil
			}
			continue
		}
		elem := s.members[k]
		if s.kind == aMap {
			elem = *s.elem
		}
		var err *misfit
		if out[k], err = elem.check(m[k]); err != nil {
			return nil, atKey(k, err)
		}
	}
	return out, nil
}

func withoutNulls(v any) any {
	switch t := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(t))
		for k, e := range t {
			if e != nil {
				out[k] = withoutNulls(e)
			}
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, e := range t {
			out[i] = withoutNulls(e)
		}
		return out
	}
	return v
}

// Accessors for a checked document. An absent member is nil.

func str(m map[string]any, key string) *string {
	if s, ok := m[key].(string); ok {
		return &s
	}
	return nil
}

func boolean(m map[string]any, key string) *bool {
	if b, ok := m[key].(bool); ok {
		return &b
	}
	return nil
}

func int32Of(m map[string]any, key string) *int32 {
	if i, ok := m[key].(int64); ok {
		n := int32(i)
		return &n
	}
	return nil
}

// strs reads a list of strings. A null element is what the operator trips over.
func strs(m map[string]any, key string) (*[]string, error) {
	l, ok := m[key].([]any)
	if !ok {
		return nil, nil
	}
	out := make([]string, len(l))
	for i, e := range l {
		s, ok := e.(string)
		if !ok {
			return nil, errNil
		}
		out[i] = s
	}
	return &out, nil
}

func textMap(m map[string]any, key string) map[string]*string {
	t, ok := m[key].(map[string]any)
	if !ok {
		return nil
	}
	out := make(map[string]*string, len(t))
	for k := range t {
		out[k] = str(t, k)
	}
	return out
}
