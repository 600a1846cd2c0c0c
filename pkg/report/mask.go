package report

import (
	"regexp"
	"strings"
)

// masked stands for a secret.
const masked = "***"

// secretKey matches keys whose values are secrets. A key that names where a
// credential is kept (amazonCredentialSecret: namespace:name) is not one.
var secretKey = regexp.MustCompile(`(?i)(password|passwd|secret|token|private_?key|access_?key|api_?key|credentials?)$`)

// secretShape matches secrets wherever they stand.
var secretShape = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)` +
	`|\b(AKIA|ASIA)[0-9A-Z]{16}\b` +
	`|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}` +
	`|\bgh[pousr]_[A-Za-z0-9]{30,}\b` +
	`|\bya29\.[A-Za-z0-9_-]{20,}`)

// Mask returns v with secrets replaced, by key and by shape. What it does not
// change it shares with v.
func Mask(v any) any { return maskAt("", v) }

func maskAt(key string, v any) any {
	switch t := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(t))
		for k, e := range t {
			out[k] = maskAt(k, e)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, e := range t {
			out[i] = maskAt(key, e)
		}
		return out
	case string:
		if t != "" && secretKey.MatchString(key) && !strings.HasSuffix(key, "CredentialSecret") {
			return masked
		}
		return MaskText(t)
	}
	return v
}

// MaskText replaces secrets in a text by their shape.
func MaskText(s string) string {
	if len(s) < 20 {
		return s
	}
	return secretShape.ReplaceAllString(s, masked)
}
