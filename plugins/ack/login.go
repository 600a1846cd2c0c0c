package ack

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// Where the keys are: in Rancher's secret (rancher/ali-operator,
// pkg/alibaba/client.go, GetSecrets), and in the environment under the names that
// Alibaba Cloud's libraries use.
const (
	secretID  = "alibabacredentialConfig-accessKeyId"
	secretKey = "alibabacredentialConfig-accessKeySecret"

	envID    = "ALIBABA_CLOUD_ACCESS_KEY_ID"
	envKey   = "ALIBABA_CLOUD_ACCESS_KEY_SECRET"
	envToken = "ALIBABA_CLOUD_SECURITY_TOKEN"
)

// keys are a login. Only its name is for people.
type keys struct{ name, id, secret, token string }

// keysOf finds the login.
func (r *Reader) keysOf(c *live.Credential) (keys, *live.Problem) {
	missing := func(what, fix string) (keys, *live.Problem) {
		return keys{}, &live.Problem{Kind: live.Login, Text: what, Fix: fix}
	}
	if c != nil {
		k := keys{name: "Rancher's credential " + c.Name, id: c.Data[secretID], secret: c.Data[secretKey]}
		for _, key := range []string{secretID, secretKey} {
			if c.Data[key] == "" {
				return missing(k.name+" cannot be used: the secret has no "+key,
					"correct the cloud credential in Rancher, or read with your own login")
			}
		}
		return k, nil
	}
	k := keys{name: "the access key of the environment", id: r.options.Getenv(envID), secret: r.options.Getenv(envKey), token: r.options.Getenv(envToken)}
	if k.id == "" || k.secret == "" {
		return missing("there is no access key in the environment", "set "+envID+" and "+envKey+", and "+envToken+" if it is a temporary one")
	}
	return k, nil
}

// fingerprint tells logins apart without being one.
func (k keys) fingerprint() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{k.name, k.id, k.secret, k.token}, "\x00")))
	return hex.EncodeToString(sum[:])
}
