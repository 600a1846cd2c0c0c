package aks

import (
	"fmt"
	"regexp"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/aks"
)

// target is the cluster that is meant.
type target struct {
	// environment is Azure's, as a cloud credential names it: "" is the public one.
	environment               string
	subscription, group, name string
	location                  string
}

// Environments of Azure by the names that Rancher's credentials use, other than the
// public one.
const (
	china      = "AzureChinaCloud"
	government = "AzureUSGovernmentCloud"
)

// configurationOf are the SDK's endpoints of an environment. Like Rancher it takes
// every name that it does not know for public Azure.
func configurationOf(environment string) cloud.Configuration {
	switch environment {
	case china:
		return cloud.AzureChina
	case government:
		return cloud.AzureGovernment
	}
	return cloud.AzurePublic
}

// Names as Azure allows them. Both become part of paths and of a query, so nothing
// else is let through.
var (
	groupName   = regexp.MustCompile(`^[\pL\pN_().-]{1,90}$`)
	clusterName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$`)
	plainID     = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)
)

// targetOf takes the cluster's identity from the Config, and its Azure from the
// credential or, for the user's own login, from what Rancher recorded.
func targetOf(req live.Request) (target, *live.Problem) {
	var t target
	if req.Snapshot == nil || req.Snapshot.Config == nil {
		return t, unusable("the cluster has no AKS Config")
	}
	config := req.Snapshot.Config
	for _, m := range []struct {
		key     string
		into    *string
		allowed *regexp.Regexp
	}{{"resourceGroup", &t.group, groupName}, {"clusterName", &t.name, clusterName}} {
		switch v, ok := config[m.key].(string); {
		case !ok || v == "":
			return t, unusable("the Config has no " + m.key)
		case !m.allowed.MatchString(v):
			return t, unusable(fmt.Sprintf("the Config's %s is no name that Azure allows: %.100q", m.key, v))
		default:
			*m.into = v
		}
	}
	t.location = hosted.Str(config["resourceLocation"])
	if req.Credential != nil {
		t.environment = req.Credential.Data[keyEnvironment]
	} else {
		t.environment = recordedEnvironment(req.Snapshot)
	}
	return t, nil
}

// recordedEnvironment is the one whose endpoint Rancher's last reading recorded. Only
// Azure's own endpoints are accepted: a login is never shown to another.
func recordedEnvironment(s *hosted.Snapshot) string {
	for _, spec := range []map[string]any{s.Upstream, s.Config} {
		base := hosted.Str(spec["baseUrl"])
		for _, environment := range []string{china, government} {
			if base == aks.EndpointsOf(environment).Base {
				return environment
			}
		}
	}
	return ""
}

func unusable(text string) *live.Problem {
	return &live.Problem{Kind: live.Unsupported, Text: text,
		Fix: "correct resourceGroup and clusterName in the cluster's aksConfig"}
}

// id is the cluster's resource id.
func (t target) id() string {
	return "/subscriptions/" + t.subscription + "/resourceGroups/" + t.group + "/providers/Microsoft.ContainerService/managedClusters/" + t.name
}

// origin says whence a reading is.
func (t target) origin(c *live.Credential) string {
	text := "AKS"
	if t.location != "" {
		text += " " + t.location
	}
	switch t.environment {
	case china, government:
		text += " (" + t.environment + ")"
	}
	if c == nil {
		return text + ", your own Azure login"
	}
	return text + ", Rancher's credential " + c.Name
}
