package testbed

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Proxy stands between a client and a Server and makes trouble on demand. It is
// safe for concurrent use.
type Proxy struct {
	// Config connects through the proxy as the user it was made for, Kubeconfig is
	// a file that does the same.
	Config     *rest.Config
	Kubeconfig string

	front *httptest.Server

	mu      sync.Mutex
	skew    time.Duration
	down    bool
	expired bool
	watches int
}

// Proxy makes a proxy that talks to the server as a user, for example s.Config. It
// ends with the test.
func (s *Server) Proxy(t testing.TB, user *rest.Config) *Proxy {
	t.Helper()
	target, err := url.Parse(user.Host)
	if err != nil {
		t.Fatal(err)
	}
	if target.Host == "" {
		target = &url.URL{Scheme: "https", Host: user.Host}
	}
	behind, err := rest.TransportFor(user)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{}
	forward := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: p.shift,
		Transport:      behind,
		FlushInterval:  -1,
		ErrorLog:       log.New(io.Discard, "", 0),
	}
	p.front = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.admit(r) {
			forward.ServeHTTP(w, r)
			return
		}
		panic(http.ErrAbortHandler)
	}))
	p.front.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(func() {
		p.front.CloseClientConnections()
		p.front.Close()
	})
	p.Config = &rest.Config{Host: p.front.URL, QPS: -1}
	p.Kubeconfig = filepath.Join(t.TempDir(), "proxy.kubeconfig")
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["proxy"] = &clientcmdapi.Cluster{Server: p.front.URL}
	cfg.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy"}
	cfg.CurrentContext = "proxy"
	text, err := clientcmd.Write(*cfg)
	if err == nil {
		err = os.WriteFile(p.Kubeconfig, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Skew moves the clock that the server shows.
func (p *Proxy) Skew(d time.Duration) { p.set(func() { p.skew = d }) }

// Kill breaks all connections off, as a restart or a load balancer does.
func (p *Proxy) Kill() { p.front.CloseClientConnections() }

// Down breaks all connections off and accepts none until Up.
func (p *Proxy) Down() {
	p.set(func() { p.down = true })
	p.Kill()
}

// Up ends Down.
func (p *Proxy) Up() { p.set(func() { p.down = false }) }

// Expire makes the next watch begin at a version that the server has long
// forgotten, so that it answers 410 Gone.
func (p *Proxy) Expire() { p.set(func() { p.expired = true }) }

// Watches is how many watches were begun.
func (p *Proxy) Watches() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.watches
}

func (p *Proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// admit tells whether a request gets through, and spoils it if that is wanted.
func (p *Proxy) admit(r *http.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q := r.URL.Query(); q.Has("watch") && !p.down {
		p.watches++
		if p.expired {
			p.expired = false
			q.Set("resourceVersion", "1")
			r.URL.RawQuery = q.Encode()
		}
	}
	return !p.down
}

// shift moves the Date of an answer.
func (p *Proxy) shift(res *http.Response) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		res.Header.Set("Date", t.Add(p.skew).UTC().Format(http.TimeFormat))
	}
	return nil
}
