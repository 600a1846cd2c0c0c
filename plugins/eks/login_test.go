package eks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
	"github.com/hostedsync/kubectl-hostedsync/plugins/eks"
)

// rancher is Rancher's credential with the planted values.
func rancher() *live.Credential {
	return &live.Credential{Name: "cattle-global-data:cc-aws", Data: map[string]string{
		"amazonec2credentialConfig-accessKey": secretID, "amazonec2credentialConfig-secretKey": secretKey}}
}

// bare is an environment without any login, and with files of its own.
func bare(t *testing.T, shared string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(shared), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_ENDPOINT_URL",
		"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", file)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
}

func TestRanchersCredential(t *testing.T) {
	bare(t, "")
	s, _ := newAtlas(t)
	o := options(s)
	o.Login = nil
	r := eks.New(o)
	got := must(t, r, live.Request{Snapshot: atlas(), Credential: rancher()})
	if got.Origin != "EKS us-west-2, account 123456789012, with Rancher's credential cattle-global-data:cc-aws" {
		t.Errorf("origin %q", got.Origin)
	}
	for _, key := range []string{"amazonec2credentialConfig-accessKey", "amazonec2credentialConfig-secretKey"} {
		c := rancher()
		c.Data[key] = " "
		got, err := r.Read(t.Context(), live.Request{Snapshot: atlas(), Credential: c})
		if p := problemOf(t, got, err); p.Kind != live.Login || !strings.Contains(p.Text, key) {
			t.Errorf("without %s: %+v", key, p)
		}
	}
	// The user's own login is another matter.
	got, err := r.Read(t.Context(), live.Request{Snapshot: atlas()})
	if p := problemOf(t, got, err); p.Kind != live.Login || p.Call != "eks:DescribeCluster" || p.Text != "there is no login for AWS" {
		t.Errorf("own login: %+v", p)
	}
}

func TestOwnLogin(t *testing.T) {
	const profiles = "[profile team]\naws_access_key_id = " + secretID + "\naws_secret_access_key = " + secretKey + "\nregion = eu-west-1\n" +
		"[profile broken]\ncredential_process = printf '%s' " + secretKey + "\n"
	s, _ := newAtlas(t)
	read := func() (hosted.Reading, error) {
		o := options(s)
		o.Login = nil
		return eks.New(o).Read(t.Context(), live.Request{Snapshot: atlas()})
	}
	bare(t, profiles)
	t.Setenv("AWS_PROFILE", "team")
	if got, err := read(); err != nil || got.Origin != "EKS us-west-2, account 123456789012, with profile team" {
		t.Errorf("profile: %v from %q", err, got.Origin)
	}
	t.Setenv("AWS_PROFILE", "broken")
	got, err := read()
	if p := problemOf(t, got, err); p.Kind != live.Login || !strings.Contains(p.Text, "credential_process") {
		t.Errorf("broken profile: %+v", p)
	}
	clean(t, "a credential_process that prints a secret", got, err)
	t.Setenv("AWS_PROFILE", "missing")
	got, err = read()
	if p := problemOf(t, got, err); p.Kind != live.Login || !strings.Contains(p.Text, "no profile missing") {
		t.Errorf("missing profile: %+v", p)
	}
	t.Setenv("AWS_PROFILE", "")
	t.Setenv("AWS_ACCESS_KEY_ID", secretID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	if got, err := read(); err != nil || got.Origin != "EKS us-west-2, account 123456789012, with the keys in the environment" {
		t.Errorf("environment: %v from %q", err, got.Origin)
	}
	t.Setenv("AWS_MAX_ATTEMPTS", "many")
	got, err = read()
	if p := problemOf(t, got, err); p.Kind != live.Login || !strings.Contains(p.Text, "AWS_MAX_ATTEMPTS") {
		t.Errorf("broken environment: %+v", p)
	}
}

// clean greps everything that a reading hands out for the planted values.
func clean(t *testing.T, what string, got hosted.Reading, err error) {
	t.Helper()
	texts := []string{fmt.Sprintf("%v %+v %#v", got, got, got), raw(got)}
	for e := err; e != nil; e = errors.Unwrap(e) {
		texts = append(texts, e.Error(), fmt.Sprintf("%v %+v %#v %q", e, e, e, e), raw(e))
	}
	var p *live.Problem
	if errors.As(err, &p) {
		texts = append(texts, p.Text, p.Fix, fmt.Sprintf("%+v %#v", *p, *p))
		if p.Err != nil {
			texts = append(texts, p.Err.Error(), fmt.Sprintf("%#v", p.Err))
		}
	}
	for _, text := range texts {
		for _, secret := range []string{secretID, secretKey, secretToken} {
			if strings.Contains(text, secret) {
				t.Errorf("%s: %q is in %s", what, secret, text)
			}
		}
	}
}

// AWS's own texts may repeat the request. None of it is passed on.
func TestSecretsStayHidden(t *testing.T) {
	bare(t, "")
	codes := []string{"SignatureDoesNotMatch", "AccessDeniedException", "InvalidParameterException", "ServerException", "ThrottlingException", "ResourceNotFoundException"}
	read := 0
	for _, c := range []*live.Credential{nil, rancher()} {
		planted := "The Canonical String should have been " + secretKey + " by " + secretID
		if c == nil { // Rancher's has no session
			planted += ", x-amz-security-token:" + secretToken
		}
		for _, op := range []string{"DescribeCluster", "DescribeNodegroup", "DescribeLaunchTemplateVersions", "ListUpdates", "LookupEvents"} {
			for _, code := range codes {
				s, r := newAtlas(t)
				s.Fail(operator.Fault{Op: op, HTTPStatus: 400, Code: code, Message: planted})
				got, err := r.Read(t.Context(), live.Request{Snapshot: atlas(), Credential: c, Since: at.Add(-time.Hour), Who: true})
				if err == nil && got.NoHistory == "" {
					t.Errorf("%s %s was not noticed", op, code)
				}
				clean(t, op+" "+code, got, err)
				read++
			}
		}
	}
	t.Logf("%d readings with planted secrets", read)
	clean(t, "the credential", hosted.Reading{Origin: fmt.Sprintf("%v %+v %s %s", rancher(), rancher(), rancher(), raw(rancher()))}, nil)
	s, _ := newAtlas(t)
	o := options(s)
	o.Login = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, fmt.Errorf("the helper said %s %s", secretKey, secretToken)
	})
	got, err := eks.New(o).Read(t.Context(), live.Request{Snapshot: atlas()})
	if p := problemOf(t, got, err); p.Kind != live.Login {
		t.Errorf("a login that fails: %+v", p)
	}
	clean(t, "a login that fails", got, err)
}

// A changed secret is used at once, and clients are not made anew for nothing.
func TestChangedCredential(t *testing.T) {
	bare(t, "")
	s, _ := newAtlas(t)
	s.AddUpdates(loopback.EKSName{}, loopback.EKSUpdate{Body: update("old", "LoggingUpdate", "Successful", at.Add(-24*time.Hour))})
	r := eks.New(options(s))
	described := func() int {
		n := 0
		for _, op := range s.Seen() {
			if op == "eks:DescribeUpdate" {
				n++
			}
		}
		return n
	}
	c := rancher()
	for i, want := range []int{1, 1, 2} {
		if i == 2 {
			c.Data["amazonec2credentialConfig-secretKey"] = "renewed-secret-EXAMPLE"
		}
		must(t, r, live.Request{Snapshot: atlas(), Credential: c, Since: at.Add(-time.Hour)})
		if n := described(); n != want { // another login may be another account, so its records are its own
			t.Errorf("reading %d: %d updates were described, want %d", i, n, want)
		}
	}
}
