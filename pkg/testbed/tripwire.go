package testbed

import (
	"bytes"
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Tripwire stands between a client and a Server and tells a test of every request,
// just before the server gets it and just after the server has answered, so that
// the test can do something at exactly that moment: kill the client, kill the
// server, cut the connection. Clients speak plain HTTP to it and need no
// credentials.
type Tripwire struct {
	// URL is its address.
	URL string

	kubeconfig string
	count      atomic.Int64
	hook       Hook
}

// Hook is called twice for each request, the n-th from 1: with sent=false before
// it is forwarded, and with sent=true after the server's answer has begun and
// before anything of it is passed on. A change has been stored by then, or
// refused. There is no second call for a request that the server did not answer.
// Calls for different requests may overlap. A Hook may read the request's body but
// not change the request.
//
// A Hook that panics with http.ErrAbortHandler cuts the client's connection, and
// before sending keeps the request from the server. To kill a client is not
// enough for that: its request has arrived here.
type Hook func(n int, req *http.Request, sent bool)

type orderKey struct{}

// Tripwire starts a proxy that connects to the server as cfg does, for example
// s.Config or a User's. It ends with the test. A nil hook only counts.
func (s *Server) Tripwire(t testing.TB, cfg *rest.Config, hook Hook) *Tripwire {
	t.Helper()
	if hook == nil {
		hook = func(int, *http.Request, bool) {}
	}
	w := &Tripwire{hook: hook}
	target, err := url.Parse(cfg.Host)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(w.proxy(target, transport))
	srv.Config.ErrorLog = silent()
	srv.Start()
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	w.URL = srv.URL
	w.kubeconfig = filepath.Join(s.dir, "tripwire-"+strings.ReplaceAll(srv.Listener.Addr().String(), ":", "-")+".kubeconfig")
	if err := clientcmd.WriteToFile(pointing(srv.URL), w.kubeconfig); err != nil {
		t.Fatal(err)
	}
	return w
}

// Requests is how many requests have arrived.
func (w *Tripwire) Requests() int { return int(w.count.Load()) }

// Kubeconfig is a file that points to the proxy.
func (w *Tripwire) Kubeconfig() string { return w.kubeconfig }

// Config points to the proxy, without a rate limit.
func (w *Tripwire) Config() *rest.Config { return &rest.Config{Host: w.URL, QPS: -1} }

func (w *Tripwire) proxy(target *url.URL, transport http.RoundTripper) http.Handler {
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Authorization")
		},
		Transport:     transport,
		FlushInterval: -1, // a watch's events are passed on as they come
		ErrorLog:      silent(),
		ModifyResponse: func(res *http.Response) error {
			passed := false
			defer func() {
				if !passed {
					_ = res.Body.Close()
				}
			}()
			n, _ := res.Request.Context().Value(orderKey{}).(int)
			w.hook(n, res.Request, true)
			passed = true
			return nil
		},
		// A server that is gone shows to the client as it would without a proxy.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	return http.HandlerFunc(func(out http.ResponseWriter, req *http.Request) {
		n := int(w.count.Add(1))
		body, err := io.ReadAll(req.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // the client is gone in the middle of its request
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		w.hook(n, req, false)
		req.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(out, req.WithContext(context.WithValue(req.Context(), orderKey{}, n)))
	})
}

func pointing(address string) clientcmdapi.Config {
	const name = "tripwire"
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters[name] = &clientcmdapi.Cluster{Server: address}
	cfg.AuthInfos[name] = &clientcmdapi.AuthInfo{}
	cfg.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	cfg.CurrentContext = name
	return *cfg
}

// silent is a log for what tests bring about on purpose.
func silent() *log.Logger { return log.New(io.Discard, "", 0) }
