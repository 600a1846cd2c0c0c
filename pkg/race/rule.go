package race

import (
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Doc explains a rule to people.
type Doc struct {
	// What happens, and why: with the place in the public sources that decides
	// it (repository, file, function).
	What, Why string
	// Lost is what is destroyed, Out how to get out of it.
	Lost, Out string
}

// Rule is one race scenario.
type Rule struct {
	// Code is stable: HS001 to HS030, by the number of the scenario.
	Code     string
	Scenario string
	Title    string
	// Severity is the usual one of its findings; the evidence may move it.
	Severity Severity
	// NeedsLive: without a reading of the cloud the rule can only say that it
	// does not know.
	NeedsLive bool
	// NamesUnmanaged: the rule is about fields that are null in the Config and
	// pushed all the same. All other rules name managed fields only.
	NamesUnmanaged bool
	Doc            Doc
	// NotDecidable says why no rule can be made of the objects; then there is no
	// Check.
	NotDecidable string
	// Check looks at one cluster; nil if the rule looks at a fleet or cannot be
	// decided.
	Check func(*Input) []Finding
	// Fleet looks at several clusters at once; nil otherwise.
	Fleet func([]hosted.Snapshot, time.Time) []Finding
}

// Decidable tells whether the rule can produce findings.
func (r Rule) Decidable() bool { return r.Check != nil || r.Fleet != nil }

// Rules lists all rules by code.
func Rules() []Rule {
	return []Rule{
		ruleArmed(), ruleFiring(), ruleUnpushedAzure(), ruleGroups(), ruleSizes(), ruleStaleForm(),
		ruleUnpushed(), ruleUnpushedEKS(), ruleFailed(), ruleRestart(), ruleStaleSnapshot(), ruleInputs(),
		ruleUnrecorded(), rulePruned(), ruleTransition(), ruleSharedClient(), ruleRanges(), ruleLocations(),
		ruleCosmetic(), ruleLogging(), ruleTags(), ruleThreeWrites(), ruleNeverPushed(), rulePages(),
		ruleAccess(), ruleAzureBlank(), ruleAzurePut(), ruleSecondEdit(), ruleSkew(), ruleAutoscaled(),
	}
}

// Check runs every rule that looks at one cluster. A cluster that is not hosted
// or is being deleted has no findings: nothing is refreshed or pushed there.
func Check(in *Input) []Finding {
	if !in.Snapshot.Hosted() || in.Snapshot.Deleting {
		return nil
	}
	var out []Finding
	for _, r := range Rules() {
		if r.Check == nil {
			continue
		}
		for _, f := range r.Check(in) {
			f.Code, f.Cluster = r.Code, in.Snapshot.Name
			f.settle()
			out = append(out, f)
		}
	}
	Sort(out)
	return out
}

// CheckFleet runs the rules that look at several clusters at once.
func CheckFleet(snapshots []hosted.Snapshot, now time.Time) []Finding {
	var out []Finding
	for _, r := range Rules() {
		if r.Fleet == nil {
			continue
		}
		for _, f := range r.Fleet(snapshots, now) {
			f.Code = r.Code
			f.settle()
			out = append(out, f)
		}
	}
	Sort(out)
	return out
}
