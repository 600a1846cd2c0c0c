package google

import (
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/url"

	"google.golang.org/grpc/codes"
)

// login is what the API knows of logins.
type login struct {
	// token is what a call must carry, "" if any will do.
	token string
	// refusal is the body with which the token endpoint refuses.
	refusal map[string]string
}

// Token makes the API accept only calls that carry the token, which its token
// endpoint hands out.
func (c *Cloud) Token(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.login.token = token
}

// RefuseLogin makes the token endpoint refuse, with an error code of OAuth 2 and
// its description; an empty code ends it.
func (c *Cloud) RefuseLogin(code, description string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.login.refusal = nil
	if code != "" {
		c.login.refusal = map[string]string{"error": code, "error_description": description}
	}
}

// check returns the fault of a call without the right token.
func (l *login) check(r *http.Request) *Fault {
	if l.token == "" || r.URL.Path == "/token" || r.Header.Get("Authorization") == "Bearer "+l.token {
		return nil
	}
	return &Fault{Code: codes.Unauthenticated, Message: "Request had invalid authentication credentials."}
}

// token is the token endpoint.
func (c *Cloud) token(w http.ResponseWriter) {
	c.mu.Lock()
	l := c.login
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	var body any = map[string]any{"access_token": l.token, "token_type": "Bearer", "expires_in": 3600}
	if l.refusal != nil {
		w.WriteHeader(http.StatusBadRequest)
		body = l.refusal
	}
	_ = json.NewEncoder(w).Encode(body)
}

// Roots trusts the API's certificate.
func (c *Cloud) Roots() *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(c.server.Certificate())
	return roots
}

// HTTPClient brings every request to this API, whatever host it is for: a login
// at Google's address ends here.
func (c *Cloud) HTTPClient() *http.Client {
	return &http.Client{Transport: detour{c.Endpoint(), c.server.Client().Transport}}
}

type detour struct {
	to   string
	next http.RoundTripper
}

func (d detour) RoundTrip(r *http.Request) (*http.Response, error) {
	there := r.Clone(r.Context())
	there.URL = &url.URL{Scheme: "https", Host: d.to, Path: r.URL.Path, RawQuery: r.URL.RawQuery}
	there.Host = r.URL.Host
	return d.next.RoundTrip(there)
}
