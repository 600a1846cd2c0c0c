package eks

import (
	"encoding/json"
	"fmt"

	kjson "sigs.k8s.io/json"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// Cloud is what AWS answers about one cluster, in AWS member names.
type Cloud struct {
	// Cluster is DescribeCluster's body, nil if there is no such cluster.
	Cluster map[string]any `json:"cluster"`
	// ListNodegroups are the pages of node group names; only the first is read.
	ListNodegroups [][]string `json:"listNodegroups"`
	// Nodegroups are DescribeNodegroup's bodies by name.
	Nodegroups map[string]map[string]any `json:"nodegroups"`
	// Addons are DescribeAddon's bodies by name.
	Addons map[string]map[string]any `json:"addons"`
	// LaunchTemplateVersions are EC2's versions, data in lower-camel names.
	LaunchTemplateVersions []LaunchTemplateVersion `json:"launchTemplateVersions"`
	// Updates are DescribeUpdate's bodies in the order of ListUpdates.
	Updates       []map[string]any   `json:"updates"`
	OIDCProviders []string           `json:"oidcProviders"`
	Stacks        map[string]Stack   `json:"stacks"`
	Images        map[string]*string `json:"images"`
	Faults        []operator.Fault   `json:"faults"`
	Behaviour     struct {
		LoggingDisabledFirst bool `json:"loggingDisabledFirst"`
	} `json:"behaviour"`
}

// LaunchTemplateVersion is one version of an EC2 launch template.
type LaunchTemplateVersion struct {
	ID      string         `json:"launchTemplateId"`
	Name    string         `json:"launchTemplateName"`
	Version int64          `json:"version"`
	Data    map[string]any `json:"launchTemplateData"`
}

// Stack is a CloudFormation stack.
type Stack struct {
	Status  string            `json:"status"`
	Outputs map[string]string `json:"outputs"`
	Reason  string            `json:"reason"`
}

// addonName is the one add-on that the operator knows.
const addonName = "aws-ebs-csi-driver"

// DecodeCloud reads a cloud document.
func DecodeCloud(text []byte) (Cloud, error) {
	var c Cloud
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, &c); err != nil {
		return c, fmt.Errorf("cannot read the cloud document: %w", err)
	}
	return c, nil
}

// clone copies the cloud deeply, so that a pass can change it.
func (c Cloud) clone() *Cloud {
	var out Cloud
	text, err := json.Marshal(c)
	if err == nil {
		err = kjson.UnmarshalCaseSensitivePreserveInts(text, &out)
	}
	if err != nil { // it was decoded from JSON, so it encodes
		return &c
	}
	if out.Addons == nil {
		out.Addons = map[string]map[string]any{}
	}
	if out.Nodegroups == nil {
		out.Nodegroups = map[string]map[string]any{}
	}
	if out.Stacks == nil {
		out.Stacks = map[string]Stack{}
	}
	if len(out.ListNodegroups) == 0 {
		out.ListNodegroups = [][]string{{}}
	}
	return &out
}

// settle lets time pass: what is under way is done.
func (c *Cloud) settle() {
	if cl := hosted.Map(c.Cluster["cluster"]); cl != nil && busyCluster(cl) {
		cl["status"] = "ACTIVE"
	}
	for _, u := range c.Updates {
		if up := hosted.Map(u["update"]); hosted.Str(up["status"]) == "InProgress" {
			up["status"] = "Successful"
		}
	}
	for name, body := range c.Nodegroups {
		switch ng := hosted.Map(body["nodegroup"]); hosted.Str(ng["status"]) {
		case "UPDATING", "CREATING":
			ng["status"] = "ACTIVE"
		case "DELETING":
			c.removeGroup(name)
		}
	}
	for _, body := range c.Addons {
		if a := hosted.Map(body["addon"]); hosted.Str(a["status"]) == "UPDATING" || hosted.Str(a["status"]) == "CREATING" {
			a["status"] = "ACTIVE"
		}
	}
}

func busyCluster(cluster map[string]any) bool {
	s := hosted.Str(cluster["status"])
	return s == "UPDATING" || s == "CREATING"
}

func (c *Cloud) removeGroup(name string) {
	delete(c.Nodegroups, name)
	for i, page := range c.ListNodegroups {
		kept := page[:0]
		for _, n := range page {
			if n != name {
				kept = append(kept, n)
			}
		}
		c.ListNodegroups[i] = kept
	}
}
