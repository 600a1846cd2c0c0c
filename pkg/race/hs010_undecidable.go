package race

// The rules in this file describe races of which the objects show nothing in
// time. They have a code so that explain can say so.

func ruleRestart() Rule {
	return Rule{
		Code: "HS010", Scenario: "R10", Title: "An operator restart enforces the Config without any edit", Severity: Danger,
		Doc: Doc{
			What: "No edit is needed for the push of HS001: every operator reconciles all its clusters when it starts (a Rancher upgrade restarts them all, a drained node one) and at its periodic resync, ten hours by default.",
			Why:  "The operators' controllers list all custom resources at start; the resync comes from rancher/lasso (CATTLE_RESYNC_DEFAULT, minutes).",
			Lost: "The cloud's value of every hot field.",
			Out:  "As for HS001. Upgrade Rancher when no hosted cluster has a hot field.",
		},
		NotDecidable: "an operator's restart or resync shows in no object before it happens. HS001 and HS004 report the state in which it does harm, and name it.",
	}
}

func ruleStaleSnapshot() Rule {
	return Rule{
		Code: "HS011", Scenario: "R11", Title: "A refresh writes back what it read seconds earlier", Severity: Danger,
		Doc: Doc{
			What: "A refresh reads the cloud over several seconds and then writes the Config. A change in the cloud during these seconds is missing from what it writes; and if the refresh had anything to absorb, its write wakes the operator, which reverts the change.",
			Why:  "rancher/rancher, pkg/controllers/management/clusterupstreamrefresher: read and write are not tied together, and the cluster handler copies the new Config on.",
			Lost: "A change in the cloud that falls into the seconds of a refresh with something to absorb.",
			Out:  "Do not change the cloud while a refresh runs, and start none while somebody works at the console.",
		},
		NotDecidable: "it happens within the seconds of one refresh, whose beginning is written nowhere. The time of the next refresh is in every cluster's refresh schedule.",
	}
}

func ruleThreeWrites() Rule {
	return Rule{
		Code: "HS022", Scenario: "R22", Title: "A refresh is seen half written", Severity: Info,
		Doc: Doc{
			What: "Since 2.15 a refresh writes the Config, the reading and the annotation one after the other. Somebody who looks in between sees a new Config with an old reading, or both new with an old annotation.",
			Why:  "rancher/rancher, pkg/controllers/management/clusterupstreamrefresher: Cluster has a status subresource since 2.15.",
			Lost: "Nothing.",
			Out:  "Look again two seconds later; judge after the annotation has moved.",
		},
		NotDecidable: "one look at the objects cannot tell a half-written refresh from an edit. Watch for two seconds.",
	}
}
