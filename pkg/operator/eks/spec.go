package eks

import (
	"encoding/json"
	"fmt"
	"strings"

	kjson "sigs.k8s.io/json"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// spec is the Config type, nil kept apart from zero.
type spec struct {
	AmazonCredentialSecret string            `json:"amazonCredentialSecret"`
	DisplayName            string            `json:"displayName"`
	Region                 string            `json:"region"`
	IPFamily               *string           `json:"ipFamily,omitempty"`
	Imported               bool              `json:"imported"`
	KubernetesVersion      *string           `json:"kubernetesVersion"`
	Tags                   map[string]string `json:"tags"`
	SecretsEncryption      *bool             `json:"secretsEncryption"`
	KmsKey                 *string           `json:"kmsKey"`
	PublicAccess           *bool             `json:"publicAccess"`
	PrivateAccess          *bool             `json:"privateAccess"`
	EBSCSIDriver           *bool             `json:"ebsCSIDriver"`
	PublicAccessSources    []string          `json:"publicAccessSources"`
	LoggingTypes           []string          `json:"loggingTypes"`
	Subnets                []string          `json:"subnets"`
	SecurityGroups         []string          `json:"securityGroups"`
	ServiceRole            *string           `json:"serviceRole"`
	NodeGroups             []group           `json:"nodeGroups"`
}

type group struct {
	Gpu                  *bool              `json:"gpu"`
	Arm                  *bool              `json:"arm"`
	ImageID              *string            `json:"imageId"`
	Name                 *string            `json:"nodegroupName"`
	DiskSize             *int32             `json:"diskSize"`
	InstanceType         string             `json:"instanceType"`
	Labels               map[string]*string `json:"labels"`
	SSHKey               *string            `json:"ec2SshKey"`
	DesiredSize          *int32             `json:"desiredSize"`
	MaxSize              *int32             `json:"maxSize"`
	MinSize              *int32             `json:"minSize"`
	Subnets              []string           `json:"subnets"`
	Tags                 map[string]*string `json:"tags"`
	ResourceTags         map[string]string  `json:"resourceTags"`
	UserData             *string            `json:"userData"`
	Version              *string            `json:"version"`
	LaunchTemplate       *template          `json:"launchTemplate"`
	RequestSpotInstances *bool              `json:"requestSpotInstances"`
	SpotInstanceTypes    []string           `json:"spotInstanceTypes"`
	NodeRole             *string            `json:"nodeRole"`
}

type template struct {
	ID      *string `json:"id"`
	Name    *string `json:"name"`
	Version *int64  `json:"version"`
}

// status is the part of the custom resource's status that the operator uses.
type status struct {
	Phase                         string            `json:"phase"`
	VirtualNetwork                string            `json:"virtualNetwork"`
	Subnets                       []string          `json:"subnets"`
	SecurityGroups                []string          `json:"securityGroups"`
	ManagedLaunchTemplateID       string            `json:"managedLaunchTemplateID"`
	ManagedLaunchTemplateVersions map[string]string `json:"managedLaunchTemplateVersions"`
	TemplateVersionsToDelete      []string          `json:"templateVersionsToDelete"`
	NetworkFieldsSource           string            `json:"networkFieldsSource"`
	FailureMessage                string            `json:"failureMessage"`
	GeneratedNodeRole             string            `json:"generatedNodeRole"`
	CompletedUpdateIDs            []string          `json:"completedUpdateIDs,omitempty"`
}

// decode reads a generic value into one of the types, case-sensitively, as the
// Kubernetes codecs do.
func decode(what string, v map[string]any, into any) error {
	text, err := json.Marshal(v)
	if err == nil {
		err = kjson.UnmarshalCaseSensitivePreserveInts(text, into)
	}
	if err != nil {
		return fmt.Errorf("cannot read the %s: %w", what, err)
	}
	return nil
}

// generic is the inverse: the value as the Go type is written.
func generic(v any) map[string]any {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	out, err := hosted.Decode(text)
	if err != nil {
		return nil
	}
	return hosted.Map(out)
}

func str(p *string) string { return deref(p) }

func deref[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}

func ptr[T any](v T) *T { return &v }

// plain turns a map of pointers into one of values; a null value is "".
func plain(m map[string]*string) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = str(v)
	}
	return out
}

func ipv6(family *string) bool { return family != nil && strings.EqualFold(*family, "ipv6") }
