package rancher_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/testbed"
)

// check holds an error to its kind, to one line, and to the words it must have.
func check(t *testing.T, err error, kind rancher.Kind, words ...string) {
	t.Helper()
	if rancher.KindOf(err) != kind {
		t.Errorf("kind %q, want %q: %v", rancher.KindOf(err), kind, err)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q lacks %q", err, w)
		}
	}
	if strings.ContainsAny(err.Error(), "\n\r\t") {
		t.Errorf("more than one line: %q", err)
	}
	var e *rancher.Error
	if errors.As(err, &e) && e.Fix == "" {
		t.Errorf("no remedy: %v", err)
	}
}

func loader(path, context string) clientcmd.ClientConfig {
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: path}
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{
		CurrentContext: context, ClusterDefaults: clientcmd.ClusterDefaults,
	})
}

func TestConnectExplainsTheKubeconfig(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := `{"apiVersion":"v1","kind":"Config","current-context":"local","clusters":[{"name":"a","cluster":{"server":"https://192.0.2.1"}}],
		"contexts":[{"name":"local","context":{"cluster":"a","user":"u"}},{"name":"other","context":{"cluster":"gone","user":"u"}}],
		"users":[{"name":"u","user":{"token":"not-shown"}}]}`
	cases := map[string]struct {
		path, context string
		kind          rancher.Kind
		words         []string
	}{
		"missing file":    {filepath.Join(dir, "none"), "", rancher.BadKubeconfig, []string{"none", "no such file"}},
		"not a config":    {write("bad", "clusters: [[["), "", rancher.BadKubeconfig, []string{"not usable"}},
		"empty":           {write("empty", ""), "", rancher.BadKubeconfig, []string{"no kubeconfig found", "-f"}},
		"wrong context":   {write("good", good), "rancher", rancher.UnknownContext, []string{`"rancher" does not exist`, "local, other"}},
		"missing cluster": {write("good", good), "other", rancher.BadKubeconfig, []string{"names a cluster that is not there"}},
		"bad address":     {write("addr", strings.ReplaceAll(good, "https://192.0.2.1", "https://[::1")), "", rancher.BadKubeconfig, []string{"address"}},
		"bad certificate": {write("cert", strings.ReplaceAll(good, `"server"`, `"certificate-authority-data":"bm8=","server"`)), "", rancher.BadKubeconfig, nil},
	}
	t.Setenv("KUBECONFIG", "")
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := rancher.Connect(loader(c.path, c.context), "test/1")
			if err == nil {
				got.Close()
			}
			check(t, err, c.kind, c.words...)
		})
	}
	c, err := rancher.Connect(loader(write("good", good), ""), "")
	if err != nil || c.Host() != "https://192.0.2.1" {
		t.Errorf("a good kubeconfig: %v", err)
	}
}

// TestServerRefusals are failures with the real server.
func TestServerRefusals(t *testing.T) {
	srv, _ := fleet(t)
	read := func(cfg *rest.Config) error {
		_, err := client(t, cfg).Read(t.Context(), rancher.Query{})
		return err
	}
	expired := rest.AnonymousClientConfig(srv.Config)
	expired.BearerToken = "expired"
	check(t, read(expired), rancher.Unauthorized, "does not accept the credentials", "log in again")

	untrusted := rest.CopyConfig(srv.Config)
	untrusted.CAData, untrusted.CAFile = nil, ""
	check(t, read(untrusted), rancher.BadTLS, "certificate", strings.TrimSuffix(srv.Config.Host, "/"))

	plain := &rest.Config{Host: strings.Replace(srv.Config.Host, "https://", "http://", 1)}
	check(t, read(plain), rancher.ServerFailure, "HTTP request to an HTTPS server", "scheme")

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, read(&rest.Config{Host: "https://" + address}), rancher.Unreachable, "connection refused", address)
	check(t, read(&rest.Config{Host: "https://nowhere.invalid"}), rancher.Unreachable, "nowhere.invalid")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client(t, srv.Config).Read(ctx, rancher.Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_, err = client(t, srv.Config).Get(t.Context(), rancher.Clusters(), "c-none")
	check(t, err, rancher.NotFound, `"c-none" does not exist`)
}

// TestDownstreamCluster: a server without Rancher's API is recognised by those who
// may see everything and by those who may not, and an empty management cluster is
// told apart.
func TestDownstreamCluster(t *testing.T) {
	srv, err := testbed.Start(t.Context(), testbed.Options{Bare: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Stop(); err != nil {
			t.Error(err)
		}
	})
	nobody := srv.User(t, "nobody")
	for _, cfg := range map[string]*rest.Config{"admin": srv.Config, "nobody": nobody.Config} {
		c := client(t, cfg)
		for _, names := range [][]string{nil, {"c-ab12c"}, {"Display Name"}} {
			_, err := c.Read(t.Context(), rancher.Query{Names: names})
			check(t, err, rancher.NotManagement, "not a Rancher management cluster", "local cluster")
		}
		got, err := c.Installed(t.Context())
		if err != nil || got.Management {
			t.Errorf("installed: %+v, %v", got, err)
		}
	}
	if err := srv.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = client(t, srv.Config).Read(t.Context(), rancher.Query{})
	check(t, err, rancher.NoClusters, "has none")
}

// serve makes a Client of a server that a test plays itself.
func serve(t *testing.T, timeout time.Duration, handler http.HandlerFunc) *rancher.Client {
	t.Helper()
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	return client(t, &rest.Config{Host: srv.URL, Timeout: timeout})
}

func TestBrokenAnswers(t *testing.T) {
	release := make(chan struct{})
	cases := map[string]struct {
		answer http.HandlerFunc
		kind   rancher.Kind
		words  []string
	}{
		"a web page": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>login</html>")) },
			rancher.BadAnswer, []string{"is a Kubernetes API"}},
		"an empty page": {func(http.ResponseWriter, *http.Request) {}, rancher.BadAnswer, nil},
		"no list":       {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"kind":"Status"}`)) }, rancher.BadAnswer, []string{"no list"}},
		"no name":       {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"items":[{}]}`)) }, rancher.BadAnswer, []string{"metadata.name"}},
		"half an object": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"items":[{"metadata":`)) },
			rancher.BadAnswer, []string{"unexpected end"}},
		"broken off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"items":[`))
		}, rancher.Unreachable, []string{"unexpected EOF"}},
		"500":      {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "boom", 500) }, rancher.ServerFailure, []string{"boom"}},
		"400":      {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "what?", 400) }, rancher.ServerFailure, []string{"what?"}},
		"too slow": {func(_ http.ResponseWriter, r *http.Request) { <-release }, rancher.Timeout, []string{"--request-timeout"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			timeout := time.Minute
			if name == "too slow" {
				timeout = 50 * time.Millisecond
			}
			_, err := serve(t, timeout, c.answer).List(t.Context(), rancher.Clusters(), rancher.ListOptions{},
				func(map[string]any) error { return nil })
			if name == "too slow" {
				close(release)
			}
			check(t, err, c.kind, c.words...)
		})
	}
}

// TestBusyServerIsAskedAgain: 429 with Retry-After is obeyed, up to a point, and a
// refusal without it is final.
func TestBusyServerIsAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		busy  int
		after string
		calls int
		kind  rancher.Kind
	}{
		"twice":    {2, "0", 3, ""},
		"for ever": {100, "0", 5, rancher.ServerFailure},
		"no word":  {100, "", 1, rancher.ServerFailure},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			cl := serve(t, 0, func(w http.ResponseWriter, _ *http.Request) {
				if calls++; calls <= c.busy {
					w.Header().Set("Retry-After", c.after)
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				_, _ = w.Write([]byte(`{"metadata":{"resourceVersion":"5"},"items":[]}`))
			})
			_, err := cl.List(t.Context(), rancher.Clusters(), rancher.ListOptions{}, func(map[string]any) error { return nil })
			if calls != c.calls || rancher.KindOf(err) != c.kind {
				t.Errorf("%d calls, error %v", calls, err)
			}
		})
	}
}

// TestExpiredListGoesOn: when the version of a list is compacted away between two
// pages, the list goes on with the server's new token and keeps its first version.
func TestExpiredListGoesOn(t *testing.T) {
	page := func(name, token string) string {
		return `{"metadata":{"resourceVersion":"` + name + `","continue":"` + token + `"},"items":[{"metadata":{"name":"c-` + name + `"}}]}`
	}
	c := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("continue") {
		case "":
			_, _ = w.Write([]byte(page("1", "old")))
		case "old":
			w.WriteHeader(http.StatusGone)
			_, _ = w.Write([]byte(`{"kind":"Status","reason":"Expired","message":"gone","metadata":{"continue":"new"}}`))
		case "new":
			_, _ = w.Write([]byte(page("2", "")))
		}
	})
	var names []string
	version, err := c.List(t.Context(), rancher.Clusters(), rancher.ListOptions{}, func(o map[string]any) error {
		names = append(names, o["metadata"].(map[string]any)["name"].(string))
		return nil
	})
	if err != nil || version != "1" || strings.Join(names, " ") != "c-1 c-2" {
		t.Errorf("version %q, names %v, error %v", version, names, err)
	}
	stop := errors.New("enough")
	if _, err := c.List(t.Context(), rancher.Clusters(), rancher.ListOptions{}, func(map[string]any) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the caller's own error became %v", err)
	}
}
