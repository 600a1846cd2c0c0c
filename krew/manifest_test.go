package krew_test

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hostedsync/kubectl-hostedsync/krew"
)

// document is the part of a krew manifest that the plugin uses.
type document struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Version          string             `json:"version"`
		Homepage         string             `json:"homepage"`
		ShortDescription string             `json:"shortDescription"`
		Description      string             `json:"description"`
		Platforms        []platformDocument `json:"platforms"`
	} `json:"spec"`
}

type platformDocument struct {
	Selector struct {
		MatchLabels map[string]string `json:"matchLabels"`
	} `json:"selector"`
	URI    string `json:"uri"`
	Sha256 string `json:"sha256"`
	Bin    string `json:"bin"`
}

// sums invents a checksum for every archive.
func sums() krew.Sums {
	all := krew.Sums{}
	for _, p := range krew.Platforms() {
		d := sha256.Sum256([]byte(p.Archive()))
		all[p.Archive()] = hex.EncodeToString(d[:])
	}
	return all
}

func manifest(t *testing.T) document {
	t.Helper()
	text, err := krew.Manifest("v1.2.3", sums())
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := yaml.UnmarshalStrict(text, &d); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return d
}

// TestManifest holds the manifest to what krew and the reviewers of its index ask
// for.
func TestManifest(t *testing.T) {
	d := manifest(t)
	if d.APIVersion != "krew.googlecontainertools.github.com/v1alpha2" || d.Kind != "Plugin" {
		t.Errorf("%s %s", d.APIVersion, d.Kind)
	}
	if d.Metadata.Name+".yaml" != krew.ManifestFile || d.Spec.Version != "v1.2.3" {
		t.Errorf("name %q, version %q", d.Metadata.Name, d.Spec.Version)
	}
	if d.Spec.Homepage != "https://github.com/hostedsync/kubectl-hostedsync" {
		t.Errorf("homepage %q", d.Spec.Homepage)
	}
	short := d.Spec.ShortDescription
	if len(short) > 50 || strings.ContainsAny(short, "\r\n") || strings.HasSuffix(short, ".") {
		t.Errorf("short description %q: at most 50 characters, one line, no full stop", short)
	}
	if commands := regexp.MustCompile("(?i)(^|\\s)--?[a-z]|`|\\bkubectl\\b|\\$ "); commands.MatchString(d.Spec.Description) {
		t.Errorf("the description shows commands or flags, which --help does: %q", commands.FindString(d.Spec.Description))
	}
	for _, line := range strings.Split(d.Spec.Description, "\n") {
		if len(line) > 80 {
			t.Errorf("a line of %d characters: %q", len(line), line)
		}
	}
}

func TestManifestPlatforms(t *testing.T) {
	d := manifest(t)
	if len(d.Spec.Platforms) != len(krew.Platforms()) {
		t.Fatalf("%d platforms", len(d.Spec.Platforms))
	}
	for i, p := range krew.Platforms() {
		got := d.Spec.Platforms[i]
		if l := got.Selector.MatchLabels; len(l) != 2 || l["os"] != p.OS || l["arch"] != p.Arch {
			t.Errorf("%s has the selector %v", p, l)
		}
		if got.URI != d.Spec.Homepage+"/releases/download/v1.2.3/"+p.Archive() {
			t.Errorf("%s comes from %s", p, got.URI)
		}
		if got.Sha256 != sums()[p.Archive()] || got.Bin != p.Binary() {
			t.Errorf("%s: %+v", p, got)
		}
	}
}

func TestManifestWantsEveryPlatform(t *testing.T) {
	some := sums()
	delete(some, "kubectl-hostedsync_linux_arm64.tar.gz")
	if _, err := krew.Manifest("v1.2.3", some); err == nil || !strings.Contains(err.Error(), "linux_arm64") {
		t.Errorf("error %v, want one that names the archive", err)
	}
}

func TestCheckVersion(t *testing.T) {
	cases := map[string]bool{
		"v1.2.3": true, "v0.0.0-g1a2b3c4": true, "v0.0.0-g1a2b3c4-dirty": true, "v1.2.3-rc.1": true, "v10.20.30": true,
		"": false, "1.2.3": false, "v1.2": false, "v01.2.3": false, "v1.2.3+build": false, "1a2b3c4": false, "v1.2.3-": false, "v1.2.3\n": false,
	}
	for version, good := range cases {
		if err := krew.CheckVersion(version); (err == nil) != good {
			t.Errorf("%q: %v", version, err)
		}
	}
	if _, err := krew.Manifest("latest", sums()); err == nil {
		t.Error("a manifest of no version")
	}
}

func TestSums(t *testing.T) {
	got := krew.Sums{"b": "11", "a": "22"}.String()
	if got != "22  a\n11  b\n" {
		t.Errorf("%q", got)
	}
}
