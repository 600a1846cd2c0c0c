package aks

import (
	"strings"
	"sync"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/aks"
)

// The SDK's own chain, narrowed to the environment's variables, so that it neither
// looks for a metadata service nor starts a program.
func TestDefaultChain(t *testing.T) {
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential")
	for _, v := range []string{"AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET"} {
		t.Setenv(v, "")
	}
	own := func(o *Options) { o.Subscription = subscription }
	req := request(t)
	req.Credential = nil
	_, err := newRig(t, own).reader.Read(t.Context(), req)
	checkProblem(t, err, live.Login, "no Azure login here", "az login")

	t.Setenv("AZURE_TENANT_ID", tenant)
	t.Setenv("AZURE_CLIENT_ID", clientID)
	t.Setenv("AZURE_CLIENT_SECRET", "example")
	got := mustRead(t, newRig(t, own), req)
	if got.Origin != "AKS eastus, your own Azure login" || got.Spec["kubernetesVersion"] != "1.33" {
		t.Errorf("origin %q, view %v", got.Origin, got.Spec)
	}
}

func TestTenantFromRanchersNote(t *testing.T) {
	r, req := newRig(t), request(t)
	delete(req.Credential.Data, keyTenant)
	req.Credential.Annotations = map[string]string{tenantAnnotation: "00000000-0000-0000-0000-0000000000ab"}
	mustRead(t, r, req)
	if all := strings.Join(r.cloud.Visited(), "\n"); !strings.Contains(all, "/00000000-0000-0000-0000-0000000000ab/oauth2") {
		t.Errorf("another tenant was asked:\n%s", all)
	}
}

// An environment is Rancher's credential's, or for one's own login what Rancher
// recorded; a login is shown to no host but Azure's.
func TestEnvironments(t *testing.T) {
	for _, c := range []struct{ name, environment, recorded, host string }{
		{"public", "", "", "management.azure.com"},
		{"unknown", "AzureGermanCloud", "", "management.azure.com"},
		{"china", china, "", "management.chinacloudapi.cn"},
		{"government", government, "", "management.usgovcloudapi.net"},
		{"recorded china", "", aks.EndpointsOf(china).Base, "management.chinacloudapi.cn"},
		{"recorded elsewhere", "", "https://management.example.com", "management.azure.com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, req := newRig(t, func(o *Options) { o.Login, o.Subscription = ownLogin{}, subscription }), request(t)
			req.Credential.Data[keyEnvironment] = c.environment
			if c.recorded != "" {
				req.Credential = nil
				req.Snapshot.Upstream = map[string]any{"baseUrl": c.recorded}
			}
			got := mustRead(t, r, req)
			visited := r.cloud.Visited()
			if last := visited[len(visited)-1]; !strings.HasPrefix(last, "GET "+c.host+"/") {
				t.Errorf("read from %s", last)
			}
			if base := hosted.Str(got.Spec["baseUrl"]); base != "https://"+c.host {
				t.Errorf("the view has %s", base)
			}
		})
	}
}

// Clients are shared: many readings with one credential log in once, and with another
// secret anew.
func TestSharedLogin(t *testing.T) {
	r := newRig(t)
	read := func(secret string) {
		req := request(t)
		req.Credential.Data[keySecret] = secret
		if _, err := r.reader.Read(t.Context(), req); err != nil {
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { read("client-secret-of-the-tests") })
	}
	all.Wait()
	if n := logins(r.cloud); n != 1 {
		t.Errorf("%d logins for one credential", n)
	}
	read("changed")
	if n := logins(r.cloud); n != 2 {
		t.Errorf("%d logins after the secret has changed", n)
	}
}

func logins(cloud *loopback.Server) int {
	n := 0
	for _, v := range cloud.Visited() {
		if strings.HasSuffix(v, "/token") {
			n++
		}
	}
	return n
}
