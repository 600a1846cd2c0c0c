package aks

import (
	"crypto/sha256"
	"fmt"
)

// workspaceRegions maps a cluster's region to the region of its default Log
// Analytics workspace (rancher/aks-operator, pkg/aks/check.go,
// regionToOmsRegionMap). A region that is missing here has no monitoring.
var workspaceRegions = map[string]string{
	"australiacentral": "australiacentral", "australiacentral2": "australiacentral",
	"australiaeast": "australiaeast", "australiasoutheast": "australiasoutheast",
	"brazilsouth": "brazilsouth", "brazilsoutheast": "brazilsoutheast",
	"canadacentral": "canadacentral", "canadaeast": "canadacentral",
	"centralindia": "centralindia", "southindia": "centralindia", "westindia": "centralindia",
	"centralus": "centralus", "northcentralus": "northcentralus", "southcentralus": "southcentralus",
	"eastasia": "eastasia", "southeastasia": "southeastasia",
	"eastus": "eastus", "westcentralus": "eastus", "eastus2": "eastus2", "eastus2euap": "eastus2euap",
	"francecentral": "francecentral", "francesouth": "francecentral",
	"germanywestcentral": "germanywestcentral", "germanynorth": "germanywestcentral",
	"japaneast": "japaneast", "japanwest": "japaneast",
	"koreacentral": "koreacentral", "koreasouth": "koreacentral",
	"northeurope": "northeurope", "westeurope": "westeurope",
	"norwayeast": "norwayeast", "norwaywest": "norwayeast",
	"southafricanorth": "southafricanorth", "southafricawest": "southafricanorth",
	"switzerlandnorth": "switzerlandnorth", "switzerlandwest": "switzerlandwest",
	"uaenorth": "uaenorth", "uaecentral": "uaecentral",
	"uksouth": "uksouth", "ukwest": "ukwest",
	"westus": "westus", "westus2": "westus2",
	"chinaeast": "chinaeast2", "chinaeast2": "chinaeast2", "chinanorth": "chinaeast2", "chinanorth2": "chinaeast2",
}

// workspaceCodes is the suffix of a default workspace's name by the workspace's
// region (same file, locationToOmsRegionCodeMap).
var workspaceCodes = map[string]string{
	"australiasoutheast": "ASE", "australiaeast": "EAU", "australiacentral": "CAU",
	"brazilsouth": "CQ", "brazilsoutheast": "BRSE",
	"canadacentral": "CCA", "centralindia": "CIN",
	"centralus": "CUS", "northcentralus": "NCUS", "southcentralus": "SCUS", "westcentralus": "EUS",
	"eastasia": "EA", "southeastasia": "SEA",
	"eastus": "EUS", "eastus2": "EUS2", "eastus2euap": "EAP",
	"francecentral": "PAR", "germanywestcentral": "DEWC",
	"japaneast": "EJP", "koreacentral": "SE",
	"northeurope": "NEU", "westeurope": "WEU", "norwayeast": "NOE",
	"southafricanorth": "JNB", "switzerlandnorth": "CHN", "switzerlandwest": "CHW",
	"uaenorth": "DXB", "uaecentral": "AUH",
	"uksouth": "SUK", "ukwest": "WUK", "usgovvirginia": "USGV",
	"westus": "WUS", "westus2": "WUS2",
	"chinaeast": "EAST2", "chinaeast2": "EAST2", "chinanorth": "EAST2", "chinanorth2": "EAST2",
}

// zonedRegions are those in which the operator accepts availability zones
// (same file, aksRegionsWithAzSupport).
var zonedRegions = map[string]bool{
	"australiaeast": true, "brazilsouth": true, "canadacentral": true, "centralindia": true,
	"centralus": true, "chinanorth3": true, "eastasia": true, "eastus": true, "eastus2": true,
	"eastus2euap": true, "francecentral": true, "germanywestcentral": true, "israelcentral": true,
	"italynorth": true, "japaneast": true, "koreacentral": true, "mexicocentral": true,
	"newzealandnorth": true, "northeurope": true, "norwayeast": true, "polandcentral": true,
	"qatarcentral": true, "southafricanorth": true, "southcentralus": true, "southeastasia": true,
	"spaincentral": true, "swedencentral": true, "switzerlandnorth": true, "uaenorth": true,
	"uksouth": true, "westeurope": true, "westus2": true, "westus3": true,
}

// zonesError refuses zones in a region without them; an empty region has none.
func zonesError(zones *[]string, region string) error {
	if zones == nil || len(*zones) == 0 || zonedRegions[region] {
		return nil
	}
	return fmt.Errorf("availability zones are not supported in region %s", region)
}

const (
	workspaceNameMax  = 63
	workspaceNameKept = 46
)

// workspace is the Log Analytics workspace that a cluster is to report to.
type workspace struct{ region, group, name string }

// workspaceFor chooses the workspace: the named one, else one in the cluster's
// resource group named after it and the region.
func workspaceFor(s *spec) (workspace, error) {
	const unsupported = "region %s not supported for Log Analytics workspace"
	region, ok := workspaceRegions[s.resourceLocation]
	if !ok {
		return workspace{}, fmt.Errorf(unsupported, s.resourceLocation)
	}
	code, ok := workspaceCodes[region]
	if !ok {
		return workspace{}, fmt.Errorf(unsupported, region)
	}
	w := workspace{region: region, group: text(s.workspaceGroup), name: text(s.workspaceName)}
	if w.group == "" {
		w.group = s.resourceGroup
	}
	if w.name == "" {
		w.name = s.resourceGroup + "-" + code
	}
	if len(w.name) > workspaceNameMax {
		sum := sha256.Sum256([]byte(w.name))
		w.name = fmt.Sprintf("%s-%.16s", w.name[:workspaceNameKept], fmt.Sprintf("%x", sum))
	}
	return w, nil
}
