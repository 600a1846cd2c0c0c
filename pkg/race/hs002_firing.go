package race

import (
	"fmt"
)

// ruleFiring is an operator at work while the cloud has something else.
func ruleFiring() Rule {
	return Rule{
		Code: "HS002", Scenario: "R2", Title: "The operator is about to revert a change in the cloud", Severity: Danger,
		Doc: Doc{
			What: "The operator has work: an edit was made, perhaps while the cloud was itself busy with a change made at the console (a version upgrade, an endpoint change). It waits until the cloud is done, polling every 30 seconds, and then pushes every managed field that differs, the ones nobody edited included.",
			Why:  "A busy cloud only delays the push (rancher/eks-operator, controller/eks-cluster-config-handler.go, checkAndUpdate: UPDATING and InProgress requeue; rancher/gke-operator and rancher/ali-operator likewise). What it then does with a version differs: EKS silently ignores a lower one, GKE refuses a lower minor version and stays stuck, Alibaba sends it, AKS sends any difference.",
			Lost: "The cloud's value of every hot field that is not part of the edit.",
			Out:  "A refresh does not help: it leaves the Config alone while Config and Applied differ. Make the Config say what the cloud has, or null the fields, before the cloud settles.",
		},
		Check: checkFiring,
	}
}

func checkFiring(in *Input) []Finding {
	if !in.firing() {
		return nil
	}
	hs := in.hotWhere(func(h Hot) bool { return h.Origin == CloudChange && (h.Kind == KindOther || h.Kind == KindNodeLabel) })
	if len(hs) == 0 {
		return nil
	}
	fields := fieldsOf(hs)
	f := Finding{
		Severity: severityOf(hs), Status: Present, Fields: fields,
		Summary: fmt.Sprintf("the operator is at work and would set %s back in the cloud%s, although nobody edited %s",
			enumerate(fields), in.asOf(), pronoun(len(hs))),
		Evidence:  append(in.hotEvidence(hs), in.stateEvidence()...),
		Window:    in.window(),
		WouldLose: lostInCloud(hs),
	}
	if in.Pending {
		f.Evidence = append(f.Evidence, Evidence{"the operator's resource differs from the Config", true, crAt(in.Snapshot, "spec")})
	}
	in.doubt(&f)
	f.remedies(in.adopt(), in.unmanage())
	return []Finding{f}
}

// doubt lowers a finding that rests on a reading which may be older than what
// it is compared with.
func (in *Input) doubt(f *Finding) {
	if in.Cloud.Sure {
		return
	}
	f.Severity, f.Status = Info, Unknown
	since := "an unknown time"
	if !in.Cloud.At.IsZero() {
		since = stamp(in.Cloud.At)
	}
	f.Summary = "unknown since " + since + ": if nothing was pushed after that reading, " + f.Summary
}
