package gke

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// secretKey is where Rancher keeps a service account's key
// (rancher/gke-operator, controller/external.go, GetSecret).
const secretKey = "googlecredentialConfig-authEncodedJson"

// scope is the narrowest one of the API.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// loginName names a login for people, without anything of it.
func loginName(c *live.Credential) string {
	if c == nil {
		return "Application Default Credentials"
	}
	return "Rancher's credential " + c.Name
}

// loginKey tells logins apart: a secret that was changed is another one.
func loginKey(c *live.Credential) string {
	if c == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(c.Name + "\x00" + c.Data[secretKey]))
	return hex.EncodeToString(sum[:])
}

// serviceAccount is the part of a key file that a login needs. The library is
// given these members and no others, so that none can lead it elsewhere.
type serviceAccount struct {
	Type           string `json:"type"`
	ProjectID      string `json:"project_id,omitempty"`
	PrivateKeyID   string `json:"private_key_id"`
	PrivateKey     string `json:"private_key"`
	ClientEmail    string `json:"client_email"`
	ClientID       string `json:"client_id,omitempty"`
	TokenURI       string `json:"token_uri,omitempty"`
	UniverseDomain string `json:"universe_domain,omitempty"`
}

// tokenHosts are Google's hosts that exchange a key for a token. The address comes
// from the secret, and whoever can write secrets must not be able to make a user's
// computer call any address.
var tokenHosts = map[string]bool{"oauth2.googleapis.com": true, "accounts.google.com": true, "www.googleapis.com": true}

// stored makes a login of Rancher's secret. No error says what is in the secret,
// not even the JSON decoder's.
func (r *Reader) stored(c *live.Credential) (*auth.Credentials, *live.Problem) {
	refused := func(kind live.Kind, what string) *live.Problem {
		return &live.Problem{Kind: kind, Text: "Rancher's credential " + c.Name + " cannot be used: " + what,
			Fix: "correct the cloud credential in Rancher, or read with your own login"}
	}
	raw := c.Data[secretKey]
	if raw == "" {
		return nil, refused(live.Login, "the secret has no "+secretKey)
	}
	var sa serviceAccount
	if json.Unmarshal([]byte(raw), &sa) != nil {
		return nil, refused(live.Login, "its "+secretKey+" is not JSON")
	}
	token, err := url.Parse(sa.TokenURI)
	switch {
	case sa.Type != string(credentials.ServiceAccount):
		return nil, refused(live.Unsupported, "it is not the key of a service account")
	case sa.PrivateKey == "" || sa.ClientEmail == "":
		return nil, refused(live.Login, "it has no private_key or no client_email")
	case sa.UniverseDomain != "" && sa.UniverseDomain != "googleapis.com":
		return nil, refused(live.Unsupported, "its universe_domain is not Google's")
	case sa.TokenURI != "" && (err != nil || token.Scheme != "https" || token.User != nil || !tokenHosts[token.Host]):
		return nil, refused(live.Unsupported, "its token_uri is not Google's")
	}
	plain, err := json.Marshal(sa)
	var login *auth.Credentials
	if err == nil {
		login, err = credentials.NewCredentialsFromJSON(credentials.ServiceAccount, plain, r.detect())
	}
	if err != nil {
		return nil, refused(live.Login, "Google's library does not accept the key")
	}
	return login, nil
}

// secretsOf are the secret texts of a file of credentials, whatever its kind. A
// private key is many lines, which a text that quotes it may have joined in any
// way, hence each counts by itself.
func secretsOf(file []byte) []string {
	var f struct {
		PrivateKey   string `json:"private_key"`
		PrivateKeyID string `json:"private_key_id"`
		ClientSecret string `json:"client_secret"`
		RefreshToken string `json:"refresh_token"`
	}
	if json.Unmarshal(file, &f) != nil {
		return nil
	}
	var out []string
	for _, part := range append(strings.Fields(f.PrivateKey), f.PrivateKeyID, f.ClientSecret, f.RefreshToken) {
		if len(part) > 15 {
			out = append(out, part)
		}
	}
	return out
}

// own is the user's login.
func (r *Reader) own() (*auth.Credentials, *live.Problem) {
	if r.options.Login != nil {
		return r.options.Login, nil
	}
	login, err := credentials.DetectDefault(r.detect())
	if err != nil {
		// The text of the error may quote a file of credentials.
		return nil, &live.Problem{Kind: live.Login, Text: "there are no Application Default Credentials that can be used",
			Fix: "log in with: gcloud auth application-default login"}
	}
	return login, nil
}

func (r *Reader) detect() *credentials.DetectOptions {
	return &credentials.DetectOptions{Scopes: []string{scope}, Client: r.options.HTTPClient}
}
