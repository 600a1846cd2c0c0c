package rancher_test

import (
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

const clustersResource = "clusters.management.cattle.io"

func readClusters(names ...string) testbed.Grant {
	verbs := "get,list,watch"
	if len(names) > 0 {
		verbs = "get"
	}
	return testbed.Grant{Verbs: verbs, Resource: clustersResource, Names: names}
}

func readSettings() testbed.Grant {
	names := []string{hosted.VersionSetting}
	for _, p := range hosted.Providers() {
		names = append(names, p.SettingName())
	}
	return testbed.Grant{Verbs: "get", Resource: "settings.management.cattle.io", Names: names}
}

func readResources(providers ...hosted.Provider) (out []testbed.Grant) {
	for _, p := range providers {
		out = append(out, testbed.Grant{Namespace: testbed.GlobalNamespace, Verbs: "get,list,watch", Resource: p.CRResource() + "." + p.CRGroup()})
	}
	return out
}

// TestPartialRights: each right that is missing takes away just what it protects,
// and the rest says so.
func TestPartialRights(t *testing.T) {
	srv, objects := fleet(t)
	eks := objects.Clusters[5]
	if hosted.ProviderOf(eks) != hosted.EKS {
		t.Fatal("the fleet's sixth cluster is not on EKS")
	}
	name := hosted.ObjectName(eks)
	all := hosted.Providers()
	cases := []struct {
		user    string
		grants  []testbed.Grant
		names   []string
		count   int
		unread  []string
		missing rancher.Kind
		says    string
	}{
		{"reader", append(readResources(all...), readClusters(), readSettings()), nil, fleetSize, nil, "", ""},
		{"reader-one", append(readResources(hosted.EKS), readClusters(), readSettings()), []string{name}, 1, nil, "", ""},
		{"no-resources", []testbed.Grant{readClusters(), readSettings()}, nil, fleetSize,
			[]string{"AKSClusterConfig", "EKSClusterConfig", "GKEClusterConfig", "AliClusterConfig"}, "", "list eksclusterconfigs.eks.cattle.io in namespace cattle-global-data"},
		{"only-eks", append(readResources(hosted.EKS), readClusters(), readSettings()), nil, fleetSize,
			[]string{"AKSClusterConfig", "GKEClusterConfig", "AliClusterConfig"}, "", ""},
		{"no-settings", append(readResources(all...), readClusters()), nil, fleetSize,
			[]string{"Setting server-version", "Setting aks-refresh", "Setting eks-refresh", "Setting gke-refresh", "Setting alibaba-refresh"},
			"", "get settings.management.cattle.io eks-refresh"},
		{"one-cluster", []testbed.Grant{readClusters(name)}, []string{name}, 1,
			[]string{"Setting server-version", "Setting eks-refresh", "EKSClusterConfig"},
			"", "get eksclusterconfigs.eks.cattle.io " + name},
		{"one-of-many", []testbed.Grant{readClusters(name)}, nil, 0, nil, rancher.Forbidden, "no right to list clusters.management.cattle.io"},
		{"by-display-name", []testbed.Grant{readClusters(name)}, []string{"harbor-prod-1"}, 0, nil, rancher.Forbidden, "use the object's name"},
		{"nobody", nil, nil, 0, nil, rancher.Forbidden, "kubectl auth can-i list clusters.management.cattle.io"},
	}
	for _, c := range cases {
		t.Run(c.user, func(t *testing.T) {
			user := srv.User(t, c.user, c.grants...)
			impersonating := rest.CopyConfig(srv.Config)
			impersonating.Impersonate.UserName = user.Name
			for how, cfg := range map[string]*rest.Config{"own certificate": user.Config, "impersonated": impersonating} {
				got, err := client(t, cfg).Read(t.Context(), rancher.Query{Names: c.names})
				if rancher.KindOf(err) != c.missing || len(got.Snapshots) != c.count {
					t.Fatalf("%s: %d clusters, error %v", how, len(got.Snapshots), err)
				}
				said := ""
				if err != nil {
					said = err.Error()
				}
				var unread []string
				for _, u := range got.Unread {
					unread = append(unread, u.What)
					said += u.Why + "\n"
					if u.Why == "" || u.Fix == "" {
						t.Errorf("%s: unread without reason or remedy: %+v", how, u)
					}
				}
				if strings.Join(unread, ",") != strings.Join(c.unread, ",") {
					t.Errorf("%s: unread %v, want %v", how, unread, c.unread)
				}
				if !strings.Contains(said, c.says) {
					t.Errorf("%s: says %q, want %q in it", how, said, c.says)
				}
			}
		})
	}
}

// TestUnreadReachesTheSnapshot: a cluster lists what of its own was not read.
func TestUnreadReachesTheSnapshot(t *testing.T) {
	srv, objects := fleet(t)
	user := srv.User(t, "snapshot-unread", readClusters(), readSettings())
	got, err := client(t, user.Config).Read(t.Context(), rancher.Query{Names: []string{hosted.ObjectName(objects.Clusters[5])}})
	if err != nil {
		t.Fatal(err)
	}
	s := got.Snapshots[0]
	if s.CR != nil || len(s.Unread) != 1 || s.Unread[0].What != "EKSClusterConfig" || s.Setting.Effective() != "300" {
		t.Errorf("CR %v, unread %+v, setting %+v", s.CR, s.Unread, s.Setting)
	}
}
