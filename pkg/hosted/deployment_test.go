package hosted_test

import (
	"testing"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rawjson"
)

func TestOperatorStateOf(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 9, 1, 11, minute, 0, 0, time.UTC) }
	cases := map[string]struct {
		object string
		want   hosted.OperatorState
	}{
		"running": {`{"metadata":{"name":"eks-config-operator"},"spec":{"replicas":1,"template":{"spec":{"containers":[
			{"name":"proxy","image":"mesh:1"},{"name":"eks-operator","image":"rancher/eks-operator:v1.14.2"}]}}},
			"status":{"readyReplicas":1,"conditions":[
			{"type":"Available","lastUpdateTime":"2026-09-01T11:02:00Z","lastTransitionTime":"2026-09-01T11:02:00Z"},
			{"type":"Progressing","lastUpdateTime":"2026-09-01T11:04:00Z","lastTransitionTime":"2026-09-01T11:01:00Z"},
			{"type":"ReplicaFailure","lastUpdateTime":"2026-09-01T11:09:00Z"}]}}`,
			hosted.OperatorState{Found: true, Ready: 1, Wanted: 1, Image: "rancher/eks-operator:v1.14.2", Started: at(4)}},
		"another offset": {`{"spec":{"replicas":2},"status":{"conditions":[{"type":"Available","lastTransitionTime":"2026-09-01T13:05:00+02:00"}]}}`,
			hosted.OperatorState{Found: true, Wanted: 2, Started: at(5)}},
		"switched off": {`{"spec":{"replicas":0,"template":{"spec":{"containers":[{"name":"c","image":"i:1"}]}}}}`,
			hosted.OperatorState{Found: true, Image: "i:1"}},
		"nothing said": {`{}`, hosted.OperatorState{Found: true, Wanted: 1}},
		"nonsense": {`{"spec":{"replicas":"x","template":[]},"status":{"readyReplicas":"1","conditions":[1,{"type":"Available","lastUpdateTime":"soon"}]}}`,
			hosted.OperatorState{Found: true, Wanted: 1}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			all, err := hosted.Decode([]byte(c.object))
			if err != nil {
				t.Fatal(err)
			}
			trimmed, err := (&rawjson.Decoder{}).Decode([]byte(c.object), hosted.DeploymentFilter())
			if err != nil {
				t.Fatal(err)
			}
			for how, obj := range map[string]any{"whole": all, "trimmed": trimmed} {
				if got := hosted.OperatorStateOf(hosted.Map(obj)); got != c.want {
					t.Errorf("%s: %+v, want %+v", how, got, c.want)
				}
			}
		})
	}
}

func TestOperatorName(t *testing.T) {
	want := map[hosted.Provider]string{
		hosted.AKS: "aks-config-operator", hosted.EKS: "eks-config-operator",
		hosted.GKE: "gke-config-operator", hosted.ACK: "ali-config-operator",
	}
	for _, p := range hosted.Providers() {
		if p.OperatorName() != want[p] {
			t.Errorf("%s: %s", p, p.OperatorName())
		}
	}
}
