package race

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// ruleSharedClient is about operators that keep one cloud client for all.
func ruleSharedClient() Rule {
	return Rule{
		Code: "HS016", Scenario: "R16", Title: "Clusters with different credentials share one operator's cloud client", Severity: Info,
		Doc: Doc{
			What: "The operators for AKS, GKE and Alibaba keep the cloud client in one place and replace it at the start of every reconcile. With several clusters and different credentials a call may go out with another cluster's credential, and be refused or not find the cluster. Such failures come and go by themselves.",
			Why:  "rancher/aks-operator, rancher/gke-operator and rancher/ali-operator, controller: the client is a field of the handler that concurrent workers share. Found by reading the code, not reproduced. EKS makes its clients per call.",
			Lost: "A reconcile; in the worst case a call reaches a cluster of the same name elsewhere.",
			Out:  "If the failures come and go: use one credential for the clusters of a provider, or wake the failed one again after having looked at its hot fields.",
		},
		Fleet: checkSharedClient,
	}
}

var credentialKeys = map[hosted.Provider]string{
	hosted.AKS: "azureCredentialSecret", hosted.GKE: "googleCredentialSecret", hosted.ACK: "alibabaCredentialSecret",
}

// checkSharedClient speaks up only where a refused or lost call is recorded and
// another cluster of the provider uses another credential.
func checkSharedClient(all []hosted.Snapshot, now time.Time) []Finding {
	byProvider := map[hosted.Provider]map[string][]string{}
	for i := range all {
		s := &all[i]
		cred := hosted.Str(s.Config[credentialKeys[s.Provider]])
		if credentialKeys[s.Provider] == "" || cred == "" {
			continue
		}
		if byProvider[s.Provider] == nil {
			byProvider[s.Provider] = map[string][]string{}
		}
		byProvider[s.Provider][cred] = append(byProvider[s.Provider][cred], s.Name)
	}
	var out []Finding
	for i := range all {
		s := &all[i]
		creds := byProvider[s.Provider]
		if len(creds) < 2 || s.Deleting {
			continue
		}
		if f := failureOf(s); lostCall(f.Text) {
			out = append(out, sharedFinding(s, f, creds, now))
		}
	}
	return out
}

// lostCall tells whether the error is one that a wrong client would cause.
func lostCall(text string) bool {
	return text != "" && (Classify(text).refused() || strings.Contains(text, "404") ||
		strings.Contains(text, "NotFound") || strings.Contains(text, "notFound"))
}

func sharedFinding(s *hosted.Snapshot, fail Failure, creds map[string][]string, now time.Time) Finding {
	own := hosted.Str(s.Config[credentialKeys[s.Provider]])
	f := Finding{
		Cluster: s.Name, Severity: Info, Status: Present,
		Summary: fmt.Sprintf("a cloud call was refused or found nothing, and the %s clusters of this fleet use %d credentials through one shared client: the refusal may be another cluster's", s.Provider, len(creds)),
		Evidence: []Evidence{
			{"failure message", fail.Text, fail.Source},
			{"credential", own, clusterAt(s, "spec."+s.Provider.ConfigKey()+"."+credentialKeys[s.Provider])},
		},
		Window: Window{From: now, Reason: "open while clusters of this provider use different credentials"},
	}
	if !fail.Since.IsZero() && fail.Since.Before(now) {
		f.Window.From = fail.Since
	}
	for _, cred := range hosted.SortedKeys(creds) {
		if cred != own {
			names := slices.Clone(creds[cred])
			slices.Sort(names)
			f.Evidence = append(f.Evidence, Evidence{"other credential " + cred, enumerate(names), "Clusters of the same provider"})
		}
	}
	return f
}
