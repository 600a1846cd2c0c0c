package report

import (
	"regexp"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// masked stands for a secret.
const masked = "***"

// secretKey matches keys whose values are secrets. A key that names where a
// credential is kept (amazonCredentialSecret: namespace:name) is not one.
var secretKey = regexp.MustCompile(`(?i)(password|passwd|secret|token|private_?key|access_?key|api_?key|credentials?)$`)

// userData matches keys whose values are boot scripts, which often carry secrets.
var userData = regexp.MustCompile(`(?i)^user_?data$`)

// secretShape matches secrets wherever they stand.
var secretShape = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)` +
	`|\b(AKIA|ASIA)[0-9A-Z]{16}\b` +
	`|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}` +
	`|\bgh[pousr]_[A-Za-z0-9]{30,}\b` +
	`|\bya29\.[A-Za-z0-9_-]{20,}`)

// Mask returns v with secrets replaced, by key and by shape. What it does not
// change it shares with v.
func Mask(v any) any { return maskAt("", v) }

func maskAt(key string, v any) any { return maskWhere(secretName, key, v) }

// maskSpec masks a spec that a document quotes in full, as Rancher will store it.
// User data stays there: it is part of what the document promises.
func maskSpec(spec map[string]any) map[string]any {
	if spec == nil { // absent is not empty
		return nil
	}
	return hosted.Map(maskWhere(credentialName, "", spec))
}

func maskWhere(secret func(key string) bool, key string, v any) any {
	switch t := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(t))
		for k, e := range t {
			out[k] = maskWhere(secret, k, e)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, e := range t {
			out[i] = maskWhere(secret, key, e)
		}
		return out
	case string:
		if t != "" && secret(key) {
			return masked
		}
		return MaskText(t)
	}
	return v
}

// secretName tells whether a key's values are secrets.
func secretName(key string) bool { return credentialName(key) || userData.MatchString(key) }

// credentialName tells whether a key's values are credentials.
func credentialName(key string) bool {
	return secretKey.MatchString(key) && !strings.HasSuffix(key, "CredentialSecret")
}

// lastKey is the key at which a path ends, given in text form after other words
// ("cloud tags.team"); "" if there is none.
func lastKey(text string) string {
	path, err := hosted.ParsePath(text[strings.LastIndexByte(text, ' ')+1:])
	if err != nil {
		return ""
	}
	return path[len(path)-1].Key
}

// secretsIn lists the strings in v that stand under a secret's key.
func secretsIn(key string, v any) []string {
	var out []string
	switch t := v.(type) {
	case map[string]any:
		for _, k := range hosted.SortedKeys(t) {
			out = append(out, secretsIn(k, t[k])...)
		}
	case []any:
		for _, e := range t {
			out = append(out, secretsIn(key, e)...)
		}
	case string:
		if t != "" && secretName(key) {
			out = append(out, t)
		}
	}
	return out
}

// shortSecret is the length below which a secret is only looked for in quotes: a
// word that short occurs anywhere.
const shortSecret = 6

// maskIn replaces secrets in a text, those given and those of a secret's shape.
func maskIn(text string, secrets []string) string {
	for _, s := range secrets {
		text = strings.ReplaceAll(text, hosted.Canonical(s), `"`+masked+`"`)
		if len(s) >= shortSecret {
			text = strings.ReplaceAll(text, s, masked)
		}
	}
	return MaskText(text)
}

// MaskText replaces secrets in a text by their shape.
func MaskText(s string) string {
	if len(s) < 20 {
		return s
	}
	return secretShape.ReplaceAllString(s, masked)
}
