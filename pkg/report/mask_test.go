package report

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMaskByKey(t *testing.T) {
	for _, key := range []string{"password", "adminPassword", "clientSecret", "token", "apiKey", "api_key", "private_key", "privateKey", "accessKey", "credentials", "userData", "user_data"} {
		got := Mask(map[string]any{key: "x"})
		if want := any(map[string]any{key: masked}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v", key, got)
		}
	}
	kept := map[string]any{
		"amazonCredentialSecret": "cattle-global-data:cc-1", "azureCredentialSecret": "cattle-global-data:cc-2",
		"kmsKey": "arn:aws:kms:eu-west-1:123456789012:key/1", "ec2SshKey": "ops", "tokens-per-minute": "7",
		"password": "", "secretsEncryption": true, "token": int64(3), "list": []any{"a", nil},
	}
	if got := Mask(kept); !reflect.DeepEqual(got, any(kept)) {
		t.Errorf("changed what is no secret: %v", got)
	}
}

func TestMaskSpecKeepsUserData(t *testing.T) {
	in := map[string]any{"userData": "u", "token": "t"}
	if got, want := maskSpec(in), (map[string]any{"userData": "u", "token": masked}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := maskSpec(nil); got != nil {
		t.Errorf("nothing became %v", got)
	}
}

func TestMaskReachesIntoListsAndMaps(t *testing.T) {
	in := map[string]any{"groups": []any{map[string]any{"token": "t", "name": "n"}}, "passwords": "p", "password": []any{"a", "b"}}
	want := map[string]any{"groups": []any{map[string]any{"token": masked, "name": "n"}}, "passwords": "p", "password": []any{masked, masked}}
	if got := Mask(in); !reflect.DeepEqual(got, any(want)) {
		t.Errorf("got %v, want %v", got, want)
	}
	if in["groups"].([]any)[0].(map[string]any)["token"] != "t" {
		t.Error("the original was changed")
	}
}

func TestMaskByShape(t *testing.T) {
	for name, secret := range map[string]string{
		"pem":           "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
		"cut pem":       "-----BEGIN PRIVATE KEY-----\nMIIE",
		"aws key":       "AKIA" + strings.Repeat("A", 16),
		"aws temporary": "ASIA" + strings.Repeat("7", 16),
		"jwt":           "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
		"github":        "ghp_" + strings.Repeat("a", 36),
		"google":        "ya29." + strings.Repeat("b", 30),
	} {
		if got := MaskText("before " + secret + " after"); strings.Contains(got, secret) || !strings.HasPrefix(got, "before "+masked) {
			t.Errorf("%s: got %q", name, got)
		}
		if got := Mask([]any{secret}); !reflect.DeepEqual(got, any([]any{masked})) {
			t.Errorf("%s in a list: got %v", name, got)
		}
	}
	for _, text := range []string{"arn:aws:iam::123456789012:role/hosted-nodes", "subnet-0a1f3c5e7d9b20461", "AKIA is a prefix of access keys"} {
		if got := MaskText(text); got != text {
			t.Errorf("changed %q to %q", text, got)
		}
	}
}

func TestMaskIn(t *testing.T) {
	secrets := secretsIn("", map[string]any{"password": "hunter22", "team": "blue", "l": []any{map[string]any{"token": "abc"}}})
	if want := []string{"abc", "hunter22"}; !reflect.DeepEqual(secrets, want) {
		t.Fatalf("secrets %v, want %v", secrets, want)
	}
	got := maskIn(`from hunter22 to "abc" in abcd, blue`, secrets)
	if want := `from *** to "***" in abcd, blue`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLastKey(t *testing.T) {
	for text, want := range map[string]string{
		"tags.password": "password", "cloud tags.password": "password", "nodeGroups[workers].desiredSize": "desiredSize",
		"nodeGroups[workers]": "workers", "": "", "[": "",
	} {
		if got := lastKey(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestMaskIsIdempotent: masking what is masked changes nothing, and no secret
// under a telling key survives anywhere.
func TestMaskIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genValue(t, 3)
		once := Mask(v)
		if twice := Mask(once); !reflect.DeepEqual(once, twice) {
			t.Fatalf("%v became %v", once, twice)
		}
		for _, s := range secretsIn("", once) {
			if s != masked {
				t.Fatalf("%q is left in %v", s, once)
			}
		}
	})
}

func genValue(t *rapid.T, depth int) any {
	kinds := []string{"text", "number", "null"}
	if depth > 0 {
		kinds = append(kinds, "map", "list")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "text":
		return rapid.String().Draw(t, "text")
	case "number":
		return rapid.Int64().Draw(t, "number")
	case "map":
		out := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "keys") {
			out[rapid.SampledFrom([]string{"password", "tags", "token", "azureCredentialSecret", "a"}).Draw(t, "key")] = genValue(t, depth-1)
		}
		return out
	case "list":
		out := make([]any, rapid.IntRange(0, 3).Draw(t, "items"))
		for i := range out {
			out[i] = genValue(t, depth-1)
		}
		return out
	}
	return nil
}
