package krew

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

const (
	// Name is the plugin's name in the index and the manifest file's own.
	Name = "hostedsync"
	// ManifestFile is the release's manifest.
	ManifestFile = Name + ".yaml"
	// SumsFile lists the checksums of its archives.
	SumsFile = "checksums.txt"

	plugin = "kubectl-" + Name
)

//go:embed hostedsync.yaml.tmpl
var manifestTemplate string

// versionForm is semantic versioning with the v that krew demands; build
// metadata is left out, since krew cannot order by it.
var versionForm = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// CheckVersion refuses what krew would not take for a version.
func CheckVersion(version string) error {
	if !versionForm.MatchString(version) {
		return fmt.Errorf("%q is no version: krew wants vMAJOR.MINOR.PATCH, with -PRERELEASE if need be", version)
	}
	return nil
}

// Sums are the SHA-256 checksums of archives, in hexadecimal, by file name.
type Sums map[string]string

// String lists them by name, as sha256sum prints and checks them.
func (s Sums) String() string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s)) {
		out.WriteString(s[name] + "  " + name + "\n")
	}
	return out.String()
}

// entry is one platform in the manifest.
type entry struct {
	Platform
	Sha256 string
}

// Manifest is the text of the plugin's manifest for a version. Every platform's
// archive must have a checksum.
func Manifest(version string, sums Sums) ([]byte, error) {
	if err := CheckVersion(version); err != nil {
		return nil, err
	}
	var entries []entry
	for _, p := range Platforms() {
		sum, ok := sums[p.Archive()]
		if !ok {
			return nil, fmt.Errorf("the manifest needs the checksum of %s: build all platforms", p.Archive())
		}
		entries = append(entries, entry{p, sum})
	}
	t, err := template.New(ManifestFile).Parse(manifestTemplate)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{"Name": Name, "Version": version, "Platforms": entries})
	return out.Bytes(), err
}
