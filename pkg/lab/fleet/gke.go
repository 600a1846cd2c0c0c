package fleet

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

const (
	gkeVersion = "1.34.1-gke.2037000"
	gkePatched = "1.34.1-gke.2541000"
)

func gkePool(name, machine string, nodes int64) map[string]any {
	return map[string]any{
		"name": name, "version": gkeVersion, "initialNodeCount": nodes, "maxPodsConstraint": int64(110),
		"autoscaling": map[string]any{"enabled": false},
		"management":  map[string]any{"autoRepair": true, "autoUpgrade": true},
		"config": map[string]any{
			"machineType": machine, "diskSizeGb": int64(100), "diskType": "pd-balanced", "imageType": "COS_CONTAINERD",
			"labels": map[string]any{"pool": name}, "tags": texts("internal"), "serviceAccount": "default",
		},
	}
}

// gkeReading is a cluster with two pools, regional unless a zone is given.
func gkeReading(name, region, zone string, locations ...string) map[string]any {
	return map[string]any{
		"googleCredentialSecret": global + ":cc-q8d3n", "clusterName": name, "projectID": "example-project", "imported": false,
		"region": region, "zone": zone, "description": "", "labels": map[string]any{"team": "platform"},
		"enableKubernetesAlpha": false, "clusterIpv4Cidr": "10.8.0.0/14", "kubernetesVersion": gkeVersion,
		"clusterAddons":  map[string]any{"httpLoadBalancing": true, "horizontalPodAutoscaling": true},
		"loggingService": "logging.googleapis.com/kubernetes", "monitoringService": "monitoring.googleapis.com/kubernetes",
		"nodePools": []any{gkePool("default", "e2-standard-4", 3), gkePool("batch", "n2-standard-16", 2)},
		"network":   "default", "subnetwork": "default", "networkPolicyEnabled": false,
		"privateClusterConfig": map[string]any{},
		"ipAllocationPolicy": map[string]any{
			"useIpAliases": true, "clusterIpv4CidrBlock": "10.8.0.0/14", "servicesIpv4CidrBlock": "10.12.0.0/20",
			"clusterSecondaryRangeName": "pods", "servicesSecondaryRangeName": "services",
		},
		"masterAuthorizedNetworks": map[string]any{"enabled": true, "cidrBlocks": []any{
			map[string]any{"cidrBlock": "198.51.100.0/24", "displayName": "office"},
		}},
		"locations": texts(locations...), "maintenanceWindow": "03:00",
	}
}

func gke(p blueprint) blueprint {
	p.provider = hosted.GKE
	return p
}

// gkePoolAtRisk has a pool that only Google knows of yet.
func gkePoolAtRisk() blueprint {
	cloud := gkeReading("orchard-prod", "europe-west1", "", "europe-west1-b", "europe-west1-c", "europe-west1-d")
	pool := gkePool("gpu-inference", "g2-standard-12", 2)
	return gke(blueprint{
		name: "c-5rjkm", display: "orchard-prod", state: PoolAtRisk, age: 110 * day, refreshed: 4 * minutes,
		upstream: cloud, config: managed(cloud), live: plus(cloud, "nodePools", pool),
		shows: "The pool gpu-inference was created in the Google console ninety seconds ago. The list of pools is managed, and a managed list is the complete wish: " +
			"an edit of anything within the next minute deletes the pool again. The refresh after that takes it over.",
		try: []string{"risk orchard-prod", "predict orchard-prod --set maintenanceWindow=04:00", "diff orchard-prod"},
	})
}

// gkeLocations fails at every reconcile over a field that is null.
func gkeLocations() blueprint {
	cloud := gkeReading("saffron-test", "", "europe-west3-a", "europe-west3-a", "europe-west3-b")
	before := without(managed(cloud), "locations")
	return gke(blueprint{
		name: "c-k9wvs", display: "saffron-test", state: EmptyUpdate, age: 60 * day, refreshed: 150 * seconds,
		upstream: cloud, applied: before,
		config: but(before, "labels", map[string]any{"team": "platform", "stage": "test"}),
		phase:  "updating", updated: 2*hours - 30*seconds,
		failure: "googleapi: Error 400: Must specify a field to update., badRequest",
		edits:   []edit{{manager: rancher, ago: 2 * hours, keys: []string{"labels"}}},
		shows: "A zonal cluster whose Config leaves locations null, while Google has two. For this one field null is not unmanaged: every reconcile sends an empty update, " +
			"which is refused, so the label that was set two hours ago never arrives and the sync is frozen.",
		try: []string{"risk saffron-test", "predict saffron-test"},
	})
}

// gkeBrokenAnnotation was helped by a script.
func gkeBrokenAnnotation() blueprint {
	cloud := gkeReading("lantern-test", "us-central1", "", "us-central1-a", "us-central1-b")
	return gke(blueprint{
		name: "c-b3xqd", display: "lantern-test", state: BrokenAnnotation, age: 55 * day, refreshed: 26 * hours,
		annotation: func(now time.Time) string { return now.Add(-26 * hours).Format(time.RFC3339) },
		upstream:   cloud, config: managed(cloud), live: but(cloud, "kubernetesVersion", gkePatched),
		edits: []edit{{manager: "kubectl-annotate", ago: 26 * hours, annotations: []string{hosted.RefreshAnnotation}}},
		shows: "A script wrote a date into the refresh annotation, which must be unix seconds. Since then, 26 hours ago, Rancher has not refreshed this cluster and never will. " +
			"Google upgraded the control plane meanwhile; an edit would ask for the old patch version.",
		try: []string{"predict lantern-test", "risk lantern-test"},
	})
}
