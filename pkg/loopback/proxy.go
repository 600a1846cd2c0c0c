package loopback

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// proxy accepts CONNECT for any host and is that host: it ends TLS with a
// certificate of its own and hands the requests to one handler.
type proxy struct {
	authority *authority
	listener  net.Listener
	outer     *http.Server
	inner     *http.Server
	accepted  *acceptor
	running   sync.WaitGroup

	mu      sync.Mutex
	clients []*http.Client
}

func startProxy(handler http.Handler) (*proxy, error) {
	a, err := newAuthority()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	quiet := log.New(io.Discard, "", 0)
	p := &proxy{authority: a, listener: l, accepted: &acceptor{conns: make(chan net.Conn), done: make(chan struct{}), addr: l.Addr()}}
	p.inner = &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute, ErrorLog: quiet}
	p.outer = &http.Server{Handler: http.HandlerFunc(p.connect), ReadHeaderTimeout: time.Minute, ErrorLog: quiet}
	p.running.Go(func() { _ = p.inner.Serve(p.accepted) })
	p.running.Go(func() { _ = p.outer.Serve(l) })
	return p, nil
}

func (p *proxy) url() string { return "http://" + p.listener.Addr().String() }

// client returns a client whose connections end with the proxy.
func (p *proxy) client() *http.Client {
	pool := x509.NewCertPool()
	pool.AddCert(p.authority.cert)
	c := &http.Client{Transport: &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: p.listener.Addr().String()}),
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
	}}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients = append(p.clients, c)
	return c
}

func (p *proxy) close() {
	p.mu.Lock()
	for _, c := range p.clients {
		c.CloseIdleConnections()
	}
	p.mu.Unlock()
	_ = p.outer.Close()
	_ = p.accepted.Close()
	_ = p.inner.Close()
	p.running.Wait()
}

// connect turns a CONNECT into a TLS connection of the inner server. Everything
// else is refused: nothing is ever passed on.
func (p *proxy) connect(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(w, "the loopback cloud is reached over TLS only", http.StatusForbidden)
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = conn.Close()
		return
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return p.authority.certificate(host)
	}}
	p.accepted.hand(tls.Server(bufferedConn{conn, buffered.Reader}, config))
}

// bufferedConn is a connection of which something has been read ahead.
type bufferedConn struct {
	net.Conn
	reader *bufio.Reader
}

func (c bufferedConn) Read(b []byte) (int, error) { return c.reader.Read(b) }

// acceptor is a listener whose connections are handed to it.
type acceptor struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
	addr  net.Addr
}

func (a *acceptor) hand(c net.Conn) {
	select {
	case a.conns <- c:
	case <-a.done:
		_ = c.Close()
	}
}

func (a *acceptor) Accept() (net.Conn, error) {
	select {
	case c := <-a.conns:
		return c, nil
	case <-a.done:
		return nil, net.ErrClosed
	}
}

func (a *acceptor) Close() error   { a.once.Do(func() { close(a.done) }); return nil }
func (a *acceptor) Addr() net.Addr { return a.addr }

// authority makes certificates for hosts, trusted by whoever trusts its own.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	pem  []byte

	mu     sync.Mutex
	issued map[string]*tls.Certificate
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	own := template("loopback cloud")
	own.IsCA, own.BasicConstraintsValid, own.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, own, own, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate authority: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("make a certificate authority: %w", err)
	}
	return &authority{key: key, cert: cert, issued: map[string]*tls.Certificate{},
		pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, nil
}

func (a *authority) certificate(host string) (*tls.Certificate, error) {
	if host == "" {
		return nil, errors.New("a certificate needs a host")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.issued[host]; c != nil {
		return c, nil
	}
	leaf := template(host)
	leaf.DNSNames, leaf.ExtKeyUsage = []string{host}, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.cert, &a.key.PublicKey, a.key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate for %s: %w", host, err)
	}
	a.issued[host] = &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
	return a.issued[host], nil
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature,
	}
}
